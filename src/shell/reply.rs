//! Writes answers in the form that whoever asked can read.

use super::decimal::Decimal;
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
    pub face: Face,
}

impl Reply<'_> {
    fn is_human(&self) -> bool {
        self.face == Face::Human
    }

    fn line(&mut self, mark: u8, parts: &[&[u8]]) {
        if !self.is_human() {
            self.out.write(&[mark]);
        }
        parts.iter().for_each(|part| self.out.write(part));
        self.out.write(b"\r\n");
    }

    fn number(&mut self, mark: u8, number: u32) {
        self.line(mark, &[Decimal::new(number).as_bytes()]);
    }

    pub fn simple(&mut self, text: &str) {
        self.line(b'+', &[text.as_bytes()]);
    }

    pub fn ok(&mut self) {
        self.simple("OK");
    }

    /// An error: its class such as `ERR` first.
    pub fn error(&mut self, text: &str) {
        self.error_of(&[text.as_bytes()]);
    }

    /// An error in several parts. What a client sent is shown in one line, without control bytes.
    pub fn error_of(&mut self, parts: &[&[u8]]) {
        self.out
            .write(if self.is_human() { b"(error) " } else { b"-" });
        for byte in parts.iter().copied().flatten() {
            self.out.write(&[if *byte < b' ' || *byte == 0x7F {
                b' '
            } else {
                *byte
            }]);
        }
        self.out.write(b"\r\n");
    }

    pub fn integer(&mut self, number: u32) {
        self.number(b':', number);
    }

    /// A number below zero when so said.
    pub fn signed(&mut self, is_negative: bool, number: u32) {
        let sign: &[u8] = if is_negative { b"-" } else { b"" };
        self.line(b':', &[sign, Decimal::new(number).as_bytes()]);
    }

    /// Yes or no: a person reads one of the words.
    pub fn truth(&mut self, truth: bool, words: [&str; 2]) {
        match self.face {
            Face::Human => self.simple(words[usize::from(!truth)]),
            Face::Resp2 => self.integer(u32::from(truth)),
            Face::Resp3 => self.out.write(if truth { b"#t\r\n" } else { b"#f\r\n" }),
        }
    }

    pub fn null(&mut self) {
        self.out.write(match self.face {
            Face::Human => b"(nil)\r\n",
            Face::Resp2 => b"$-1\r\n",
            Face::Resp3 => b"_\r\n",
        });
    }

    pub fn bulk(&mut self, bytes: &[u8]) {
        self.bulk_of(bytes.len() as u32, |out| out.write(bytes));
    }

    /// A string that is written twice: once to learn its length, for which nothing has room.
    pub fn text(&mut self, write: &dyn Fn(&mut dyn Sink)) {
        let mut length = Length(0);
        write(&mut length);
        self.bulk_of(length.0, write);
    }

    fn bulk_of(&mut self, length: u32, write: impl FnOnce(&mut dyn Sink)) {
        if !self.is_human() {
            self.number(b'$', length);
        }
        write(self.out);
        self.out.write(b"\r\n");
    }

    /// So many elements follow.
    pub fn array(&mut self, elements: u32) {
        if !self.is_human() {
            self.number(b'*', elements);
        } else if elements == 0 {
            self.out.write(b"(none)\r\n");
        }
    }

    /// So many pairs of key and value follow.
    pub fn map(&mut self, pairs: u32) {
        if self.face == Face::Resp3 {
            self.number(b'%', pairs);
        } else {
            self.array(pairs * 2);
        }
    }

    /// The name of a pair, whose value follows.
    pub fn field_name(&mut self, name: &str) {
        if self.is_human() {
            self.out.write(name.as_bytes());
            self.out.write(b": ");
        } else {
            self.simple(name);
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
