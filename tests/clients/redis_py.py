"""redis-py at its defaults (RESP3) and in RESP2, one after the other on one UART: `redis_py.py PORT`."""

import sys

import redis

PORT = int(sys.argv[1])


def check(**options):
    client = redis.Redis(port=PORT, decode_responses=True, socket_timeout=20, **options)
    bloom = client.bf()
    client.delete("py")
    assert client.ping()
    assert bloom.reserve("py", 0.001, 5000)
    assert bloom.add("py", "a") == 1
    assert bloom.add("py", "a") == 0
    assert bloom.exists("py", "a") == 1
    assert bloom.exists("py", "b") == 0
    assert [int(new) for new in bloom.madd("py", "a", "b", "c")] == [0, 1, 1]
    assert [int(found) for found in bloom.mexists("py", "c", "d")] == [1, 0]
    assert bloom.card("py") == 3
    info = bloom.info("py")
    assert (info["Capacity"] if isinstance(info, dict) else info.get("capacity")) == 5000
    binary = bytes(range(256)) * 40
    assert client.execute_command("SUNDEW.SEEN", "py", binary) == 0
    assert client.execute_command("SUNDEW.SEEN", "py", binary) == 1
    with client.pipeline(transaction=False) as pipeline:
        for i in range(300):
            pipeline.execute_command("BF.ADD", "py", f"key {i}")
        assert sum(int(new) for new in pipeline.execute()) >= 298
    try:
        client.execute_command("BF.RESERVE", "large", 0.01, 3_000_000)
        raise AssertionError("3.6 MB of a 256 KB arena")
    except redis.ResponseError as error:
        assert "exceeds bloom object memory limit" in str(error), error
    # The exact store is here, and is asked only for what the device may have.
    store = set()
    for item in list(range(40)) * 2:
        if client.execute_command("SUNDEW.ASK", "py", f"exact {item}"):
            client.execute_command("SUNDEW.TOLD", int(item in store))
        else:
            assert item not in store
            bloom.add("py", f"exact {item}")
        store.add(item)
    assert client.info()["lookups_sent_on"] >= 40
    assert "py" in client.scan_iter()
    assert client.info()["board"]
    # What a client cannot read that expects the other protocol.
    assert client.memory_usage("missing") is None
    assert client.config_get("save") == {"save": ""}
    assert client.delete("py") == 1
    client.close()


check()
check(protocol=2)
check(protocol=3)
check(client_name="tester")
print("redis-py", redis.__version__, "is content")
