//! What the firmware does when it cannot go on: it says why and where over the UART, in the form of a Redis
//! error, which a person can read as well; then it exits from QEMU with a failure, or resets the board.

use core::panic::PanicInfo;
use core::sync::atomic::{AtomicBool, Ordering};

use cortex_m::peripheral::SCB;
use cortex_m_rt::ExceptionFrame;
use cortex_m_semihosting::debug;

use crate::boot::{self, ResetReason};
use crate::log::log;
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

/// The word that says which fault it was. Those that [`BUS_ADDRESS`] and [`PROTECTED_ADDRESS`] show, by their number from
/// this one on, have the address that could not be accessed. A Cortex-M0, the one without compare-and-swap, has none of
/// it.
#[cfg(target_has_atomic = "32")]
const FAULT: *const u32 = core::ptr::with_exposed_provenance(0xE000_ED28);
#[cfg(target_has_atomic = "32")]
const PROTECTED_ADDRESS: &[u8] = b", address \x03";
#[cfg(target_has_atomic = "32")]
const BUS_ADDRESS: &[u8] = b", address \x04";
/// The bits of the status that say that one of the addresses means something.
#[cfg(target_has_atomic = "32")]
const PROTECTED_ADDRESS_IS_VALID: u32 = 1 << 7;
#[cfg(target_has_atomic = "32")]
const BUS_ADDRESS_IS_VALID: u32 = 1 << 15;
/// The bit of the status that says that the stack pointer was to go below its limit.
#[cfg(feature = "stack-limit")]
const STACK_LIMIT_REACHED: u32 = 1 << 20;

/// By the numbers that the registers have in [`ExceptionFrame`].
const REGISTERS: &[u8] =
    b"HardFault at \x06, called from \x05, r0 \x00, r1 \x01, r2 \x02, r3 \x03, r12 \x04, xpsr \x07";

/// Reports a panic; see [`crash_handlers`](crate::crash_handlers).
#[inline(always)]
pub fn panic<M: Machine>(info: &PanicInfo) -> ! {
    begin::<M>(ResetReason::Panic);
    write::<M>(b"panic");
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
    end_line::<M>();
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
    let stack_pointer = frame.addr() as u32;
    let is_overflow = memory::is_beyond_stack(frame.addr());
    // Where the limit register stopped it, the stack pointer is still above the limit, by whatever was asked for.
    #[cfg(feature = "stack-limit")]
    // SAFETY: every ARMv8-M core has this word.
    let is_overflow = is_overflow || unsafe { FAULT.read_volatile() } & STACK_LIMIT_REACHED != 0;
    let (reason, text, words) = if is_overflow {
        // The core could not store its registers.
        let text: &[u8] = b"stack overflow, sp \x00";
        (ResetReason::StackOverflow, text, &raw const stack_pointer)
    } else {
        (ResetReason::HardFault, REGISTERS, frame.cast())
    };
    begin::<M>(reason);
    // SAFETY: one text shows one word. The other shows the registers, which lie within the stack, and `crash_handlers`
    // leaves that part of the stack alone.
    unsafe { write_words::<M>(text, words) };
    if is_overflow {
        log!(error, "stack overflow, sp {=u32:#x}", stack_pointer);
    } else {
        // SAFETY: as above.
        log!(error, "HardFault at {=u32:#x}", unsafe { (*frame).pc() });
    }
    #[cfg(target_has_atomic = "32")]
    // SAFETY: every ARMv7-M and ARMv8-M core has these words.
    unsafe {
        write_words::<M>(b", status \x00", FAULT);
        let status = FAULT.read_volatile();
        if status & BUS_ADDRESS_IS_VALID != 0 {
            write_words::<M>(BUS_ADDRESS, FAULT);
        }
        if status & PROTECTED_ADDRESS_IS_VALID != 0 {
            write_words::<M>(PROTECTED_ADDRESS, FAULT);
        }
    }
    end_line::<M>();
    exit::<M>()
}

/// Reports that the watchdog is about to reset the board, and lets it. To be called by its interrupt.
#[inline(always)]
pub fn watchdog<M: Machine>() -> ! {
    begin::<M>(ResetReason::Watchdog);
    write::<M>(b"watchdog: the main loop stood still\r\n");
    loop {}
}

/// The last three parts of a path: what is before them is about the computer that built this.
fn short(path: &[u8]) -> &[u8] {
    let mut slashes = 0;
    let third = path.iter().rposition(|byte| {
        slashes += u32::from(*byte == b'/');
        slashes == 3
    });
    third.and_then(|at| path.get(at + 1..)).unwrap_or(path)
}

/// Starts the report. Leaves at once if there was a crash already: the handler itself crashed, or wants to.
#[inline(never)]
fn begin<M: Machine>(reason: ResetReason) {
    static CRASHING: AtomicBool = AtomicBool::new(false);

    cortex_m::interrupt::disable();
    if CRASHING.load(Ordering::Relaxed) {
        exit::<M>();
    }
    CRASHING.store(true, Ordering::Relaxed);
    boot::note(reason);
    write::<M>(b"-CRASH ");
}

fn end_line<M: Machine>() {
    send::<M>(b'\r');
    send::<M>(b'\n');
}

#[inline(never)]
fn exit<M: Machine>() -> ! {
    match M::AFTER_CRASH {
        AfterCrash::Exit => debug::exit(debug::EXIT_FAILURE),
        AfterCrash::Reset => SCB::sys_reset(),
    }
    loop {
        cortex_m::asm::wfi();
    }
}

fn write<M: Machine>(text: &[u8]) {
    // SAFETY: no text but those of `hard_fault` shows words, as paths and messages are made of printable bytes.
    #[allow(unsafe_code)]
    unsafe {
        write_words::<M>(text, core::ptr::null());
    }
}

/// Writes a text, where a byte below 8 stands for the word of that number: one call instead of two for each word.
///
/// # Safety
///
/// There are these words.
#[allow(unsafe_code)]
#[inline(never)]
unsafe fn write_words<M: Machine>(text: &[u8], words: *const u32) {
    for byte in text {
        if *byte >= 8 {
            send::<M>(*byte);
            continue;
        }
        // SAFETY: the caller promised it.
        let word = unsafe { words.add(usize::from(*byte)).read_volatile() };
        send::<M>(b'0');
        send::<M>(b'x');
        for i in (0..8).rev() {
            let digit = (word >> (4 * i) & 0xF) as u8;
            let base = if digit < 10 { b'0' } else { b'a' - 10 };
            send::<M>(base + digit);
        }
    }
}

// It cannot panic, which would bring core::fmt in by the message about an index.
fn write_decimal<M: Machine>(value: u32) {
    let rest = value / 10;
    if rest > 0 {
        write_decimal::<M>(rest);
    }
    send::<M>(b'0' + (value % 10) as u8);
}

#[inline(never)]
fn send<M: Machine>(byte: u8) {
    M::write_last_word(byte);
}
