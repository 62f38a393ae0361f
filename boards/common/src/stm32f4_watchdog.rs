//! The independent watchdog of an STM32F4, which the HAL starts: its handle cannot be reached from
//! [`Machine::feed_watchdog`](crate::Machine::feed_watchdog), which has no value to keep it in.

use crate::register::Register;

// SAFETY: every STM32F4 has both there: the watchdog's key, and the reset flags of the clock control.
#[allow(unsafe_code)]
const KEY: Register = unsafe { Register::at(0x4000_3000) };
#[allow(unsafe_code)]
const RESET_FLAGS: Register = unsafe { Register::at(0x4002_3874) };

/// For [`Machine::feed_watchdog`](crate::Machine::feed_watchdog).
pub fn feed() {
    KEY.write(0xAAAA);
}

/// For [`Machine::was_reset_by_watchdog`](crate::Machine::was_reset_by_watchdog); asking clears it.
pub fn was_reset_by_watchdog() -> bool {
    let was_watchdog = RESET_FLAGS.read() & 1 << 29 != 0;
    RESET_FLAGS.set(1 << 24);
    was_watchdog
}
