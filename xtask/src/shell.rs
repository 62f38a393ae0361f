//! `cargo xtask shell`: boots the console's firmware under QEMU.
//!
//! This process becomes QEMU, so that there is nothing to end but what the user started. What remains to be
//! done afterwards, to say when the device answers, is done by a second process, which then ends.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::boards::{self, Board, DEFAULT, Firmware, RP2040JS_FOLDER, Runs};
use crate::call::Call;
use crate::{Outcome, root, setup};

const HELP: &str = "\
Usage: cargo xtask shell [--board NAME] [--tcp [PORT]]

Installs what is missing (the Rust target, QEMU), builds the console and boots it on an emulated Cortex-M3,
with its UART on this terminal: Enter gives a prompt, `help` the commands, Ctrl-A X leaves.

  --board NAME  another board than mps2-an385; `cargo xtask boards` lists them
  --tcp [PORT]  puts the UART on a port of 127.0.0.1 instead, 6380 unless told, for Redis clients, one at a
                time; prints `ready 127.0.0.1:PORT` when the device answers; Ctrl-C ends it";

const DEFAULT_PORT: &str = "6380";
/// How long the device may take to answer. It takes a quarter of a second, on a busy machine more.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks the second process to tell when the device answers.
const ANNOUNCE: &str = "--announce";

pub fn command(arguments: &[&str]) -> Outcome {
    let (board, arguments) = match arguments {
        ["--board", name, rest @ ..] => (boards::find(name)?, rest),
        ["--tcp", port, "--board", name] => (boards::find(name)?, &["--tcp", *port][..]),
        _ => (boards::find(DEFAULT)?, arguments),
    };
    match arguments {
        [] => on_terminal(board),
        ["--tcp"] => on_port(board, port_number(DEFAULT_PORT)?),
        ["--help" | "-h"] | ["--tcp", "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        ["--tcp", port] => on_port(board, port_number(port)?),
        [ANNOUNCE, port, emulator] => announce(port_number(port)?, emulator),
        _ => Err(HELP.into()),
    }
}

fn port_number(text: &str) -> Outcome<u16> {
    text.parse()
        .ok()
        .filter(|&port| port > 0)
        .ok_or_else(|| format!("not a port: {text}\n\n{HELP}"))
}

fn on_terminal(board: &Board) -> Outcome {
    let emulator = emulator(board, "-serial mon:stdio", "terminal")?;
    println!(
        "sundew on an emulated {} ({})\nPress Enter for a prompt, then type `help`. Ctrl-A X leaves.",
        board.core, board.name
    );
    emulator.replace_this_process()
}

fn on_port(board: &Board, port: u16) -> Outcome {
    check_free(port)?;
    // Without nodelay every reply waits 40 ms.
    let uart = format!("-monitor none -serial tcp:127.0.0.1:{port},server=on,wait=off,nodelay=on");
    let emulator = emulator(board, &uart, &format!("listen:{port}"))?;
    // It may have been taken during a long build.
    check_free(port)?;
    start_announcer(port)?;
    emulator.replace_this_process()
}

/// Starts the second process. A shell does, and ends: QEMU, which knows nothing of it, would never collect it
/// as its child.
fn start_announcer(port: u16) -> Outcome {
    let this = std::env::current_exe().map_err(|error| format!("cannot find xtask: {error}"))?;
    let status = Command::new("sh")
        .args(["-c", "\"$@\" &", "sh"])
        .arg(this)
        .args(["shell", ANNOUNCE, &port.to_string()])
        .arg(std::process::id().to_string())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("sh: {status}")),
        Err(error) => Err(format!("cannot start `sh`: {error}")),
    }
}

/// Installs what is missing, builds the firmware and returns the command that boots it, with its UART as QEMU or
/// boards/pico/emulate.cjs want to be told.
fn emulator(board: &Board, uart: &str, wire: &str) -> Outcome<Call> {
    if board.runs == Runs::Rp2040js {
        setup::set_up_rp2040js()?;
        eprintln!("building the firmware");
        let elf = board.build(Firmware::Console)?;
        let modules = root().join(RP2040JS_FOLDER).join("node_modules");
        return Ok(Call::new("node boards/pico/emulate.cjs")
            .arg(&elf.to_string_lossy())
            .arg(wire)
            .env("NODE_PATH", &modules.to_string_lossy()));
    }
    let machine = board.emulated()?;
    setup::set_up_emulator(board.triple)?;
    eprintln!("building the firmware");
    let elf = board.build(Firmware::Console)?;
    Ok(Call::new(&format!(
        "qemu-system-arm -M {} -display none -semihosting-config enable=on,target=native {uart} -kernel",
        machine.name
    ))
    .arg(&elf.to_string_lossy()))
}

fn check_free(port: u16) -> Outcome {
    match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => Err(format!(
            "port {port} is taken by another program, perhaps another `cargo xtask shell --tcp`;\n\
             end that, or choose another port: cargo xtask shell --tcp PORT"
        )),
        Err(error) => Err(format!("port {port} cannot be used: {error}")),
    }
}

/// Prints `ready` when the device answers.
fn announce(port: u16, emulator: &str) -> Outcome {
    let start = Instant::now();
    let stream = loop {
        if let Ok(stream) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            break stream;
        }
        if !is_running(emulator) {
            // It said why.
            return Ok(());
        }
        if start.elapsed() > PATIENCE {
            return Err(format!("QEMU does not listen on port {port}"));
        }
        thread::sleep(Duration::from_millis(50));
    };
    // Asked once only: the answer to a question that was given up would go to the next client.
    match ping(stream) {
        Ok(()) => println!("ready 127.0.0.1:{port}"),
        Err(error) if is_running(emulator) => {
            return Err(format!("the device does not answer: {error}"));
        }
        Err(_) => {}
    }
    Ok(())
}

fn is_running(process: &str) -> bool {
    Call::new(&format!("kill -0 {process}")).succeeds()
}

/// Asks until it answers, once the device is there: some of QEMU's UARTs drop what comes before they are started.
/// Then waits for the answers to what was asked in vain, which the next client would get.
fn ping(mut stream: TcpStream) -> std::io::Result<()> {
    const ANSWER: &[u8] = b"+PONG\r\n";

    stream.set_read_timeout(Some(Duration::from_millis(500)))?;
    let start = Instant::now();
    let mut answers = Vec::new();
    let mut chunk = [0; 64];
    loop {
        if answers.is_empty() {
            stream.write_all(b"PING\r\n")?;
        }
        match stream.read(&mut chunk) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => answers.extend_from_slice(&chunk[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if !answers.is_empty() {
                    break;
                }
                if start.elapsed() > PATIENCE {
                    return Err(error);
                }
            }
            Err(error) => return Err(error),
        }
        // The usual case: the one answer to the one question.
        if answers == ANSWER && start.elapsed() < Duration::from_millis(500) {
            break;
        }
    }
    if answers.chunks(ANSWER.len()).all(|answer| answer == ANSWER) {
        Ok(())
    } else {
        Err(std::io::Error::other(format!(
            "it says `{}`",
            answers.escape_ascii()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::port_number;

    #[test]
    fn ports_are_from_1_to_65535() {
        assert_eq!(port_number("6380"), Ok(6380));
        for wrong in ["0", "65536", "-1", "redis", ""] {
            assert!(port_number(wrong).is_err(), "{wrong}");
        }
    }
}
