//! Tries the board under the examples: it echoes, and crashes when it is asked to; see boards/common/src/trial.rs.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod common;

#[cfg(target_os = "none")]
mod firmware {
    use cortex_m_rt::entry;
    use sundew_board::{Machine, clock, memory, trial};

    use crate::common::{Board, WATCHDOG, start_uart};

    #[entry]
    fn main() -> ! {
        memory::prepare_stack();
        let core = cortex_m::Peripherals::take().unwrap();
        clock::start(core.SYST, Board::CLOCK_HZ);
        WATCHDOG.start(Board::CLOCK_HZ);
        let (receiver, transmitter) = start_uart(core.NVIC);
        trial::run(receiver, transmitter)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: tests/firmware.rs runs it");
}
