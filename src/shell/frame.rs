//! Cuts what arrives into Redis frames and lines.
//!
//! A frame is `*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\n`. Its parts are handed on as they arrive, so that neither the
//! length of an argument nor their number needs room.

use super::decimal::push_digit;

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
    /// The frame is not one; what follows is skipped up to the next that is.
    Broken(FrameError),
}

/// What is wrong with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameError {
    Count,
    Length,
    /// This byte stands where the `$` of an argument should.
    NoArgument(u8),
    /// An argument is longer than it said.
    NoLineEnd,
}

/// The largest argument that Redis takes.
const MAX_LENGTH: u32 = 512 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Where a frame may begin.
    LineStart,
    Text,
    Count(Number),
    ArgumentStart,
    Length(Number),
    /// So many bytes of an argument are still to come, then `\r`.
    Bytes(u32),
    /// The `\n` after an argument.
    Newline,
    /// After a broken frame: skipping to a line that begins a frame. `true` at the start of a line.
    Lost(bool),
}

/// Digits so far. A number may not begin with a zero and continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    value: u32,
    digits: u8,
    /// The `\r` was there; only `\n` may follow.
    is_complete: bool,
}

enum Progress {
    More(Number),
    Done(u32),
    Wrong,
}

impl Number {
    const NONE: Self = Self {
        value: 0,
        digits: 0,
        is_complete: false,
    };

    fn push(self, byte: u8) -> Progress {
        match byte {
            b'\n' if self.is_complete => Progress::Done(self.value),
            _ if self.is_complete => Progress::Wrong,
            b'\r' if self.digits > 0 => Progress::More(Self {
                is_complete: true,
                ..self
            }),
            _ if self.digits > 0 && self.value == 0 => Progress::Wrong,
            _ => push_digit(self.value, byte).map_or(Progress::Wrong, |value| {
                Progress::More(Self {
                    value,
                    digits: 1,
                    is_complete: false,
                })
            }),
        }
    }
}

/// Where in a frame or line the input stands.
#[derive(Debug)]
pub(super) struct Frames {
    state: State,
    /// Arguments of this frame that have not begun.
    arguments_left: u32,
}

impl Frames {
    pub const fn new() -> Self {
        Self {
            state: State::LineStart,
            arguments_left: 0,
        }
    }

    /// Whether a frame has begun and not ended, so that a pause is an accident.
    pub fn is_inside_frame(&self) -> bool {
        !matches!(self.state, State::LineStart | State::Text)
    }

    /// Whether a broken frame is being skipped.
    pub fn is_lost(&self) -> bool {
        matches!(self.state, State::Lost(_))
    }

    /// Bytes are missing: skips to the next frame.
    pub fn lose(&mut self) {
        self.state = State::Lost(self.state == State::LineStart);
    }

    /// Forgets what has begun: the next byte starts a line.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    /// The next byte starts a line: the one before ended a line of text.
    pub fn start_line(&mut self) {
        self.state = State::LineStart;
    }

    /// Takes the next part off the input; `None` when the input is used up.
    pub fn next<'i>(&mut self, input: &mut &'i [u8]) -> Option<Part<'i>> {
        loop {
            if let State::Bytes(left) = self.state
                && left > 0
            {
                let (bytes, rest) = input.split_at(input.len().min(left as usize));
                if bytes.is_empty() {
                    return None;
                }
                *input = rest;
                self.state = State::Bytes(left - bytes.len() as u32);
                return Some(Part::Bytes(bytes));
            }
            let (&byte, rest) = input.split_first()?;
            *input = rest;
            if let Some(part) = self.push(byte) {
                return Some(part);
            }
        }
    }

    fn push(&mut self, byte: u8) -> Option<Part<'static>> {
        match self.state {
            State::LineStart | State::Lost(true) if byte == b'*' => {
                self.state = State::Count(Number::NONE)
            }
            State::LineStart | State::Text => {
                self.state = State::Text;
                return Some(Part::Text(byte));
            }
            State::Count(number) => match number.push(byte) {
                Progress::More(number) => self.state = State::Count(number),
                // Redis ignores an empty frame, too.
                Progress::Done(0) => self.state = State::LineStart,
                Progress::Done(count) => {
                    self.arguments_left = count;
                    self.state = State::ArgumentStart;
                    return Some(Part::Begin(count));
                }
                Progress::Wrong => return self.fail(FrameError::Count, byte),
            },
            State::ArgumentStart if byte == b'$' => self.state = State::Length(Number::NONE),
            State::ArgumentStart => return self.fail(FrameError::NoArgument(byte), byte),
            State::Length(number) => match number.push(byte) {
                Progress::More(number) => self.state = State::Length(number),
                Progress::Done(length) if length <= MAX_LENGTH => self.state = State::Bytes(length),
                _ => return self.fail(FrameError::Length, byte),
            },
            State::Bytes(_) if byte == b'\r' => self.state = State::Newline,
            State::Newline if byte == b'\n' => {
                self.arguments_left = self.arguments_left.saturating_sub(1);
                self.state = if self.arguments_left == 0 {
                    State::LineStart
                } else {
                    State::ArgumentStart
                };
                return Some(Part::ArgumentEnd);
            }
            State::Bytes(_) | State::Newline => {
                return self.fail(FrameError::NoLineEnd, byte);
            }
            State::Lost(_) => self.state = State::Lost(byte == b'\n'),
        }
        None
    }

    fn fail(&mut self, error: FrameError, byte: u8) -> Option<Part<'static>> {
        self.state = State::Lost(byte == b'\n');
        Some(Part::Broken(error))
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
                    Part::Text(_) => {}
                    Part::Broken(error) => found.push(format!("{error:?}")),
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
            (&b"*-1"[..], "Count"),
            (b"*01", "Count"),
            (b"*x", "Count"),
            (b"*4294967296", "Count"),
            (b"*99999999999999999999", "Count"),
            (b"*1\r\n$-1", "Length"),
            (b"*1\r\n$007", "Length"),
            (b"*1\r\n$536870913", "Length"),
            (b"*1\r\n$99999999999999999999", "Length"),
            (b"*1\r\n$", "Length"),
            (b"*1\r\n+OK", "NoArgument(43)"),
            (b"*1\r\n$2\r\nabc", "NoLineEnd"),
            (b"*1\r\n$2\r\nab\rx", "NoLineEnd"),
            (b"*1\rx", "Count"),
        ] {
            let found = parts(&[bad, next]);
            let broken = found.iter().filter(|part| *part == error).count();
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
