//! The line editor of the console: bytes of a terminal in, echo out, and now and then a line.

mod history;
mod key;

use crate::key::Sink;
use history::History;
use key::{Key, KeyDecoder, is_continuation};

pub(super) const PROMPT: &str = "sundew> ";

/// A line being typed, with history: at most `LINE` bytes of line, `HISTORY` bytes of older lines, each of which
/// takes one byte more than its text, as does the unfinished line.
///
/// It does no input or output but writing the echo, and keeps the terminal's line equal to the prompt and the
/// text. That holds for lines that fit one row of the terminal, of characters one column wide.
///
/// | key | does |
/// |---|---|
/// | Left, Ctrl-B, Right, Ctrl-F | one character to the left, to the right |
/// | Home, Ctrl-A, End, Ctrl-E | to the start, to the end |
/// | Up, Ctrl-P, Down, Ctrl-N | the line before, the line after |
/// | Backspace, Delete, Ctrl-D | erase the character before the cursor, under it |
/// | Ctrl-W, Ctrl-U, Ctrl-K | erase the word before the cursor, all before it, all after it |
/// | Tab | complete the word before the cursor |
/// | Ctrl-L | clear the screen |
/// | Ctrl-C | drop the line |
/// | Ctrl-D on an empty line | end of input |
///
/// Up keeps the unfinished line and Down gives it back; meanwhile it lies in the history, where it may cost the
/// oldest lines. A recalled line that was changed is kept only by Enter.
///
/// # Cost
///
/// `LINE + HISTORY + 16` bytes of RAM on a 32-bit core.
// In this order: what is near the start takes shorter instructions.
#[repr(C)]
pub(super) struct LineEditor<const LINE: usize, const HISTORY: usize> {
    keys: KeyDecoder,
    /// Bytes of the text before the cursor.
    cursor: usize,
    /// Bytes of the whole text, at most `LINE`.
    length: usize,
    bytes: [u8; LINE],
    history: History<HISTORY>,
}

/// What a byte did.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// The line is not finished.
    Pending,
    /// Enter: the line is in [`line`](LineEditor::line) until [`start_line`](LineEditor::start_line), which is due.
    Line,
    /// Ctrl-D on an empty line.
    EndOfInput,
}

impl<const LINE: usize, const HISTORY: usize> LineEditor<LINE, HISTORY> {
    /// An editor with an empty line and no history: all bytes 0, so a static one costs no flash.
    pub(super) const fn new() -> Self {
        const {
            assert!(
                LINE >= 1,
                "LineEditor: LINE (bytes of the longest line) must be at least 1; 128 suits a console"
            );
        }
        Self {
            keys: KeyDecoder::new(),
            cursor: 0,
            length: 0,
            history: History::new(),
            bytes: [0; LINE],
        }
    }

    /// Forgets the line and writes the prompt for the next. The history stays.
    #[inline(never)]
    pub(super) fn start_line(&mut self, out: &mut dyn Sink) {
        self.clear();
        write(out, PROMPT.as_bytes());
    }

    /// Takes one byte and writes what it changes on the screen.
    ///
    /// `name_candidates` gives [`Typing::candidate`] each text that the last word before the cursor may become. It may
    /// name all it knows, since those that do not start with the word are passed over. When it is called again, which is
    /// for the list of candidates, it must name the same. Candidates are printable UTF-8.
    pub(super) fn push(
        &mut self,
        byte: u8,
        name_candidates: impl Fn(&mut Typing<LINE, HISTORY>),
        out: &mut dyn Sink,
    ) -> Edit {
        let key = self.keys.push(byte);
        let mut typing = Typing {
            editor: self,
            out,
            word_start: 0,
            num_candidates: 0,
            num_common: 0,
            is_listing: false,
            emitted: [0; 4],
        };
        typing.apply(key, name_candidates)
    }

    /// Takes one byte as it is and shows nothing, for whoever sees no prompt; false when the line is full.
    pub(super) fn push_unseen(&mut self, byte: u8) -> bool {
        if self.length >= LINE {
            return false;
        }
        self.insert(self.length, byte);
        true
    }

    /// Forgets the line. The history stays.
    #[inline(never)]
    pub(super) fn clear(&mut self) {
        self.history.stop_browsing();
        self.cursor = 0;
        self.length = 0;
    }

    /// The line, after [`Edit::Line`] the one that was entered: UTF-8 without control characters, if the candidates
    /// for completion were.
    pub(super) fn line(&self) -> &[u8] {
        // Limited, here and below: what is sure to be in the array needs no check, which is longer.
        self.bytes.get(..self.length.min(LINE)).unwrap_or_default()
    }

    /// Inserts a byte, for which there is room.
    #[inline(never)]
    fn insert(&mut self, at: usize, mut byte: u8) {
        for place in at..LINE {
            core::mem::swap(&mut self.bytes[place], &mut byte);
        }
        self.length += 1;
    }

    /// Takes a byte out, of the text or of what lies behind it, and moves all behind it.
    #[inline(never)]
    fn take(&mut self, at: usize) -> u8 {
        let mut byte = 0;
        for place in (at..LINE).rev() {
            core::mem::swap(&mut self.bytes[place], &mut byte);
        }
        byte
    }

    /// One byte; 0 where there is none.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// The start of the next character in a direction, 1 or -1; the latter not from the start of the text.
    #[inline(never)]
    fn neighbour(&self, mut at: usize, direction: usize) -> usize {
        loop {
            at = at.wrapping_add(direction);
            if !self.is_inside_character(at) {
                return at;
            }
        }
    }

    fn is_inside_character(&self, at: usize) -> bool {
        is_continuation(self.byte(at))
    }

    /// The start of the last word before the cursor. Spaces behind it may be passed over.
    fn word_start(&self, mut is_in_word: bool) -> usize {
        let mut at = self.cursor;
        while at > 0 {
            if self.byte(at - 1) != b' ' {
                is_in_word = true;
            } else if is_in_word {
                break;
            }
            at -= 1;
        }
        at
    }
}

// What is written besides the text, as numbers like `Key`.
const NOTHING: u32 = 0;
const LINE_END: u32 = number(b"\r\n");
const TWO_SPACES: u32 = number(b"  ");
const BELL: u32 = number(b"\x07");
const BACKSPACE: u32 = number(b"\x08");
const CANCELLED: u32 = number(b"^C\r\n");
const ERASE_TO_END: u32 = number(b"\x1b[K");
const CURSOR_HOME: u32 = number(b"\x1b[H");
const ERASE_SCREEN: u32 = number(b"\x1b[2J");

const fn number(text: &[u8]) -> u32 {
    let (mut number, mut i) = (0, 0);
    while i < text.len() {
        number = number << 8 | text[i] as u32;
        i += 1;
    }
    number
}

/// All that a key works on.
pub(super) struct Typing<'a, const LINE: usize, const HISTORY: usize> {
    editor: &'a mut LineEditor<LINE, HISTORY>,
    out: &'a mut dyn Sink,
    /// Where the word begins that is to be completed.
    word_start: usize,
    num_candidates: u32,
    /// How many bytes the candidates have in common behind the word. They lie in the room behind the line.
    num_common: usize,
    is_listing: bool,
    /// What [`emit`](Self::emit) writes. Here, not on the stack: a function that changes `self` gets it as one
    /// argument, one that only reads it gets all that it reads.
    emitted: [u8; 4],
}

impl<const LINE: usize, const HISTORY: usize> Typing<'_, LINE, HISTORY> {
    /// Whether the word to be completed is the first of its line.
    pub(super) fn is_first_word(&self) -> bool {
        (0..self.word_start).all(|at| self.editor.byte(at) == b' ')
    }

    /// Takes what the word may become, if it starts with the word.
    #[inline(never)]
    pub(super) fn candidate(&mut self, candidate: &[u8]) {
        let editor = &mut *self.editor;
        let mut rest = candidate.iter();
        for at in self.word_start..editor.cursor {
            if rest.next() != Some(&editor.byte(at)) {
                return;
            }
        }
        if self.is_listing {
            self.write(candidate);
            return self.emit(TWO_SPACES);
        }
        let rest = rest.as_slice();
        let mut num_same = 0;
        // With the space behind it, which so is common where there is only one.
        while num_same <= rest.len() {
            let byte = rest.get(num_same).copied().unwrap_or(b' ');
            let Some(place) = editor.bytes.get_mut(editor.length + num_same) else {
                // It is not inserted in part.
                num_same = 0;
                break;
            };
            if self.num_candidates == 0 {
                *place = byte;
            }
            if *place != byte {
                break;
            }
            num_same += 1;
        }
        if self.num_candidates > 0 {
            num_same = num_same.min(self.num_common);
        }
        // Both end in a whole character.
        while num_same > 0
            && rest
                .get(num_same)
                .is_some_and(|&byte| is_continuation(byte))
        {
            num_same -= 1;
        }
        self.num_candidates += 1;
        self.num_common = num_same;
    }

    #[inline(never)]
    fn apply(&mut self, key: Key, name_candidates: impl Fn(&mut Self)) -> Edit {
        let editor = &*self.editor;
        let cursor = editor.cursor;
        // The place to go to, or to erase to.
        let target = match key {
            key::HOME | key::ERASE_TO_START => 0,
            key::END | key::ERASE_TO_END => editor.length,
            key::LEFT | key::BACKSPACE | key::RUBOUT if cursor == 0 => 0,
            key::LEFT | key::BACKSPACE | key::RUBOUT => editor.neighbour(cursor, usize::MAX),
            key::DELETE_OR_END if editor.length == 0 => return Edit::EndOfInput,
            key::RIGHT | key::DELETE | key::DELETE_OR_END => {
                editor.neighbour(cursor, 1).min(editor.length)
            }
            key::ERASE_WORD | key::TAB => editor.word_start(key == key::TAB),
            key::RETURN | key::NEWLINE => {
                self.enter();
                return Edit::Line;
            }
            _ => {
                match key {
                    key::INTERRUPT => self.interrupt(),
                    key::CLEAR_SCREEN => self.clear_screen(),
                    key::UP | key::DOWN => self.recall(key),
                    0..0x20 => {}
                    _ => self.insert(key),
                }
                return Edit::Pending;
            }
        };
        match key {
            key::LEFT | key::RIGHT | key::HOME | key::END => self.move_to(target),
            key::TAB => self.complete(target, name_candidates),
            _ => self.erase_to(target),
        }
        Edit::Pending
    }

    fn enter(&mut self) {
        self.emit(LINE_END);
        let editor = &mut *self.editor;
        let line = editor
            .bytes
            .get(..editor.length.min(LINE))
            .unwrap_or_default();
        editor.history.add(line);
    }

    fn interrupt(&mut self) {
        self.emit(CANCELLED);
        self.editor.clear();
        self.draw();
    }

    fn clear_screen(&mut self) {
        self.emit(CURSOR_HOME);
        self.emit(ERASE_SCREEN);
        self.draw();
    }

    fn insert(&mut self, mut character: Key) {
        let count = 4 - character.leading_zeros() as usize / 8;
        if self.editor.length + count > LINE {
            return self.bell();
        }
        let start = self.editor.cursor;
        while character > 0 {
            self.editor.insert(start, character as u8);
            character >>= 8;
        }
        self.draw_to(start + count);
    }

    /// Inserts what all candidates have in common, with a space if there is only one; where that is nothing, lists
    /// them.
    fn complete(&mut self, word_start: usize, name_candidates: impl Fn(&mut Self)) {
        self.word_start = word_start;
        name_candidates(self);
        let editor = &mut *self.editor;
        if self.num_common > 0 {
            let end = editor.cursor + self.num_common;
            for at in editor.cursor..end {
                let byte = editor.take(editor.length);
                editor.insert(at, byte);
            }
            self.draw_to(end);
        } else if self.num_candidates > 1 {
            self.is_listing = true;
            self.emit(LINE_END);
            name_candidates(self);
            self.emit(LINE_END);
            self.draw();
        } else {
            self.bell();
        }
    }

    /// Shows the line so many before that one of the history which is shown.
    fn recall(&mut self, key: Key) {
        let step = if key == key::UP { 1 } else { usize::MAX };
        let editor = &mut *self.editor;
        let unfinished = editor
            .bytes
            .get(..editor.length.min(LINE))
            .unwrap_or_default();
        if !editor.history.browse(step, unfinished) {
            return self.bell();
        }
        self.move_to(0);
        self.emit(ERASE_TO_END);
        let editor = &mut *self.editor;
        editor.length = editor.history.shown(&mut editor.bytes);
        self.move_to(self.editor.length);
    }

    /// Moves the cursor: to the left by backspaces, to the right by writing the characters anew.
    #[inline(never)]
    fn move_to(&mut self, target: usize) {
        while self.editor.cursor != target {
            let editor = &mut *self.editor;
            let passed;
            if editor.cursor < target {
                passed = editor.byte(editor.cursor).into();
                editor.cursor += 1;
            } else {
                editor.cursor -= 1;
                let is_inside = editor.is_inside_character(editor.cursor);
                passed = if is_inside { NOTHING } else { BACKSPACE };
            }
            self.emit(passed);
        }
    }

    /// Erases what is between the cursor and another place.
    #[inline(never)]
    fn erase_to(&mut self, target: usize) {
        let count = self.editor.cursor.abs_diff(target);
        if count == 0 {
            return;
        }
        self.move_to(self.editor.cursor.min(target));
        self.emit(ERASE_TO_END);
        let editor = &mut *self.editor;
        for _ in 0..count {
            editor.take(editor.cursor);
        }
        editor.length -= count;
        self.draw_to(self.editor.cursor);
    }

    /// Writes what is behind the cursor, and brings it to its new place.
    #[inline(never)]
    fn draw_to(&mut self, cursor: usize) {
        self.move_to(self.editor.length);
        self.move_to(cursor);
    }

    /// Draws all in an empty row.
    #[inline(never)]
    fn draw(&mut self) {
        self.write(PROMPT.as_bytes());
        let cursor = self.editor.cursor;
        self.editor.cursor = 0;
        self.draw_to(cursor);
    }

    fn bell(&mut self) {
        self.emit(BELL);
    }

    /// Writes a number of up to four bytes, the highest first; an address and a length take more code.
    #[inline(never)]
    fn emit(&mut self, number: u32) {
        self.emitted = number.to_be_bytes();
        let zeros = number.leading_zeros() as usize / 8;
        write(self.out, self.emitted.get(zeros..).unwrap_or_default());
    }

    fn write(&mut self, text: &[u8]) {
        write(self.out, text);
    }
}

/// Not inlined, for 300 bytes: the compiler copies what writes to a UART to every caller.
#[inline(never)]
fn write(out: &mut dyn Sink, text: &[u8]) {
    out.write(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: [&str; 6] = ["help", "insert", "info", "größe", "größer", "grün"];

    /// The row with the cursor, as a terminal of unlimited width shows it, and what was written in all.
    #[derive(Default)]
    struct Terminal {
        row: Vec<char>,
        cursor: usize,
        bells: usize,
        written: Vec<u8>,
        num_interpreted: usize,
    }

    impl Sink for Terminal {
        fn write(&mut self, bytes: &[u8]) {
            self.written.extend(bytes);
        }
    }

    impl Terminal {
        /// Does what was written since the last time; panics on what the editor must not write.
        fn interpret(&mut self) {
            let news = self.written[self.num_interpreted..].to_vec();
            self.num_interpreted = self.written.len();
            let mut rest = core::str::from_utf8(&news).expect("the echo is UTF-8");
            while let Some(character) = rest.chars().next() {
                rest = &rest[character.len_utf8()..];
                match character {
                    '\x07' => self.bells += 1,
                    '\x08' => self.cursor = self.cursor.checked_sub(1).expect("there is a column"),
                    '\r' => self.cursor = 0,
                    '\n' => self.row.clear(),
                    '\x1b' => rest = self.interpret_sequence(rest),
                    control if control.is_control() => panic!("wrote {control:?}"),
                    printable => self.put(printable),
                }
            }
        }

        fn put(&mut self, character: char) {
            assert!(self.cursor <= self.row.len());
            if self.cursor == self.row.len() {
                self.row.push(character);
            } else {
                self.row[self.cursor] = character;
            }
            self.cursor += 1;
        }

        fn interpret_sequence<'a>(&mut self, text: &'a str) -> &'a str {
            let text = text
                .strip_prefix('[')
                .expect("a sequence starts with ESC [");
            let (number, text) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap());
            match (number, &text[..1]) {
                ("", "K") => self.row.truncate(self.cursor),
                ("", "H") => self.cursor = 0,
                ("2", "J") => self.row.clear(),
                sequence => panic!("wrote ESC [ {sequence:?}"),
            }
            &text[1..]
        }

        fn row(&self) -> String {
            self.row.iter().collect()
        }
    }

    /// An editor at a terminal: checks after every byte that the screen agrees.
    struct Desk<const LINE: usize, const HISTORY: usize> {
        editor: LineEditor<LINE, HISTORY>,
        terminal: Terminal,
        entered: Vec<String>,
        last: Edit,
    }

    impl<const LINE: usize, const HISTORY: usize> Desk<LINE, HISTORY> {
        fn new() -> Self {
            let mut desk = Self {
                editor: LineEditor::new(),
                terminal: Terminal::default(),
                entered: Vec::new(),
                last: Edit::Pending,
            };
            desk.start_line();
            desk
        }

        fn start_line(&mut self) {
            self.editor.start_line(&mut self.terminal);
            self.check_screen();
        }

        fn keys(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
            for &byte in bytes.as_ref() {
                self.push(byte);
            }
            self
        }

        fn push(&mut self, byte: u8) {
            let name_words = |typing: &mut Typing<LINE, HISTORY>| {
                WORDS
                    .iter()
                    .for_each(|word| typing.candidate(word.as_bytes()));
            };
            self.last = self.editor.push(byte, name_words, &mut self.terminal);
            match self.last {
                Edit::Pending | Edit::EndOfInput => self.check_screen(),
                Edit::Line => {
                    let line = self.editor.line().to_vec();
                    self.entered.push(String::from_utf8(line).unwrap());
                    self.check_row_is_new();
                    self.start_line();
                }
            }
        }

        fn check_screen(&mut self) {
            self.terminal.interpret();
            assert_eq!(self.terminal.row(), format!("{PROMPT}{}", self.line()));
            let columns = PROMPT.chars().count() + self.before().chars().count();
            assert_eq!(self.terminal.cursor, columns);
        }

        fn check_row_is_new(&mut self) {
            self.terminal.interpret();
            assert_eq!(
                (self.terminal.row().as_str(), self.terminal.cursor),
                ("", 0)
            );
        }

        fn line(&self) -> String {
            self.before() + &self.after()
        }

        fn before(&self) -> String {
            let before = &self.editor.line()[..self.editor.cursor];
            String::from_utf8(before.to_vec()).expect("the line is UTF-8")
        }

        fn after(&self) -> String {
            let after = &self.editor.line()[self.editor.cursor..];
            String::from_utf8(after.to_vec()).expect("the cursor is between characters")
        }

        /// The line with `|` at the cursor.
        fn shown(&self) -> String {
            format!("{}|{}", self.before(), self.after())
        }

        /// What these bytes make the editor write.
        fn echo(&mut self, bytes: impl AsRef<[u8]>) -> String {
            let start = self.terminal.written.len();
            self.keys(bytes);
            String::from_utf8(self.terminal.written[start..].to_vec()).unwrap()
        }
    }

    fn after_keys(keys: &str) -> String {
        Desk::<32, 64>::new().keys(keys).shown()
    }

    #[test]
    fn characters_go_to_the_cursor() {
        assert_eq!(after_keys("abc"), "abc|");
        assert_eq!(after_keys("ac\x02b"), "ab|c");
        assert_eq!(after_keys("aé€🌱\x02\x02ü"), "aéü|€🌱");
    }

    #[test]
    fn the_cursor_moves_by_characters() {
        assert_eq!(after_keys("aé€\x1b[D"), "aé|€");
        assert_eq!(after_keys("aé€\x1bOD\x02"), "a|é€");
        assert_eq!(after_keys("aé€\x1b[D\x1b[D\x1b[C"), "aé|€");
        assert_eq!(after_keys("aé€\x01\x06\x1bOC"), "aé|€");
        assert_eq!(after_keys("a\x02\x02\x02"), "|a");
        assert_eq!(after_keys("a\x06\x06"), "a|");
    }

    #[test]
    fn home_and_end_in_all_forms() {
        for home in ["\x01", "\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"] {
            assert_eq!(after_keys(&format!("abcdefghé{home}")), "|abcdefghé");
            for end in ["\x05", "\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"] {
                assert_eq!(after_keys(&format!("abcdefghé{home}{end}")), "abcdefghé|");
            }
        }
    }

    #[test]
    fn erasing() {
        assert_eq!(after_keys("abé\x7f"), "ab|");
        assert_eq!(after_keys("aéc\x02\x08"), "a|c");
        assert_eq!(after_keys("abc\x01\x7f"), "|abc");
        assert_eq!(after_keys("aéc\x01\x06\x1b[3~"), "a|c");
        assert_eq!(after_keys("aéc\x01\x06\x04"), "a|c");
        assert_eq!(after_keys("abc\x1b[3~"), "abc|");
        assert_eq!(after_keys("abc\x04"), "abc|");
        assert_eq!(after_keys("abcd\x02\x02\x0b"), "ab|");
        assert_eq!(after_keys("abcd\x02\x02\x15"), "|cd");
        assert_eq!(after_keys("one two\x17"), "one |");
        assert_eq!(after_keys("one two  \x17"), "one |");
        assert_eq!(after_keys("one twö three\x02\x02\x17"), "one twö |ee");
        assert_eq!(after_keys("one\x17\x17"), "|");
        assert_eq!(after_keys("   \x17"), "|");
    }

    #[test]
    fn control_c_drops_the_line() {
        let mut desk = Desk::<32, 64>::new();
        assert_eq!(desk.keys("abc").echo("\x03"), format!("^C\r\n{PROMPT}"));
        assert_eq!(desk.last, Edit::Pending);
        assert_eq!(desk.shown(), "|");
        assert_eq!(desk.keys("\x1b[A").shown(), "|");
    }

    #[test]
    fn control_d_on_an_empty_line_ends_the_input() {
        let mut desk = Desk::<32, 64>::new();
        assert_eq!(desk.keys("a\x04").last, Edit::Pending);
        assert_eq!(desk.keys("\x7f\x04").last, Edit::EndOfInput);
    }

    #[test]
    fn each_line_end_enters_once() {
        let mut desk = Desk::<32, 64>::new();
        desk.keys("a\rb\n\r");
        assert_eq!(desk.entered, ["a", "b", ""]);
    }

    #[test]
    fn the_whole_line_is_entered_wherever_the_cursor_is() {
        let mut desk = Desk::<32, 64>::new();
        assert_eq!(desk.keys("abc\x01\r").entered, ["abc"]);
    }

    #[test]
    fn a_full_line_rings_the_bell() {
        let mut desk = Desk::<4, 8>::new();
        assert_eq!(desk.keys("abcd").echo("e"), "\x07");
        assert_eq!(desk.shown(), "abcd|");
        // Three bytes are free, the character has four.
        assert_eq!(desk.keys("\x15a").echo("🌱"), "\x07");
        assert_eq!(desk.shown(), "a|");
    }

    #[test]
    fn the_echo_is_short() {
        let mut desk = Desk::<32, 64>::new();
        assert_eq!(desk.echo("a"), "a");
        assert_eq!(desk.echo("é"), "é");
        assert_eq!(desk.echo("\x7f"), "\x08\x1b[K");
        assert_eq!(desk.echo("bcdefg\x02"), "bcdefg\x08");
        assert_eq!(desk.echo("x"), "xg\x08");
        assert_eq!(desk.echo("\x06"), "g");
        assert_eq!(desk.echo("\x01"), "\x08".repeat(8));
        assert_eq!(desk.echo("\x01\x02\x7f\x15\x17"), "");
        assert_eq!(desk.echo("\x0b"), "\x1b[K");
        assert_eq!(desk.echo("\x0b\x06\x05\x1b[3~"), "");
    }

    #[test]
    fn control_l_draws_all_again() {
        let mut desk = Desk::<32, 64>::new();
        let echo = desk.keys("abc\x02").echo("\x0c");
        assert_eq!(echo, format!("\x1b[H\x1b[2J{PROMPT}abc\x08"));
    }

    #[test]
    fn unknown_sequences_and_controls_do_nothing() {
        let mut desk = Desk::<32, 64>::new();
        desk.keys("one\rab\x02");
        assert_eq!(desk.echo("\x1b[1;5C\x1b[15~\x1bOP\x1bx\x1b\x1b\x1bx"), "");
        for byte in [
            0x00, 0x07, 0x0F, 0x11, 0x12, 0x13, 0x14, 0x16, 0x18, 0x19, 0x1A, 0x1C, 0x1D, 0x1E,
            0x1F,
        ] {
            assert_eq!(desk.echo([byte]), "");
        }
    }

    #[test]
    fn up_and_down_browse_the_history() {
        let mut desk = Desk::<32, 64>::new();
        desk.keys("one\rtwo\rthree\rdraft\x02");
        assert_eq!(desk.keys("\x1b[A").shown(), "three|");
        assert_eq!(desk.keys("\x10").shown(), "two|");
        assert_eq!(desk.keys("\x1bOA").shown(), "one|");
        assert_eq!(desk.echo("\x1b[A"), "\x07");
        assert_eq!(desk.keys("\x1b[B").shown(), "two|");
        assert_eq!(desk.keys("\x0e").shown(), "three|");
        assert_eq!(desk.keys("\x1bOB").shown(), "draft|");
        assert_eq!(desk.echo("\x1b[B"), "\x07");
    }

    #[test]
    fn a_recalled_line_can_be_changed_and_entered() {
        let mut desk = Desk::<32, 64>::new();
        desk.keys("one\rtwo\rdraft\x10\x10s\r");
        assert_eq!(desk.entered, ["one", "two", "ones"]);
        assert_eq!(desk.keys("\x10").shown(), "ones|");
        assert_eq!(desk.keys("\x10").shown(), "two|");
        assert_eq!(desk.keys("\x10").shown(), "one|");
        assert_eq!(desk.keys("\x10").shown(), "one|");
    }

    #[test]
    fn the_history_has_no_empty_and_no_repeated_line() {
        let mut desk = Desk::<32, 64>::new();
        desk.keys("one\rtwo\r\rtwo\r");
        assert_eq!(desk.keys("\x10\x10").shown(), "one|");
    }

    #[test]
    fn a_full_history_drops_its_oldest_lines() {
        let mut desk = Desk::<8, 16>::new();
        desk.keys("one\rtwo\rthree\rfour\r\x10\x10\x10\x10");
        assert_eq!(desk.shown(), "two|");
    }

    #[test]
    fn one_candidate_is_inserted_with_a_space() {
        assert_eq!(after_keys("h\t"), "help |");
        assert_eq!(after_keys("help\t"), "help |");
        assert_eq!(after_keys("help ins\t"), "help insert |");
        assert_eq!(after_keys("h)\x02\t"), "help |)");
    }

    #[test]
    fn what_candidates_have_in_common_is_inserted() {
        assert_eq!(after_keys("i\t"), "in|");
        assert_eq!(after_keys("grö\t"), "größe|");
        // ö and ü start with the same byte.
        assert_eq!(after_keys("g\t"), "gr|");
        assert_eq!(after_keys("gx\x02\t"), "gr|x");
    }

    #[test]
    fn candidates_are_listed_when_nothing_can_be_inserted() {
        let mut desk = Desk::<32, 64>::new();
        let echo = desk.keys("in.\x02").echo("\t");
        assert_eq!(echo, format!("\r\ninsert  info  \r\n{PROMPT}in.\x08"));
        assert_eq!(desk.shown(), "in|.");
    }

    #[test]
    fn no_candidate_rings_the_bell() {
        assert_eq!(Desk::<32, 64>::new().keys("x").echo("\t"), "\x07");
    }

    #[test]
    fn a_candidate_that_does_not_fit_rings_the_bell() {
        // With its space the word has five bytes.
        let mut desk = Desk::<4, 8>::new();
        assert_eq!(desk.keys("h").echo("\t"), "\x07");
        assert_eq!(desk.shown(), "h|");
        assert_eq!(Desk::<5, 8>::new().keys("h\t").shown(), "help |");
    }

    #[test]
    fn ram_is_as_documented() {
        let counters = 4 * size_of::<usize>();
        assert_eq!(size_of::<LineEditor<128, 256>>(), 128 + 256 + counters);
    }

    /// What the keys mean, on characters instead of bytes.
    #[derive(Default)]
    struct Model {
        before: Vec<char>,
        /// Backwards.
        after: Vec<char>,
    }

    impl Model {
        #[inline(never)]
        fn apply(&mut self, key: char, capacity: usize) {
            match key {
                '\x01' => while self.step_left() {},
                '\x02' => drop(self.step_left()),
                '\x05' => while self.step_right() {},
                '\x06' => drop(self.step_right()),
                '\x04' => drop(self.after.pop()),
                '\x0b' => self.after.clear(),
                '\x15' => self.before.clear(),
                '\x17' => self.erase_word(),
                '\x7f' => drop(self.before.pop()),
                character if self.shown().len() - 1 + character.len_utf8() <= capacity => {
                    self.before.push(character);
                }
                _ => {}
            }
        }

        fn step_left(&mut self) -> bool {
            self.before
                .pop()
                .map(|character| self.after.push(character))
                .is_some()
        }

        fn step_right(&mut self) -> bool {
            self.after
                .pop()
                .map(|character| self.before.push(character))
                .is_some()
        }

        fn erase_word(&mut self) {
            while self.before.pop_if(|last| *last == ' ').is_some() {}
            while self.before.pop_if(|last| *last != ' ').is_some() {}
        }

        fn shown(&self) -> String {
            let before: String = self.before.iter().collect();
            let after: String = self.after.iter().rev().collect();
            format!("{before}|{after}")
        }
    }

    /// Keys that mean something far more often than random bytes do.
    fn keys() -> impl Strategy<Value = Vec<u8>> {
        let sequences = [
            "\x1b[A",
            "\x1b[B",
            "\x1b[C",
            "\x1b[D",
            "\x1b[H",
            "\x1b[F",
            "\x1b[3~",
            "\x1b[1;5C",
            "\r",
            "\r\n",
            "é",
            "€",
            "🌱",
            "\t",
            "in",
            "gr",
            "\x03",
            "\x04",
            "\x17",
            "\x15",
            "\x0b",
            "\x0c",
        ];
        prop_oneof![
            3 => prop::sample::select(sequences.to_vec()).prop_map(|keys| keys.as_bytes().to_vec()),
            2 => (b' '..=b'~').prop_map(|byte| vec![byte]),
            1 => any::<u8>().prop_map(|byte| vec![byte]),
        ]
    }

    proptest! {
        #[test]
        fn the_screen_agrees_whatever_bytes_come(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            Desk::<24, 40>::new().keys(&bytes);
            Desk::<1, 0>::new().keys(&bytes);
        }

        #[test]
        fn the_screen_agrees_whatever_keys_come(keys in prop::collection::vec(keys(), 0..200)) {
            let bytes = keys.concat();
            Desk::<24, 40>::new().keys(&bytes);
            Desk::<40, 16>::new().keys(&bytes);
            Desk::<3, 3>::new().keys(&bytes);
        }

        #[test]
        fn no_candidate_makes_it_panic(
            keys in prop::collection::vec(keys(), 0..100),
            candidates in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..4),
        ) {
            let mut editor = LineEditor::<24, 40>::new();
            let mut out = Terminal::default();
            for byte in keys.concat() {
                let name_all = |typing: &mut Typing<24, 40>| {
                    candidates.iter().for_each(|candidate| typing.candidate(candidate));
                };
                if editor.push(byte, name_all, &mut out) != Edit::Pending {
                    editor.start_line(&mut out);
                }
            }
        }

        #[test]
        fn edits_as_on_a_list_of_characters(
            keys in "[\x01\x02\x05\x06\x04\x0b\x15\x17\x7fa-c é€🌱]{0,100}",
        ) {
            let mut desk = Desk::<16, 0>::new();
            let mut model = Model::default();
            for key in keys.chars() {
                desk.keys(key.to_string());
                model.apply(key, 16);
                prop_assert_eq!(desk.shown(), model.shown());
            }
        }
    }
}
