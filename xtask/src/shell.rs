//! `cargo xtask shell`: boots the console's firmware under QEMU.
//!
//! This process becomes QEMU, so that there is nothing to end but what the user started. What remains to be
//! done afterwards, to say when the device answers, is done by a second process, which then ends.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::call::Call;
use crate::{Outcome, root, setup};

const HELP: &str = "\
Usage: cargo xtask shell [--tcp [PORT]]

Installs what is missing (the Rust target, QEMU), builds examples/shell.rs and boots it on an emulated
Cortex-M3, with its UART on this terminal: Enter gives a prompt, `help` the commands, Ctrl-A X leaves.

  --tcp [PORT]  puts the UART on a port of 127.0.0.1 instead, 6380 unless told, for Redis clients, one at a
                time; prints `ready 127.0.0.1:PORT` when the device answers; Ctrl-C ends it";

const BANNER: &str = "\
sundew on an emulated Cortex-M3
Press Enter for a prompt, then type `help`. Ctrl-A X leaves.";

const TARGET: &str = "thumbv7m-none-eabi";
const DEFAULT_PORT: &str = "6380";
/// How long the device may take to answer. It takes a quarter of a second, on a busy machine more.
const PATIENCE: Duration = Duration::from_secs(30);

/// Asks the second process to tell when the device answers.
const ANNOUNCE: &str = "--announce";

pub fn command(arguments: &[&str]) -> Outcome {
    match arguments {
        [] => on_terminal(),
        ["--tcp"] => on_port(port_number(DEFAULT_PORT)?),
        ["--help" | "-h"] | ["--tcp", "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        ["--tcp", port] => on_port(port_number(port)?),
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

fn on_terminal() -> Outcome {
    build()?;
    println!("{BANNER}");
    emulator("-serial mon:stdio").replace_this_process()
}

fn on_port(port: u16) -> Outcome {
    check_free(port)?;
    build()?;
    // It may have been taken during a long build.
    check_free(port)?;
    start_announcer(port)?;
    // Without nodelay every reply waits 40 ms.
    emulator(&format!(
        "-monitor none -serial tcp:127.0.0.1:{port},server=on,wait=off,nodelay=on"
    ))
    .replace_this_process()
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

/// Installs what is missing and builds the firmware.
fn build() -> Outcome {
    setup::set_up_emulator(TARGET)?;
    eprintln!("building the firmware");
    Call::new(&format!(
        "cargo build --quiet --release --target {TARGET} --target-dir target/firmware --example shell"
    ))
    .run()
}

fn emulator(uart: &str) -> Call {
    let elf = root()
        .join("target/firmware")
        .join(TARGET)
        .join("release/examples/shell");
    Call::new(&format!(
        "qemu-system-arm -M mps2-an385 -display none -semihosting-config enable=on,target=native {uart} -kernel"
    ))
    .arg(&elf.to_string_lossy())
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

fn ping(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(b"PING\r\n")?;
    let mut answer = [0; 7];
    stream.read_exact(&mut answer)?;
    if answer == *b"+PONG\r\n" {
        Ok(())
    } else {
        Err(std::io::Error::other(format!(
            "it says `{}`",
            answer.escape_ascii()
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
