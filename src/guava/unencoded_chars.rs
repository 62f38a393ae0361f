//! Guava's `unencodedCharsFunnel`: text as Java keeps it.

use crate::key::{Key, Sink};

/// A text as the UTF-16 units that Java keeps it in, each little-endian: the bytes of Guava's
/// `unencodedCharsFunnel`.
///
/// A Java string that is not valid UTF-16 is a key of type `[u16]`, with the same bytes.
///
/// # Examples
///
/// ```
/// use sundew::guava::{GuavaBloom, UnencodedChars};
///
/// let mut seen: GuavaBloom<10> = GuavaBloom::new();
/// seen.insert(&UnencodedChars("grün"));
/// let units: Vec<u16> = "grün".encode_utf16().collect();
/// assert!(seen.contains(units.as_slice()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnencodedChars<'a>(pub &'a str);

impl Key for UnencodedChars<'_> {
    fn feed<S: Sink>(&self, sink: &mut S) {
        for unit in self.0.encode_utf16() {
            sink.write(&unit.to_le_bytes());
        }
    }

    fn feed_field<S: Sink>(&self, sink: &mut S) {
        let bytes = 2 * self.0.encode_utf16().count();
        sink.write(&(bytes as u32).to_le_bytes());
        self.feed(sink);
    }
}
