//! What the firmware does when it cannot go on: it says why and where over the UART, in the form of a Redis
//! error, which a person can read as well; then QEMU exits with a failure.
//!
//! The exit is a semihosting call. A board without a debugger stops at it; there, reset instead with
//! `SCB::sys_reset`.

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m_rt::{ExceptionFrame, exception};
use cortex_m_semihosting::debug;

use super::log::log;
use super::register::{FAULT_ADDRESS, FAULT_STATUS};
use super::uart::write_last_words;

/// Bits of [`FAULT_STATUS`] that say that [`FAULT_ADDRESS`] means something.
const ADDRESS_IS_VALID: u32 = 1 << 15;

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    begin();
    write_last_words(b"-CRASH panic");
    if let Some(place) = info.location() {
        write_last_words(b" at ");
        write_last_words(place.file().as_bytes());
        write_last_words(b":");
        write_decimal(place.line());
        log!(error, "panic at {}:{}", place.file(), place.line());
    }
    // A message with values in it would need core::fmt, which is 2 KB and more.
    if let Some(message) = info.message().as_str() {
        write_last_words(b": ");
        write_last_words(message.as_bytes());
    }
    end()
}

// SAFETY: as cortex-m-rt asks, it relies on nothing that a fault could have left half-done.
#[allow(unsafe_code)]
#[exception]
unsafe fn HardFault(frame: &ExceptionFrame) -> ! {
    begin();
    let status = FAULT_STATUS.read();
    write_last_words(b"-CRASH HardFault at ");
    write_hexadecimal(frame.pc());
    write_last_words(b", called from ");
    write_hexadecimal(frame.lr());
    write_last_words(b", status ");
    write_hexadecimal(status);
    if status & ADDRESS_IS_VALID != 0 {
        write_last_words(b", address ");
        write_hexadecimal(FAULT_ADDRESS.read());
    }
    log!(error, "HardFault at {=u32:#x}", frame.pc());
    end()
}

/// Leaves at once if the crash handler itself crashed.
fn begin() {
    static CRASHING: AtomicBool = AtomicBool::new(false);

    cortex_m::interrupt::disable();
    if CRASHING.load(Ordering::Relaxed) {
        exit();
    }
    CRASHING.store(true, Ordering::Relaxed);
}

fn end() -> ! {
    write_last_words(b"\r\n");
    exit()
}

fn exit() -> ! {
    debug::exit(debug::EXIT_FAILURE);
    loop {
        cortex_m::asm::wfi();
    }
}

// Neither of the two can panic, which would bring core::fmt in by the message about an index.

fn write_decimal(value: u32) {
    let rest = value / 10;
    if rest > 0 {
        write_decimal(rest);
    }
    write_last_words(&[b'0' + (value % 10) as u8]);
}

fn write_hexadecimal(value: u32) {
    write_last_words(b"0x");
    for i in (0..8).rev() {
        let digit = (value >> (4 * i) & 0xF) as u8;
        let base = if digit < 10 { b'0' } else { b'a' - 10 };
        write_last_words(&[base + digit]);
    }
}
