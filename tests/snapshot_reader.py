"""Reads snapshots, from what docs/snapshot-format.md and docs/hashing.md say and nothing else, and asks them for the
keys `key-0` to `key-59`: python3 tests/snapshot_reader.py FILE...

Prints a line for each file: its name, how it is coded, and an answer for each key (1 or 0; of a count-min sketch the
estimate); of a HyperLogLog the registers.
"""

import struct
import sys
import zlib
from pathlib import Path

MASK32, MASK64, GOLDEN = (1 << 32) - 1, (1 << 64) - 1, 0x9E3779B1
KEYS = [b"key-%d" % number for number in range(60)]
# The key of the golden file with SipHash. It is secret: a snapshot does not tell it.
SIPHASH_KEY = b"0123456789abcdef"
UNKNOWN = MASK64
BLOCKED, CLASSIC, COUNTING, SCALABLE, ROTATING, CUCKOO, COUNT_MIN, HYPERLOGLOG, STREAM = range(1, 10)


def xxh32(data, seed):
    p1, p2, p3, p4, p5 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1
    assert len(data) < 16, "the keys are short"
    mix = lambda h, r, p: ((h << r | h >> (32 - r)) & MASK32) * p & MASK32
    h = (seed + p5 + len(data)) & MASK32
    while len(data) >= 4:
        h = mix((h + int.from_bytes(data[:4], "little") * p3) & MASK32, 17, p4)
        data = data[4:]
    for byte in data:
        h = mix((h + byte * p5) & MASK32, 11, p1)
    h = (h ^ h >> 15) * p2 & MASK32
    h = (h ^ h >> 13) * p3 & MASK32
    return h ^ h >> 16


def xxh3(data, seed):
    assert 4 <= len(data) <= 8, "the keys are short"
    secret = 0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE  # of the published secret, bytes 8 to 23
    seed ^= int.from_bytes((seed & MASK32).to_bytes(4, "little"), "big") << 32
    first, last = int.from_bytes(data[:4], "little"), int.from_bytes(data[-4:], "little")
    h = (last + (first << 32)) ^ (secret - seed) & MASK64
    rotate = lambda h, r: (h << r | h >> (64 - r)) & MASK64
    h ^= rotate(h, 49) ^ rotate(h, 24)
    h = h * 0x9FB21C651E98DF25 & MASK64
    h ^= (h >> 35) + len(data)
    h = h * 0x9FB21C651E98DF25 & MASK64
    return h ^ h >> 28


def siphash13(data, key):
    k0, k1 = struct.unpack("<2Q", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    rotate = lambda h, r: (h << r | h >> (64 - r)) & MASK64

    def round():
        v[0] = (v[0] + v[1]) & MASK64
        v[2] = (v[2] + v[3]) & MASK64
        v[1], v[3] = rotate(v[1], 13) ^ v[0], rotate(v[3], 16) ^ v[2]
        v[0] = rotate(v[0], 32)
        v[2] = (v[2] + v[1]) & MASK64
        v[0] = (v[0] + v[3]) & MASK64
        v[1], v[3] = rotate(v[1], 17) ^ v[2], rotate(v[3], 21) ^ v[0]
        v[2] = rotate(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        round()
        v[0] ^= word
    v[2] ^= 0xFF
    for _ in range(3):
        round()
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def murmur3(data, seed):
    assert len(data) <= 8, "the keys are short"
    rotate = lambda h, r: (h << r | h >> (64 - r)) & MASK64

    def finish(h):
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & MASK64
        h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53 & MASK64
        return h ^ h >> 33

    low = int.from_bytes(data, "little") * 0x87C37B91114253D5 & MASK64
    h1 = seed ^ rotate(low, 31) * 0x4CF5AD432745937F & MASK64 ^ len(data)
    h2 = seed ^ len(data)
    h1 = (h1 + h2) & MASK64
    h2 = (h2 + h1) & MASK64
    return (finish(h1) + finish(h2)) & MASK64


class Snapshot:
    def __init__(self, data):
        assert len(data) >= 64, "too short"
        assert data[:4] == b"SNDW", "no snapshot"
        assert data[4] == 1, "another version"
        fields = struct.unpack("<4x4BII4BIQQQQII", data[:64])
        _, self.kind, self.hash_id, self.encoding, self.unit_bits, self.n, *rest = fields
        self.k, self.parts, self.stage, self.parameter, self.rate, self.seed, self.count, self.state, *rest = rest
        length, payload_crc, header_crc = rest
        assert zlib.crc32(data[:60]) == header_crc, "the header is damaged"
        payload = data[64:]
        assert len(payload) == length, "another length"
        assert zlib.crc32(payload) == payload_crc, "the payload is damaged"
        if self.hash_id == 3:
            assert siphash13(b"sundew", SIPHASH_KEY) == self.seed, "another key"
        if self.encoding == 1:
            payload = decompress(payload, self.parameter, self.plain_len())
        assert len(payload) == self.plain_len(), "another length than the geometry's"
        self.payload = payload
        self.bits = int.from_bytes(payload, "little")

    def plain_len(self):
        n, unit = self.n, self.unit_bits
        if self.kind == COUNT_MIN:
            return (n * self.k * unit // 8 + 3) // 4 * 4
        return {
            BLOCKED: n * unit // 8,
            CLASSIC: 4 * n,
            COUNTING: 64 * n,
            SCALABLE: 64 * n,
            ROTATING: 64 * n * self.parts,
            CUCKOO: n * unit // 2,
            HYPERLOGLOG: n * 6 // 8,
            STREAM: n * 6 // 8,
        }[self.kind]

    def hash(self, key):
        """The upper and lower 32 bits; of a 32-bit hash both are the hash."""
        if self.hash_id == 1:
            h = xxh32(key, self.seed)
            return h, h
        h = {2: xxh3, 3: lambda key, _: siphash13(key, SIPHASH_KEY), 4: murmur3}[self.hash_id](key, self.seed)
        return h >> 32, h & MASK32

    def bit(self, index):
        return self.bits >> index & 1

    def probes(self, key):
        _, p = self.hash(key)
        for _ in range(self.k):
            p = p * GOLDEN & MASK32
            yield p

    def in_blocks(self, key, start, end, block_bits):
        """Whether the blocks from `start` to `end` have all bits of a key."""
        block = start + (self.hash(key)[0] * (end - start) >> 32)
        return all(self.bit(block * block_bits + (p * block_bits >> 32)) for p in self.probes(key))

    def in_classic(self, key):
        high, low = self.hash(key)
        step = low | 1
        if self.hash_id == 1:
            product = low * GOLDEN & MASK32
            step = (product << 16 | product >> 16) & MASK32 | 1
        bits = 32 * self.n
        return all(self.bit(((high + i * step) & MASK32) * bits >> 32) for i in range(self.k))

    def in_counting(self, key):
        block = self.hash(key)[0] * self.n >> 32
        counters = (block * 128 + (p * 128 >> 32) for p in self.probes(key))
        return all(self.bits >> 4 * counter & 15 for counter in counters)

    def in_scalable(self, key):
        bound = lambda stage: self.n >> self.parts - stage if stage else 0
        stages = range(self.stage + 1)
        return any(self.in_blocks(key, bound(stage), bound(stage + 1), 512) for stage in stages)

    def in_rotating(self, key):
        ages = range(self.parts)
        return any(self.in_blocks(key, age * self.n, (age + 1) * self.n, 512) for age in ages)

    def in_cuckoo(self, key):
        high, low = self.hash(key)
        f = 1 + ((low & 0xFFFF) * ((1 << self.unit_bits) - 1) >> 16)
        a = high * self.n >> 32
        b = ((f * GOLDEN & MASK32) * self.n >> 32) - a
        slot = lambda i: self.bits >> self.unit_bits * i & (1 << self.unit_bits) - 1
        return any(slot(4 * bucket + i) == f for bucket in (a, b % self.n) for i in range(4))

    def estimate(self, key):
        counter = lambda i: self.bits >> self.unit_bits * i & (1 << self.unit_bits) - 1
        places = (row * self.n + (p * self.n >> 32) for row, p in enumerate(self.probes(key)))
        return min(counter(place) for place in places)

    def contains(self, key):
        return {
            BLOCKED: lambda key: self.in_blocks(key, 0, self.n, self.unit_bits),
            CLASSIC: self.in_classic,
            COUNTING: self.in_counting,
            SCALABLE: self.in_scalable,
            ROTATING: self.in_rotating,
            CUCKOO: self.in_cuckoo,
        }[self.kind](key)

    def answers(self):
        if self.kind in (HYPERLOGLOG, STREAM):
            return [self.bits >> 6 * i & 63 for i in range(self.n)]
        if self.kind == COUNT_MIN:
            return [self.estimate(key) for key in KEYS]
        return [int(self.contains(key)) for key in KEYS]


def decompress(code, r, length):
    bits = [byte >> i & 1 for byte in code for i in range(8)]
    plain, place, i = 0, 0, 0
    while True:
        ones = 0
        while i < len(bits) and bits[i]:
            ones, i = ones + 1, i + 1
        if i == len(bits):
            assert ones < 8, "more than fills up a byte"
            return plain.to_bytes(length, "little")
        i += 1
        assert i + r <= len(bits), "ends inside a code"
        place += (ones << r) + sum(bits[i + j] << j for j in range(r))
        assert place < 8 * length, "beyond the last bit"
        plain |= 1 << place
        place, i = place + 1, i + r


for name in sys.argv[1:]:
    snapshot = Snapshot(Path(name).read_bytes())
    print(Path(name).stem, "plain" if snapshot.encoding == 0 else "compressed", *snapshot.answers())
