//! What the HAL cannot give where it is needed: the chip's first code, and the watchdog and the UART without their
//! handles, for a crash and for `Machine`, which has no value to keep them in.

use rp2040_hal::pac::{UART0, WATCHDOG};
use sundew_board::WATCHDOG_MILLISECONDS;

/// It makes the flash readable as memory.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_GENERIC_03H;

/// What `Watchdog::feed` does.
pub fn feed_watchdog() {
    // The chip counts microseconds, and by mistake each twice (RP2040-E1).
    let load = WATCHDOG_MILLISECONDS * 2000;
    // SAFETY: main started it, and nothing else writes this register.
    unsafe {
        (*WATCHDOG::ptr())
            .load()
            .write(|register| register.bits(load))
    };
}

pub fn was_reset_by_watchdog() -> bool {
    // SAFETY: it is only read.
    unsafe { (*WATCHDOG::ptr()).reason().read().timer().bit_is_set() }
}

/// Sends, but does not wait for ever.
pub fn write_last_word(byte: u8) {
    // SAFETY: nothing else runs any more.
    let uart = unsafe { &*UART0::ptr() };
    let mut patience = 1_000_000;
    while uart.uartfr().read().txff().bit_is_set() && patience > 0 {
        patience -= 1;
    }
    // SAFETY: any byte may be sent.
    uart.uartdr()
        .write(|register| unsafe { register.data().bits(byte) });
}
