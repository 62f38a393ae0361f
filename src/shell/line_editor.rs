//! The line editor of the console: bytes of a terminal in, echo out, and now and then a line.
//!
//! Where something is `inline(never)` here, the compiler would copy it to every caller even at `opt-level = "s"`;
//! together these save 800 bytes on a Cortex-M3.

mod completion;
mod history;
mod key;
mod line;
mod screen;

use embedded_io::Write;

use completion::{Completion, last_word, list_candidates};
use history::History;
use key::{Input, Key, KeyDecoder};
use line::Line;
use screen::{Screen, is_continuation, num_columns};

/// A line being typed, with history: at most `LINE` bytes of line, `HISTORY` bytes of older lines, each of which
/// takes one byte more than its text.
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
/// `LINE + HISTORY + 24` bytes of RAM on a 32-bit core.
pub(crate) struct LineEditor<const LINE: usize, const HISTORY: usize> {
    keys: KeyDecoder,
    line: Line<[u8; LINE]>,
    history: History<[u8; HISTORY]>,
}

/// What a byte did.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// The line is not finished.
    Pending,
    /// Enter: the line is in [`line`](LineEditor::line) until [`start_line`](LineEditor::start_line).
    Line,
    /// Ctrl-C: [`start_line`](LineEditor::start_line) drops the line.
    Interrupted,
    /// Ctrl-D on an empty line.
    EndOfInput,
}

/// Names what a word may become: gets the text before the cursor, and calls its second argument with each
/// candidate for the last word of it.
///
/// Candidates that do not start with that word are passed over, so it may name all it knows. A second call with
/// the same text, which is for the list of candidates, must name the same. Candidates are printable UTF-8.
pub(crate) type Completer<'a> = dyn FnMut(&[u8], &mut dyn FnMut(&[u8])) + 'a;

impl<const LINE: usize, const HISTORY: usize> LineEditor<LINE, HISTORY> {
    /// An editor with an empty line and no history: all bytes 0, so a static one costs no flash.
    pub(crate) const fn new() -> Self {
        const {
            assert!(
                LINE >= 1 && LINE <= 9_999,
                "LineEditor: LINE (bytes of the longest line) must be from 1 to 9999; 128 suits a console"
            );
        }
        Self {
            keys: KeyDecoder::new(),
            line: Line::new(),
            history: History::new(),
        }
    }

    /// Forgets the line and writes the prompt for the next. The history stays.
    pub(crate) fn start_line<W: Write>(
        &mut self,
        prompt: &str,
        out: &mut W,
    ) -> Result<(), W::Error> {
        self.clear();
        Screen(out).write(prompt.as_bytes())
    }

    /// Takes one byte and writes what it changes on the screen, without flushing.
    ///
    /// After anything but [`Edit::Pending`], [`start_line`](Self::start_line) is due.
    ///
    /// # Errors
    ///
    /// Those of `out`. The key may be done in part; the line is still good, but the screen may differ from it
    /// until Ctrl-L.
    pub(crate) fn push<W: Write>(
        &mut self,
        byte: u8,
        complete: &mut Completer<'_>,
        prompt: &str,
        out: &mut W,
    ) -> Result<Edit, W::Error> {
        let Some(input) = self.keys.push(byte) else {
            return Ok(Edit::Pending);
        };
        let mut stroke = KeyStroke {
            line: &mut self.line,
            history: &mut self.history,
            prompt,
            screen: Screen(out),
        };
        match input {
            Input::Character(character) => stroke.insert(character).map(|()| Edit::Pending),
            Input::Key(key) => stroke.apply(key, complete),
        }
    }

    /// Takes one byte as it is and shows nothing, for whoever sees no prompt; false when the line is full.
    pub(crate) fn push_unseen(&mut self, byte: u8) -> bool {
        self.line_mut().insert(&[byte])
    }

    /// Forgets the line. The history stays.
    pub(crate) fn clear(&mut self) {
        self.history_mut().stop_browsing();
        self.line_mut().clear();
    }

    /// The line that was entered, after [`Edit::Line`]: UTF-8 without control characters, if the candidates for
    /// completion were.
    pub(crate) fn line(&self) -> &[u8] {
        let line: &Line<[u8]> = &self.line;
        line.before()
    }

    fn line_mut(&mut self) -> &mut Line<[u8]> {
        &mut self.line
    }

    fn history_mut(&mut self) -> &mut History<[u8]> {
        &mut self.history
    }
}

/// All that a key works on, without the sizes in the type.
struct KeyStroke<'a, W> {
    line: &'a mut Line<[u8]>,
    history: &'a mut History<[u8]>,
    prompt: &'a str,
    screen: Screen<'a, W>,
}

impl<W: Write> KeyStroke<'_, W> {
    fn apply(&mut self, key: Key, complete: &mut Completer<'_>) -> Result<Edit, W::Error> {
        let before = self.line.before();
        let after = self.line.after();
        match key {
            Key::Enter => return self.enter(),
            Key::Interrupt => return self.interrupt(),
            Key::DeleteOrEnd if self.line.is_empty() => return Ok(Edit::EndOfInput),
            Key::Tab => self.complete(complete)?,
            Key::Up | Key::Down => self.recall(key)?,
            Key::Left => self.move_left(last_character(before))?,
            Key::Home => self.move_left(before.len())?,
            Key::Right => self.move_right(first_character(after))?,
            Key::End => self.move_right(after.len())?,
            Key::Backspace => self.erase_before(last_character(before))?,
            Key::EraseWord => self.erase_before(last_word_and_spaces(before))?,
            Key::EraseToStart => self.erase_before(before.len())?,
            Key::Delete | Key::DeleteOrEnd => self.erase_after(first_character(after))?,
            Key::EraseToEnd => self.erase_after(after.len())?,
            Key::ClearScreen => self.clear_screen()?,
        }
        Ok(Edit::Pending)
    }

    fn clear_screen(&mut self) -> Result<(), W::Error> {
        self.screen.clear()?;
        self.draw_prompt_and_line()
    }

    fn enter(&mut self) -> Result<Edit, W::Error> {
        self.line.move_right(self.line.after().len());
        self.history.add(self.line.before());
        self.screen.write(b"\r\n")?;
        Ok(Edit::Line)
    }

    fn interrupt(&mut self) -> Result<Edit, W::Error> {
        self.screen.write(b"^C\r\n")?;
        Ok(Edit::Interrupted)
    }

    fn insert(&mut self, character: char) -> Result<(), W::Error> {
        let mut buffer = [0; 4];
        let text = character.encode_utf8(&mut buffer).as_bytes();
        if !self.line.insert(text) {
            return self.screen.bell();
        }
        self.screen.write(text)?;
        self.draw_after()
    }

    fn complete(&mut self, complete: &mut Completer<'_>) -> Result<(), W::Error> {
        let (before, gap) = self.line.before_and_gap();
        let mut completion = Completion::new(gap);
        let word = last_word(before);
        complete(before, &mut |candidate| {
            if let Some(rest) = candidate.strip_prefix(word) {
                completion.add(rest);
            }
        });
        let is_ambiguous = completion.is_ambiguous();
        let text = completion.finish();
        let count = text.len();
        self.screen.write(text)?;
        self.line.take_from_gap(count);
        match count {
            0 if is_ambiguous => self.list(complete),
            0 => self.screen.bell(),
            _ => self.draw_after(),
        }
    }

    fn list(&mut self, complete: &mut Completer<'_>) -> Result<(), W::Error> {
        self.screen.write(b"\r\n")?;
        list_candidates(self.line.before(), complete, &mut self.screen)?;
        self.screen.write(b"\r\n")?;
        self.draw_prompt_and_line()
    }

    fn recall(&mut self, key: Key) -> Result<(), W::Error> {
        self.move_right(self.line.after().len())?;
        let recalled = match key {
            Key::Up => self.history.older(self.line.before()),
            _ => self.history.newer(),
        };
        let Some(text) = recalled else {
            return self.screen.bell();
        };
        let columns = num_columns(self.line.before());
        self.line.clear();
        self.line.insert(text);
        self.screen.left(columns)?;
        self.screen.write(text)?;
        self.screen.erase_to_end()
    }

    fn move_left(&mut self, count: usize) -> Result<(), W::Error> {
        let columns = num_columns(self.line.before());
        self.line.move_left(count);
        self.screen.left(columns - num_columns(self.line.before()))
    }

    /// Writes the characters anew, which for one, the usual case, is shorter than an escape sequence.
    fn move_right(&mut self, count: usize) -> Result<(), W::Error> {
        let passed = self.line.after().get(..count).unwrap_or_default();
        self.screen.write(passed)?;
        self.line.move_right(count);
        Ok(())
    }

    fn erase_before(&mut self, count: usize) -> Result<(), W::Error> {
        self.move_left(count)?;
        self.erase_after(count)
    }

    fn erase_after(&mut self, count: usize) -> Result<(), W::Error> {
        if count == 0 {
            return Ok(());
        }
        self.line.erase_after(count);
        self.screen.erase_to_end()?;
        self.draw_after()
    }

    fn draw_after(&mut self) -> Result<(), W::Error> {
        self.screen.write(self.line.after())?;
        self.screen.left(num_columns(self.line.after()))
    }

    fn draw_prompt_and_line(&mut self) -> Result<(), W::Error> {
        self.screen.write(self.prompt.as_bytes())?;
        self.screen.write(self.line.before())?;
        self.draw_after()
    }
}

/// The length of the character that the text starts with.
#[inline(never)]
fn first_character(text: &[u8]) -> usize {
    let following = text.iter().skip(1);
    let more = following.take_while(|&&byte| is_continuation(byte)).count();
    text.len().min(1 + more)
}

/// The length of the character that the text ends with.
#[inline(never)]
fn last_character(text: &[u8]) -> usize {
    let from_end = text.iter().rev();
    let continuation = from_end.take_while(|&&byte| is_continuation(byte)).count();
    text.len().min(1 + continuation)
}

/// The length of the last word with the spaces behind it.
fn last_word_and_spaces(text: &[u8]) -> usize {
    let is_in_word = |&byte: &u8| byte != b' ';
    let word_end = text.iter().rposition(is_in_word).map_or(0, |last| last + 1);
    let up_to_word = text.get(..word_end).unwrap_or_default();
    text.len() - word_end + last_word(up_to_word).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::convert::Infallible;
    use proptest::prelude::*;

    const PROMPT: &str = "µ> ";
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

    impl embedded_io::ErrorType for Terminal {
        type Error = Infallible;
    }

    impl Write for Terminal {
        /// Takes a few bytes at a time, as a UART may.
        fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
            let taken = bytes.len().min(3);
            self.written.extend(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> Result<(), Infallible> {
            Ok(())
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
                (columns, "D") => {
                    let columns: usize = columns.parse().unwrap();
                    self.cursor = self.cursor.checked_sub(columns).expect("there is a column");
                }
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
            let Ok(()) = self.editor.start_line(PROMPT, &mut self.terminal);
            self.check_screen();
        }

        fn keys(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
            for &byte in bytes.as_ref() {
                self.push(byte);
            }
            self
        }

        fn push(&mut self, byte: u8) {
            let mut complete = |_: &[u8], found: &mut dyn FnMut(&[u8])| {
                WORDS.iter().for_each(|word| found(word.as_bytes()));
            };
            let Ok(edit) = self
                .editor
                .push(byte, &mut complete, PROMPT, &mut self.terminal);
            self.last = edit;
            match edit {
                Edit::Pending | Edit::EndOfInput => self.check_screen(),
                Edit::Line => {
                    let line = self.editor.line().to_vec();
                    self.entered.push(String::from_utf8(line).unwrap());
                    self.check_row_is_new();
                    self.start_line();
                }
                Edit::Interrupted => {
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
            let line: &Line<[u8]> = &self.editor.line;
            String::from_utf8(line.before().to_vec()).expect("the line is UTF-8")
        }

        fn after(&self) -> String {
            let line: &Line<[u8]> = &self.editor.line;
            String::from_utf8(line.after().to_vec()).expect("the cursor is between characters")
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
        assert_eq!(desk.last, Edit::Interrupted);
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
        desk.keys("a\rb\nc\r\nd\r\n\r\n");
        assert_eq!(desk.entered, ["a", "b", "c", "d", ""]);
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
        assert_eq!(desk.echo("\x01"), "\x1b[8D");
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
        assert_eq!(
            Desk::<32, 64>::new().echo("\x1b[1;5C\x1b[15~\x1bOP\x1bx\0\x1a"),
            ""
        );
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
        let counters = 8 + 4 * size_of::<usize>();
        assert_eq!(size_of::<LineEditor<128, 256>>(), 128 + 256 + counters);
    }

    #[test]
    fn a_failing_writer_leaves_a_good_line() {
        struct Broken;
        impl embedded_io::ErrorType for Broken {
            type Error = embedded_io::ErrorKind;
        }
        impl Write for Broken {
            fn write(&mut self, _: &[u8]) -> Result<usize, Self::Error> {
                Err(embedded_io::ErrorKind::Other)
            }
            fn flush(&mut self) -> Result<(), Self::Error> {
                Ok(())
            }
        }
        let mut desk = Desk::<32, 64>::new();
        desk.keys("one\rtwo three");
        for byte in b"x\x7f\x17\t\x10\x0e\x01\x04\x0c" {
            let edit = desk.editor.push(*byte, &mut |_, _| {}, PROMPT, &mut Broken);
            assert_eq!(edit, Err(embedded_io::ErrorKind::Other));
        }
        desk.keys("\x0c!");
    }

    /// What the keys mean, on characters instead of bytes.
    #[derive(Default)]
    struct Model {
        before: Vec<char>,
        /// Backwards.
        after: Vec<char>,
    }

    impl Model {
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
            let mut complete = |_: &[u8], found: &mut dyn FnMut(&[u8])| {
                candidates.iter().for_each(|candidate| found(candidate));
            };
            for byte in keys.concat() {
                let Ok(edit) = editor.push(byte, &mut complete, PROMPT, &mut out);
                if edit != Edit::Pending {
                    let Ok(()) = editor.start_line(PROMPT, &mut out);
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
