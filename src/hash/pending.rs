//! The part of a streamed input that does not fill a block yet.

use crate::copy::copy;

/// Cuts a stream of bytes into blocks of `SIZE`, whatever pieces it arrives in.
#[derive(Clone, Debug)]
pub(super) struct Pending<const SIZE: usize> {
    block: [u8; SIZE],
    filled: usize,
}

impl<const SIZE: usize> Pending<SIZE> {
    pub const fn new() -> Self {
        Self {
            block: [0; SIZE],
            filled: 0,
        }
    }

    /// Drops what does not fill a block.
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Calls `consume` for every block completed by `input`, and keeps the rest.
    pub fn absorb(&mut self, mut input: &[u8], mut consume: impl FnMut(&[u8; SIZE])) {
        if self.filled > 0 {
            let Some(free) = self.block.get_mut(self.filled..) else {
                return;
            };
            let taken = free.len().min(input.len());
            let (head, rest) = input.split_at(taken);
            copy(head, free);
            self.filled += taken;
            input = rest;
            if self.filled < SIZE {
                return;
            }
            consume(&self.block);
            self.filled = 0;
        }
        while let Some((block, rest)) = input.split_first_chunk() {
            consume(block);
            input = rest;
        }
        self.filled = copy(input, &mut self.block);
    }

    /// The bytes after the last full block: fewer than `SIZE`.
    pub fn bytes(&self) -> &[u8] {
        self.block.get(..self.filled).unwrap_or(&[])
    }
}
