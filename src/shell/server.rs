//! What commands work on.

use super::arguments::Arguments;
use super::call::Face;
use super::dispatch::Dispatch;
use super::dump::Load;
use super::dump_commands::Dump;
use super::keyspace::Keyspace;
#[cfg(feature = "shell-saves")]
use super::save::{KeyStore, Saves};
use crate::two_layer::Lookups;

/// What the shell cannot know by itself.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// What to call the machine.
    pub name: &'static str,
    /// How often the firmware started since power came, with this time.
    pub boot_count: u32,
    /// Why it started, in a word.
    pub reset_reason: &'static str,
    /// Bytes of static RAM that the linker placed: `.data` and `.bss`.
    pub static_ram: u32,
    /// The most bytes of stack that were in use so far.
    pub stack_high_water: fn() -> u32,
    /// Ticks of a clock that runs free and wraps; `bench` reads it.
    pub clock: fn() -> u32,
    /// Ticks per second.
    pub clock_hz: u32,
}

/// The device behind the shell.
// In this order: nearly every command wants the keys, which lie where the server itself does.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Server<'a> {
    pub keyspace: Keyspace<'a>,
    pub dispatch: Dispatch,
    pub uptime: Uptime,
    /// Bytes that the driver lost since the start.
    pub bytes_lost: u32,
    /// Commands since the start, and how many it had been at the last `HELLO`, with the introduction behind it.
    pub commands: u32,
    pub commands_at_hello: u32,
    pub dump: Dump,
    pub load: Load,
    #[cfg(feature = "shell-saves")]
    pub store: Option<StoreRef<'a>>,
    #[cfg(feature = "shell-saves")]
    pub saves: Saves,
    /// What `SUNDEW.ASK` and `SUNDEW.TOLD` came to.
    pub lookups: Lookups,
    /// Whether a command asked for the other end to be forgotten.
    pub is_quitting: bool,
    /// Who is at the other end.
    pub face: Face,
    /// There is no padding, around which the compiler would clear in pieces: 60 bytes of flash.
    pub _full_word: u16,
    pub arguments: Arguments,
    // Behind all that is zero at the start, which so is cleared in one call.
    pub board: Board,
}

/// A store that can be shown, which is that there is one.
#[cfg(feature = "shell-saves")]
pub(super) struct StoreRef<'a>(pub &'a mut dyn KeyStore);

#[cfg(feature = "shell-saves")]
impl core::fmt::Debug for StoreRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("StoreRef")
    }
}

impl<'a> Server<'a> {
    pub const fn new(keyspace: Keyspace<'a>, board: Board) -> Self {
        // Last all that is zero, which so is cleared in few calls.
        Self {
            keyspace,
            board,
            dispatch: Dispatch::new(),
            uptime: Uptime::ZERO,
            bytes_lost: 0,
            commands: 0,
            commands_at_hello: 0,
            dump: Dump::NONE,
            load: const { Load::new() },
            #[cfg(feature = "shell-saves")]
            store: None,
            #[cfg(feature = "shell-saves")]
            saves: Saves::NONE,
            lookups: const { Lookups::new() },
            is_quitting: false,
            face: Face::Resp2,
            _full_word: 0,
            arguments: const { Arguments::new() },
        }
    }

    /// Whoever comes next is new, and reads RESP2.
    pub fn forget_client(&mut self) {
        self.face = Face::Resp2;
        self.load.abandon(&mut self.keyspace);
    }

    /// Lookups that the filters answered alone, those that the other end had to look up, and how many of these were
    /// not there.
    #[inline(never)]
    pub fn lookup_numbers(&self) -> [u32; 3] {
        let lookups = &self.lookups;
        [lookups.by_filter(), lookups.by_store(), lookups.corrected()]
            .map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }
}

/// Seconds since the start, from milliseconds that wrap.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uptime {
    last: u32,
    milliseconds: u32,
    pub seconds: u32,
}

impl Uptime {
    pub const ZERO: Self = Self {
        last: 0,
        milliseconds: 0,
        seconds: 0,
    };

    pub fn advance(&mut self, now: u32) {
        if now == self.last {
            return;
        }
        self.milliseconds += now.wrapping_sub(self.last) % 4_000_000_000;
        self.last = now;
        self.seconds = self.seconds.wrapping_add(self.milliseconds / 1_000);
        self.milliseconds %= 1_000;
    }
}
