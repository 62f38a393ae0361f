//! The arguments of a command that are kept until it is complete.

use super::text::Text;
use crate::copy::copy;

/// Bytes of room for them all.
pub(super) const ROOM: usize = 256;
/// How many there may be.
pub(super) const MOST: usize = 16;

/// The arguments so far, one behind the other.
// In this order, here and in other structs with large arrays: what is near the start takes shorter instructions.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Arguments {
    count: usize,
    length: usize,
    is_too_long: bool,
    /// Where each argument starts, also the next.
    starts: [u16; MOST + 1],
    bytes: [u8; ROOM],
}

impl Arguments {
    pub const fn new() -> Self {
        Self {
            bytes: [0; ROOM],
            starts: [0; MOST + 1],
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
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        let copied = copy(bytes, room);
        self.length += copied;
        self.is_too_long |= copied < bytes.len();
    }

    /// More bytes of the first argument, of which so many are kept.
    pub fn push_up_to(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.length);
        self.push(bytes.get(..room).unwrap_or(bytes));
    }

    /// The current argument is complete.
    #[inline(never)]
    pub fn end(&mut self) {
        match self.starts.get_mut(self.count + 1) {
            Some(next) => {
                *next = self.length as u16;
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
    #[inline(never)]
    pub fn get(&self, i: usize) -> &[u8] {
        if i >= self.count {
            return &[];
        }
        let Some(&[start, end]) = self.starts.get(i..).and_then(<[u16]>::first_chunk) else {
            return &[];
        };
        // They are in order and in the array; said this way, the check is shorter.
        let end = usize::from(end).min(ROOM);
        let start = usize::from(start).min(end);
        self.bytes.get(start..end).unwrap_or_default()
    }

    /// The argument that was completed last.
    pub fn last(&self) -> &[u8] {
        self.get(self.count.wrapping_sub(1))
    }

    /// Drops the argument that was completed last.
    pub fn drop_last(&mut self) {
        self.count = self.count.saturating_sub(1);
        self.length = self
            .starts
            .get(self.count)
            .map_or(0, |start| usize::from(*start));
    }

    /// Which of these words argument number `i` is, in whatever case: 0 for the first.
    #[inline(never)]
    pub fn which(&self, i: usize, words: Text) -> Option<usize> {
        let argument = self.get(i);
        let mut words = words.bytes();
        let mut number = 0;
        // How many bytes of the argument the word has so far; too many when it has others.
        let mut same = 0;
        loop {
            let byte = words.next();
            match byte {
                Some(byte) if byte != b' ' => {
                    let own = argument.get(same).copied().unwrap_or_default();
                    let is_same = own.eq_ignore_ascii_case(&byte);
                    same = if is_same { same + 1 } else { usize::MAX };
                }
                _ if same == argument.len() => return Some(number),
                _ => {
                    byte?;
                    number += 1;
                    same = 0;
                }
            }
        }
    }
}
