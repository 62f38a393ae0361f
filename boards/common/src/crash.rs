//! What the firmware does when it cannot go on: it says why and where over the UART, in the form of a Redis
//! error, which a person can read as well; then it exits from QEMU with a failure, or resets the board.

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::peripheral::SCB;
use cortex_m_rt::ExceptionFrame;
use cortex_m_semihosting::debug;

use crate::boot::{self, ResetReason};
use crate::log::log;
#[cfg(target_has_atomic = "32")]
use crate::register::Register;
use crate::{AfterCrash, Machine, memory};

/// `crash_handlers!(Board)`: the handlers of panics and of faults, which report over the UART of that
/// [`Machine`].
#[macro_export]
macro_rules! crash_handlers {
    ($machine:ty) => {
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo) -> ! {
            $crate::crash::panic::<$machine>(info)
        }

        /// Goes on to the report, at the start of the stack if there is no room left where the fault was.
        // SAFETY: the name is that of the exception in cortex-m-rt's table. It hands on where the core stored the
        // registers, and needs no stack itself.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn HardFault() -> ! {
            core::arch::naked_asm!(
                "mrs r0, MSP",
                "ldr r1, 2f",
                "cmp r0, r1",
                "bhs 1f",
                "ldr r1, 3f",
                "mov sp, r1",
                "1: bl {report}",
                ".p2align 2",
                "2: .word _stack_end + {room}",
                "3: .word _stack_start",
                report = sym $crate::crash::hard_fault::<$machine>,
                room = const $crate::crash::REPORT_STACK_BYTES,
            )
        }
    };
}

/// Stack that the report of a fault may take.
pub const REPORT_STACK_BYTES: usize = 768;

/// Which fault it was, and the address that could not be accessed: a bus fault's and a protection fault's. A
/// Cortex-M0, the one without compare-and-swap, has none of it.
#[allow(unsafe_code)]
#[cfg(target_has_atomic = "32")]
// SAFETY: every ARMv7-M and ARMv8-M core has them there.
const FAULT: (Register, Register, Register) = unsafe {
    (
        Register::at(0xE000_ED28),
        Register::at(0xE000_ED38),
        Register::at(0xE000_ED34),
    )
};
/// The bits of the status that say that one of the addresses means something.
#[cfg(target_has_atomic = "32")]
const BUS_ADDRESS_IS_VALID: u32 = 1 << 15;
#[cfg(target_has_atomic = "32")]
const PROTECTED_ADDRESS_IS_VALID: u32 = 1 << 7;

/// Reports a panic; see [`crash_handlers`](crate::crash_handlers).
pub fn panic<M: Machine>(info: &PanicInfo) -> ! {
    begin::<M>(ResetReason::Panic);
    write::<M>(b"-CRASH panic");
    if let Some(place) = info.location() {
        write::<M>(b" at ");
        write::<M>(short(place.file().as_bytes()));
        write::<M>(b":");
        write_decimal::<M>(place.line());
        log!(error, "panic at {}:{}", place.file(), place.line());
    }
    // A message with values in it would need core::fmt, which is 2 KB and more.
    if let Some(message) = info.message().as_str() {
        write::<M>(b": ");
        write::<M>(message.as_bytes());
    }
    write::<M>(b"\r\n");
    if M::AFTER_CRASH == AfterCrash::Reset {
        // A debugger stops at faults and shows the way here; without one the handler goes on to `exit`.
        cortex_m::asm::udf();
    }
    exit::<M>()
}

/// Reports a fault; see [`crash_handlers`](crate::crash_handlers).
///
/// # Safety
///
/// `frame` is where the stack pointer was after the core stored, or tried to store, its registers.
#[allow(unsafe_code)]
pub unsafe extern "C" fn hard_fault<M: Machine>(frame: *const ExceptionFrame) -> ! {
    let is_overflow = memory::is_beyond_stack(frame.addr());
    begin::<M>(if is_overflow {
        ResetReason::StackOverflow
    } else {
        ResetReason::HardFault
    });
    if is_overflow {
        // The core could not store its registers.
        write::<M>(b"-CRASH stack overflow");
        write_value::<M>(b", sp ", frame.addr() as u32);
        log!(error, "stack overflow, sp {=u32:#x}", frame.addr() as u32);
    } else {
        // SAFETY: it lies within the stack, and `crash_handlers` leaves that part of the stack alone.
        let frame = unsafe { &*frame };
        write_value::<M>(b"-CRASH HardFault at ", frame.pc());
        write_value::<M>(b", called from ", frame.lr());
        write_value::<M>(b", r0 ", frame.r0());
        write_value::<M>(b", r1 ", frame.r1());
        write_value::<M>(b", r2 ", frame.r2());
        write_value::<M>(b", r3 ", frame.r3());
        write_value::<M>(b", r12 ", frame.r12());
        write_value::<M>(b", xpsr ", frame.xpsr());
        log!(error, "HardFault at {=u32:#x}", frame.pc());
    }
    #[cfg(target_has_atomic = "32")]
    {
        let status = FAULT.0.read();
        write_value::<M>(b", status ", status);
        if status & BUS_ADDRESS_IS_VALID != 0 {
            write_value::<M>(b", address ", FAULT.1.read());
        }
        if status & PROTECTED_ADDRESS_IS_VALID != 0 {
            write_value::<M>(b", address ", FAULT.2.read());
        }
    }
    write::<M>(b"\r\n");
    exit::<M>()
}

/// Reports that the watchdog is about to reset the board, and lets it. To be called by its interrupt.
pub fn watchdog<M: Machine>() -> ! {
    boot::note(ResetReason::Watchdog);
    write::<M>(b"-CRASH watchdog: the main loop stood still\r\n");
    loop {}
}

/// The last three parts of a path: what is before them is about the computer that built this.
fn short(path: &[u8]) -> &[u8] {
    let start = path.rsplitn(4, |byte| *byte == b'/').take(3);
    let length = start.map(|part| part.len() + 1).sum::<usize>() - 1;
    path.split_at_checked(path.len().saturating_sub(length))
        .map_or(path, |(_, end)| end)
}

/// Leaves at once if there was a crash already: the handler itself crashed, or wants to.
fn begin<M: Machine>(reason: ResetReason) {
    static CRASHING: AtomicBool = AtomicBool::new(false);

    cortex_m::interrupt::disable();
    if CRASHING.load(Ordering::Relaxed) {
        exit::<M>();
    }
    CRASHING.store(true, Ordering::Relaxed);
    boot::note(reason);
}

fn exit<M: Machine>() -> ! {
    match M::AFTER_CRASH {
        AfterCrash::Exit => debug::exit(debug::EXIT_FAILURE),
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

#[inline(never)]
fn write_value<M: Machine>(name: &[u8], value: u32) {
    write::<M>(name);
    write::<M>(b"0x");
    for i in (0..8).rev() {
        let digit = (value >> (4 * i) & 0xF) as u8;
        let base = if digit < 10 { b'0' } else { b'a' - 10 };
        write::<M>(&[base + digit]);
    }
}
