//! From the bytes that a terminal sends to the keys that were pressed.

/// What was typed: a character as its UTF-8, the first byte the highest, or the control byte that stands for a key.
pub(super) type Key = u32;

pub(super) const NONE: Key = 0;
pub(super) const HOME: Key = control(b'A');
pub(super) const LEFT: Key = control(b'B');
pub(super) const INTERRUPT: Key = control(b'C');
/// Deletes a character or, where there is none, ends the input.
pub(super) const DELETE_OR_END: Key = control(b'D');
pub(super) const END: Key = control(b'E');
pub(super) const RIGHT: Key = control(b'F');
pub(super) const BACKSPACE: Key = control(b'H');
pub(super) const TAB: Key = control(b'I');
pub(super) const NEWLINE: Key = control(b'J');
pub(super) const ERASE_TO_END: Key = control(b'K');
pub(super) const CLEAR_SCREEN: Key = control(b'L');
pub(super) const RETURN: Key = control(b'M');
pub(super) const DOWN: Key = control(b'N');
pub(super) const UP: Key = control(b'P');
pub(super) const ERASE_TO_START: Key = control(b'U');
pub(super) const ERASE_WORD: Key = control(b'W');
/// No control byte stands for it, so it has that one which is no key itself.
pub(super) const DELETE: Key = ESCAPE;
/// What most terminals send for Backspace.
pub(super) const RUBOUT: Key = 0x7F;

const ESCAPE: Key = control(b'[');

const fn control(letter: u8) -> Key {
    (letter & 0x1F) as Key
}

/// Collects bytes until they make a key or a character.
///
/// A character of several bytes comes out whole, so whatever follows sees valid UTF-8 only.
pub(super) struct KeyDecoder {
    /// The bytes of a character that are here, as in [`Key`]. Or what matters of an escape sequence: [`ESCAPE`];
    /// [`SEQUENCE`]; the byte of its parameter; [`UNKNOWN`]. Or 0.
    begun: u32,
}

/// After `ESC [` or `ESC O`.
const SEQUENCE: u32 = b'O' as u32;
/// In a sequence with more than one byte of parameters, such as the modifiers in `ESC [1;5C`: no key.
const UNKNOWN: u32 = b' ' as u32;

impl KeyDecoder {
    pub(super) const fn new() -> Self {
        Self { begun: 0 }
    }

    /// Takes one byte; gives the key or character that it completes.
    ///
    /// A control byte breaks off what came before it, so Enter and Ctrl-C work whatever the state.
    #[inline(never)]
    pub(super) fn push(&mut self, byte: u8) -> Key {
        let begun = core::mem::take(&mut self.begun);
        let key = Key::from(byte);
        if key == ESCAPE {
            self.begun = ESCAPE;
            return NONE;
        }
        if byte < b' ' {
            return key;
        }
        match begun {
            ESCAPE => match byte {
                b'[' | b'O' => self.begun = SEQUENCE,
                b' '..=b'/' => self.begun = ESCAPE,
                _ => {}
            },
            UNKNOWN..0x80 => {
                let is_first = begun == SEQUENCE;
                // The Linux console has a second bracket in its function keys: ESC [[A.
                if matches!(byte, b' '..=b'?' | b'[') {
                    self.begun = if is_first { key } else { UNKNOWN };
                } else if is_first || byte == b'~' {
                    return sequence_key(if is_first { key } else { begun });
                }
            }
            _ => {
                let character = if is_continuation(byte) {
                    begun << 8 | key
                } else {
                    key
                };
                if is_character(character) {
                    return character;
                }
                self.begun = character;
            }
        }
        NONE
    }
}

/// The key with this letter at the end of its sequence, or with this digit before `~`.
fn sequence_key(letter: u32) -> Key {
    let known = SEQUENCES.iter().find(|known| Key::from(known[0]) == letter);
    known.map_or(NONE, |known| known[1].into())
}

const SEQUENCES: [[u8; 2]; 11] = [
    [b'A', UP as u8],
    [b'B', DOWN as u8],
    [b'C', RIGHT as u8],
    [b'D', LEFT as u8],
    [b'F', END as u8],
    [b'H', HOME as u8],
    [b'1', HOME as u8],
    [b'3', DELETE as u8],
    [b'4', END as u8],
    [b'7', HOME as u8],
    [b'8', END as u8],
];

/// Whether these bytes, which are continued as a character of several bytes is, are one, or [`RUBOUT`]. A control
/// character would move the terminal's cursor; an overlong form, a surrogate and what is beyond the last character
/// are not UTF-8.
fn is_character(bytes: u32) -> bool {
    matches!(
        bytes,
        0x20..=0x7F
            | 0xC2A0..=0xDFBF
            | 0xE0_A080..=0xED_9FBF
            | 0xEE_8080..=0xEF_BFBF
            | 0xF090_8080..=0xF48F_BFBF
    )
}

/// Whether a byte is within a UTF-8 character, not its first.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(bytes: &[u8]) -> Vec<Key> {
        let mut decoder = KeyDecoder::new();
        let pushed = bytes.iter().map(|&byte| decoder.push(byte));
        pushed.filter(|key| *key != NONE).collect()
    }

    #[test]
    fn every_form_of_a_key_is_known() {
        let forms: &[(Key, &[&[u8]])] = &[
            (UP, &[b"\x10", b"\x1b[A", b"\x1bOA"]),
            (DOWN, &[b"\x0e", b"\x1b[B", b"\x1bOB"]),
            (RIGHT, &[b"\x06", b"\x1b[C", b"\x1bOC"]),
            (LEFT, &[b"\x02", b"\x1b[D", b"\x1bOD"]),
            (
                HOME,
                &[b"\x01", b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"\x1b[7~"],
            ),
            (
                END,
                &[b"\x05", b"\x1b[F", b"\x1bOF", b"\x1b[4~", b"\x1b[8~"],
            ),
            (BACKSPACE, &[b"\x08"]),
            (RUBOUT, &[b"\x7f"]),
            (DELETE, &[b"\x1b[3~"]),
            (DELETE_OR_END, &[b"\x04"]),
            (ERASE_WORD, &[b"\x17"]),
            (ERASE_TO_START, &[b"\x15"]),
            (ERASE_TO_END, &[b"\x0b"]),
            (CLEAR_SCREEN, &[b"\x0c"]),
            (INTERRUPT, &[b"\x03"]),
            (TAB, &[b"\t"]),
            (RETURN, &[b"\r"]),
            (NEWLINE, &[b"\n"]),
            (0x61, &[b"a"]),
            (0xC39F, &["ß".as_bytes()]),
            (0xE282AC, &["€".as_bytes()]),
            (0xF09F8CB1, &["🌱".as_bytes()]),
        ];
        for (key, forms) in forms {
            for form in *forms {
                assert_eq!(keys(form), [*key], "{form:02x?}");
            }
        }
    }

    #[test]
    fn all_characters_and_only_those_come_out() {
        let (step, rows) = if cfg!(miri) { (9_973, 17) } else { (1, 1) };
        for character in ('\0'..=char::MAX).step_by(step) {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            if character.is_control() {
                assert!(keys(bytes).iter().all(|key| *key <= RUBOUT));
            } else {
                let number = bytes
                    .iter()
                    .fold(0, |key, byte| key << 8 | Key::from(*byte));
                assert_eq!(keys(bytes), [number]);
            }
        }
        for first in (0x80..=0xFF_u8).step_by(rows) {
            for second in (0x80..=0xBF).step_by(rows) {
                for third in [
                    &[][..],
                    &[0x80],
                    &[0xBF],
                    &[0x80; 2],
                    &[0xBF; 2],
                    &[0x80; 5],
                ] {
                    let bytes = [&[first, second], third].concat();
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let is_bad = |c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER;
                    let expected = text.replace(is_bad, "").chars().count();
                    assert_eq!(keys(&bytes).len(), expected, "{bytes:02x?}");
                }
            }
        }
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
            assert_eq!(keys(&bytes), [0x61], "{sequence:02x?}");
        }
    }

    #[test]
    fn a_control_byte_breaks_a_sequence_off() {
        for start in ["\x1b", "\x1b[", "\x1b[3", "\x1bO"] {
            let bytes = [start.as_bytes(), b"\x03"].concat();
            assert_eq!(keys(&bytes), [INTERRUPT], "{start:?}");
        }
        assert_eq!(keys(b"\x1b\x1b[A"), [UP]);
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
            assert_eq!(keys(&bytes), [0x61], "{bytes:02x?}");
        }
    }
}
