//! Cuts what arrives into Redis frames and lines.
//!
//! A frame is `*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n`. Its parts are handed on as they arrive, so that neither the
//! length of an argument nor their number needs room.

use super::repeat::Repeat;
use super::text::Text;
use super::texts;

/// What the next bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'i> {
    /// A frame of so many arguments begins.
    Begin(u32),
    /// Bytes of the current argument.
    Bytes(&'i [u8]),
    /// The current argument is complete.
    ArgumentEnd,
    /// A byte of a line, which is not a frame.
    Text(u8),
    /// A frame has begun as the last one did, up to its item: see [`Frames::keep`].
    Again,
    /// A frame or line began as the last one did, and goes on differently: the bytes of [`Repeat`] that came again
    /// are to be taken anew, one by one, before those that follow.
    Different,
    /// The frame is not one, for this reason, at this byte; what follows is skipped up to the next that is.
    Broken(Text, u8),
}

/// The largest argument that Redis takes.
const MAX_LENGTH: u32 = 512 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Where a frame may begin.
    LineStart,
    Text,
    /// The digits behind `*`.
    Count,
    /// The `\n` behind them.
    CountNewline,
    ArgumentStart,
    /// The digits behind `$`.
    Length,
    LengthNewline,
    /// An argument, of which [`Frames::number`] bytes are still to come, then `\r`.
    Bytes,
    /// The `\n` after an argument.
    Newline,
    /// After a broken frame: skipping to a line that begins a frame.
    Lost,
    /// The same, at the start of a line.
    LostLineStart,
}

/// In place of a number, before its first digit.
const NO_NUMBER: u32 = u32::MAX;

/// Where in a frame or line the input stands.
#[derive(Debug)]
pub(super) struct Frames {
    state: State,
    /// The number that is being read, or the bytes that are still to come.
    number: u32,
    /// Arguments of this frame that have not ended.
    arguments_left: u32,
    pub repeat: Repeat,
}

impl Frames {
    pub const fn new() -> Self {
        Self {
            state: State::LineStart,
            number: 0,
            arguments_left: 0,
            repeat: Repeat::new(),
        }
    }

    /// Whether the next byte begins a frame or a line.
    pub fn is_at_line_start(&self) -> bool {
        self.state == State::LineStart && self.repeat.matched == 0
    }

    /// Whether a frame has begun and not ended, so that a pause is an accident.
    pub fn is_inside_frame(&self) -> bool {
        !matches!(self.state, State::LineStart | State::Text) || self.repeat.matched > 0
    }

    /// Whether a broken frame is being skipped.
    pub fn is_lost(&self) -> bool {
        matches!(self.state, State::Lost | State::LostLineStart)
    }

    /// Bytes are missing: skips to the next frame.
    pub fn lose(&mut self) {
        self.state = match self.state {
            State::LineStart if self.repeat.matched == 0 => State::LostLineStart,
            _ => State::Lost,
        };
        self.repeat.matched = 0;
    }

    /// Forgets what has begun: the next byte starts a line.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// The item of this frame comes next, and what these bytes before it came to is known: if the next frame begins
    /// with the same, that is [`Part::Again`].
    pub fn keep(&mut self, beginning: &[u8]) {
        self.repeat.keep(beginning, self.arguments_left);
    }

    /// The next byte starts a line: the one before ended a line of text.
    pub fn start_line(&mut self) {
        self.state = State::LineStart;
    }

    /// Takes the next part off the input; `None` when the input is used up.
    pub fn next<'i>(&mut self, input: &mut &'i [u8]) -> Option<Part<'i>> {
        if self.state == State::LineStart && self.repeat.is_kept() {
            if self.repeat.compare(input) {
                self.arguments_left = self.repeat.arguments_left;
                self.state = State::ArgumentStart;
                return Some(Part::Again);
            }
            if input.is_empty() {
                return None;
            }
            self.repeat.forget();
            return Some(Part::Different);
        }
        loop {
            if self.state == State::Bytes && self.number > 0 {
                let (bytes, rest) = input.split_at(input.len().min(self.number as usize));
                if bytes.is_empty() {
                    return None;
                }
                *input = rest;
                self.number -= bytes.len() as u32;
                return Some(Part::Bytes(bytes));
            }
            let (&byte, rest) = input.split_first()?;
            *input = rest;
            let mut part = None;
            let state = self.state;
            let next = match state {
                State::Count | State::Length if self.push_digit(byte) => continue,
                State::Bytes if byte == b'\r' => State::Newline,
                State::Newline if byte == b'\n' => {
                    self.arguments_left -= 1;
                    part = Some(Part::ArgumentEnd);
                    self.between_arguments()
                }
                State::ArgumentStart if byte == b'$' => {
                    self.number = NO_NUMBER;
                    State::Length
                }
                State::Length if byte == b'\r' && self.number <= MAX_LENGTH => State::LengthNewline,
                State::LengthNewline if byte == b'\n' => State::Bytes,
                State::LineStart | State::LostLineStart if byte == b'*' => {
                    self.number = NO_NUMBER;
                    State::Count
                }
                State::Count if byte == b'\r' && self.number != NO_NUMBER => State::CountNewline,
                State::CountNewline if byte == b'\n' => {
                    self.arguments_left = self.number;
                    // Redis ignores an empty frame, too.
                    if self.number > 0 {
                        self.repeat.forget();
                        part = Some(Part::Begin(self.number));
                    }
                    self.between_arguments()
                }
                State::LineStart | State::Text => {
                    part = Some(Part::Text(byte));
                    State::Text
                }
                _ => {
                    let reason = match state {
                        State::Count | State::CountNewline => Some(texts::INVALID_COUNT),
                        State::Length | State::LengthNewline => Some(texts::INVALID_LENGTH),
                        State::ArgumentStart => Some(texts::NO_ARGUMENT),
                        State::Bytes | State::Newline => Some(texts::NO_LINE_END),
                        _ => None,
                    };
                    part = reason.map(|reason| Part::Broken(reason, byte));
                    match byte {
                        b'\n' => State::LostLineStart,
                        _ => State::Lost,
                    }
                }
            };
            self.state = next;
            if part.is_some() {
                return part;
            }
        }
    }

    fn between_arguments(&self) -> State {
        match self.arguments_left {
            0 => State::LineStart,
            _ => State::ArgumentStart,
        }
    }

    /// Takes a digit; false when it is none, and when the number begins with a zero or grows too large.
    fn push_digit(&mut self, digit: u8) -> bool {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return false;
        }
        let before = match self.number {
            NO_NUMBER => 0,
            0 | 400_000_000.. => return false,
            number => number * 10,
        };
        self.number = before + u32::from(digit);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All parts of the input, with bytes joined and texts gathered.
    fn parts(pieces: &[&[u8]]) -> Vec<String> {
        let mut frames = Frames::new();
        let mut found: Vec<String> = Vec::new();
        for piece in pieces {
            let mut input = *piece;
            while let Some(part) = frames.next(&mut input) {
                match part {
                    Part::Begin(count) => found.push(format!("begin {count}")),
                    Part::Bytes(bytes) => {
                        let text = String::from_utf8_lossy(bytes).into_owned();
                        match found.last_mut() {
                            Some(last) if last.starts_with("bytes ") => *last += &text,
                            _ => found.push(format!("bytes {text}")),
                        }
                    }
                    Part::ArgumentEnd => found.push("end".into()),
                    Part::Text(b'\n') => {
                        frames.start_line();
                        found.push("line".into());
                    }
                    Part::Text(_) | Part::Again | Part::Different => {}
                    Part::Broken(reason, byte) => {
                        let reason = reason.bytes().map(char::from).collect::<String>();
                        found.push(format!("{reason} at {}", byte.escape_ascii()));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn a_frame_comes_in_parts_wherever_it_is_cut() {
        let frame = b"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n*1\r\n$2\r\n\r\n\r\nPING\r\n";
        let expected = [
            "begin 2",
            "bytes ECHO",
            "end",
            "end",
            "begin 1",
            "bytes \r\n",
            "end",
            "line",
        ];
        for cut in 0..frame.len() {
            let (one, other) = frame.split_at(cut);
            assert_eq!(parts(&[one, other]), expected, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = frame.chunks(1).collect();
        assert_eq!(parts(&bytes), expected);
    }

    #[test]
    fn bad_counts_and_lengths_are_errors_and_the_next_frame_is_found() {
        let next = b"\r\nrest of it\r\n*1\r\n$4\r\nPING\r\n";
        for (bad, error) in [
            (&b"*-1"[..], "Protocol error: invalid multibulk length"),
            (b"*01", "Protocol error: invalid multibulk length"),
            (b"*x", "Protocol error: invalid multibulk length"),
            (b"*4294967296", "Protocol error: invalid multibulk length"),
            (
                b"*99999999999999999999",
                "Protocol error: invalid multibulk length",
            ),
            (b"*1\r\n$-1", "Protocol error: invalid bulk length"),
            (b"*1\r\n$007", "Protocol error: invalid bulk length"),
            (b"*1\r\n$536870913", "Protocol error: invalid bulk length"),
            (
                b"*1\r\n$99999999999999999999",
                "Protocol error: invalid bulk length",
            ),
            (b"*1\r\n$", "Protocol error: invalid bulk length"),
            (b"*1\r\n+OK", "Protocol error: expected '$', got '%C'"),
            (
                b"*1\r\n$2\r\nabc",
                "Protocol error: expected CRLF after an argument",
            ),
            (
                b"*1\r\n$2\r\nab\rx",
                "Protocol error: expected CRLF after an argument",
            ),
            (b"*1\rx", "Protocol error: invalid multibulk length"),
        ] {
            let found = parts(&[bad, next]);
            let broken = found.iter().filter(|part| part.starts_with(error)).count();
            assert_eq!(broken, 1, "{bad:?} {found:?}");
            assert!(
                found.ends_with(&["begin 1".into(), "bytes PING".into(), "end".into()]),
                "{bad:?} {found:?}"
            );
            assert!(!found.contains(&"line".into()));
        }
    }

    #[test]
    fn an_empty_frame_is_nothing() {
        assert_eq!(
            parts(&[b"*0\r\n*1\r\n$1\r\na\r\n"]),
            ["begin 1", "bytes a", "end"]
        );
    }
}
