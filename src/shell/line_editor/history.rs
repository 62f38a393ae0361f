//! The lines that were entered before.

use crate::copy::copy;

/// Older lines, oldest first, each with a [`END`] behind it.
///
/// When there is no room the oldest lines go and the rest moves to the front. A ring would save the move and
/// cost more code, for lines that wrap; Enter is not pressed that often.
///
/// While somebody browses, the unfinished line is the last of the lines, so it needs no buffer of its own.
pub(super) struct History<B: ?Sized> {
    len: usize,
    /// Where the line that is shown starts; `len` when nobody browses.
    shown: usize,
    // Last, so that an array coerces to a slice.
    bytes: B,
}

/// Not in a line: lines have no control characters.
const END: u8 = 0;

impl<const HISTORY: usize> History<[u8; HISTORY]> {
    pub(super) const fn new() -> Self {
        Self {
            len: 0,
            shown: 0,
            bytes: [0; HISTORY],
        }
    }
}

impl History<[u8]> {
    /// Adds a line, unless it is empty, equals the one before or is longer than the whole history. Ends
    /// browsing.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.stop_browsing();
        let is_repeated = self.line_at(self.start_before(self.len)) == line;
        // An empty history reads as an empty line, which is not added either.
        if !is_repeated && !line.is_empty() && line.len() < self.bytes.len() {
            self.append(line);
        }
        self.shown = self.len;
    }

    /// The line before the one that is shown. `unfinished` is kept when browsing starts here; room for it is
    /// made as for any line, except that the newest is not dropped: then, or when there is no older line,
    /// `None`.
    pub(super) fn older(&mut self, unfinished: &[u8]) -> Option<&[u8]> {
        if self.shown == 0 {
            return None;
        }
        if self.shown == self.len {
            let newest = self.len - self.start_before(self.len);
            if newest + unfinished.len() >= self.bytes.len() {
                return None;
            }
            self.shown = self.append(unfinished);
        }
        self.shown = self.start_before(self.shown);
        Some(self.line_at(self.shown))
    }

    /// The line after the one that is shown; after the newest, the unfinished line, which ends browsing.
    pub(super) fn newer(&mut self) -> Option<&[u8]> {
        if self.shown == self.len {
            return None;
        }
        let start = self.shown + self.line_at(self.shown).len() + 1;
        let unfinished = self.start_before(self.len);
        self.shown = start;
        let length = self.line_at(start).len();
        if start == unfinished {
            self.len = start;
        }
        self.bytes.get(start..start + length)
    }

    /// Forgets the unfinished line.
    #[inline(never)]
    pub(super) fn stop_browsing(&mut self) {
        if self.shown < self.len {
            self.len = self.start_before(self.len);
        }
        self.shown = self.len;
    }

    /// Where the line that ends before `end` starts.
    #[inline(never)]
    fn start_before(&self, end: usize) -> usize {
        let lines = self.bytes.get(..end.saturating_sub(1)).unwrap_or_default();
        let previous_end = lines.iter().rposition(|&byte| byte == END);
        previous_end.map_or(0, |end| end + 1)
    }

    #[inline(never)]
    fn line_at(&self, start: usize) -> &[u8] {
        let lines = self.bytes.get(start..self.len).unwrap_or_default();
        lines.split(|&byte| byte == END).next().unwrap_or_default()
    }

    /// Appends a line that is shorter than the history, and gives its start.
    fn append(&mut self, line: &[u8]) -> usize {
        while self.len + line.len() >= self.bytes.len() && self.len > 0 {
            self.drop_oldest();
        }
        let start = self.len;
        let end = start + line.len();
        if let Some([text @ .., last]) = self.bytes.get_mut(start..=end) {
            copy(line, text);
            *last = END;
            self.len = end + 1;
        }
        start
    }

    fn drop_oldest(&mut self) {
        let start = self.line_at(0).len() + 1;
        let kept = self.len.saturating_sub(start);
        // Byte by byte: `copy_within` calls memmove, which takes 1.5 KB of flash.
        for to in 0..kept {
            if let Some(&byte) = self.bytes.get(to + start)
                && let Some(place) = self.bytes.get_mut(to)
            {
                *place = byte;
            }
        }
        self.len = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_lines<const HISTORY: usize>(lines: &[&str]) -> History<[u8; HISTORY]> {
        let mut history = History::new();
        for line in lines {
            view(&mut history).add(line.as_bytes());
        }
        history
    }

    fn view<const HISTORY: usize>(history: &mut History<[u8; HISTORY]>) -> &mut History<[u8]> {
        history
    }

    /// All lines, newest first.
    fn stored<const HISTORY: usize>(history: &History<[u8; HISTORY]>) -> Vec<String> {
        let text = core::str::from_utf8(&history.bytes[..history.len]).unwrap();
        text.split_terminator('\0')
            .rev()
            .map(String::from)
            .collect()
    }

    #[test]
    fn empty_and_repeated_lines_are_not_added() {
        let history = with_lines::<32>(&["", "a", "a", "", "b", "a"]);
        assert_eq!(stored(&history), ["a", "b", "a"]);
    }

    #[test]
    fn the_oldest_lines_are_dropped_whole() {
        assert_eq!(stored(&with_lines::<8>(&["abc", "def"])), ["def", "abc"]);
        assert_eq!(stored(&with_lines::<8>(&["abc", "def", "g"])), ["g", "def"]);
        assert_eq!(
            stored(&with_lines::<8>(&["abc", "def", "ghijk"])),
            ["ghijk"]
        );
    }

    #[test]
    fn a_line_as_long_as_the_history_takes_all_of_it() {
        let mut history = with_lines::<8>(&["abc", "1234567"]);
        assert_eq!(history.len, 8);
        // No room to browse: the unfinished line, even empty, would drop the only line.
        assert_eq!(view(&mut history).older(b""), None);
        view(&mut history).add(b"12345678");
        assert_eq!(history.bytes, *b"1234567\0");
    }

    #[test]
    fn the_unfinished_line_comes_back() {
        let mut lines = with_lines::<32>(&["a", "b"]);
        let history = view(&mut lines);
        assert_eq!(history.newer(), None);
        assert_eq!(history.older(b"draft"), Some(&b"b"[..]));
        assert_eq!(history.older(b"?"), Some(&b"a"[..]));
        assert_eq!(history.older(b"?"), None);
        assert_eq!(history.newer(), Some(&b"b"[..]));
        assert_eq!(history.newer(), Some(&b"draft"[..]));
        assert_eq!(history.newer(), None);
        assert_eq!(stored(&lines), ["b", "a"]);
    }

    #[test]
    fn an_unfinished_line_drops_old_lines_but_not_the_newest() {
        let mut lines = with_lines::<12>(&["abc", "def", "ghi"]);
        let history = view(&mut lines);
        assert_eq!(history.older(b"12345678"), None);
        assert_eq!(history.older(b"1234567"), Some(&b"ghi"[..]));
        assert_eq!(history.older(b"?"), None);
        assert_eq!(history.newer(), Some(&b"1234567"[..]));
        assert_eq!(stored(&lines), ["ghi"]);
    }

    #[test]
    fn no_history_is_possible() {
        let mut history = with_lines::<0>(&["a", "b"]);
        assert_eq!(view(&mut history).older(b""), None);
        assert_eq!(view(&mut history).newer(), None);
    }

    proptest! {
        #[test]
        fn holds_the_newest_lines_that_fit(entered in prop::collection::vec("[ab]{0,12}", 0..20)) {
            const CAPACITY: usize = 24;
            let mut history = History::<[u8; CAPACITY]>::new();
            let mut expected: Vec<String> = Vec::new();
            for line in entered {
                view(&mut history).add(line.as_bytes());
                if line.is_empty() || expected.first() == Some(&line) {
                    continue;
                }
                expected.insert(0, line);
                while expected.iter().map(|line| line.len() + 1).sum::<usize>() > CAPACITY {
                    expected.pop();
                }
                prop_assert_eq!(stored(&history), expected.clone());
            }
        }
    }
}
