//! What the firmware does when it cannot go on: it says why and where over the UART, in the form of a Redis
//! error, which a person can read as well; then it exits from QEMU with a failure, or resets the board.

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::peripheral::{DCB, SCB};
use cortex_m_rt::ExceptionFrame;
use cortex_m_semihosting::debug;

use crate::log::log;
#[cfg(target_has_atomic = "32")]
use crate::register::Register;
use crate::{AfterCrash, Machine};

/// `crash_handlers!(Board)`: the handlers of panics and of faults, which report over the UART of that
/// [`Machine`].
#[macro_export]
macro_rules! crash_handlers {
    ($machine:ty) => {
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo) -> ! {
            $crate::crash::panic::<$machine>(info)
        }

        // SAFETY: as cortex-m-rt asks, it relies on nothing that a fault could have left half-done.
        #[allow(unsafe_code)]
        #[cortex_m_rt::exception]
        unsafe fn HardFault(frame: &cortex_m_rt::ExceptionFrame) -> ! {
            $crate::crash::hard_fault::<$machine>(frame)
        }
    };
}

/// Which fault it was, and the address that could not be accessed. A Cortex-M0, the one without
/// compare-and-swap, has neither.
#[allow(unsafe_code)]
#[cfg(target_has_atomic = "32")]
// SAFETY: every ARMv7-M and ARMv8-M core has them there.
const FAULT: (Register, Register) =
    unsafe { (Register::at(0xE000_ED28), Register::at(0xE000_ED38)) };
/// The bit of the status that says that the address means something.
#[cfg(target_has_atomic = "32")]
const ADDRESS_IS_VALID: u32 = 1 << 15;

/// Reports a panic; see [`crash_handlers`](crate::crash_handlers).
pub fn panic<M: Machine>(info: &PanicInfo) -> ! {
    begin::<M>();
    write::<M>(b"-CRASH panic");
    if let Some(place) = info.location() {
        write::<M>(b" at ");
        write::<M>(place.file().as_bytes());
        write::<M>(b":");
        write_decimal::<M>(place.line());
        log!(error, "panic at {}:{}", place.file(), place.line());
    }
    // A message with values in it would need core::fmt, which is 2 KB and more.
    if let Some(message) = info.message().as_str() {
        write::<M>(b": ");
        write::<M>(message.as_bytes());
    }
    end::<M>()
}

/// Reports a fault; see [`crash_handlers`](crate::crash_handlers).
pub fn hard_fault<M: Machine>(frame: &ExceptionFrame) -> ! {
    begin::<M>();
    write::<M>(b"-CRASH HardFault at ");
    write_hexadecimal::<M>(frame.pc());
    write::<M>(b", called from ");
    write_hexadecimal::<M>(frame.lr());
    #[cfg(target_has_atomic = "32")]
    {
        let status = FAULT.0.read();
        write::<M>(b", status ");
        write_hexadecimal::<M>(status);
        if status & ADDRESS_IS_VALID != 0 {
            write::<M>(b", address ");
            write_hexadecimal::<M>(FAULT.1.read());
        }
    }
    log!(error, "HardFault at {=u32:#x}", frame.pc());
    end::<M>()
}

/// Leaves at once if the crash handler itself crashed.
fn begin<M: Machine>() {
    static CRASHING: AtomicBool = AtomicBool::new(false);

    cortex_m::interrupt::disable();
    if CRASHING.load(Ordering::Relaxed) {
        exit::<M>();
    }
    CRASHING.store(true, Ordering::Relaxed);
}

fn end<M: Machine>() -> ! {
    write::<M>(b"\r\n");
    exit::<M>()
}

fn exit<M: Machine>() -> ! {
    match M::AFTER_CRASH {
        AfterCrash::Exit => debug::exit(debug::EXIT_FAILURE),
        // A Cortex-M0 cannot tell, and resets.
        AfterCrash::Reset if DCB::is_debugger_attached() => cortex_m::asm::bkpt(),
        AfterCrash::Reset => SCB::sys_reset(),
    }
    loop {
        cortex_m::asm::wfi();
    }
}

#[inline(never)]
fn write<M: Machine>(bytes: &[u8]) {
    bytes.iter().for_each(|byte| M::write_last_word(*byte));
}

// Neither of the two can panic, which would bring core::fmt in by the message about an index.

fn write_decimal<M: Machine>(value: u32) {
    let rest = value / 10;
    if rest > 0 {
        write_decimal::<M>(rest);
    }
    write::<M>(&[b'0' + (value % 10) as u8]);
}

fn write_hexadecimal<M: Machine>(value: u32) {
    write::<M>(b"0x");
    for i in (0..8).rev() {
        let digit = (value >> (4 * i) & 0xF) as u8;
        let base = if digit < 10 { b'0' } else { b'a' - 10 };
        write::<M>(&[base + digit]);
    }
}
