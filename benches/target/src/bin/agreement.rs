//! Prints a checksum of every filter's bits, to be compared with the host's.

#![no_std]
#![no_main]

#[path = "../../../../tests/support/checksums.rs"]
mod checksums;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;

#[entry]
fn main() -> ! {
    checksums::checksums(300, |name, sum| hprintln!("{}: {:08x}", name, sum));
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
