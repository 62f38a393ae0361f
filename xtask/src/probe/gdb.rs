//! A client of QEMU's gdbstub.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::Words;

/// How long QEMU may take to answer. It takes less than a millisecond, on a busy machine more.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long an instruction may take, before it is taken for sleep.
const STEP_PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of memory in one packet, which may have 4,096 characters.
const CHUNK: usize = 1024;

pub const SP: u32 = 13;
pub const LR: u32 = 14;
pub const PC: u32 = 15;
pub const XPSR: u32 = 25;

/// Why the core stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// Because [`Gdb::interrupt`] asked for it.
    Interrupted,
    /// At a breakpoint or after a step.
    Trapped,
}

pub struct Gdb {
    stream: TcpStream,
    received: Vec<u8>,
    breakpoints: BTreeSet<u32>,
}

impl Gdb {
    /// The core is stopped thereby.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut gdb = Self {
            stream,
            received: Vec::new(),
            breakpoints: BTreeSet::new(),
        };
        // QEMU tells single registers to those only who asked for their description.
        gdb.ask("qSupported:xmlRegisters=arm")?;
        gdb.ask("qXfer:features:read:target.xml:0,ffb")?;
        gdb.ask("?")?;
        Ok(gdb)
    }

    pub fn register(&mut self, number: u32) -> io::Result<u32> {
        let answer = self.ask(&format!("p{number:x}"))?;
        let bytes = from_hex(&answer).and_then(|bytes| bytes.first_word());
        bytes.ok_or_else(|| unexpected(&answer))
    }

    pub fn set_register(&mut self, number: u32, value: u32) -> io::Result<()> {
        let value = value.swap_bytes();
        self.demand(&format!("P{number:x}={value:08x}"))
    }

    /// None if there is nothing at that address.
    pub fn read(&mut self, address: u32, length: usize) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let from = address.wrapping_add(bytes.len() as u32);
            let chunk = (length - bytes.len()).min(CHUNK);
            let answer = self.ask(&format!("m{from:x},{chunk:x}"))?;
            match from_hex(&answer) {
                Some(part) if part.len() == chunk => bytes.extend(part),
                _ if answer.starts_with('E') => return Ok(None),
                _ => return Err(unexpected(&answer)),
            }
        }
        Ok(Some(bytes))
    }

    /// RAM or ROM, but no register of a peripheral.
    pub fn write(&mut self, address: u32, data: &[u8]) -> io::Result<()> {
        let mut from = address;
        for chunk in data.chunks(CHUNK) {
            let digits: String = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
            self.demand(&format!("M{from:x},{:x}:{digits}", chunk.len()))?;
            from = from.wrapping_add(chunk.len() as u32);
        }
        Ok(())
    }

    pub fn set_breakpoints(&mut self, wanted: BTreeSet<u32>) -> io::Result<()> {
        for address in self
            .breakpoints
            .difference(&wanted)
            .copied()
            .collect::<Vec<_>>()
        {
            self.demand(&format!("z0,{address:x},2"))?;
        }
        for address in wanted
            .difference(&self.breakpoints)
            .copied()
            .collect::<Vec<_>>()
        {
            self.demand(&format!("Z0,{address:x},2"))?;
        }
        self.breakpoints = wanted;
        Ok(())
    }

    /// Lets the core run, until [`Self::interrupt`] or until [`Self::stopped`] says that it stopped by itself.
    pub fn run(&mut self) -> io::Result<()> {
        self.send("c")
    }

    /// One instruction. A core that sleeps stays where it is: QEMU neither wakes it nor lets time go on, where a
    /// debugger would wake a chip.
    pub fn step(&mut self) -> io::Result<()> {
        self.send("s")?;
        self.stream.set_read_timeout(Some(STEP_PATIENCE))?;
        let result = self.receive();
        self.stream.set_read_timeout(Some(PATIENCE))?;
        match result {
            Ok(answer) => stop(&answer).map(|_| ()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                self.interrupt().map(|_| ())
            }
            Err(error) => Err(error),
        }
    }

    /// Stops the core. It may have stopped by itself just before.
    pub fn interrupt(&mut self) -> io::Result<Stop> {
        self.stream.write_all(b"\x03")?;
        let answer = self.receive()?;
        stop(&answer)
    }

    /// Whether the running core stopped by itself.
    pub fn stopped(&mut self) -> io::Result<Option<Stop>> {
        self.stream.set_nonblocking(true)?;
        let mut buffer = [0; 64];
        let result = self.stream.read(&mut buffer);
        self.stream.set_nonblocking(false)?;
        match result {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(length) => self.received.extend(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        // Its beginning is there, so the rest comes.
        if self.received.contains(&b'$') {
            let answer = self.receive()?;
            return stop(&answer).map(Some);
        }
        Ok(None)
    }

    /// Resets the machine, which is stopped before and after.
    pub fn reset(&mut self) -> io::Result<()> {
        const MARK_REGISTER: u32 = 12;
        const MARK: u32 = 0x5EED_CAFE;

        // QEMU answers before it resets; a register that loses its value tells when it has.
        self.set_register(MARK_REGISTER, MARK)?;
        let command: String = b"system_reset"
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut answer = self.ask(&format!("qRcmd,{command}"))?;
        // What the command prints comes first.
        while answer.starts_with('O') && answer != "OK" {
            answer = self.receive()?;
        }
        if answer != "OK" {
            return Err(unexpected(&answer));
        }
        let start = Instant::now();
        while self.register(MARK_REGISTER)? == MARK {
            if start.elapsed() > PATIENCE {
                return Err(io::Error::other("QEMU does not reset its machine"));
            }
        }
        Ok(())
    }

    fn demand(&mut self, packet: &str) -> io::Result<()> {
        match self.ask(packet)?.as_str() {
            "OK" => Ok(()),
            answer => Err(io::Error::other(format!(
                "QEMU answers `{answer}` to `{packet}`"
            ))),
        }
    }

    fn ask(&mut self, packet: &str) -> io::Result<String> {
        self.send(packet)?;
        self.receive()
    }

    fn send(&mut self, packet: &str) -> io::Result<()> {
        self.stream.write_all(framed(packet).as_bytes())
    }

    fn receive(&mut self) -> io::Result<String> {
        loop {
            if let Some(packet) = take_packet(&mut self.received) {
                self.stream.write_all(b"+")?;
                return Ok(packet);
            }
            let mut buffer = [0; 4096];
            match self.stream.read(&mut buffer)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                length => self.received.extend(&buffer[..length]),
            }
        }
    }
}

fn framed(packet: &str) -> String {
    let sum = packet.bytes().fold(0, u8::wrapping_add);
    format!("${packet}#{sum:02x}")
}

/// The first whole packet, if there is one. What stands before it are acknowledgements.
fn take_packet(received: &mut Vec<u8>) -> Option<String> {
    let start = received.iter().position(|&byte| byte == b'$')? + 1;
    let length = received[start..].iter().position(|&byte| byte == b'#')?;
    let end = start + length;
    // TCP does not damage it, so the two digits of the sum are not looked at.
    if received.len() < end + 3 {
        return None;
    }
    let packet = String::from_utf8_lossy(&received[start..end]).into_owned();
    received.drain(..end + 3);
    Some(packet)
}

/// `T02...` is the signal of an interrupt at a terminal.
fn stop(answer: &str) -> io::Result<Stop> {
    match answer.as_bytes() {
        [b'T' | b'S', b'0', b'2', ..] => Ok(Stop::Interrupted),
        [b'T' | b'S', ..] => Ok(Stop::Trapped),
        _ => Err(unexpected(answer)),
    }
}

fn unexpected(answer: &str) -> io::Error {
    io::Error::other(format!("QEMU's gdbstub says `{answer}`"))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Stop, framed, from_hex, stop, take_packet};

    #[test]
    fn packets_carry_their_sum() {
        assert_eq!(framed("m0,4"), "$m0,4#fd");
    }

    #[test]
    fn packets_are_taken_when_they_are_whole() {
        let mut received = b"+$T05thread:01;#0".to_vec();
        assert_eq!(take_packet(&mut received), None);
        received.extend(b"7+$OK#9a");
        assert_eq!(take_packet(&mut received).unwrap(), "T05thread:01;");
        assert_eq!(take_packet(&mut received).unwrap(), "OK");
        assert_eq!(take_packet(&mut received), None);
    }

    #[test]
    fn stops_are_told_apart() {
        assert_eq!(stop("T02thread:01;").unwrap(), Stop::Interrupted);
        assert_eq!(stop("T05thread:01;").unwrap(), Stop::Trapped);
        assert!(stop("OK").is_err());
    }

    #[test]
    fn odd_or_foreign_digits_are_no_bytes() {
        assert_eq!(from_hex("00be"), Some(vec![0, 0xBE]));
        assert_eq!(from_hex("00b"), None);
        assert_eq!(from_hex("E14"), None);
        assert_eq!(from_hex("zz"), None);
    }
}
