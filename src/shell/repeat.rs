//! Frames that begin as the last one did.
//!
//! A client that adds one item after the other sends the same bytes up to each item. What they came to, a command and
//! the name of a key, still lies where it was put, so that it is enough to see that they are the same.

use crate::copy::copy;

/// Bytes of the longest beginning that is kept: `BF.ADD` and the name of a key of 24 bytes.
const ROOM: usize = 48;

/// How the last frame began, up to its first item.
#[derive(Debug)]
pub(super) struct Repeat {
    /// 0 when there is nothing to compare with.
    length: usize,
    /// How many of the bytes came again.
    pub matched: usize,
    /// Arguments that follow.
    pub arguments_left: u32,
    bytes: [u8; ROOM],
}

impl Repeat {
    pub const fn new() -> Self {
        Self {
            length: 0,
            matched: 0,
            arguments_left: 0,
            bytes: [0; ROOM],
        }
    }

    /// Keeps how a frame began; nothing, if that is too long.
    #[inline(never)]
    pub fn keep(&mut self, beginning: &[u8], arguments_left: u32) {
        self.arguments_left = arguments_left;
        let copied = copy(beginning, &mut self.bytes);
        self.length = if copied == beginning.len() { copied } else { 0 };
    }

    /// There is nothing to compare with.
    pub fn forget(&mut self) {
        self.length = 0;
    }

    /// Whether a frame may begin as the last one did.
    pub fn is_kept(&self) -> bool {
        self.length > 0
    }

    /// Takes what is the same off the input, nothing if that goes on differently; whether the beginning is whole now.
    #[inline(never)]
    pub fn compare(&mut self, input: &mut &[u8]) -> bool {
        let end = self.length.min(self.matched + input.len());
        let own = self.bytes.get(self.matched..end).unwrap_or_default();
        if let Some(rest) = input.strip_prefix(own) {
            *input = rest;
            self.matched = if end == self.length { 0 } else { end };
            return end == self.length;
        }
        false
    }

    /// A byte that was the same.
    pub fn byte(&self, i: usize) -> u8 {
        self.bytes.get(i).copied().unwrap_or_default()
    }
}
