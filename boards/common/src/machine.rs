//! What differs from board to board.

use cortex_m::interrupt::InterruptNumber;

/// A board, as the main loop and the crash report need to know it. A type without values: there is one board.
pub trait Machine {
    /// What `INFO` calls it.
    const NAME: &'static str;

    /// The interrupts of the chip.
    type Interrupt: InterruptNumber;
    /// The one that comes with received bytes, whose handler calls [`receive::byte`](crate::receive::byte).
    const RECEIVED: Self::Interrupt;

    /// Of [`Self::ticks`].
    const CLOCK_HZ: u32;

    /// A clock that runs free and wraps; `bench` reads it.
    fn ticks() -> u32 {
        crate::clock::ticks(Self::CLOCK_HZ)
    }

    /// How many bytes the UART lost since the last call, at least.
    ///
    /// Unless the board says otherwise: what its interrupt reported to [`receive::lost`](crate::receive::lost).
    fn take_lost() -> u32 {
        crate::receive::take_lost()
    }

    /// Sends a byte when the firmware is beyond saving: also before the UART was started, and without waiting for
    /// ever.
    fn write_last_word(byte: u8);

    /// Gives the watchdog its full time again, on a board that has one. The main loop calls it at most every 50 ms,
    /// and only when it went round and the clock went on, and so does what sends an answer, which may be long and the
    /// line slow; a watchdog should wait for [`WATCHDOG_MILLISECONDS`].
    fn feed_watchdog() {}

    /// Whether the watchdog started the firmware. Called once, at the start.
    fn was_reset_by_watchdog() -> bool {
        false
    }

    /// What to do after a crash was reported.
    const AFTER_CRASH: AfterCrash;
}

/// How long the main loop may stand still and send nothing. With keys of up to 1.25 MB no command takes as long: not
/// `bench` on a Cortex-M0, nor the checksum at 25 MHz, one second or two, with which a dump begins.
pub const WATCHDOG_MILLISECONDS: u32 = 4_000;

/// What to do after a crash was reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AfterCrash {
    /// Exit from the emulator, with a failure, by semihosting.
    Exit,
    /// Start anew. A board without a debugger would stop for ever at a semihosting call.
    Reset,
}
