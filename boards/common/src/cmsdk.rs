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
const INTERRUPT_RECEIVED: u32 = 1 << 1;

/// A UART.
#[derive(Clone, Copy)]
pub struct Uart {
    data: Register,
    state: Register,
    control: Register,
    interrupt_clear: Register,
    baud_divider: Register,
    divider: u32,
}

impl Uart {
    /// The UART at an address, whose clock runs at `hertz`; 8 data bits, no parity, 1 stop bit.
    ///
    /// # Safety
    ///
    /// It must be there.
    #[allow(unsafe_code)]
    pub const unsafe fn at(address: usize, hertz: u32, baud: u32) -> Self {
        // SAFETY: these are the registers of the UART that the caller promises.
        unsafe {
            Self {
                data: Register::at(address),
                state: Register::at(address + 4),
                control: Register::at(address + 8),
                interrupt_clear: Register::at(address + 12),
                baud_divider: Register::at(address + 16),
                divider: hertz / baud,
            }
        }
    }

    /// Starts sending and receiving.
    pub fn start(self) {
        self.baud_divider.write(self.divider);
        (self.control).write(CONTROL_SEND | CONTROL_RECEIVE | CONTROL_RECEIVE_INTERRUPT);
    }

    /// Takes the byte of which the interrupt told.
    #[inline(always)]
    pub fn read(self) -> u8 {
        // In this order: the next byte may come as soon as this one is read, and it must raise a new request.
        self.interrupt_clear.write(INTERRUPT_RECEIVED);
        self.data.read() as u8
    }

    /// Whether it lost bytes since the last call: 1 if so, for it does not tell how many.
    pub fn take_lost(self) -> u32 {
        if self.state.read() & STATE_LOST_RECEIVED == 0 {
            return 0;
        }
        self.state.write(STATE_LOST_RECEIVED);
        1
    }

    /// Sends, waiting while it is busy.
    #[inline(always)]
    pub fn write(self, byte: u8) {
        while self.state.read() & STATE_CANNOT_SEND != 0 {}
        self.data.write(byte.into());
    }

    /// Sends when the firmware is beyond saving; see [`Machine::write_last_word`](crate::Machine::write_last_word).
    pub fn write_last_word(self, byte: u8) {
        self.baud_divider.write(self.divider);
        self.control.write(CONTROL_SEND);
        let mut patience = 100_000;
        while self.state.read() & STATE_CANNOT_SEND != 0 && patience > 0 {
            patience -= 1;
        }
        self.data.write(byte.into());
    }
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

    /// Starts it, with a clock of `hertz`: half of [`WATCHDOG_MILLISECONDS`] to the interrupt, half to the reset.
    pub fn start(self, hertz: u32) {
        self.load.write(hertz / 1000 * (WATCHDOG_MILLISECONDS / 2));
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
