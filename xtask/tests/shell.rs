//! `cargo xtask shell --tcp` as its user sees it.
#![cfg(target_os = "linux")] // it looks for processes in /proc

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("shell").args(arguments).stdin(Stdio::null());
    command
}

fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// Ends what it started, also when the test fails.
struct Shell(Child);

impl Shell {
    /// Returns when the first line of output is there, which it returns too.
    fn start(port: u16) -> (Self, String) {
        let mut shell = Self(
            xtask(&["--tcp", &port.to_string()])
                .stdout(Stdio::piped())
                .spawn()
                .unwrap(),
        );
        let mut line = String::new();
        BufReader::new(shell.0.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        (shell, line)
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args(["-s", name, &self.0.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ask(port: u16, question: &[u8], answer: &[u8]) {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(question).unwrap();
    let mut found = vec![0; answer.len()];
    stream.read_exact(&mut found).unwrap();
    assert_eq!(
        found.escape_ascii().to_string(),
        answer.escape_ascii().to_string()
    );
}

/// Processes that have the port in their command line.
fn processes(port: u16) -> Vec<String> {
    let port = port.to_string();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|words| String::from_utf8_lossy(&words).replace('\0', " "))
        .filter(|line| line.contains(&port) && (line.contains("qemu") || line.contains("xtask")))
        .collect()
}

#[test]
fn is_ready_answers_and_leaves_nothing_behind() {
    for signal in ["TERM", "INT", "KILL"] {
        let port = free_port();
        let (mut shell, line) = Shell::start(port);
        assert_eq!(line, format!("ready 127.0.0.1:{port}\n"));

        // One client after the other.
        ask(port, b"PING\r\n", b"+PONG\r\n");
        ask(port, b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n");
        assert!(!processes(port).is_empty(), "there is no emulator to end");

        shell.signal(signal);
        let asked = Instant::now();
        while shell.0.try_wait().unwrap().is_none() {
            assert!(asked.elapsed() < PATIENCE, "SIG{signal} does not end it");
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(processes(port), Vec::<String>::new(), "after SIG{signal}");
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
    }
}

#[test]
fn says_when_the_port_is_taken() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let output = xtask(&["--tcp", &port.to_string()]).output().unwrap();
    assert!(!output.status.success());
    assert_eq!(output.stdout, b"");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.starts_with(&format!("port {port} is taken")),
        "{message}"
    );
}

#[test]
fn the_terminal_comes_with_a_banner() {
    let mut child = xtask(&[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = child.stdout.take().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut shell = Shell(child);

    let mut found = String::new();
    let mut read_until = |end: &str| {
        while !found.ends_with(end) {
            let mut byte = [0];
            let count = output.read(&mut byte).unwrap();
            assert_eq!(count, 1, "it ended after:\n{found}");
            found.push(byte[0].into());
        }
    };
    read_until("Ctrl-A X leaves.\n");
    // QEMU keeps what is typed before the firmware listens, until the next key.
    let has_prompt = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let start = Instant::now();
            while !has_prompt.load(Ordering::Relaxed) {
                if start.elapsed() > PATIENCE {
                    shell.signal("TERM");
                    return;
                }
                input.write_all(b"\r").unwrap();
                // The prompt comes after a pause.
                thread::sleep(Duration::from_millis(300));
            }
        });
        read_until("sundew> ");
        has_prompt.store(true, Ordering::Relaxed);
    });
    input.write_all(b"\x01x").unwrap();
    assert!(shell.0.wait().unwrap().success());
}

#[test]
fn helps() {
    for arguments in [&["--help"][..], &["--tcp", "--help"]] {
        let output = xtask(arguments).output().unwrap();
        assert!(output.status.success());
        assert!(output.stdout.starts_with(b"Usage: cargo xtask shell"));
    }
    assert!(!xtask(&["--udp"]).output().unwrap().status.success());
}

#[test]
fn other_boards_answer_too() {
    // Its UART drops what comes before it is started.
    let port = free_port();
    let mut shell = Shell(
        xtask(&["--board", "netduinoplus2", "--tcp", &port.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    BufReader::new(shell.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, format!("ready 127.0.0.1:{port}\n"));
    ask(port, b"PING\r\n", b"+PONG\r\n");
}

#[test]
fn says_which_boards_there_are_and_what_runs_nowhere() {
    for (board, said) in [
        ("microbat", "no board: microbat; there are mps2-an385, "),
        ("nucleo-f411re", "nucleo-f411re: no emulator runs it; "),
    ] {
        let output = xtask(&["--board", board]).output().unwrap();
        assert!(!output.status.success());
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with(said), "{message}");
    }
}
