//! The board under the examples: QEMU's mps2-an385. What it shares with other boards is in boards/common.
#![cfg(target_os = "none")]
#![allow(dead_code)] // no example uses all of it

pub mod interrupts;
mod log;

use cortex_m::peripheral::NVIC;
use sundew_board::cmsdk::{Led, Timer, Uart, Watchdog};
use sundew_board::receive::Receiver;
use sundew_board::register::Register;
use sundew_board::{
    AfterCrash, Machine, Transmitter, cmsdk_receive_handler, crash, crash_handlers,
};

use interrupts::Uart0Received;

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../../memory.x");

/// The machine.
pub struct Board;

impl Machine for Board {
    const NAME: &'static str = "mps2-an385";
    type Interrupt = Uart0Received;
    const RECEIVED: Uart0Received = Uart0Received;
    /// Of the core and of its timers.
    const CLOCK_HZ: u32 = 25_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Exit;

    // One function wherever it is called from, so that reading the clock costs the same everywhere.
    #[inline(never)]
    fn ticks() -> u32 {
        TIMER.ticks()
    }

    fn take_lost() -> u32 {
        UART.take_lost()
    }

    fn feed_watchdog() {
        WATCHDOG.feed();
    }

    fn write_last_word(byte: u8) {
        UART.write_last_word(byte);
    }
}

crash_handlers!(Board);

const UART_ADDRESS: usize = 0x4000_4000;
// SAFETY: all are there on mps2-an385.
#[allow(unsafe_code)]
const UART: Uart = unsafe { Uart::at(UART_ADDRESS, Board::CLOCK_HZ, sundew_board::BAUD) };
#[allow(unsafe_code)]
pub const TIMER: Timer = unsafe { Timer::at(0x4000_0000) };
#[allow(unsafe_code)]
pub const WATCHDOG: Watchdog = unsafe { Watchdog::at(0x4000_8000) };
#[allow(unsafe_code)]
pub const LED: Led = Led(unsafe { Register::at(0x4002_8000) });

/// Starts the UART: 8 data bits, no parity, 1 stop bit.
pub fn start_uart(controller: NVIC) -> (Receiver<Board>, Transmitter<impl FnMut(u8)>) {
    UART.start();
    (
        Receiver::start(controller),
        Transmitter(|byte| UART.write(byte)),
    )
}

/// The watchdog is about to reset the board.
// SAFETY: the name is that of the exception in cortex-m-rt's table, whose own macro would add two functions.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
extern "C" fn NonMaskableInt() -> ! {
    crash::watchdog::<Board>()
}

cmsdk_receive_handler!(UART0_RX, Board, UART_ADDRESS);
