//! The lines that were entered before.

/// Older lines, newest first, each with an [`END`] behind it, and more of those behind the oldest.
///
/// A new line pushes all others back, byte by byte, and the oldest out. A ring would save the moves and cost more
/// code, for lines that wrap; Enter is not pressed that often.
///
/// While somebody browses, the unfinished line is the first of the lines, so it needs no buffer of its own.
pub(super) struct History<const ROOM: usize> {
    /// Where the line that is shown starts; 0 when nobody browses.
    shown: usize,
    bytes: [u8; ROOM],
}

/// Not in a line: lines have no control characters.
const END: u8 = 0;

impl<const ROOM: usize> History<ROOM> {
    pub(super) const fn new() -> Self {
        Self {
            shown: 0,
            bytes: [END; ROOM],
        }
    }

    /// The line that starts here; empty behind the last.
    #[inline(never)]
    pub(super) fn line_at(&self, start: usize) -> &[u8] {
        let lines = self.bytes.get(start..).unwrap_or_default();
        lines.split(|&byte| byte == END).next().unwrap_or_default()
    }

    /// Adds a line, unless it is empty, equals the one before or is longer than the whole history. Ends
    /// browsing.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.stop_browsing();
        // An empty history reads as an empty line, which is not added either.
        if self.line_at(0) != line && !line.is_empty() && line.len() < ROOM {
            self.push(line);
        }
    }

    /// Where the line before the one that is shown starts. `unfinished` is kept when browsing starts here; room for
    /// it is made as for any line, except that the newest is not dropped: then, or when there is no older line,
    /// `None`.
    pub(super) fn older(&mut self, unfinished: &[u8]) -> Option<usize> {
        let length = self.line_at(self.shown).len();
        if self.shown > 0 {
            let start = self.shown + length + 1;
            return (!self.line_at(start).is_empty()).then_some(start);
        }
        if length == 0 || length + unfinished.len() + 2 > ROOM {
            return None;
        }
        self.push(unfinished);
        Some(unfinished.len() + 1)
    }

    /// Where the line after the one that is shown starts; after the newest, the unfinished line.
    pub(super) fn newer(&self) -> Option<usize> {
        let end = self.shown.checked_sub(1)?;
        let lines = self.bytes.get(..end).unwrap_or_default();
        let previous_end = lines.iter().rposition(|&byte| byte == END);
        Some(previous_end.map_or(0, |end| end + 1))
    }

    /// The line that starts here is shown; the unfinished line ends browsing.
    pub(super) fn show(&mut self, start: usize) {
        if start == 0 {
            self.stop_browsing();
        }
        self.shown = start;
    }

    /// Forgets the unfinished line.
    #[inline(never)]
    pub(super) fn stop_browsing(&mut self) {
        if self.shown == 0 {
            return;
        }
        self.shown = 0;
        let mut first = !END;
        while first != END {
            first = END;
            for place in self.bytes.iter_mut().rev() {
                core::mem::swap(place, &mut first);
            }
        }
    }

    /// Puts a line in front of the others.
    fn push(&mut self, line: &[u8]) {
        self.push_byte(END);
        for &byte in line.iter().rev() {
            self.push_byte(byte);
        }
        // What is left of a line of which a part was pushed out.
        for place in self.bytes.iter_mut().rev() {
            if *place == END {
                break;
            }
            *place = END;
        }
    }

    fn push_byte(&mut self, mut byte: u8) {
        for place in &mut self.bytes {
            core::mem::swap(place, &mut byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn with_lines<const ROOM: usize>(lines: &[&str]) -> History<ROOM> {
        let mut history = History::new();
        for line in lines {
            history.add(line.as_bytes());
        }
        history
    }

    fn older<const ROOM: usize>(history: &mut History<ROOM>, unfinished: &str) -> Option<String> {
        history
            .older(unfinished.as_bytes())
            .map(|start| shown(history, start))
    }

    fn newer<const ROOM: usize>(history: &mut History<ROOM>) -> Option<String> {
        history.newer().map(|start| shown(history, start))
    }

    fn shown<const ROOM: usize>(history: &mut History<ROOM>, start: usize) -> String {
        let line = String::from_utf8(history.line_at(start).to_vec()).unwrap();
        history.show(start);
        line
    }

    /// All lines, newest first.
    fn stored<const ROOM: usize>(history: &History<ROOM>) -> Vec<String> {
        let text = core::str::from_utf8(&history.bytes).unwrap();
        let text = text.trim_end_matches('\0');
        text.split_terminator('\0').map(String::from).collect()
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
        // No room to browse: the unfinished line, even empty, would drop the only line.
        assert_eq!(older(&mut history, ""), None);
        history.add(b"12345678");
        assert_eq!(history.bytes, *b"1234567\0");
    }

    #[test]
    fn the_unfinished_line_comes_back() {
        let mut lines = with_lines::<32>(&["a", "b"]);
        let history = &mut lines;
        assert_eq!(newer(history), None);
        assert_eq!(older(history, "draft").as_deref(), Some("b"));
        assert_eq!(older(history, "?").as_deref(), Some("a"));
        assert_eq!(older(history, "?"), None);
        assert_eq!(newer(history).as_deref(), Some("b"));
        assert_eq!(newer(history).as_deref(), Some("draft"));
        assert_eq!(newer(history), None);
        assert_eq!(stored(&lines), ["b", "a"]);
    }

    #[test]
    fn an_unfinished_line_drops_old_lines_but_not_the_newest() {
        let mut lines = with_lines::<12>(&["abc", "def", "ghi"]);
        let history = &mut lines;
        assert_eq!(older(history, "12345678"), None);
        assert_eq!(older(history, "1234567").as_deref(), Some("ghi"));
        assert_eq!(older(history, "?"), None);
        assert_eq!(newer(history).as_deref(), Some("1234567"));
        assert_eq!(stored(&lines), ["ghi"]);
    }

    #[test]
    fn no_history_is_possible() {
        let mut history = with_lines::<0>(&["a", "b"]);
        assert_eq!(older(&mut history, ""), None);
        assert_eq!(newer(&mut history), None);
    }

    proptest! {
        #[test]
        fn holds_the_newest_lines_that_fit(entered in prop::collection::vec("[ab]{0,12}", 0..20)) {
            const CAPACITY: usize = 24;
            let mut history = History::<CAPACITY>::new();
            let mut expected: Vec<String> = Vec::new();
            for line in entered {
                history.add(line.as_bytes());
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
