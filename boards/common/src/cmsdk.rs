//! UART, timer and LEDs of Arm's Cortex-M System Design Kit (CMSDK), which the MPS2 and MPS3 boards have at
//! different addresses.
//!
//! The UART cannot tell a BREAK from a byte of zeros, so no one calls `Shell::line_break` here.

use core::convert::Infallible;

use embedded_hal::digital::{ErrorType, OutputPin};

use crate::WATCHDOG_MILLISECONDS;
use crate::register::Register;

const STATE_CANNOT_SEND: u32 = 1 << 0;
const STATE_LOST_RECEIVED: u32 = 1 << 3;
const CONTROL_SEND: u32 = 1 << 0;
const CONTROL_RECEIVE: u32 = 1 << 1;
const CONTROL_RECEIVE_INTERRUPT: u32 = 1 << 3;
#[doc(hidden)]
pub const INTERRUPT_RECEIVED: u32 = 1 << 1;

/// A UART.
#[derive(Clone, Copy)]
pub struct Uart {
    address: usize,
    divider: u32,
}

// Where its registers are, from its address on.
#[doc(hidden)]
pub const DATA: usize = 0;
const STATE: usize = 4;
const CONTROL: usize = 8;
#[doc(hidden)]
pub const INTERRUPT_CLEAR: usize = 12;
const BAUD_DIVIDER: usize = 16;

impl Uart {
    /// The UART at an address, whose clock runs at `hertz`; 8 data bits, no parity, 1 stop bit.
    ///
    /// # Safety
    ///
    /// It must be there.
    #[allow(unsafe_code)]
    pub const unsafe fn at(address: usize, hertz: u32, baud: u32) -> Self {
        Self {
            address,
            divider: hertz / baud,
        }
    }

    #[allow(unsafe_code)]
    #[inline(always)]
    fn register(self, offset: usize) -> Register {
        // SAFETY: who made this promised the UART, which has no DMA.
        unsafe { Register::at(self.address + offset) }
    }

    /// Starts sending and receiving.
    pub fn start(self) {
        self.register(BAUD_DIVIDER).write(self.divider);
        self.register(CONTROL)
            .write(CONTROL_SEND | CONTROL_RECEIVE | CONTROL_RECEIVE_INTERRUPT);
    }

    /// Whether it lost bytes since the last call: 1 if so, for it does not tell how many.
    pub fn take_lost(self) -> u32 {
        if self.register(STATE).read() & STATE_LOST_RECEIVED == 0 {
            return 0;
        }
        self.register(STATE).write(STATE_LOST_RECEIVED);
        1
    }

    /// Sends, waiting while it is busy.
    #[inline(always)]
    pub fn write(self, byte: u8) {
        while self.register(STATE).read() & STATE_CANNOT_SEND != 0 {}
        self.register(DATA).write(byte.into());
    }

    /// Sends when the firmware is beyond saving; see [`Machine::write_last_word`](crate::Machine::write_last_word).
    pub fn write_last_word(self, byte: u8) {
        self.register(BAUD_DIVIDER).write(self.divider);
        self.register(CONTROL).write(CONTROL_SEND);
        let mut patience = 100_000;
        while self.register(STATE).read() & STATE_CANNOT_SEND != 0 && patience > 0 {
            patience -= 1;
        }
        self.register(DATA).write(byte.into());
    }
}

/// `cmsdk_receive_handler!(NAME, Board, address)`: the function `NAME` is the handler of the UART's interrupt of received
/// bytes at a [`Machine`](crate::Machine).
///
/// It does what [`receive::byte`](crate::receive::byte) does, in assembly: 10 instructions for nearly every byte.
/// Compiled they are 14, with two for the frame that all functions have on this target and two for the other address.
#[macro_export]
macro_rules! cmsdk_receive_handler {
    ($name:ident, $machine:ty, $uart:expr) => {
        // SAFETY: the name stands for this interrupt in the table, nothing else has it. It needs no stack and changes
        // only registers that the core stored. What it writes to is as `receive::byte` says.
        #[allow(unsafe_code)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        extern "C" fn $name() {
            core::arch::naked_asm!(
                ".p2align 2",
                "ldrd r0, r1, 1f",
                // In this order: the next byte may come as soon as this one is read, and it must raise a new request.
                "movs r2, {received}",
                "str r2, [r0, {clear}]",
                "ldr r0, [r0, {data}]",
                "ldr r2, [r1]",
                "strb r0, [r2], #1",
                "str r2, [r1]",
                // Whether it is a multiple of a buffer's size.
                "lsls r2, r2, {above_buffer}",
                "beq.w {buffer_is_full}",
                "bx lr",
                ".p2align 2",
                "1: .word {uart}, {next}",
                received = const $crate::cmsdk::INTERRUPT_RECEIVED,
                clear = const $crate::cmsdk::INTERRUPT_CLEAR,
                data = const $crate::cmsdk::DATA,
                above_buffer = const 32 - $crate::receive::BUFFER_BYTES.ilog2(),
                uart = const $uart,
                next = sym $crate::receive::PLACES,
                buffer_is_full = sym $crate::receive::buffer_is_full::<$machine>,
            )
        }
    };
}

/// A timer of 32 bits, which counts down.
#[derive(Clone, Copy)]
pub struct Timer {
    control: Register,
    value: Register,
    reload: Register,
}

impl Timer {
    /// The timer at an address.
    ///
    /// # Safety
    ///
    /// It must be there.
    #[allow(unsafe_code)]
    pub const unsafe fn at(address: usize) -> Self {
        // SAFETY: these are the registers of the timer that the caller promises.
        unsafe {
            Self {
                control: Register::at(address),
                value: Register::at(address + 4),
                reload: Register::at(address + 8),
            }
        }
    }

    /// Starts it.
    pub fn start(self) {
        self.reload.write(u32::MAX);
        self.value.write(u32::MAX);
        self.control.write(1);
    }

    /// Ticks since the start; wraps.
    #[inline(always)]
    pub fn ticks(self) -> u32 {
        !self.value.read()
    }
}

/// A watchdog. At the end of its time it interrupts, at the end of the next it resets the board.
///
/// Luminary's chips have the same.
#[derive(Clone, Copy)]
pub struct Watchdog {
    load: Register,
    control: Register,
    feed: Register,
}

impl Watchdog {
    /// The watchdog at an address.
    ///
    /// # Safety
    ///
    /// It must be there.
    #[allow(unsafe_code)]
    pub const unsafe fn at(address: usize) -> Self {
        // SAFETY: these are the registers of the watchdog that the caller promises.
        unsafe {
            Self {
                load: Register::at(address),
                control: Register::at(address + 8),
                feed: Register::at(address + 12),
            }
        }
    }

    /// Starts it, with a clock of `hertz`: [`WATCHDOG_MILLISECONDS`] to the interrupt, as long again to the reset.
    pub fn start(self, hertz: u32) {
        self.load.write(hertz / 1000 * WATCHDOG_MILLISECONDS);
        self.control.write(0b11);
    }

    /// Starts the time anew.
    pub fn feed(self) {
        self.feed.write(1);
    }
}

/// The first LED of a board, bit 0 of a register. The second is not used: both share it.
pub struct Led(pub Register);

impl ErrorType for Led {
    type Error = Infallible;
}

impl OutputPin for Led {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.write(0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.write(1);
        Ok(())
    }
}
