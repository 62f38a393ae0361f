//! A board of boards/ as a machine of QEMU with empty flash, to which a debug probe is connected.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::probe::{self, Chip, Probe};

/// How long QEMU, or the firmware, may take. It takes less than a second, on a busy machine more.
const PATIENCE: Duration = Duration::from_secs(30);

/// A UART that is silent for so long has said all.
const QUIET: Duration = Duration::from_millis(300);

/// A board that probe-rs can flash without hardware.
pub struct Flashable {
    /// Of the board, and of QEMU's machine.
    pub name: &'static str,
    /// As probe-rs calls it.
    pub chip: &'static str,
    pub emulated: &'static Chip,
}

pub static FLASHABLE: [Flashable; 2] = [
    Flashable {
        name: "microbit",
        chip: "nRF51822_xxAA",
        emulated: &probe::NRF51822,
    },
    Flashable {
        name: "netduinoplus2",
        chip: "STM32F405RGTx",
        emulated: &probe::STM32F405,
    },
];

pub struct EmulatedBoard {
    _emulator: Emulator,
    pub uart: Uart,
    pub probe: Probe,
}

impl EmulatedBoard {
    pub fn start(board: &Flashable) -> Outcome<Self> {
        let problem = |error: io::Error| format!("{}: {error}", board.name);
        // QEMU connects to ports that wait already, so nobody else can take them.
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(problem);
        let (uart, debug) = (listen()?, listen()?);
        let port = |listener: &TcpListener| listener.local_addr().map(|address| address.port());
        let debug_port = port(&debug).map_err(problem)?;
        let uart_port = port(&uart).map_err(problem)?;
        let emulator = Emulator(
            Command::new("qemu-system-arm")
                .args(["-M", board.name, "-display", "none", "-monitor", "none"])
                // Stopped: there is nothing yet that it could execute.
                .arg("-S")
                .args(["-serial", &format!("tcp:127.0.0.1:{uart_port},nodelay=on")])
                .arg("-chardev")
                .arg(format!(
                    "socket,id=debug,host=127.0.0.1,port={debug_port},nodelay=on"
                ))
                .args(["-gdb", "chardev:debug"])
                .stdin(Stdio::null())
                .spawn()
                .map_err(|error| format!("cannot start qemu-system-arm: {error}"))?,
        );
        let uart = Uart(accept(&uart).map_err(problem)?);
        let debug = accept(&debug).map_err(problem)?;
        let probe = Probe::start(debug, board.emulated).map_err(problem)?;
        Ok(Self {
            _emulator: emulator,
            uart,
            probe,
        })
    }
}

/// Killed when dropped.
struct Emulator(Child);

impl Drop for Emulator {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn accept(listener: &TcpListener) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let start = Instant::now();
    loop {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
            Err(_) if start.elapsed() > PATIENCE => {
                return Err(io::Error::other(
                    "QEMU does not connect; it may have said why",
                ));
            }
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
}

/// The other end of the board's serial line.
pub struct Uart(TcpStream);

impl Uart {
    /// Sends a question and expects an answer, and nothing before it.
    pub fn ask(&mut self, question: &str, expected: &str) -> Outcome {
        self.send(question)?;
        let answer = self.read(expected.len())?;
        if answer == expected {
            Ok(())
        } else {
            Err(format!(
                "{question:?} was answered {answer:?}, not {expected:?}"
            ))
        }
    }

    pub fn send(&mut self, text: &str) -> Outcome {
        let sent = self.0.write_all(text.as_bytes());
        sent.map_err(|error| format!("the UART cannot be written: {error}"))
    }

    /// Asks until firmware is there that answers: a UART loses what comes before it is started. Nothing is left of
    /// the answers to earlier attempts.
    pub fn wait_for_answer(&mut self, question: &str, expected: &str) -> Outcome {
        let start = Instant::now();
        loop {
            self.send(question)?;
            let answer = self.read_until_quiet()?;
            if answer.ends_with(expected) {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return Err(format!(
                    "{question:?} was answered {answer:?}, not {expected:?}"
                ));
            }
        }
    }

    /// Up to `text`, with what is before it.
    pub fn read_until(&mut self, text: &str) -> Outcome<String> {
        let mut received = String::new();
        while !received.ends_with(text) {
            received += &self
                .read(1)
                .map_err(|error| format!("{error}, after {received:?}"))?;
        }
        Ok(received)
    }

    fn read_until_quiet(&mut self) -> Outcome<String> {
        let problem = |error| format!("the UART cannot be read: {error}");
        self.0.set_read_timeout(Some(QUIET)).map_err(problem)?;
        let mut received = Vec::new();
        let mut buffer = [0; 256];
        loop {
            match self.0.read(&mut buffer) {
                Ok(0) => return Err("the UART is closed: QEMU ended".into()),
                Ok(length) => received.extend(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(String::from_utf8_lossy(&received).into_owned());
                }
                Err(error) => return Err(problem(error)),
            }
        }
    }

    fn read(&mut self, length: usize) -> Outcome<String> {
        let mut bytes = vec![0; length];
        self.0
            .set_read_timeout(Some(PATIENCE))
            .and_then(|()| self.0.read_exact(&mut bytes))
            .map_err(|error| format!("the board does not answer over its UART: {error}"))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
