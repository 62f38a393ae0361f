//! The lines that were entered before.

use super::{pop_front, push_front};

/// Older lines, newest first, each with an [`END`] behind it, and more of those behind the oldest.
///
/// A new line pushes all others back, byte by byte, and the oldest out. A ring would save the moves and cost more
/// code, for lines that wrap; Enter is not pressed that often.
///
/// While somebody browses, the unfinished line is the first of the lines, so it needs no buffer of its own.
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

    /// Where the line with this number starts, the newest being number 0.
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
        let is_repeated = self.bytes.starts_with(line) && self.byte(line.len()) == END;
        if !is_repeated && !line.is_empty() && line.len() < ROOM {
            self.push(line);
        }
    }

    /// Goes to an older line or, if `step` is -1, a newer one; false when there is none. `unfinished` is kept when
    /// browsing starts here; room for it is made as for any line, except that the newest is not dropped: then, too, the
    /// answer is false.
    pub(super) fn browse(&mut self, step: usize, unfinished: &[u8]) -> bool {
        if self.number == 0 {
            let is_too_long = self.start(1) + unfinished.len() >= ROOM;
            if step != 1 || self.byte(0) == END || is_too_long {
                return false;
            }
            self.push(unfinished);
        }
        let number = self.number.wrapping_add(step);
        if number > 0 && self.byte(self.start(number)) == END {
            return false;
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
            self.drop_first();
        }
        length
    }

    /// Forgets the unfinished line.
    #[inline(never)]
    pub(super) fn stop_browsing(&mut self) {
        if self.number > 0 {
            self.number = 0;
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        while pop_front(&mut self.bytes) != END {}
    }

    /// Puts a line in front of the others.
    fn push(&mut self, line: &[u8]) {
        push_front(&mut self.bytes, END);
        for &byte in line.iter().rev() {
            push_front(&mut self.bytes, byte);
        }
        // What is left of a line of which a part was pushed out.
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
