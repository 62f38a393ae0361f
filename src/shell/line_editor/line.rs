//! Text with a cursor.

use crate::copy::copy;

/// A text of at most `bytes.len()` bytes and the place in it where the next character goes.
///
/// What is before the cursor lies at the start of the buffer, what is after it at the end, and the gap between
/// is free: typing and erasing at the cursor moves nothing. Counts are in bytes. `num_before + num_after` is at
/// most `bytes.len()`.
pub(super) struct Line<B: ?Sized> {
    num_before: usize,
    num_after: usize,
    // Last, so that an array coerces to a slice.
    bytes: B,
}

impl<const LINE: usize> Line<[u8; LINE]> {
    pub(super) const fn new() -> Self {
        Self {
            num_before: 0,
            num_after: 0,
            bytes: [0; LINE],
        }
    }
}

impl Line<[u8]> {
    /// What is left of the cursor.
    #[inline(never)]
    pub(super) fn before(&self) -> &[u8] {
        self.bytes.get(..self.num_before).unwrap_or_default()
    }

    /// What is under the cursor and right of it.
    #[inline(never)]
    pub(super) fn after(&self) -> &[u8] {
        self.bytes.get(self.gap_end()..).unwrap_or_default()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.num_before + self.num_after == 0
    }

    #[inline(never)]
    pub(super) fn clear(&mut self) {
        self.num_before = 0;
        self.num_after = 0;
    }

    /// What is left of the cursor, and the room for more of it.
    pub(super) fn before_and_gap(&mut self) -> (&[u8], &mut [u8]) {
        let end = self.gap_end();
        let used = self.bytes.get_mut(..end).unwrap_or_default();
        match used.split_at_mut_checked(self.num_before) {
            Some((before, gap)) => (before, gap),
            None => (&[], &mut []),
        }
    }

    /// Takes so many bytes of the gap, which has them, into the line, with the cursor behind them.
    pub(super) fn take_from_gap(&mut self, count: usize) {
        self.num_before += count;
    }

    /// Inserts at the cursor, and moves it behind; false, and nothing done, when there is no room.
    pub(super) fn insert(&mut self, text: &[u8]) -> bool {
        let (_, gap) = self.before_and_gap();
        if text.len() > gap.len() {
            return false;
        }
        copy(text, gap);
        self.take_from_gap(text.len());
        true
    }

    /// Erases so many bytes of [`after`](Self::after), which has them.
    pub(super) fn erase_after(&mut self, count: usize) {
        self.num_after -= count;
    }

    pub(super) fn move_left(&mut self, count: usize) {
        for _ in 0..count {
            let Some(&byte) = self.before().last() else {
                return;
            };
            self.num_before -= 1;
            self.num_after += 1;
            let first_after = self.gap_end();
            if let Some(place) = self.bytes.get_mut(first_after) {
                *place = byte;
            }
        }
    }

    pub(super) fn move_right(&mut self, count: usize) {
        for _ in 0..count {
            let Some(&byte) = self.after().first() else {
                return;
            };
            if let Some(place) = self.bytes.get_mut(self.num_before) {
                *place = byte;
            }
            self.num_before += 1;
            self.num_after -= 1;
        }
    }

    fn gap_end(&self) -> usize {
        self.bytes.len() - self.num_after
    }
}
