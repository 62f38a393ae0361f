//! What the console's firmware is on every board: the main loop, the ring of received bytes, the clock, the status
//! light, the stack's paint and the report of a crash.
//!
//! A board brings its memory map, its UART, its LED and its filter, and implements [`Machine`].

#![no_std]

mod baud;
pub mod boot;
pub mod clock;
pub mod cmsdk;
mod console;
pub mod crash;
mod interrupts;
#[cfg(feature = "large-ram")]
pub mod large_ram;
mod log;
mod machine;
pub mod memory;
#[cfg(feature = "embedded-storage")]
pub mod nordic_flash;
pub mod nordic_uart;
pub mod nordic_watchdog;
pub mod receive;
pub mod register;
mod small_memory;
mod status;
pub mod stm32f4_watchdog;
mod transmit;
pub mod trial;

pub use baud::BAUD;
pub use console::{describe, run, run_with};
pub use machine::{AfterCrash, Machine, WATCHDOG_MILLISECONDS};
pub use status::{Inverted, Status};
pub use transmit::Transmitter;

#[doc(hidden)]
pub use {cortex_m, cortex_m_rt};
