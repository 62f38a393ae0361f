//! The registers of an LM3S6965, for which there is no HAL: clock, UART 0 (a PL011) and the LED at pin F0.

use core::convert::Infallible;

use embedded_hal::digital::{ErrorType, OutputPin};
use sundew_board::BAUD;
use sundew_board::cmsdk::Watchdog;
use sundew_board::register::Register;

/// Of the core and of the UART: the PLL's 200 MHz by 4.
pub const CLOCK_HZ: u32 = 50_000_000;

const fn register(address: usize) -> Register {
    // SAFETY: only the constants below call it, with addresses of the chip's manual; none has to do with DMA.
    unsafe { Register::at(address) }
}

const RESET_CAUSE: Register = register(0x400F_E05C);
const RAW_INTERRUPT_STATUS: Register = register(0x400F_E050);
const CLOCK_GATING_0: Register = register(0x400F_E100);
const RUN_MODE_CLOCK: Register = register(0x400F_E060);
const CLOCK_GATING_1: Register = register(0x400F_E104);
const CLOCK_GATING_2: Register = register(0x400F_E108);

const PORT_A_ALTERNATE: Register = register(0x4000_4420);
const PORT_A_DIGITAL: Register = register(0x4000_451C);
const PORT_F_DIRECTION: Register = register(0x4002_5400);
const PORT_F_DIGITAL: Register = register(0x4002_551C);
/// The address is a mask: only pin 0 is written.
const PORT_F_PIN_0: Register = register(0x4002_5004);

const UART_DATA: Register = register(0x4000_C000);
const UART_FLAGS: Register = register(0x4000_C018);
const UART_BAUD_INTEGER: Register = register(0x4000_C024);
const UART_BAUD_FRACTION: Register = register(0x4000_C028);
const UART_LINE_CONTROL: Register = register(0x4000_C02C);
const UART_CONTROL: Register = register(0x4000_C030);
const UART_FIFO_LEVEL: Register = register(0x4000_C034);
const UART_INTERRUPT_MASK: Register = register(0x4000_C038);

const DATA_AFTER_LOSS: u32 = 1 << 11;
const FLAG_RECEIVE_EMPTY: u32 = 1 << 4;
const FLAG_TRANSMIT_FULL: u32 = 1 << 5;
const LINE_8_BITS_AND_FIFO: u32 = 3 << 5 | 1 << 4;
const CONTROL_ON: u32 = 1 << 9 | 1 << 8 | 1;
/// Some bytes are there, or have been for 32 bits of time.
const INTERRUPT_RECEIVED: u32 = 1 << 4 | 1 << 6;

/// Its interrupt comes before it resets the chip.
// SAFETY: it is there.
pub const WATCHDOG: Watchdog = unsafe { Watchdog::at(0x4000_0000) };
const WATCHDOG_INTERRUPT: u32 = 18;
const INTERRUPT_ENABLE: Register = register(0xE000_E100);

/// Starts clock, UART, pins and watchdog.
pub fn start() {
    // The crystal has 8 MHz. First the PLL is set up while it is not in use, then it is used.
    let set_up = 1 << 11 | 3 << 23 | 1 << 22 | 0xE << 6 | 1;
    RUN_MODE_CLOCK.write(set_up);
    while RAW_INTERRUPT_STATUS.read() & 1 << 6 == 0 {}
    RUN_MODE_CLOCK.write(set_up & !(1 << 11));

    CLOCK_GATING_0.set(1 << 3);
    CLOCK_GATING_1.set(1 << 0);
    CLOCK_GATING_2.set(1 << 0 | 1 << 5);
    // Three cycles until the parts listen; this takes as long.
    CLOCK_GATING_2.read();

    PORT_A_ALTERNATE.set(0b11);
    PORT_A_DIGITAL.set(0b11);
    PORT_F_DIRECTION.set(1);
    PORT_F_DIGITAL.set(1);

    // 64ths of a sixteenth of a bit.
    let divider = (CLOCK_HZ * 4 + BAUD / 2) / BAUD;
    UART_BAUD_INTEGER.write(divider / 64);
    UART_BAUD_FRACTION.write(divider % 64);
    UART_LINE_CONTROL.write(LINE_8_BITS_AND_FIFO);
    UART_FIFO_LEVEL.write(0);
    UART_INTERRUPT_MASK.write(INTERRUPT_RECEIVED);
    UART_CONTROL.write(CONTROL_ON);

    WATCHDOG.start(CLOCK_HZ);
    INTERRUPT_ENABLE.write(1 << WATCHDOG_INTERRUPT);
}

/// Whether the watchdog reset the chip; asking clears it.
pub fn was_reset_by_watchdog() -> bool {
    let cause = RESET_CAUSE.read();
    RESET_CAUSE.write(0);
    cause & 1 << 3 != 0
}

/// A byte that was received, and whether one was lost behind it.
pub fn read() -> Option<(u8, bool)> {
    if UART_FLAGS.read() & FLAG_RECEIVE_EMPTY != 0 {
        return None;
    }
    let data = UART_DATA.read();
    Some((data as u8, data & DATA_AFTER_LOSS != 0))
}

/// Sends, waiting while the UART is busy.
pub fn write(byte: u8) {
    while UART_FLAGS.read() & FLAG_TRANSMIT_FULL != 0 {}
    UART_DATA.write(byte.into());
}

/// Sends, but does not wait for ever.
pub fn write_last_word(byte: u8) {
    let mut patience = 100_000;
    while UART_FLAGS.read() & FLAG_TRANSMIT_FULL != 0 && patience > 0 {
        patience -= 1;
    }
    UART_DATA.write(byte.into());
}

/// The LED at pin F0.
pub struct Led;

impl ErrorType for Led {
    type Error = Infallible;
}

impl OutputPin for Led {
    fn set_low(&mut self) -> Result<(), Infallible> {
        PORT_F_PIN_0.write(0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        PORT_F_PIN_0.write(1);
        Ok(())
    }
}
