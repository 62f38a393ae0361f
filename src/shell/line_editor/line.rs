//! Text with a cursor.

/// A text of at most `bytes.len()` bytes and the place in it where the next character goes.
///
/// Cursor and length are in bytes, and always on a boundary of characters when the callers insert and erase
/// whole ones.
pub(super) struct Line<B: ?Sized> {
    len: usize,
    cursor: usize,
    // Last, so that an array coerces to a slice.
    bytes: B,
}

impl<const LINE: usize> Line<[u8; LINE]> {
    pub(super) const fn new() -> Self {
        Self {
            len: 0,
            cursor: 0,
            bytes: [0; LINE],
        }
    }
}

impl Line<[u8]> {
    pub(super) fn text(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// What is left of the cursor.
    pub(super) fn before(&self) -> &[u8] {
        self.bytes.get(..self.cursor).unwrap_or_default()
    }

    /// What is under the cursor and right of it.
    pub(super) fn after(&self) -> &[u8] {
        self.text().get(self.cursor..).unwrap_or_default()
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.cursor = 0;
    }

    /// Inserts at the cursor, and moves it behind; false, and nothing done, when there is no room.
    pub(super) fn insert(&mut self, text: &[u8]) -> bool {
        let (_, gap) = self.open_gap();
        let room = gap.get_mut(..text.len());
        let fits = room.is_some();
        if let Some(room) = room {
            room.copy_from_slice(text);
        }
        self.close_gap(if fits { text.len() } else { 0 });
        fits
    }

    /// Moves what is after the cursor to the end of the buffer. Gives what is before the cursor and the free
    /// room between; until [`close_gap`](Self::close_gap) nothing else may be called.
    pub(super) fn open_gap(&mut self) -> (&[u8], &mut [u8]) {
        let tail = self.len.saturating_sub(self.cursor);
        let Some((before, rest)) = self.bytes.split_at_mut_checked(self.cursor) else {
            return (&[], &mut []);
        };
        let Some(gap) = rest.len().checked_sub(tail) else {
            return (before, &mut []);
        };
        rest.copy_within(..tail, gap);
        (before, rest.get_mut(..gap).unwrap_or_default())
    }

    /// Takes the first `used` bytes of the gap into the line, with the cursor behind them.
    pub(super) fn close_gap(&mut self, used: usize) {
        let tail = self.len.saturating_sub(self.cursor);
        let Some(rest) = self.bytes.get_mut(self.cursor + used..) else {
            return;
        };
        if let Some(gap) = rest.len().checked_sub(tail) {
            rest.copy_within(gap.., 0);
            self.cursor += used;
            self.len += used;
        }
    }

    /// Erases this many bytes after the cursor.
    pub(super) fn erase_after(&mut self, count: usize) {
        let Some(rest) = self.bytes.get_mut(self.cursor..self.len) else {
            return;
        };
        if count <= rest.len() {
            rest.copy_within(count.., 0);
            self.len -= count;
        }
    }

    pub(super) fn move_left(&mut self, count: usize) {
        self.cursor = self.cursor.saturating_sub(count);
    }

    pub(super) fn move_right(&mut self, count: usize) {
        self.cursor = (self.cursor + count).min(self.len);
    }
}
