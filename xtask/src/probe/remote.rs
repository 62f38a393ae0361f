//! The remote protocol of the Black Magic Probe, version 3: what a debugger asks a probe, and how it is answered.
//!
//! Text over a serial line or TCP: a command is `!`, two letters, hexadecimal fields and `#`; an answer is `&`, a
//! letter for how it went, data and `#`. Numbers in fields are written as numbers; data is bytes in the order of
//! their addresses, which makes a register little-endian.

use std::fmt::Write;

#[derive(Debug, PartialEq)]
pub enum Command {
    Name,
    ProtocolVersion,
    ClockKilohertz,
    /// About power, clock and pins, which a probe without wires does not have.
    NoEffect,
    /// Bits for the wire, the lowest first.
    WireOut {
        bits: u32,
        count: u32,
    },
    WireIn {
        count: u32,
    },
    ReadDebugPort {
        register: u32,
    },
    WriteDebugPort {
        register: u32,
        value: u32,
    },
    ReadAccessPort {
        port: u32,
        register: u32,
    },
    /// Its effect is on accesses to memory, for which there are commands.
    WriteAccessPort,
    ReadMemory {
        address: u32,
        length: u32,
    },
    WriteMemory {
        address: u32,
        data: Vec<u8>,
    },
}

impl Command {
    /// What stands between `!` and `#`; None if it is no command of version 3 that a Cortex-M needs.
    pub fn parse(text: &str) -> Option<Self> {
        let (operation, fields) = text.split_at_checked(2)?;
        let mut fields = Fields(fields);
        Some(match operation {
            "GA" => Self::Name,
            "HC" => Self::ProtocolVersion,
            "Gf" => Self::ClockKilohertz,
            "GF" | "GE" | "GP" | "GV" | "SS" => Self::NoEffect,
            // To hold a reset line is not to be confused with having reset.
            "GZ" if fields.0 == "0" => Self::NoEffect,
            "So" => Self::WireOut {
                count: fields.number(2)?,
                bits: fields.rest()?,
            },
            "Si" => Self::WireIn {
                count: fields.number(2)?,
            },
            "Ad" => {
                let _index_and_port = fields.number(4)?;
                Self::ReadDebugPort {
                    register: fields.number(4)?,
                }
            }
            "AR" => {
                let _index = fields.number(2)?;
                let is_read = fields.number(2)? != 0;
                let register = fields.number(4)?;
                if is_read {
                    Self::ReadDebugPort { register }
                } else {
                    let value = fields.number(8)?;
                    Self::WriteDebugPort { register, value }
                }
            }
            "Aa" => {
                let _index = fields.number(2)?;
                Self::ReadAccessPort {
                    port: fields.number(2)?,
                    // The bit above says that it is an access port's.
                    register: fields.number(4)? & 0xFF,
                }
            }
            "AA" => Self::WriteAccessPort,
            "Am" => {
                let _index_and_port = fields.number(4)?;
                let _control = fields.number(8)?;
                Self::ReadMemory {
                    address: fields.number(8)?,
                    length: fields.number(8)?,
                }
            }
            "AM" => {
                let _index_and_port = fields.number(4)?;
                let _control = fields.number(8)?;
                let _alignment = fields.number(2)?;
                let address = fields.number(8)?;
                let length = fields.number(8)?;
                let data = (0..length)
                    .map(|_| fields.number(2).map(|byte| byte as u8))
                    .collect::<Option<_>>()?;
                Self::WriteMemory { address, data }
            }
            _ => return None,
        })
    }
}

/// The hexadecimal digits after a command's letters that are not read yet.
struct Fields<'a>(&'a str);

impl Fields<'_> {
    /// A field of that many digits, eight at most.
    fn number(&mut self, digits: usize) -> Option<u32> {
        let (field, rest) = self.0.split_at_checked(digits)?;
        self.0 = rest;
        u32::from_str_radix(field, 16).ok()
    }

    fn rest(&mut self) -> Option<u32> {
        self.number(self.0.len())
    }
}

#[derive(Debug, PartialEq)]
pub enum Answer {
    Text(&'static str),
    Number(u32),
    Data(Vec<u8>),
    /// The target did not do it.
    Failed,
    /// The probe cannot do it.
    Unsupported,
}

impl Answer {
    pub const DONE: Self = Self::Number(0);

    pub fn register(value: u32) -> Self {
        Self::Data(value.to_le_bytes().to_vec())
    }

    pub fn encode(&self) -> String {
        match self {
            Self::Text(text) => format!("&K{text}#"),
            Self::Number(number) => format!("&K{number:x}#"),
            Self::Data(data) => {
                let mut text = String::from("&K");
                for byte in data {
                    // A String takes everything.
                    let _ = write!(text, "{byte:02x}");
                }
                text + "#"
            }
            Self::Failed => "&E1#".into(),
            Self::Unsupported => "&N0#".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Command};

    #[test]
    fn commands_of_probe_rs_are_understood() {
        for (text, command) in [
            ("GA", Command::Name),
            ("HC", Command::ProtocolVersion),
            ("GZ0", Command::NoEffect),
            (
                "So08a5",
                Command::WireOut {
                    bits: 0xA5,
                    count: 8,
                },
            ),
            ("Si20", Command::WireIn { count: 32 }),
            ("Ad00ff0004", Command::ReadDebugPort { register: 4 }),
            (
                "AR0000000450000000",
                Command::WriteDebugPort {
                    register: 4,
                    value: 0x5000_0000,
                },
            ),
            (
                "Aa000001fc",
                Command::ReadAccessPort {
                    port: 0,
                    register: 0xFC,
                },
            ),
            (
                "Am000023000040e000edf000000004",
                Command::ReadMemory {
                    address: 0xE000_EDF0,
                    length: 4,
                },
            ),
            (
                "AM0000230000400220000000000000020aff",
                Command::WriteMemory {
                    address: 0x2000_0000,
                    data: vec![0x0A, 0xFF],
                },
            ),
        ] {
            assert_eq!(Command::parse(text), Some(command), "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_or_unknown_is_no_command() {
        for text in [
            "",
            "A",
            "ZZ",
            "GZ1",
            "Am0000",
            "AM0000230000400220000000000000020a",
            "Am0000230000\u{e9}0e000edf000000004",
        ] {
            assert_eq!(Command::parse(text), None, "{text}");
        }
    }

    #[test]
    fn answers_are_written_as_probe_rs_reads_them() {
        assert_eq!(Answer::register(0x0BB1_1477).encode(), "&K7714b10b#");
        assert_eq!(Answer::Number(0xA0).encode(), "&Ka0#");
        assert_eq!(Answer::DONE.encode(), "&K0#");
        assert_eq!(Answer::Failed.encode(), "&E1#");
    }
}
