//! A command that is being run: what it works on, and its answer, in the form that whoever asked can read.

use core::slice;

use super::decimal::parse;
use super::keyspace::KeyRef;
use super::kind::Kind;
use super::server::Server;
use super::text::{self, Text};
use super::texts;
use crate::key::Sink;
use crate::sizing::Rate;

/// Who is at the other end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// A Redis client, until it says `HELLO 3`.
    Resp2,
    Resp3,
    /// A person, who asked for a prompt.
    Human,
}

/// What a command comes to: its answer is written, or this is the error to answer with.
pub(super) type Outcome<T = ()> = Result<T, Text>;

/// All that a command needs, behind one pointer.
pub(super) struct Call<'c, 'a> {
    pub server: &'c mut Server<'a>,
    pub out: Out<'c>,
}

/// Where the answer goes.
pub(super) struct Out<'c> {
    sink: &'c mut dyn Sink,
    /// Bytes that came.
    pub length: u32,
    /// Whether they are part of a [text](Call::writes_text).
    pass: Pass,
}

/// How far a text is that is written twice.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// There is none.
    Neither,
    /// Its bytes are only counted.
    Measuring,
    Writing,
}

impl Sink for Out<'_> {
    fn write(&mut self, bytes: &[u8]) {
        Out::write(self, bytes);
    }
}

impl<'c> Out<'c> {
    pub fn new(sink: &'c mut dyn Sink) -> Self {
        Self {
            sink,
            length: 0,
            pass: Pass::Neither,
        }
    }

    #[inline(never)]
    pub fn write(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u32);
        if self.pass != Pass::Measuring {
            self.sink.write(bytes);
        }
    }

    /// Text that somebody sent, in one line, with these bits set in letters: all in lower case, or as it is.
    #[inline(never)]
    fn one_line(&mut self, text: &[u8], bits: u8) {
        for byte in text {
            self.write(&[match byte {
                b':' | 0x80.. if bits == NO_COLON => b'_',
                b'A'..=b'Z' => byte | bits,
                byte if byte.is_ascii_control() => b' ',
                byte => *byte,
            }]);
        }
    }
}

/// What was asked.
impl Call<'_, '_> {
    /// Argument number `i`, the command's name being number 0; empty when there is none.
    #[inline(never)]
    pub fn argument(&self, i: usize) -> &[u8] {
        self.server.arguments.get(i)
    }

    /// How many arguments there are, with the name.
    pub fn num_arguments(&self) -> usize {
        self.server.arguments.len()
    }

    /// Which of these words argument number `i` is, in whatever case: 0 for the first.
    pub fn which(&self, i: usize, words: Text) -> Option<usize> {
        self.server.arguments.which(i, words)
    }

    /// Argument number `i` as a number.
    #[inline(never)]
    pub fn number(&self, i: usize) -> Option<u32> {
        parse(self.argument(i))
    }

    /// What the key of the command must be.
    #[inline(never)]
    pub fn kind(&self) -> Kind {
        self.server.dispatch.command.kind()
    }

    /// The key that argument number `i` names.
    #[inline(never)]
    pub fn key(&self, i: usize) -> Option<KeyRef> {
        self.server.keyspace.find(self.argument(i))
    }

    /// The key that argument number `i` names, if it is of this kind.
    #[inline(never)]
    pub fn find(&self, i: usize, kind: Kind) -> Outcome<KeyRef> {
        match self.key(i) {
            Some(key) if self.server.keyspace.kind(key) == kind => Ok(key),
            Some(_) => Err(texts::WRONG_TYPE),
            None => Err(match kind {
                Kind::Bloom => texts::NOT_FOUND,
                Kind::CountMin => texts::CMS_NOT_FOUND,
                _ => texts::BARE_NOT_FOUND,
            }),
        }
    }
}

/// The answer.
impl Call<'_, '_> {
    pub fn is_human(&self) -> bool {
        self.server.face == Face::Human
    }

    #[inline(never)]
    pub fn write(&mut self, bytes: &[u8]) {
        self.out.write(bytes);
    }

    /// Writes a byte.
    #[inline(never)]
    pub fn put(&mut self, byte: u8) {
        self.write(&[byte]);
    }

    /// The mark of a value's kind, for clients.
    #[inline(never)]
    fn mark(&mut self, mark: u8) {
        if !self.is_human() {
            self.put(mark);
        }
    }

    #[inline(never)]
    pub fn end_line(&mut self) {
        self.write(b"\r\n");
    }

    #[inline(never)]
    fn marked_number(&mut self, mark: u8, number: u32) {
        self.mark(mark);
        self.decimal(number);
        self.end_line();
    }

    #[inline(never)]
    pub fn simple(&mut self, text: Text) {
        self.mark(b'+');
        self.fill_in(text, &[]);
        self.end_line();
    }

    #[inline(never)]
    pub fn ok(&mut self) {
        self.simple(texts::OK);
    }

    /// An error from a [template](Self::fill_in).
    #[cold]
    #[inline(never)]
    pub fn error_of(&mut self, template: Text, numbers: &[u32]) {
        if self.is_human() {
            self.write(b"(error) ");
        } else {
            self.put(b'-');
        }
        if (texts::FIRST_ERROR.start()..texts::LAST_ERROR.start()).contains(&template.start()) {
            self.write(b"ERR ");
        }
        self.fill_in(template, numbers);
        self.end_line();
    }

    #[cold]
    #[inline(never)]
    pub fn error(&mut self, template: Text) {
        self.error_of(template, &[]);
    }

    #[inline(never)]
    pub fn integer(&mut self, number: u32) {
        self.signed(false, number);
    }

    /// A number that may be negative.
    #[inline(never)]
    pub fn signed(&mut self, is_negative: bool, number: u32) {
        self.mark(b':');
        if is_negative {
            self.put(b'-');
        }
        self.decimal(number);
        self.end_line();
    }

    /// Yes or no: a person reads what is before or behind the comma.
    #[inline(never)]
    pub fn truth(&mut self, truth: bool, words: Text) {
        match self.server.face {
            Face::Human => self.part(words, usize::from(!truth)),
            // In one piece: this is what most commands answer.
            Face::Resp2 => return self.write(if truth { b":1\r\n" } else { b":0\r\n" }),
            Face::Resp3 => {
                self.put(b'#');
                self.put(if truth { b't' } else { b'f' });
            }
        }
        self.end_line();
    }

    #[inline(never)]
    pub fn null(&mut self) {
        let face = self.server.face as usize;
        self.part(texts::NULLS, face);
        self.end_line();
    }

    /// Text that somebody sent, for clients exactly.
    #[inline(never)]
    pub fn bulk(&mut self, bytes: &[u8]) {
        self.begin_bulk(bytes.len() as u32);
        if self.is_human() {
            self.out.one_line(bytes, 0);
        } else {
            self.write(bytes);
        }
        self.end_line();
    }

    pub fn begin_bulk(&mut self, length: u32) {
        if !self.is_human() {
            self.marked_number(b'$', length);
        }
    }

    /// A string from a [template](Self::fill_in).
    #[inline(never)]
    pub fn text(&mut self, template: Text, numbers: &[u32]) {
        while self.writes_text() {
            self.fill_in(template, numbers);
        }
    }

    /// Twice true, for a string that is written twice: once to learn its length, for which nothing has room.
    #[inline(never)]
    pub fn writes_text(&mut self) -> bool {
        let pass = self.out.pass;
        self.out.pass = Pass::Neither;
        match pass {
            Pass::Neither => {
                self.out.length = 0;
                self.out.pass = Pass::Measuring;
            }
            Pass::Measuring => {
                self.begin_bulk(self.out.length);
                self.out.pass = Pass::Writing;
            }
            Pass::Writing => self.end_line(),
        }
        pass != Pass::Writing
    }

    /// So many elements follow.
    #[inline(never)]
    pub fn array(&mut self, elements: u32) {
        if !self.is_human() {
            self.marked_number(b'*', elements);
        } else if elements == 0 {
            self.simple(texts::NONE);
        }
    }

    /// So many pairs of key and value follow.
    #[inline(never)]
    pub fn map(&mut self, pairs: u32) {
        if self.server.face == Face::Resp3 {
            self.marked_number(b'%', pairs);
        } else {
            self.array(pairs * 2);
        }
    }

    /// The name of a pair, of these names between commas; its value follows.
    #[inline(never)]
    pub fn field_name(&mut self, names: Text, number: usize) {
        self.mark(b'+');
        self.part(names, number);
        if self.is_human() {
            self.write(b": ");
        } else {
            self.end_line();
        }
    }

    /// One of the parts of a text between commas or tabs, counted from 0.
    #[inline(never)]
    pub fn part(&mut self, parts: Text, number: usize) {
        let mut before = 0;
        for byte in parts.bytes() {
            if matches!(byte, b',' | text::TAB) {
                before += 1;
            } else if before == number {
                self.put(byte);
            }
        }
    }

    /// Writes a template, in which capitals stand for the next numbers, and others for what the command is about:
    ///
    /// | | |
    /// |---|---|
    /// | `%N` | a number |
    /// | `%G` | a number with a comma before every third digit |
    /// | `%P` | parts per billion as a percentage |
    /// | `%B` | a bar, filled as far as the first of two numbers is of the second |
    /// | `%K` | the name of the key of this number, in one line |
    /// | `%E` | the same, for clients exactly |
    /// | `%I` | the same, for `INFO`: with `_` for what does not belong in a field's name |
    /// | `%T` | the text that begins at this number, with the numbers behind it |
    /// | `%C` | the byte of this number |
    /// | `%0` to `%9` | an argument, in one line: spaces for control bytes |
    /// | `%a` | the first two arguments |
    /// | `%l` | the name of the command in lower case |
    /// | `%m`, `%r` | the machine, and why it started |
    /// | `%f`, `%d` | bytes free in the arena, and how many the key needs that did not fit |
    /// | `%%` | `%` |
    ///
    /// A line feed is written as the two bytes that end a line.
    #[inline(never)]
    pub fn fill_in(&mut self, template: Text, numbers: &[u32]) {
        self.fill_in_from(template, &mut numbers.iter());
    }

    #[inline(never)]
    fn fill_in_from(&mut self, template: Text, numbers: &mut slice::Iter<u32>) {
        let mut bytes = template.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b'%' => self.blank(bytes.next().unwrap_or(b'%'), numbers),
                text::LINE_FEED => self.end_line(),
                _ => self.put(byte),
            }
        }
    }

    fn blank(&mut self, directive: u8, numbers: &mut slice::Iter<u32>) {
        let mut number = 0;
        if let b'A'..=b'Z' = directive {
            number = next_number(numbers);
        }
        let server = &*self.server;
        match directive {
            b'0'..=b'9' => {
                let argument = server.arguments.get(usize::from(directive - b'0'));
                self.out.one_line(argument, 0);
            }
            b'a' => {
                for i in 1..self.num_arguments().min(3) {
                    self.put(b'\'');
                    self.out.one_line(self.server.arguments.get(i), 0);
                    self.write(b"' ");
                }
            }
            b'l' => self.out.one_line(server.arguments.get(0), 0x20),
            b'm' => self.out.write(server.board.name.as_bytes()),
            b'r' => self.out.write(server.board.reset_reason.as_bytes()),
            b'f' => self.decimal(server.keyspace.arena().bytes_free()),
            b'd' => self.decimal(server.keyspace.bytes_needed()),
            b'N' => self.decimal(number),
            b'G' => self.digits(number, GROUPED),
            b'P' => {
                let rate = Rate::from_parts_per_billion(number);
                self.digits(rate.shown(), PERCENT);
                self.put(b'%');
            }
            b'B' => self.bar(number, next_number(numbers)),
            b'K' | b'E' | b'I' => {
                if let Some(key) = KeyRef::of_number(number) {
                    let name = server.keyspace.name(key);
                    match directive {
                        b'E' if !self.is_human() => self.out.write(name),
                        b'I' => self.out.one_line(name, NO_COLON),
                        _ => self.out.one_line(name, 0),
                    }
                }
            }
            b'T' => self.fill_in_from(Text::at(number), numbers),
            b'C' => self.put(number as u8),
            _ => self.put(directive),
        }
    }

    fn decimal(&mut self, number: u32) {
        self.digits(number, PLAIN);
    }

    /// A number in decimal digits; calls itself for each digit but the first.
    ///
    /// `behind` is how many digits are behind the last, counted from one of the numbers below: so it tells what goes
    /// with a digit.
    #[inline(never)]
    fn digits(&mut self, number: u32, mut behind: u32) {
        let digit = number % 10;
        if digit > 0 && matches!(behind, PERCENT..PERCENT_UNITS) {
            behind += FRACTION - PERCENT;
        }
        let is_left_out = matches!(behind, PERCENT..PERCENT_UNITS);
        if number >= 10 || is_left_out || matches!(behind, FRACTION..FRACTION_UNITS) {
            self.digits(number / 10, behind + 1);
        }
        if is_left_out {
            return;
        }
        self.put(b'0' + digit as u8);
        match behind {
            3 | 6 | 9 => self.put(b','),
            FRACTION_UNITS => self.put(b'.'),
            _ => {}
        }
    }

    /// Something shows as soon as there is something.
    fn bar(&mut self, part: u32, whole: u32) {
        const WIDTH: u32 = 40;
        let parts_per_billion = Rate::of(part.into(), whole.into()).parts_per_billion();
        let filled = (parts_per_billion / (1_000_000_000 / WIDTH)).max(u32::from(part > 0));
        for i in 0..WIDTH {
            self.put(if i < filled { b'#' } else { b'.' });
        }
    }
}

/// Changes no letter, and says that there are to be only ASCII and no colons.
const NO_COLON: u8 = 0x40;

/// With a comma where three, six or nine digits are behind one.
const GROUPED: u32 = 0;
/// As a percentage of a billion, which is made of seven more digits than it has units; those are left out if they are
/// zeros ...
const PERCENT: u32 = 10;
const PERCENT_UNITS: u32 = PERCENT + 7;
/// ... and counted from here when others are before them.
const FRACTION: u32 = 20;
const FRACTION_UNITS: u32 = FRACTION + 7;
/// With nothing between them.
const PLAIN: u32 = 30;

#[inline(never)]
fn next_number(numbers: &mut slice::Iter<u32>) -> u32 {
    numbers.next().copied().unwrap_or(0)
}
