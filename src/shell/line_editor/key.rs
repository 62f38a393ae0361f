//! From the bytes that a terminal sends to the keys that were pressed.

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// A printable character.
    Character(char),
    Enter,
    Tab,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    Backspace,
    Delete,
    EraseWord,
    EraseToStart,
    EraseToEnd,
    ClearScreen,
    Interrupt,
    /// Ctrl-D, which deletes a character or, where there is none, ends the input.
    DeleteOrEnd,
}

/// Collects bytes until they make a key.
///
/// A character of several bytes comes out whole, so whatever follows sees valid UTF-8 only.
pub(super) struct KeyDecoder {
    state: State,
}

#[derive(Default, Clone, Copy)]
enum State {
    #[default]
    Ground,
    /// After CR: an LF belongs to it.
    AfterReturn,
    Escape,
    /// After `ESC [` or `ESC O`.
    Sequence {
        parameter: u16,
    },
    /// Within a UTF-8 character of `length` bytes.
    Character {
        length: u8,
        missing: u8,
        bits: u32,
    },
}

/// Stands for all parameters that no known key has, such as the modifiers in `ESC [1;5C`.
const UNKNOWN_PARAMETER: u16 = 1000;

impl KeyDecoder {
    pub(super) const fn new() -> Self {
        Self {
            state: State::Ground,
        }
    }

    /// Takes one byte; gives the key that it completes.
    ///
    /// A control byte breaks off what came before it, so Enter and Ctrl-C work whatever the state.
    pub(super) fn push(&mut self, byte: u8) -> Option<Key> {
        match (core::mem::take(&mut self.state), byte) {
            (State::AfterReturn, b'\n') => None,
            (State::Escape, b' '..) => self.continue_escape(byte),
            (State::Sequence { parameter }, b' '..) => self.continue_sequence(parameter, byte),
            (
                State::Character {
                    length,
                    missing,
                    bits,
                },
                0x80..0xC0,
            ) => {
                let bits = bits << 6 | u32::from(byte & 0x3F);
                self.continue_character(length, missing - 1, bits)
            }
            _ => self.start(byte),
        }
    }

    fn start(&mut self, byte: u8) -> Option<Key> {
        match byte {
            b' '..=b'~' => return Some(Key::Character(byte.into())),
            b'\r' => self.state = State::AfterReturn,
            0x1B => self.state = State::Escape,
            0x80.. => self.start_character(byte),
            _ => {}
        }
        control_key(byte)
    }

    fn start_character(&mut self, first: u8) {
        // The first byte has as many leading ones as the character has bytes.
        let length = first.leading_ones() as u8;
        if let 2..=4 = length {
            self.state = State::Character {
                length,
                missing: length - 1,
                bits: u32::from(first & 0x7F >> length),
            };
        }
    }

    fn continue_character(&mut self, length: u8, missing: u8, bits: u32) -> Option<Key> {
        if missing > 0 {
            self.state = State::Character {
                length,
                missing,
                bits,
            };
            return None;
        }
        // A control character would move the terminal's cursor, an overlong form is not UTF-8.
        char::from_u32(bits)
            .filter(|character| character.len_utf8() == usize::from(length))
            .filter(|character| !character.is_control())
            .map(Key::Character)
    }

    fn continue_escape(&mut self, byte: u8) -> Option<Key> {
        match byte {
            b'[' | b'O' => self.state = State::Sequence { parameter: 0 },
            b' '..=b'/' => self.state = State::Escape,
            _ => {}
        }
        None
    }

    fn continue_sequence(&mut self, parameter: u16, byte: u8) -> Option<Key> {
        let parameter = match byte {
            b'0'..=b'9' => (parameter * 10 + u16::from(byte - b'0')).min(UNKNOWN_PARAMETER),
            // The Linux console has a second bracket in its function keys: ESC [[A.
            b' '..=b'?' | b'[' => UNKNOWN_PARAMETER,
            _ => return sequence_key(parameter, byte),
        };
        self.state = State::Sequence { parameter };
        None
    }
}

fn control_key(byte: u8) -> Option<Key> {
    Some(match byte {
        0x01 => Key::Home,
        0x02 => Key::Left,
        0x03 => Key::Interrupt,
        0x04 => Key::DeleteOrEnd,
        0x05 => Key::End,
        0x06 => Key::Right,
        0x08 | 0x7F => Key::Backspace,
        b'\t' => Key::Tab,
        b'\r' | b'\n' => Key::Enter,
        0x0B => Key::EraseToEnd,
        0x0C => Key::ClearScreen,
        0x0E => Key::Down,
        0x10 => Key::Up,
        0x15 => Key::EraseToStart,
        0x17 => Key::EraseWord,
        _ => return None,
    })
}

fn sequence_key(parameter: u16, last: u8) -> Option<Key> {
    Some(match (last, parameter) {
        (b'A', 0 | 1) => Key::Up,
        (b'B', 0 | 1) => Key::Down,
        (b'C', 0 | 1) => Key::Right,
        (b'D', 0 | 1) => Key::Left,
        (b'H', 0 | 1) | (b'~', 1 | 7) => Key::Home,
        (b'F', 0 | 1) | (b'~', 4 | 8) => Key::End,
        (b'~', 3) => Key::Delete,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut decoder = KeyDecoder::new();
        bytes
            .iter()
            .filter_map(|&byte| decoder.push(byte))
            .collect()
    }

    #[test]
    fn every_form_of_a_key_is_known() {
        let forms: &[(Key, &[&[u8]])] = &[
            (Key::Up, &[b"\x10", b"\x1b[A", b"\x1bOA"]),
            (Key::Down, &[b"\x0e", b"\x1b[B", b"\x1bOB"]),
            (Key::Right, &[b"\x06", b"\x1b[C", b"\x1bOC"]),
            (Key::Left, &[b"\x02", b"\x1b[D", b"\x1bOD"]),
            (
                Key::Home,
                &[b"\x01", b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"],
            ),
            (
                Key::End,
                &[b"\x05", b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"],
            ),
            (Key::Backspace, &[b"\x08", b"\x7f"]),
            (Key::Delete, &[b"\x1b[3~"]),
            (Key::DeleteOrEnd, &[b"\x04"]),
            (Key::EraseWord, &[b"\x17"]),
            (Key::EraseToStart, &[b"\x15"]),
            (Key::EraseToEnd, &[b"\x0b"]),
            (Key::ClearScreen, &[b"\x0c"]),
            (Key::Interrupt, &[b"\x03"]),
            (Key::Tab, &[b"\t"]),
            (Key::Enter, &[b"\r", b"\n", b"\r\n"]),
            (Key::Character('a'), &[b"a"]),
            (Key::Character('ß'), &["ß".as_bytes()]),
            (Key::Character('€'), &["€".as_bytes()]),
            (Key::Character('🌱'), &["🌱".as_bytes()]),
        ];
        for (key, forms) in forms {
            for form in *forms {
                assert_eq!(keys(form), [*key], "{form:02x?}");
            }
        }
    }

    #[test]
    fn each_line_end_is_one_enter() {
        assert_eq!(keys(b"\r\n\r\n"), [Key::Enter; 2]);
        assert_eq!(keys(b"\n\n"), [Key::Enter; 2]);
        assert_eq!(keys(b"\r\r"), [Key::Enter; 2]);
        assert_eq!(keys(b"\n\r\n"), [Key::Enter; 2]);
    }

    #[test]
    fn unknown_sequences_are_swallowed_whole() {
        let unknown: &[&[u8]] = &[
            b"\x1b[1;5C",
            b"\x1b[15~",
            b"\x1b[2~",
            b"\x1b[200~",
            b"\x1b[?25h",
            b"\x1b[99999999~",
            b"\x1b[[A",
            b"\x1bOP",
            b"\x1bO5D",
            b"\x1b[0 q",
            b"\x1b(B",
            b"\x1bx",
            b"\x1b\x7f",
            b"\x1b[Z",
            b"\x1b\x1bx",
        ];
        for sequence in unknown {
            let bytes = [sequence, &b"a"[..]].concat();
            assert_eq!(keys(&bytes), [Key::Character('a')], "{sequence:02x?}");
        }
    }

    #[test]
    fn a_control_byte_breaks_a_sequence_off() {
        for start in ["\x1b", "\x1b[", "\x1b[3", "\x1bO"] {
            let bytes = [start.as_bytes(), b"\x03"].concat();
            assert_eq!(keys(&bytes), [Key::Interrupt], "{start:?}");
        }
        assert_eq!(keys(b"\x1b\x1b[A"), [Key::Up]);
    }

    #[test]
    fn what_is_not_utf8_is_dropped() {
        let malformed: &[&[u8]] = &[
            b"\x80",
            b"\xff",
            b"\xf8\x80\x80\x80\x80", // no first byte
            b"\xc3",
            b"\xe2\x82",
            b"\xf0\x9f\x8c", // cut short
            b"\xc0\xaf",
            b"\xe0\x80\xaf",
            b"\xf0\x80\x80\xaf", // overlong
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80", // surrogate, beyond the last character
            b"\xc2\x9b",         // a control character that terminals take for ESC [
        ];
        for bytes in malformed {
            let bytes = [bytes, &b"a"[..]].concat();
            assert_eq!(keys(&bytes), [Key::Character('a')], "{bytes:02x?}");
        }
    }

    #[test]
    fn other_control_bytes_are_ignored() {
        for byte in [
            0x00, 0x07, 0x0F, 0x11, 0x12, 0x13, 0x14, 0x16, 0x18, 0x19, 0x1A, 0x1C, 0x1F,
        ] {
            assert_eq!(keys(&[byte]), []);
        }
    }
}
