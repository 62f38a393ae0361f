//! STAND-IN: thrown away when the console itself is merged. It has the console's API and answers just enough
//! to try the firmware: `PING` and `INFO`, inline and as a RESP frame, and a prompt after a bare Enter.
#![allow(missing_docs)]

use crate::BlockedBloomView;
use embedded_io::Write;

#[derive(Clone, Copy)]
pub struct Board {
    pub name: &'static str,
    pub static_ram: u32,
    pub stack_high_water: fn() -> u32,
    pub clock: fn() -> u32,
    pub clock_hz: u32,
}

pub struct ArenaInner<U: ?Sized> {
    units: U,
}
pub type Arena<const UNITS: usize> = ArenaInner<[[u32; 16]; UNITS]>;
pub type ArenaView = ArenaInner<[[u32; 16]]>;

impl<const UNITS: usize> Arena<UNITS> {
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self {
            units: [[0; 16]; UNITS],
        }
    }
}

pub struct Fixed<'a> {
    filter: &'a mut BlockedBloomView<7>,
}

impl<'a> Fixed<'a> {
    pub fn blocked(
        _name: &'static str,
        _capacity: u32,
        filter: &'a mut BlockedBloomView<7>,
    ) -> Self {
        Self { filter }
    }
}

pub struct Keyspace<'a> {
    fixed: &'a mut [Fixed<'a>],
    arena: &'a mut ArenaView,
}

impl<'a> Keyspace<'a> {
    pub fn new(fixed: &'a mut [Fixed<'a>], arena: &'a mut ArenaView) -> Self {
        Self { fixed, arena }
    }
}

pub struct Shell<'a> {
    keyspace: Keyspace<'a>,
    board: Board,
    line: [u8; 64],
    length: usize,
    person: bool,
    lost: u32,
}

impl<'a> Shell<'a> {
    pub fn new(keyspace: Keyspace<'a>, board: Board) -> Self {
        Self {
            keyspace,
            board,
            line: [0; 64],
            length: 0,
            person: false,
            lost: 0,
        }
    }

    pub fn feed<W: Write>(&mut self, input: &[u8], _now: u32, out: &mut W) -> Result<(), W::Error> {
        for &byte in input {
            match byte {
                b'\r' | b'\n' => {
                    if self.person && byte == b'\r' {
                        out.write_all(b"\r\n")?;
                    }
                    let mut line = self.line;
                    let line = &mut line[..core::mem::take(&mut self.length)];
                    line.make_ascii_uppercase();
                    match &*line {
                        b"PING" => out.write_all(b"+PONG\r\n")?,
                        b"INFO" => self.info(out)?,
                        b"FLUSHALL" => {
                            self.keyspace.arena.units[0][0] += 1;
                            self.keyspace.fixed[0].filter.clear();
                            out.write_all(b"+OK\r\n")?;
                        }
                        b"RESET" => {
                            self.person = false;
                            out.write_all(b"+RESET\r\n")?;
                        }
                        b"" if byte == b'\r' => self.person = true,
                        [] | [b'*' | b'$', ..] => continue,
                        _ => out.write_all(b"-ERR unknown command\r\n")?,
                    }
                    if self.person && byte == b'\r' {
                        out.write_all(b"sundew> ")?;
                    }
                }
                0x03 => self.length = 0,
                // Of the RESP frames, those of one word.
                _ => {
                    if self.person {
                        out.write_all(&[byte])?;
                    }
                    if let Some(place) = self.line.get_mut(self.length) {
                        *place = byte;
                        self.length += 1;
                    }
                }
            }
        }
        Ok(())
    }

    fn info<W: Write>(&self, out: &mut W) -> Result<(), W::Error> {
        out.write_all(b"$48\r\n")?;
        for (name, value) in [
            (b"stack_used:", (self.board.stack_high_water)()),
            (b"static_ram:", self.board.static_ram),
        ] {
            out.write_all(name)?;
            let mut digits = [b'0'; 11];
            let mut rest = value;
            for digit in digits.iter_mut().rev() {
                *digit = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
            out.write_all(&digits)?;
            out.write_all(b"\r\n")?;
        }
        out.write_all(b"\r\n")
    }

    pub fn poll<W: Write>(&mut self, _now: u32, out: &mut W) -> Result<(), W::Error> {
        if core::mem::take(&mut self.lost) > 0 {
            out.write_all(b"-ERR bytes lost\r\n")?;
        }
        Ok(())
    }

    pub fn line_break(&mut self) {
        self.length = 0;
    }

    pub fn bytes_lost(&mut self, count: u32) {
        self.lost += count;
    }

    pub fn is_near_capacity(&self) -> bool {
        false
    }
}
