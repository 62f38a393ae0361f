//! Writes answers in the form that whoever asked can read.

use super::decimal::Decimal;
use super::text::{cut, fill_in};
use crate::key::Sink;

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// A Redis client, until it says `HELLO 3`.
    Resp2,
    Resp3,
    /// A person, who asked for a prompt.
    Human,
}

/// Answers to one face.
pub(super) struct Reply<'w> {
    pub out: &'w mut dyn Sink,
    pub face: &'w mut Face,
}

impl Reply<'_> {
    fn is_human(&self) -> bool {
        *self.face == Face::Human
    }

    /// A line of one value, with the mark of its kind for clients.
    #[inline(never)]
    fn line(&mut self, mark: u8, text: &[u8]) {
        if !self.is_human() {
            self.out.write(&[mark]);
        }
        self.out.write(text);
        self.end_line();
    }

    #[inline(never)]
    fn end_line(&mut self) {
        self.out.write(b"\r\n");
    }

    #[inline(never)]
    fn number(&mut self, mark: u8, number: u32) {
        self.line(mark, Decimal::new(number).as_bytes());
    }

    #[inline(never)]
    pub fn simple(&mut self, text: &[u8]) {
        self.line(b'+', text);
    }

    #[inline(never)]
    pub fn ok(&mut self) {
        self.simple(b"OK");
    }

    /// An error of the class `ERR`: a [template](fill_in) without anything to fill in.
    #[cold]
    #[inline(never)]
    pub fn error(&mut self, template: &str) {
        self.error_of(template, &[], &[]);
    }

    /// An error without a class, as some of RedisBloom's are, or with another one.
    #[cold]
    #[inline(never)]
    pub fn bare_error(&mut self, text: &str) {
        self.error_by(&|out| out.write(text.as_bytes()));
    }

    /// An error in what came, before it was a command.
    #[cold]
    #[inline(never)]
    pub fn protocol_error(&mut self, text: &str) {
        self.error_of("Protocol error: %s", text.as_bytes(), &[]);
    }

    /// An error of the class `ERR` from a [template](fill_in).
    #[cold]
    #[inline(never)]
    pub fn error_of(&mut self, template: &str, text: &[u8], numbers: &[u32]) {
        self.error_by(&|out| {
            out.write(b"ERR ");
            fill_in(out, template, text, numbers);
        });
    }

    /// An error in several parts, its class first. What a client sent is shown in one line, without control bytes.
    #[cold]
    #[inline(never)]
    pub fn error_by(&mut self, write: &dyn Fn(&mut dyn Sink)) {
        self.out
            .write(if self.is_human() { b"(error) " } else { b"-" });
        write(&mut OneLine(self.out));
        self.end_line();
    }

    #[inline(never)]
    pub fn integer(&mut self, number: u32) {
        self.number(b':', number);
    }

    /// The number of arguments as Redis tells it: negative when there may be more.
    pub fn arity(&mut self, (fewest, may_be_more): (u32, bool)) {
        if may_be_more {
            // One digit.
            self.line(b':', &[b'-', b'0' + fewest as u8]);
        } else {
            self.integer(fewest);
        }
    }

    /// Yes or no: a person reads what is before or behind the comma.
    #[inline(never)]
    pub fn truth(&mut self, truth: bool, words: &str) {
        match self.face {
            Face::Human => {
                let (yes, no) = cut(words.as_bytes(), b',');
                self.simple(if truth { yes } else { no });
            }
            // In one piece: this is what most commands answer.
            Face::Resp2 => self.out.write(if truth { b":1\r\n" } else { b":0\r\n" }),
            Face::Resp3 => self.out.write(if truth { b"#t\r\n" } else { b"#f\r\n" }),
        }
    }

    /// 1 or 0: a number, or a truth where RESP3 has one.
    pub fn number_or_truth(&mut self, is_number: bool, value: u32) {
        if is_number {
            self.integer(value);
        } else {
            self.truth(value == 1, "added,there already");
        }
    }

    /// What CF.INSERT answers for an item without room.
    pub fn minus_one(&mut self) {
        match self.face {
            Face::Resp3 => self.truth(false, ""),
            _ => self.line(b':', b"-1"),
        }
    }

    #[inline(never)]
    pub fn null(&mut self) {
        self.out.write(match self.face {
            Face::Human => b"(nil)",
            Face::Resp2 => b"$-1",
            Face::Resp3 => b"_",
        });
        self.end_line();
    }

    #[inline(never)]
    pub fn bulk(&mut self, bytes: &[u8]) {
        if !self.is_human() {
            self.number(b'$', bytes.len() as u32);
        }
        self.out.write(bytes);
        self.end_line();
    }

    /// One string for each of these words.
    #[inline(never)]
    pub fn bulks(&mut self, words: &str) {
        words_of(words).for_each(|word| self.bulk(word));
    }

    /// A string from a [template](fill_in).
    #[inline(never)]
    pub fn text(&mut self, template: &str, text: &[u8], numbers: &[u32]) {
        self.text_by(&|out| fill_in(out, template, text, numbers));
    }

    /// A string that is written twice: once to learn its length, for which nothing has room.
    #[inline(never)]
    pub fn text_by(&mut self, write: &dyn Fn(&mut dyn Sink)) {
        if !self.is_human() {
            let mut length = Length(0);
            write(&mut length);
            self.number(b'$', length.0);
        }
        write(self.out);
        self.end_line();
    }

    /// So many elements follow.
    #[inline(never)]
    pub fn array(&mut self, elements: u32) {
        if !self.is_human() {
            self.number(b'*', elements);
        } else if elements == 0 {
            self.simple(b"(none)");
        }
    }

    /// So many pairs of key and value follow.
    #[inline(never)]
    pub fn map(&mut self, pairs: u32) {
        if *self.face == Face::Resp3 {
            self.number(b'%', pairs);
        } else {
            self.array(pairs * 2);
        }
    }

    /// The name of a pair, whose value follows.
    pub fn field_name(&mut self, name: &[u8]) {
        if self.is_human() {
            self.out.write(name);
            self.out.write(b": ");
        } else {
            self.simple(name);
        }
    }
}

/// The words of a text, between single spaces.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = &[u8]> {
    text.as_bytes().split(|byte| *byte == b' ')
}

/// Writes spaces for control bytes.
struct OneLine<'w>(&'w mut dyn Sink);

impl Sink for OneLine<'_> {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let is_control = byte.is_ascii_control();
            self.0.write(&[if is_control { b' ' } else { *byte }]);
        }
    }
}

/// Counts instead of writing.
struct Length(u32);

impl Sink for Length {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u32;
    }
}
