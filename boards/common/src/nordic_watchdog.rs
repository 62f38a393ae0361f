//! The watchdog that nRF51 and nRF52 share. It runs from the chip's own slow oscillator, which it starts.

use crate::WATCHDOG_MILLISECONDS;
use crate::register::Register;

#[allow(unsafe_code)]
const fn register(offset: usize) -> Register {
    // SAFETY: both families have the watchdog there.
    unsafe { Register::at(0x4001_0000 + offset) }
}

const START: Register = register(0x000);
/// In ticks of 32,768 Hz.
const RELOAD_VALUE: Register = register(0x504);
const FEED: Register = register(0x600);

/// Bit 1: by the watchdog.
// SAFETY: both families have it there.
#[allow(unsafe_code)]
const RESET_REASON: Register = unsafe { Register::at(0x4000_0400) };

/// Starts it; it goes on while the core sleeps. Nothing but a reset stops it.
pub fn start() {
    RELOAD_VALUE.write(WATCHDOG_MILLISECONDS * 32_768 / 1000);
    START.write(1);
}

/// For [`Machine::feed_watchdog`](crate::Machine::feed_watchdog).
pub fn feed() {
    FEED.write(0x6E52_4635);
}

/// For [`Machine::was_reset_by_watchdog`](crate::Machine::was_reset_by_watchdog); asking clears it.
pub fn was_reset_by_watchdog() -> bool {
    let reason = RESET_REASON.read();
    // A 1 clears.
    RESET_REASON.write(reason);
    reason & 1 << 1 != 0
}
