//! `cargo xtask test clients`: Redis clients that know nothing of this project talk to the firmware under QEMU.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use crate::call::Call;
use crate::{Outcome, root, setup};

/// The version whose tests were read.
const REDIS_PY: &str = "redis==8.1.0";
/// Cases of redis-py's own tests/test_bloom.py that the firmware is to pass.
const BLOOM_CASES: &str = "test_bf_add or test_bf_insert or test_bf_info or test_bf_card \
                            or test_cf_add_and_insert or test_cf_exists_and_del or test_cms or test_cms_merge";
const PIPED_COMMANDS: usize = 1_000;

pub fn test() -> Outcome {
    setup::set_up_clients()?;
    let tools = Tools::install()?;
    let device = Device::boot()?;
    for (name, check) in CHECKS {
        eprintln!("  {name}");
        check(&device, &tools).map_err(|error| {
            format!("{name}: {error}\nto repeat it:\n  cargo xtask test clients")
        })?;
    }
    Ok(())
}

type Check = fn(&Device, &Tools) -> Outcome;

const CHECKS: [(&str, Check); 12] = [
    ("redis-cli, one command at a time", one_shot),
    ("redis-cli at a terminal", at_terminal),
    ("redis-cli in RESP3", |device, _| {
        device
            .cli(&["-3", "BF.EXISTS", "cli", "a"])?
            .expect("(true)\n")?;
        // The next client would be answered in RESP3, too, for some seconds.
        device.cli(&["RESET"])?.expect("RESET\n")
    }),
    ("redis-cli --pipe", piped),
    ("redis-benchmark, one by one", |device, _| {
        benchmark(device, "1")
    }),
    ("redis-benchmark, 16 at a time", |device, _| {
        benchmark(device, "16")
    }),
    ("redis-benchmark, inline", inline_benchmark),
    ("redis-py", redis_py),
    ("redis-py's own tests, RESP3", |device, tools| {
        own_tests(device, tools, "3")
    }),
    ("redis-py's own tests, RESP2", |device, tools| {
        own_tests(device, tools, "2")
    }),
    (
        "redis-py's own tests up to a last line, RESP3",
        |d, tools| own_tests_that_stop(d, tools, "3"),
    ),
    (
        "redis-py's own tests up to a last line, RESP2",
        |d, tools| own_tests_that_stop(d, tools, "2"),
    ),
];

fn one_shot(device: &Device, _: &Tools) -> Outcome {
    device
        .cli(&["BF.ADD", "cli", "https://example.com/"])?
        .expect("1\n")?;
    device
        .cli(&["BF.ADD", "cli", "https://example.com/"])?
        .expect("0\n")?;
    device
        .cli(&["BF.MADD", "cli", "a", "b", "a"])?
        .expect("1\n1\n0\n")?;
    device
        .cli(&["BF.RESERVE", "cli", "0.01", "10"])?
        .expect("ERR item exists\n\n")?;
    device.cli(&["SUNDEW.SEEN", "cli", "a"])?.expect("1\n")
}

/// With a terminal, redis-cli first asks what commands there are.
fn at_terminal(device: &Device, _: &Tools) -> Outcome {
    // It asks a terminal of no size where its cursor is, and waits; and it drops what is typed before its
    // prompt. Enter is a carriage return.
    let line = format!("stty rows 24 columns 80; redis-cli -p {}", device.port);
    let mut terminal = Command::new("sh");
    terminal.args([
        "-c",
        "for line in 'BF.CARD cli' 'bf.exists cli b' quit; do sleep 1; printf '%s\\r' \"$line\"; done |
         script --quiet --return --command \"$1\" /dev/null",
        "sh",
        &line,
    ]);
    let said = talk(terminal, "")?;
    if said.0.contains("(integer) 3") && said.0.contains("(integer) 1") {
        Ok(())
    } else {
        Err(format!("it said\n{}", said.0))
    }
}

fn piped(device: &Device, _: &Tools) -> Outcome {
    let commands: String = (0..PIPED_COMMANDS)
        .map(|i| format!("BF.ADD piped \"key {i}\"\r\n"))
        .collect();
    let mut cli = Command::new("redis-cli");
    cli.args(["-p", &device.port.to_string(), "--pipe"]);
    let said = talk(cli, &commands)?;
    said.contains(&format!("errors: 0, replies: {PIPED_COMMANDS}"))
}

fn benchmark(device: &Device, pipelined: &str) -> Outcome {
    let mut benchmark = device.benchmark(pipelined);
    benchmark.args(["-r", "1000000", "BF.ADD", "bench", "key:__rand_int__"]);
    benchmark_of(benchmark)
}

fn inline_benchmark(device: &Device, _: &Tools) -> Outcome {
    let mut benchmark = device.benchmark("1");
    benchmark.args(["-t", "ping_inline"]);
    benchmark_of(benchmark)
}

fn benchmark_of(benchmark: Command) -> Outcome {
    let said = talk(benchmark, "")?;
    if said.0.contains("rror") {
        return Err(format!("it said\n{}", said.0));
    }
    said.contains("requests per second")
}

fn redis_py(device: &Device, tools: &Tools) -> Outcome {
    let mut python = tools.python();
    python
        .arg(root().join("tests/clients/redis_py.py"))
        .arg(device.port.to_string());
    talk(python, "")?.contains("is content")
}

fn own_tests(device: &Device, tools: &Tools, protocol: &str) -> Outcome {
    let pytest = pytest(device, tools, protocol, BLOOM_CASES);
    let cases = BLOOM_CASES.split(" or ").count();
    talk(pytest, "")?.contains(&format!("{cases} passed"))
}

/// Cases of which the device does all but the last line: that line, and the answer to it.
const CASES_THAT_STOP: [(&str, &str, &str); 3] = [
    (
        "test_bf_scandump_and_loadchunk",
        // 24 MB.
        "client.bf().create(\"myBloom\", \"0.0001\", \"10000000\")",
        "operation exceeds bloom object memory limit",
    ),
    ("test_create", RESERVE_TOP, NO_TOP),
    ("test_bf_reserve", RESERVE_TOP, NO_TOP),
];
const RESERVE_TOP: &str = "assert client.topk().reserve(\"topk\", 5, 100, 5, 0.9)";
const NO_TOP: &str = "unknown command 'TOPK.RESERVE'";

fn own_tests_that_stop(device: &Device, tools: &Tools, protocol: &str) -> Outcome {
    for (case, last_line, answer) in CASES_THAT_STOP {
        let pytest = pytest(device, tools, protocol, case);
        let Err(said) = talk(pytest, "") else {
            return Err(format!("{case} passes now; it belongs to the others"));
        };
        let said = Said(said);
        said.contains(&format!(">       {last_line}"))?;
        said.contains(answer)?;
        said.contains("1 failed")?;
    }
    Ok(())
}

fn pytest(device: &Device, tools: &Tools, protocol: &str, cases: &str) -> Command {
    let url = format!("redis://127.0.0.1:{}/0", device.port);
    let mut pytest = tools.python();
    pytest
        .current_dir(&tools.redis_py)
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "tests/test_bloom.py",
        ])
        .args(["--redis-url", &url, "--redis-mod-url", &url])
        .args(["--protocol", protocol, "-k", cases]);
    pytest
}

/// What a client printed.
struct Said(String);

impl Said {
    fn expect(self, expected: &str) -> Outcome {
        if self.0 == expected {
            Ok(())
        } else {
            Err(format!("it said {:?} instead of {expected:?}", self.0))
        }
    }

    fn contains(&self, expected: &str) -> Outcome {
        if self.0.contains(expected) {
            Ok(())
        } else {
            Err(format!("no `{expected}` in what it said:\n{}", self.0))
        }
    }
}

/// Runs a client with this input, for at most two minutes.
fn talk(client: Command, input: &str) -> Outcome<Said> {
    let mut guarded = Command::new("timeout");
    guarded
        .arg("120")
        .arg(client.get_program())
        .args(client.get_args());
    if let Some(directory) = client.get_current_dir() {
        guarded.current_dir(directory);
    }
    let shown = format!("{client:?}");
    let mut child = guarded
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {shown}: {error}"))?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let Output {
        status,
        stdout,
        stderr,
    } = child
        .wait_with_output()
        .map_err(|error| format!("{shown}: {error}"))?;
    // A client that ends early does not read it all.
    let _ = writer.join();
    let said = String::from_utf8_lossy(&stdout).into_owned();
    if status.success() {
        Ok(Said(said))
    } else {
        let complaint = String::from_utf8_lossy(&stderr);
        Err(format!("{shown} ended with {status}:\n{said}{complaint}"))
    }
}

/// The firmware on a port of its own.
struct Device {
    process: Child,
    port: u16,
}

impl Device {
    fn boot() -> Outcome<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
            .and_then(|listener| listener.local_addr())
            .map_err(|error| format!("no free port: {error}"))?
            .port();
        // Through cargo, which becomes it: this program's own file may have been built anew since it started.
        let mut process = Command::new("cargo")
            .current_dir(root())
            .args(["xtask", "shell", "--tcp", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start the emulator: {error}"))?;
        let stdout = process.stdout.take();
        let device = Self { process, port };
        let mut lines = BufReader::new(stdout.ok_or("no output")?).lines();
        let is_ready = lines.any(|line| line.is_ok_and(|line| line.starts_with("ready ")));
        is_ready
            .then_some(device)
            .ok_or("the device did not start".into())
    }

    fn cli(&self, arguments: &[&str]) -> Outcome<Said> {
        let mut cli = Command::new("redis-cli");
        cli.args(["-p", &self.port.to_string()]).args(arguments);
        talk(cli, "")
    }

    /// One connection: a UART has no more.
    fn benchmark(&self, pipelined: &str) -> Command {
        let mut benchmark = Command::new("redis-benchmark");
        let port = self.port.to_string();
        benchmark.args(["-p", &port, "-c", "1", "-n", "1000", "-P", pipelined]);
        benchmark
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Python with redis-py, and redis-py's sources.
struct Tools {
    python: PathBuf,
    redis_py: PathBuf,
}

impl Tools {
    fn install() -> Outcome<Self> {
        let folder = root().join("target/clients");
        let tools = Self {
            python: folder.join("python/bin/python"),
            redis_py: folder.join(REDIS_PY.replace("==", "-")),
        };
        let shown = tools.python.display();
        if !tools.python.exists() {
            Call::new("python3 -m venv target/clients/python").run_aloud()?;
        }
        let check = format!("{shown} -c import(redis,pytest)").replace("import(redis,pytest)", "");
        if !Call::new(&check)
            .arg("import redis, pytest, pytest_asyncio")
            .succeeds()
        {
            Call::new(&format!(
                "{shown} -m pip install --quiet {REDIS_PY} pytest pytest-asyncio"
            ))
            .run_aloud()?;
        }
        if !tools.redis_py.exists() {
            let archive = format!("target/clients/{}.tar.gz", REDIS_PY.replace("==", "-"));
            Call::new(&format!(
                "{shown} -m pip download --quiet --no-deps --no-binary redis --dest target/clients {REDIS_PY}"
            ))
            .run_aloud()?;
            Call::new(&format!(
                "tar --extract --gzip --file {archive} --directory target/clients"
            ))
            .run_aloud()?;
        }
        Ok(tools)
    }

    fn python(&self) -> Command {
        Command::new(&self.python)
    }
}
