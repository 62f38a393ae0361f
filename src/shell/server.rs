//! What commands work on.

use super::keyspace::Keyspace;

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
#[derive(Debug)]
pub(super) struct Server<'a> {
    pub keyspace: Keyspace<'a>,
    pub board: Board,
    pub uptime: Uptime,
    /// Bytes that the driver lost since the start.
    pub bytes_lost: u32,
    /// Commands since the start, and how many it had been at the last `HELLO`.
    pub commands: u32,
    pub commands_at_hello: u32,
    /// Whether a command asked for the other end to be forgotten.
    pub is_quitting: bool,
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
        self.milliseconds += now.wrapping_sub(self.last) % 4_000_000_000;
        self.last = now;
        self.seconds = self.seconds.wrapping_add(self.milliseconds / 1_000);
        self.milliseconds %= 1_000;
    }
}
