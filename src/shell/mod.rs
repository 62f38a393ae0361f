//! A console that people and Redis clients share, without any hardware: bytes and the time in, bytes out.
//!
//! Both speak to the same commands. A Redis frame at the start of a line is answered in RESP2, or in RESP3 after
//! `HELLO 3`. Any other line is a command, too, answered in RESP2 as Redis answers inline commands; until
//! somebody presses Enter at an empty line and waits a moment, which turns on echo, a prompt, and answers in
//! words. The next Redis frame turns them off.
//!
//! Nothing bounds the length of an item or their number: items are hashed as they arrive.
//!
//! # Examples
//!
//! ```
//! use sundew::profile::Kb4;
//! use sundew::shell::{Arena, Board, Fixed, Keyspace, Shell};
//!
//! let mut seen = Kb4::new();
//! let mut fixed = [Fixed::blocked("seen", 3_303, &mut seen)];
//! let mut arena = Arena::<128>::new();
//! let board = Board {
//!     name: "example",
//!     boot_count: 1,
//!     reset_reason: "power-on",
//!     static_ram: 0,
//!     stack_high_water: || 0,
//!     clock: || 0,
//!     clock_hz: 1,
//! };
//! let mut shell = Shell::new(Keyspace::new(&mut fixed, arena.as_mut_view()), board);
//!
//! let mut replies = [0; 64];
//! let mut out = &mut replies[..];
//! shell.feed(b"*3\r\n$6\r\nBF.ADD\r\n$4\r\nseen\r\n$1\r\na\r\n", 0, &mut out)?;
//! shell.feed(b"BF.EXISTS seen a\r\n", 1, &mut out)?;
//! # let left = out.len();
//! # assert_eq!(&replies[..64 - left], b":1\r\n:1\r\n");
//! # Ok::<(), embedded_io::SliceWriteError>(())
//! ```

mod arena;
mod arguments;
mod bloom_commands;
mod call;
mod commands;
mod decimal;
mod dispatch;
mod dump;
mod dump_commands;
mod families;
mod family_commands;
mod frame;
mod human_commands;
mod inline;
mod key_commands;
mod keyspace;
mod kind;
mod line_editor;
mod pairs;
mod pattern;
#[cfg(feature = "shell-saves")]
mod save;
mod server;
mod server_commands;
mod text;
mod texts;

pub use arena::{Arena, ArenaInner, ArenaView};
pub use keyspace::{Fixed, Keyspace};
#[cfg(feature = "shell-saves")]
pub use save::{KeyStore, RestoreError};
pub use server::Board;

use arguments::Arguments;
use call::{Call, Face, Out};
use dispatch::Dispatch;
use dump::Load;
use dump_commands::Dump;
use frame::{FrameError, Frames, Part};
use line_editor::{Edit, LineEditor, Typing};
use server::{Server, Uptime};

use crate::key::Sink;
use crate::two_layer::Lookups;

/// Whether there are other kinds of keys than Bloom filters. Where nothing else can be meant, the compiler leaves out
/// what is only for them.
const FAMILIES: bool = cfg!(feature = "shell-families");
/// Whether keys can be dumped and loaded.
const DUMPS: bool = cfg!(feature = "shell-dumps");
/// Whether keys can be saved in flash.
const SAVES: bool = cfg!(feature = "shell-saves");

/// A pause of so many milliseconds inside a frame ends it: whoever sent it is gone.
const GAP: u32 = 500;
/// A pause after which skipping a broken frame ends.
const LOST_GAP: u32 = 100;
/// A pause after an empty line that no client makes: a person waits for a prompt.
const ENTER_GAP: u32 = 100;
/// A pause after which the next client is taken to be another one, which may not read RESP3. One that asked for
/// RESP3 and paused reads RESP2 as well.
const IDLE: u32 = 5_000;

/// Bytes of room for a line.
const LINE: usize = 160;
/// Bytes of room for older lines.
const HISTORY: usize = 256;

/// The console; see the [module](self).
#[repr(C)]
pub struct Shell<'a> {
    /// Whether the last byte ended an empty line.
    is_after_empty_line: bool,
    /// Whether that was a `\r`, whose `\n` may follow.
    is_after_return: bool,
    /// Whether the line is longer than there is room.
    is_overlong: bool,
    /// When the last byte came.
    last: u32,
    /// Bytes that the driver lost and nobody was told of.
    bytes_lost_untold: u32,
    frames: Frames,
    server: Server<'a>,
    line: LineEditor<LINE, HISTORY>,
}

impl<'a> Shell<'a> {
    /// A console for these keys, as it is after power-on.
    pub const fn new(keyspace: Keyspace<'a>, board: Board) -> Self {
        // Last all that is zero, which so is cleared in few calls.
        Self {
            server: Server {
                keyspace,
                board,
                dispatch: const { Dispatch::new() },
                uptime: Uptime::ZERO,
                bytes_lost: 0,
                commands: 0,
                commands_at_hello: 0,
                dump: Dump::NONE,
                load: const { Load::new() },
                #[cfg(feature = "shell-saves")]
                store: None,
                #[cfg(feature = "shell-saves")]
                saves: save::Saves::NONE,
                lookups: const { Lookups::new() },
                is_quitting: false,
                face: Face::Resp2,
                _full_word: 0,
                arguments: const { Arguments::new() },
            },
            line: const { LineEditor::new() },
            frames: const { Frames::new() },
            bytes_lost_untold: 0,
            last: 0,
            is_overlong: false,
            is_after_return: false,
            is_after_empty_line: false,
        }
    }

    /// Takes bytes as they came, and the time in milliseconds, which may wrap; writes the replies.
    ///
    /// # Cost
    ///
    /// Proportional to the bytes. `DEL` moves the arena behind the key, `BF.RESERVE` works out a size, and
    /// `stats` and `fill` read the key's filter; each of these is bounded by the RAM of the device.
    ///
    /// # Errors
    ///
    /// Those of `out`. All bytes are taken nevertheless; replies from the first that failed on are lost.
    pub fn feed<W: embedded_io::Write>(
        &mut self,
        input: &[u8],
        now: u32,
        out: &mut W,
    ) -> Result<(), W::Error> {
        with_sink(out, |out| self.take(input, now, out))
    }

    /// Looks at the clock when nothing comes; to be called every 50 milliseconds or so.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn poll<W: embedded_io::Write>(&mut self, now: u32, out: &mut W) -> Result<(), W::Error> {
        with_sink(out, |out| self.look_at_clock(now, out))
    }

    /// The line was held low for longer than a byte: whoever comes next is new.
    pub fn line_break(&mut self) {
        let server = &mut self.server;
        server.load.abandon(&mut server.keyspace);
        self.frames.reset();
        self.line.clear();
        self.server.face = Face::Resp2;
        self.is_after_empty_line = false;
    }

    /// The driver lost so many bytes. The next reply says so, once.
    pub fn bytes_lost(&mut self, count: u32) {
        self.server.bytes_lost = self.server.bytes_lost.saturating_add(count);
        self.bytes_lost_untold = self.bytes_lost_untold.saturating_add(count);
    }

    /// Where `SUNDEW.SAVE` saves to, and makes the keys what they were at the last save: for a firmware to call when
    /// it starts. Returns how many filters were restored; a key that has grown is several.
    ///
    /// Each call of [`feed`](Self::feed) and [`poll`](Self::poll) does one operation of the flash, as long as a save
    /// is [running](Self::is_saving).
    ///
    /// # Errors
    ///
    /// When what was saved cannot be read, or does not fit what is here. Those keys that come before it are
    /// restored; the store is used for the next save anyway.
    ///
    /// # Examples
    ///
    /// ```
    /// use embedded_storage::nor_flash::NorFlash;
    /// use sundew::persist::Store;
    /// use sundew::shell::Shell;
    ///
    /// fn start<'a, F: NorFlash>(shell: &mut Shell<'a>, store: &'a mut Store<F>) {
    ///     if shell.restore_from(store).is_err() {
    ///         // Say so, and go on with empty filters.
    ///     }
    /// }
    /// ```
    #[cfg(feature = "shell-saves")]
    pub fn restore_from(&mut self, store: &'a mut dyn KeyStore) -> Result<u32, RestoreError> {
        self.server.store = Some(server::StoreRef(store));
        self.server.restore_saved()
    }

    /// Whether a save is running, so that a firmware should call [`poll`](Self::poll) again soon.
    #[cfg(feature = "shell-saves")]
    pub fn is_saving(&self) -> bool {
        self.server.saves.running.is_some()
    }

    /// Whether a key holds 90 % of what it is made for.
    pub fn is_near_capacity(&self) -> bool {
        let keyspace = &self.server.keyspace;
        keyspace.keys().any(|key| {
            keyspace.kind(key).has_capacity() && keyspace.summary(key).is_near_capacity()
        })
    }

    #[inline(never)]
    fn take(&mut self, mut input: &[u8], now: u32, out: &mut dyn Sink) {
        if input.is_empty() {
            return;
        }
        self.look_at_clock(now, out);
        self.last = now;
        if self.bytes_lost_untold > 0 {
            self.tell_bytes_lost(out);
        }
        while let Some(part) = self.frames.next(&mut input) {
            match part {
                Part::Begin(count) => {
                    self.is_after_empty_line = false;
                    if self.server.face == Face::Human {
                        self.server.face = Face::Resp2;
                    }
                    self.server.begin(count);
                }
                Part::Bytes(bytes) => self.server.bytes(bytes),
                Part::ArgumentEnd => self.end_argument(out),
                Part::Text(byte) => self.take_text(byte, out),
                Part::Broken(error) => {
                    self.is_after_empty_line = false;
                    broken_frame(error, &mut self.call(out));
                }
            }
        }
    }

    /// What commands get.
    fn call<'c>(&'c mut self, out: &'c mut dyn Sink) -> Call<'c, 'a> {
        Call {
            server: &mut self.server,
            out: Out::new(out),
        }
    }

    fn end_argument(&mut self, out: &mut dyn Sink) {
        self.call(out).end_argument();
        self.forget_who_quit();
    }

    fn tell_bytes_lost(&mut self, out: &mut dyn Sink) {
        let lost = self.bytes_lost_untold;
        self.bytes_lost_untold = 0;
        // What is left of the frame does not fit what came before.
        self.frames.lose();
        self.line.clear();
        self.call(out).error_of(texts::BYTES_LOST, &[lost]);
    }

    fn look_at_clock(&mut self, now: u32, out: &mut dyn Sink) {
        self.server.uptime.advance(now);
        #[cfg(feature = "shell-saves")]
        if let Some(saving) = self.server.saves.running {
            self.server.save_slice(saving);
        }
        let silence = now.wrapping_sub(self.last);
        if self.frames.is_lost() {
            if silence >= LOST_GAP {
                self.frames.reset();
            }
        } else if self.frames.is_inside_frame() && silence >= GAP {
            self.frames.reset();
            self.call(out).error(texts::FRAME_BROKE_OFF);
        }
        if self.is_after_empty_line && silence >= ENTER_GAP {
            self.is_after_empty_line = false;
            self.server.face = Face::Human;
            self.call(out).fill_in(texts::WELCOME, &[]);
            self.line.start_line(out);
        }
        if silence >= IDLE && self.server.face == Face::Resp3 {
            self.server.face = Face::Resp2;
        }
    }

    /// One byte of a line.
    fn take_text(&mut self, byte: u8, out: &mut dyn Sink) {
        let is_second_of_pair = self.is_after_return && byte == b'\n';
        self.is_after_return = byte == b'\r';
        if is_second_of_pair {
            return self.frames.start_line();
        }
        if self.server.face == Face::Human {
            return self.edit(byte, out);
        }
        self.is_after_empty_line = false;
        match byte {
            b'\r' | b'\n' => {
                self.frames.start_line();
                self.is_after_empty_line = self.line.line().is_empty();
                if self.is_overlong {
                    self.call(out).error(texts::TOO_BIG_INLINE);
                } else {
                    self.run_line(out);
                }
                self.line.clear();
                self.is_overlong = false;
            }
            _ => self.is_overlong |= !self.line.push_unseen(byte),
        }
    }

    /// One byte typed by a person.
    #[inline(never)]
    fn edit(&mut self, byte: u8, out: &mut dyn Sink) {
        let keyspace = &self.server.keyspace;
        let name = |typing: &mut Typing<LINE, HISTORY>| name_candidates(keyspace, typing);
        match self.line.push(byte, name, out) {
            Edit::Pending => {}
            Edit::Line => {
                self.run_line(out);
                if self.server.face == Face::Human {
                    self.line.start_line(out);
                } else {
                    self.line.clear();
                }
            }
            Edit::EndOfInput => self.server.face = Face::Resp2,
        }
        if self.line.line().is_empty() {
            self.frames.start_line();
        }
    }

    /// After QUIT, whoever comes next is new.
    fn forget_who_quit(&mut self) {
        if self.server.is_quitting {
            self.server.is_quitting = false;
            self.server.face = Face::Resp2;
            let server = &mut self.server;
            server.load.abandon(&mut server.keyspace);
        }
    }

    /// Runs the line as a command.
    fn run_line(&mut self, out: &mut dyn Sink) {
        let line = self.line.line();
        let mut call = Call {
            server: &mut self.server,
            out: Out::new(out),
        };
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
            None => call.end_argument(),
        });
        self.forget_who_quit();
    }
}

/// Commands for the first word of a line, keys for the others.
#[inline(never)]
fn name_candidates(keyspace: &Keyspace, typing: &mut Typing<LINE, HISTORY>) {
    if typing.is_first_word() {
        for command in &commands::COMMANDS {
            typing.candidate(command.name().as_bytes());
        }
    } else {
        for key in keyspace.keys() {
            typing.candidate(keyspace.name(key));
        }
    }
}

fn broken_frame(error: FrameError, call: &mut Call) {
    let (text, byte) = match error {
        FrameError::Count => (texts::INVALID_COUNT, 0),
        FrameError::Length => (texts::INVALID_LENGTH, 0),
        FrameError::NoArgument(byte) => (texts::NO_ARGUMENT, byte),
        FrameError::NoLineEnd => (texts::NO_LINE_END, 0),
    };
    let byte = if byte.is_ascii_control() { b' ' } else { byte };
    call.error_of(text, &[byte.into()]);
}

/// Lets everything below write without looking at errors; the first is kept.
fn with_sink<W: embedded_io::Write>(
    out: &mut W,
    work: impl FnOnce(&mut dyn Sink),
) -> Result<(), W::Error> {
    struct Writer<'w, W: embedded_io::Write> {
        out: &'w mut W,
        result: Result<(), W::Error>,
    }

    impl<W: embedded_io::Write> Sink for Writer<'_, W> {
        fn write(&mut self, bytes: &[u8]) {
            if self.result.is_ok() {
                self.result = self.out.write_all(bytes);
            }
        }
    }

    let mut writer = Writer {
        out,
        result: Ok(()),
    };
    work(&mut writer);
    writer.result?;
    out.flush()
}
