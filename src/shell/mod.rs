//! A console that people and Redis clients share, without any hardware: bytes and the time in, bytes out.
//!
//! Both speak to the same commands. A Redis frame at the start of a line is answered in RESP2, or in RESP3 after
//! `HELLO 3`. Any other line is a command, too, answered in RESP2 as Redis answers inline commands; until
//! somebody presses Enter at an empty line and waits a moment, which turns on echo, a prompt, and answers in
//! words. The next Redis frame turns them off.
//!
//! Nothing bounds the length of an item or their number: items are hashed as they arrive.
//!
//! Keys are Bloom filters. The feature `shell-families` adds the other kinds, `shell-dumps` adds dumps of keys, and
//! `shell-saves` adds saves in flash; a device has flash to keep for itself.
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
mod front;
mod human_commands;
mod inline;
mod key_commands;
mod keyspace;
mod kind;
mod line_editor;
mod pairs;
mod pattern;
mod repeat;
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

use call::{Call, Out};
use front::Front;
use server::Server;

use crate::key::Sink;

/// Whether there are other kinds of keys than Bloom filters. Where nothing else can be meant, the compiler leaves out
/// what is only for them.
const FAMILIES: bool = cfg!(feature = "shell-families");
/// Whether keys can be dumped and loaded.
const DUMPS: bool = cfg!(feature = "shell-dumps");
/// Whether keys can be saved in flash.
const SAVES: bool = cfg!(feature = "shell-saves");

/// The console; see the [module](self). A line that somebody types has at most `LINE` bytes, and `HISTORY` bytes are
/// kept of the lines before; neither bounds a Redis frame.
///
/// # Cost
///
/// `LINE + HISTORY` and about 700 bytes of RAM on a 32-bit core.
#[repr(C)]
pub struct Shell<'a, const LINE: usize = 160, const HISTORY: usize = 256> {
    front: Front<LINE, HISTORY>,
    server: Server<'a>,
}

impl<'a> Shell<'a> {
    /// A console for these keys, as it is after power-on.
    pub const fn new(keyspace: Keyspace<'a>, board: Board) -> Self {
        Self::of_size(keyspace, board)
    }
}

impl<'a, const LINE: usize, const HISTORY: usize> Shell<'a, LINE, HISTORY> {
    /// [`new`](Shell::new) with other room for lines.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::shell::{Board, Keyspace, Shell};
    ///
    /// fn small<'a>(keyspace: Keyspace<'a>, board: Board) -> Shell<'a, 80, 0> {
    ///     Shell::of_size(keyspace, board)
    /// }
    /// ```
    pub const fn of_size(keyspace: Keyspace<'a>, board: Board) -> Self {
        Self {
            front: const { Front::new() },
            server: Server::new(keyspace, board),
        }
    }

    /// Takes bytes as they came, or none, and the time in milliseconds, which may wrap; writes the replies.
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
        let mut writer = Writer {
            out,
            result: Ok(()),
        };
        self.serve(input, now, &mut writer);
        writer.result?;
        out.flush()
    }

    /// Looks at the clock when nothing is waiting, which is [`feed`](Self::feed) without bytes; to be called every
    /// 50 milliseconds or so, until six seconds after the last byte at least. Only these calls tell a pause from a device
    /// that was busy.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn poll<W: embedded_io::Write>(&mut self, now: u32, out: &mut W) -> Result<(), W::Error> {
        self.feed(&[], now, out)
    }

    /// The line was held low for longer than a byte: whoever comes next is new.
    pub fn line_break(&mut self) {
        self.server.forget_client();
        self.front.reset();
    }

    /// The driver lost so many bytes. The next reply says so, once.
    pub fn bytes_lost(&mut self, count: u32) {
        self.server.bytes_lost = self.server.bytes_lost.saturating_add(count);
        self.front.lose_bytes(count);
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
        // A command that has begun may have found a key already, and not where it will be.
        self.front.reset();
        self.server.store = Some(server::StoreRef(store));
        self.server.restore_saved()
    }

    /// Whether a save is running, so that a firmware should call [`poll`](Self::poll) again soon.
    #[cfg(feature = "shell-saves")]
    pub fn is_saving(&self) -> bool {
        self.server.saves.running.is_some()
    }

    /// Whether a key that cannot grow holds 90 % of what it is made for.
    pub fn is_near_capacity(&self) -> bool {
        let keyspace = &self.server.keyspace;
        keyspace.keys().any(|key| keyspace.needs_room(key))
    }

    /// The same for writers of every type: it takes no part in their errors.
    #[inline(never)]
    fn serve(&mut self, input: &[u8], now: u32, out: &mut dyn Sink) {
        let call = &mut Call {
            server: &mut self.server,
            out: Out::new(out),
        };
        call.server.uptime.advance(now);
        #[cfg(feature = "shell-saves")]
        if let Some(saving) = call.server.saves.running {
            call.server.save_slice(saving);
        }
        if input.is_empty() {
            self.front.look_at_clock(now, call);
        } else {
            self.front.take(input, now, call);
        }
    }
}

/// Where replies go, until that fails: it lets everything below write without looking at errors, and keeps the first.
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
