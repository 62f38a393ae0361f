//! The arguments of a command that are kept until it is complete.

/// Bytes of room for them all.
pub(super) const ROOM: usize = 256;
/// How many there may be.
pub(super) const MOST: usize = 16;

/// The arguments so far, one behind the other.
#[derive(Debug)]
pub(super) struct Arguments {
    bytes: [u8; ROOM],
    /// Where each complete argument ends.
    ends: [u16; MOST],
    count: usize,
    length: usize,
    is_too_long: bool,
}

impl Arguments {
    pub const fn new() -> Self {
        Self {
            bytes: [0; ROOM],
            ends: [0; MOST],
            count: 0,
            length: 0,
            is_too_long: false,
        }
    }

    pub fn clear(&mut self) {
        self.count = 0;
        self.length = 0;
        self.is_too_long = false;
    }

    /// More bytes of the current argument; what does not fit is noted and dropped.
    pub fn push(&mut self, bytes: &[u8]) {
        let end = self.length + bytes.len();
        match self.bytes.get_mut(self.length..end) {
            Some(room) => {
                room.copy_from_slice(bytes);
                self.length = end;
            }
            None => self.is_too_long = true,
        }
    }

    /// The current argument is complete.
    pub fn end(&mut self) {
        match self.ends.get_mut(self.count) {
            Some(end) => {
                *end = self.length as u16;
                self.count += 1;
            }
            None => self.is_too_long = true,
        }
    }

    /// Whether some did not fit.
    pub fn is_too_long(&self) -> bool {
        self.is_too_long
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Argument number `i`, the command's name being number 0; empty when there is none.
    pub fn get(&self, i: usize) -> &[u8] {
        let start = match i.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = match self.ends.get(i) {
            Some(end) if i < self.count => *end,
            _ => start,
        };
        self.bytes
            .get(usize::from(start)..usize::from(end))
            .unwrap_or(&[])
    }

    /// The argument that was completed last.
    pub fn last(&self) -> &[u8] {
        self.count.checked_sub(1).map_or(&[], |i| self.get(i))
    }

    /// Drops the argument that was completed last.
    pub fn drop_last(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.length = match self.count.checked_sub(1) {
            Some(i) => self.ends.get(i).map_or(0, |end| usize::from(*end)),
            None => 0,
        };
    }

    /// All arguments from number `first` on.
    pub fn from(&self, first: usize) -> impl Iterator<Item = &[u8]> {
        (first..self.count).map(|i| self.get(i))
    }

    /// Whether argument number `i` is this word, in whatever case.
    pub fn is(&self, i: usize, word: &str) -> bool {
        self.get(i).eq_ignore_ascii_case(word.as_bytes())
    }
}
