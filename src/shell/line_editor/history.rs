//! The lines that were entered before.

/// The unfinished line and older ones, newest first, each with an [`END`] behind it, and more of those behind the
/// oldest. The unfinished line is empty unless somebody browses.
///
/// A new line pushes all others back, byte by byte, and the oldest out. A ring would save the moves and cost more
/// code, for lines that wrap; Enter is not pressed that often.
pub(super) struct History<const ROOM: usize> {
    /// The number of the line that is shown; 0 when nobody browses.
    number: usize,
    bytes: [u8; ROOM],
}

/// Not in a line: lines have no control characters.
const END: u8 = 0;

impl<const ROOM: usize> History<ROOM> {
    pub(super) const fn new() -> Self {
        Self {
            number: 0,
            bytes: [END; ROOM],
        }
    }

    /// Where the line with this number starts, the unfinished one being number 0.
    #[inline(never)]
    fn start(&self, mut number: usize) -> usize {
        let mut start = 0;
        for byte in &self.bytes {
            if number == 0 {
                break;
            }
            start += 1;
            if *byte == END {
                number -= 1;
            }
        }
        start
    }

    /// One byte; [`END`] behind the last.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(END)
    }

    /// Adds a line, unless it is empty, equals the one before or is longer than the whole history. Ends
    /// browsing.
    pub(super) fn add(&mut self, line: &[u8]) {
        self.stop_browsing();
        let newest = self.bytes.get(1..).unwrap_or_default();
        let is_repeated = newest.starts_with(line) && self.byte(line.len() + 1) == END;
        if !is_repeated && !line.is_empty() && line.len() + 2 <= ROOM {
            self.set_unfinished(line);
            self.push_front(END);
        }
    }

    /// Goes to an older line or, if `step` is -1, a newer one; false when there is none. `unfinished` is kept when
    /// browsing starts here; room for it is made as for any line, except that the newest is not dropped: then, too, the
    /// answer is false.
    pub(super) fn browse(&mut self, step: usize, unfinished: &[u8]) -> bool {
        let number = self.number.wrapping_add(step);
        if number > 0 && self.byte(self.start(number)) == END {
            return false;
        }
        if self.number == 0 {
            if self.start(2) + unfinished.len() > ROOM {
                return false;
            }
            self.set_unfinished(unfinished);
        }
        self.number = number;
        true
    }

    /// The line to show, copied to a buffer; its length. The unfinished line ends browsing.
    pub(super) fn shown(&mut self, line: &mut [u8]) -> usize {
        let mut length = 0;
        for at in self.start(self.number)..ROOM {
            let byte = self.byte(at);
            match line.get_mut(length) {
                Some(place) if byte != END => *place = byte,
                _ => break,
            }
            length += 1;
        }
        if self.number == 0 {
            self.stop_browsing();
        }
        length
    }

    /// Forgets the unfinished line.
    #[inline(never)]
    pub(super) fn stop_browsing(&mut self) {
        self.number = 0;
        while self.byte(0) != END {
            self.pop_front();
        }
    }

    /// Makes the unfinished line, which is empty, this one.
    #[inline(never)]
    fn set_unfinished(&mut self, line: &[u8]) {
        for &byte in line.iter().rev() {
            self.push_front(byte);
        }
    }

    /// Takes the first byte out; behind the last comes an [`END`].
    fn pop_front(&mut self) {
        let mut byte = END;
        for place in self.bytes.iter_mut().rev() {
            core::mem::swap(place, &mut byte);
        }
    }

    /// Puts a byte in front of the others. The last is dropped, and what is left of its line.
    #[inline(never)]
    fn push_front(&mut self, mut byte: u8) {
        for place in &mut self.bytes {
            core::mem::swap(place, &mut byte);
        }
        for place in self.bytes.iter_mut().rev() {
            if *place == END {
                break;
            }
            *place = END;
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
        let is_there = history.browse(1, unfinished.as_bytes());
        is_there.then(|| shown(history))
    }

    fn newer<const ROOM: usize>(history: &mut History<ROOM>) -> Option<String> {
        history.browse(usize::MAX, b"").then(|| shown(history))
    }

    fn shown<const ROOM: usize>(history: &mut History<ROOM>) -> String {
        let mut line = [0; 32];
        let length = history.shown(&mut line);
        String::from_utf8(line[..length].to_vec()).unwrap()
    }

    /// All lines, newest first.
    fn stored<const ROOM: usize>(history: &History<ROOM>) -> Vec<String> {
        let text = core::str::from_utf8(&history.bytes[1..]).unwrap();
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
        assert_eq!(stored(&with_lines::<9>(&["abc", "def"])), ["def", "abc"]);
        assert_eq!(stored(&with_lines::<9>(&["abc", "def", "g"])), ["g", "def"]);
        assert_eq!(
            stored(&with_lines::<9>(&["abc", "def", "ghijk"])),
            ["ghijk"]
        );
    }

    #[test]
    fn a_line_as_long_as_the_history_takes_all_of_it() {
        let mut history = with_lines::<9>(&["abc", "1234567"]);
        // An unfinished line would drop the only line.
        assert_eq!(older(&mut history, "?"), None);
        history.add(b"12345678");
        assert_eq!(history.bytes, *b"\x001234567\x00");
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
            let mut history = History::<{ CAPACITY + 1 }>::new();
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
