//! From the bytes that a terminal sends to the keys that were pressed.

/// What was typed.
// Two enums: keys as plain numbers become tables, keys beside a character in one enum long comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Input {
    /// A printable character.
    Character(char),
    Key(Key),
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
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

/// Collects bytes until they make a key or a character.
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

    /// Takes one byte; gives the key or character that it completes.
    ///
    /// A control byte breaks off what came before it, so Enter and Ctrl-C work whatever the state.
    #[inline(never)]
    pub(super) fn push(&mut self, byte: u8) -> Option<Input> {
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

    fn start(&mut self, byte: u8) -> Option<Input> {
        match byte {
            b' '..=b'~' => return Some(Input::Character(byte.into())),
            b'\r' => self.state = State::AfterReturn,
            0x1B => self.state = State::Escape,
            0x80.. => self.start_character(byte),
            _ => {}
        }
        control_key(byte).map(Input::Key)
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

    fn continue_character(&mut self, length: u8, missing: u8, bits: u32) -> Option<Input> {
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
            .map(Input::Character)
    }

    fn continue_escape(&mut self, byte: u8) -> Option<Input> {
        match byte {
            b'[' | b'O' => self.state = State::Sequence { parameter: 0 },
            b' '..=b'/' => self.state = State::Escape,
            _ => {}
        }
        None
    }

    fn continue_sequence(&mut self, parameter: u16, byte: u8) -> Option<Input> {
        let parameter = match byte {
            b'0'..=b'9' => (parameter * 10 + u16::from(byte - b'0')).min(UNKNOWN_PARAMETER),
            // The Linux console has a second bracket in its function keys: ESC [[A.
            b' '..=b'?' | b'[' => UNKNOWN_PARAMETER,
            _ => return sequence_key(parameter, byte).map(Input::Key),
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
    match last {
        b'~' => numbered_key(parameter),
        _ if parameter <= 1 => lettered_key(last),
        _ => None,
    }
}

fn numbered_key(number: u16) -> Option<Key> {
    Some(match number {
        1 | 7 => Key::Home,
        3 => Key::Delete,
        4 | 8 => Key::End,
        _ => return None,
    })
}

fn lettered_key(letter: u8) -> Option<Key> {
    Some(match letter {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'F' => Key::End,
        b'H' => Key::Home,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Input> {
        let mut decoder = KeyDecoder::new();
        bytes
            .iter()
            .filter_map(|&byte| decoder.push(byte))
            .collect()
    }

    #[test]
    fn every_form_of_a_key_is_known() {
        let forms: &[(Input, &[&[u8]])] = &[
            (Input::Key(Key::Up), &[b"\x10", b"\x1b[A", b"\x1bOA"]),
            (Input::Key(Key::Down), &[b"\x0e", b"\x1b[B", b"\x1bOB"]),
            (Input::Key(Key::Right), &[b"\x06", b"\x1b[C", b"\x1bOC"]),
            (Input::Key(Key::Left), &[b"\x02", b"\x1b[D", b"\x1bOD"]),
            (
                Input::Key(Key::Home),
                &[b"\x01", b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"],
            ),
            (
                Input::Key(Key::End),
                &[b"\x05", b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"],
            ),
            (Input::Key(Key::Backspace), &[b"\x08", b"\x7f"]),
            (Input::Key(Key::Delete), &[b"\x1b[3~"]),
            (Input::Key(Key::DeleteOrEnd), &[b"\x04"]),
            (Input::Key(Key::EraseWord), &[b"\x17"]),
            (Input::Key(Key::EraseToStart), &[b"\x15"]),
            (Input::Key(Key::EraseToEnd), &[b"\x0b"]),
            (Input::Key(Key::ClearScreen), &[b"\x0c"]),
            (Input::Key(Key::Interrupt), &[b"\x03"]),
            (Input::Key(Key::Tab), &[b"\t"]),
            (Input::Key(Key::Enter), &[b"\r", b"\n", b"\r\n"]),
            (Input::Character('a'), &[b"a"]),
            (Input::Character('ß'), &["ß".as_bytes()]),
            (Input::Character('€'), &["€".as_bytes()]),
            (Input::Character('🌱'), &["🌱".as_bytes()]),
        ];
        for (key, forms) in forms {
            for form in *forms {
                assert_eq!(keys(form), [*key], "{form:02x?}");
            }
        }
    }

    #[test]
    fn each_line_end_is_one_enter() {
        assert_eq!(keys(b"\r\n\r\n"), [Input::Key(Key::Enter); 2]);
        assert_eq!(keys(b"\n\n"), [Input::Key(Key::Enter); 2]);
        assert_eq!(keys(b"\r\r"), [Input::Key(Key::Enter); 2]);
        assert_eq!(keys(b"\n\r\n"), [Input::Key(Key::Enter); 2]);
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
            assert_eq!(keys(&bytes), [Input::Character('a')], "{sequence:02x?}");
        }
    }

    #[test]
    fn a_control_byte_breaks_a_sequence_off() {
        for start in ["\x1b", "\x1b[", "\x1b[3", "\x1bO"] {
            let bytes = [start.as_bytes(), b"\x03"].concat();
            assert_eq!(keys(&bytes), [Input::Key(Key::Interrupt)], "{start:?}");
        }
        assert_eq!(keys(b"\x1b\x1b[A"), [Input::Key(Key::Up)]);
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
            assert_eq!(keys(&bytes), [Input::Character('a')], "{bytes:02x?}");
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
