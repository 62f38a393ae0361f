//! What stands between the bytes that arrive and the commands: it tells frames from lines and people from clients, and
//! knows what a pause means.

use super::call::{Call, Face};
use super::commands;
use super::frame::{Frames, Part};
use super::inline;
use super::keyspace::Keyspace;
use super::line_editor::{Edit, LineEditor, Typing};
use super::text::Text;
use super::texts;

/// A pause of so many milliseconds inside a frame ends it: whoever sent it is gone.
const GAP: u32 = 500;
/// A pause after which skipping a broken frame ends.
const LOST_GAP: u32 = 100;
/// A pause after an empty line that no client makes: a person waits for a prompt.
const ENTER_GAP: u32 = 100;
/// A pause that ends a line without a prompt: it was noise, or whoever sent it is gone.
const LINE_GAP: u32 = 5_000;
/// A pause after which the next client is taken to be another one, which may not read RESP3. So long, because one that
/// asked for RESP3 and paused understands most answers of RESP2, but not a null.
const IDLE: u32 = 600_000;

/// What has arrived of a frame or a line, which has room for `LINE` bytes, and `HISTORY` bytes of older lines.
#[repr(C)]
pub(super) struct Front<const LINE: usize, const HISTORY: usize> {
    /// Whether the last byte ended an empty line.
    is_after_empty_line: bool,
    /// Whether that was a `\r`, whose `\n` may follow.
    is_after_return: bool,
    /// Whether the line is longer than there is room.
    is_overlong: bool,
    /// Since when nothing comes: the first call without bytes. Not since the last byte, for the next may have been
    /// waiting while a command took its time.
    last: u32,
    /// Whether there was no such call yet.
    is_busy: bool,
    /// Bytes that the driver lost and nobody was told of.
    bytes_lost_untold: u32,
    frames: Frames,
    line: LineEditor<LINE, HISTORY>,
}

impl<const LINE: usize, const HISTORY: usize> Front<LINE, HISTORY> {
    pub const fn new() -> Self {
        Self {
            line: const { LineEditor::new() },
            frames: const { Frames::new() },
            bytes_lost_untold: 0,
            last: 0,
            is_busy: false,
            is_overlong: false,
            is_after_return: false,
            is_after_empty_line: false,
        }
    }

    /// Forgets what has begun.
    pub fn reset(&mut self) {
        self.frames.reset();
        self.forget_line();
    }

    #[inline(never)]
    fn forget_line(&mut self) {
        self.line.clear();
        self.is_overlong = false;
        self.is_after_empty_line = false;
    }

    /// The driver lost so many bytes.
    pub fn lose_bytes(&mut self, count: u32) {
        self.bytes_lost_untold = self.bytes_lost_untold.saturating_add(count);
    }

    #[inline(never)]
    pub fn take(&mut self, input: &[u8], now: u32, call: &mut Call) {
        if input.is_empty() {
            return;
        }
        if !self.is_busy && now.wrapping_sub(self.last) >= IDLE && call.server.face == Face::Resp3 {
            call.server.face = Face::Resp2;
        }
        self.is_busy = true;
        if self.bytes_lost_untold > 0 {
            self.tell_bytes_lost(call);
        }
        self.parse(input, call);
    }

    #[inline(never)]
    fn parse(&mut self, mut input: &[u8], call: &mut Call) {
        // From where the current frame began; empty when that was before these bytes.
        let mut frame: &[u8] = &[];
        loop {
            if self.frames.is_at_line_start() {
                frame = input;
            }
            let Some(part) = self.frames.next(&mut input) else {
                return;
            };
            match part {
                Part::Begin(count) => {
                    self.is_after_empty_line = false;
                    if call.server.face == Face::Human {
                        call.server.face = Face::Resp2;
                    }
                    call.server.begin(count);
                }
                Part::Bytes(bytes) => call.server.bytes(bytes),
                Part::ArgumentEnd => {
                    end_argument(call);
                    if call.server.is_before_only_item() {
                        let length = frame.len().wrapping_sub(input.len());
                        self.frames.keep(frame.get(..length).unwrap_or_default());
                    }
                }
                Part::Again => call.server.repeat(),
                Part::Different => self.parse_beginning(call),
                Part::Text(byte) => self.take_text(byte, call),
                Part::Broken(reason, byte) => {
                    let shown = if byte.is_ascii_control() { b' ' } else { byte };
                    self.fail(reason, shown.into(), call);
                }
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn parse_beginning(&mut self, call: &mut Call) {
        for i in 0..core::mem::take(&mut self.frames.repeat.matched) {
            let byte = self.frames.repeat.byte(i);
            self.parse(&[byte], call);
        }
    }

    fn tell_bytes_lost(&mut self, call: &mut Call) {
        let lost = self.bytes_lost_untold;
        self.bytes_lost_untold = 0;
        // What is left of the frame does not fit what came before.
        self.frames.lose();
        self.fail(texts::BYTES_LOST, lost, call);
    }

    /// What has begun ends in an error; a person gets a new prompt.
    #[cold]
    #[inline(never)]
    fn fail(&mut self, error: Text, number: u32, call: &mut Call) {
        self.forget_line();
        if call.is_human() {
            call.end_line();
        }
        call.error_of(error, &[number]);
        if call.is_human() {
            self.line.start_line(&mut call.out);
        }
    }

    /// Nothing came: what that means.
    pub fn look_at_clock(&mut self, now: u32, call: &mut Call) {
        if self.is_busy {
            self.is_busy = false;
            self.last = now;
        }
        let silence = now.wrapping_sub(self.last);
        // The next client's frame is not to be the rest of what is there.
        let is_line = !call.is_human() && !self.line.line().is_empty();
        if self.frames.is_lost() {
            if silence >= LOST_GAP {
                self.frames.reset();
            }
        } else if self.frames.is_inside_frame() && silence >= GAP || is_line && silence >= LINE_GAP
        {
            self.frames.reset();
            self.fail(texts::BROKE_OFF, 0, call);
        }
        if self.is_after_empty_line && silence >= ENTER_GAP {
            self.is_after_empty_line = false;
            call.server.face = Face::Human;
            call.fill_in(texts::WELCOME, &[]);
            self.line.start_line(&mut call.out);
        }
    }

    /// One byte of a line.
    #[inline(never)]
    fn take_text(&mut self, byte: u8, call: &mut Call) {
        let is_second_of_pair = self.is_after_return && byte == b'\n';
        self.is_after_return = byte == b'\r';
        if is_second_of_pair {
            return self.frames.start_line();
        }
        if call.server.face == Face::Human {
            return self.edit(byte, call);
        }
        self.is_after_empty_line = false;
        match byte {
            b'\r' | b'\n' => {
                self.frames.start_line();
                let is_empty = self.line.line().is_empty();
                if self.is_overlong {
                    call.error(texts::TOO_BIG_INLINE);
                } else {
                    self.run_line(call);
                }
                self.forget_line();
                self.is_after_empty_line = is_empty;
            }
            _ => self.is_overlong |= !self.line.push_unseen(byte),
        }
    }

    /// One byte typed by a person.
    #[inline(never)]
    fn edit(&mut self, byte: u8, call: &mut Call) {
        let keyspace = &call.server.keyspace;
        let name = |typing: &mut Typing<LINE, HISTORY>| name_candidates(keyspace, typing);
        match self.line.push(byte, name, &mut call.out) {
            Edit::Pending => {}
            Edit::Line => {
                self.run_line(call);
                if call.server.face == Face::Human {
                    self.line.start_line(&mut call.out);
                } else {
                    self.line.clear();
                }
            }
            Edit::EndOfInput => call.server.face = Face::Resp2,
        }
        if self.line.line().is_empty() {
            self.frames.start_line();
        }
    }

    /// Runs the line as a command.
    fn run_line(&mut self, call: &mut Call) {
        let line = self.line.line();
        let mut count = 0;
        let counted = inline::split(line, &mut |byte| count += u32::from(byte.is_none()));
        if counted.is_err() {
            return call.error(texts::UNBALANCED_QUOTES);
        }
        if count == 0 {
            return;
        }
        call.server.begin(count);
        // It was read to the end before.
        let _ = inline::split(line, &mut |byte| match byte {
            Some(byte) => call.server.bytes(&[byte]),
            None => end_argument(call),
        });
    }
}

/// The current argument of a command is complete. After QUIT, whoever comes next is new.
#[inline(never)]
fn end_argument(call: &mut Call) {
    call.end_argument();
    if call.server.is_quitting {
        call.server.is_quitting = false;
        call.server.forget_client();
    }
}

/// Commands for the first word of a line, keys for the others.
#[inline(never)]
fn name_candidates<const LINE: usize, const HISTORY: usize>(
    keyspace: &Keyspace,
    typing: &mut Typing<LINE, HISTORY>,
) {
    if typing.is_first_word() {
        let mut room = [0; commands::LONGEST];
        for command in &commands::COMMANDS {
            typing.candidate(command.name(&mut room));
        }
    } else {
        for key in keyspace.keys() {
            let name = keyspace.name(key);
            // Others would have to be quoted.
            if name
                .iter()
                .all(|byte| matches!(byte, b'!' | b'#'..=b'&' | b'('..=b'~'))
            {
                typing.candidate(name);
            }
        }
    }
}
