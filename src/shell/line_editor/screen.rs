//! What the editor makes a terminal do.

use embedded_io::Write;

use crate::shell::decimal::Decimal;

/// A terminal that understands the basic sequences of a VT100.
pub(super) struct Screen<'a, W>(pub(super) &'a mut W);

impl<W: Write> Screen<'_, W> {
    #[inline(never)]
    pub(super) fn write(&mut self, text: &[u8]) -> Result<(), W::Error> {
        self.0.write_all(text)
    }

    pub(super) fn bell(&mut self) -> Result<(), W::Error> {
        self.write(b"\x07")
    }

    pub(super) fn erase_to_end(&mut self) -> Result<(), W::Error> {
        self.write(b"\x1b[K")
    }

    pub(super) fn clear(&mut self) -> Result<(), W::Error> {
        self.write(b"\x1b[H\x1b[2J")
    }

    /// Moves the cursor to the left: by backspaces where these are no longer than the sequence.
    #[inline(never)]
    pub(super) fn left(&mut self, columns: usize) -> Result<(), W::Error> {
        if let Some(backspaces) = b"\x08\x08\x08\x08".get(..columns) {
            return self.write(backspaces);
        }
        self.write(b"\x1b[")?;
        self.write(Decimal::new(columns as u32).as_bytes())?;
        self.write(b"D")
    }
}

/// How many columns a text takes: one for each character.
#[inline(never)]
pub(super) fn num_columns(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| !is_continuation(byte)).count()
}

/// Whether a byte is within a UTF-8 character, not its first.
pub(super) fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(columns: usize) -> Vec<u8> {
        let mut buffer = [0; 8];
        let mut unused = buffer.as_mut_slice();
        Screen(&mut unused).left(columns).unwrap();
        let written = 8 - unused.len();
        buffer[..written].to_vec()
    }

    #[test]
    fn the_shorter_way_to_the_left_is_taken() {
        assert_eq!(left(0), b"");
        assert_eq!(left(1), b"\x08");
        assert_eq!(left(4), b"\x08\x08\x08\x08");
        assert_eq!(left(5), b"\x1b[5D");
        assert_eq!(left(10), b"\x1b[10D");
        assert_eq!(left(128), b"\x1b[128D");
        assert_eq!(left(9_999), b"\x1b[9999D");
    }
}
