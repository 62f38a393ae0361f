//! The console on a Cortex-M3, for people and for Redis clients: `cargo xtask shell` boots it under QEMU.
//!
//! `urls` holds a million URLs in 1.25 MB of static RAM; 256 KiB are left to the keys that users make.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod common;

#[cfg(target_os = "none")]
mod firmware {
    use cortex_m_rt::entry;
    use sundew::profile::{DOCUMENT, Document};
    use sundew::shell::{Arena, Fixed, Keyspace};
    use sundew_board::{Machine, clock, memory, run};

    use crate::common::{Board, LED, TIMER, WATCHDOG, start_uart};

    #[entry]
    fn main() -> ! {
        static mut URLS: Document = Document::new();
        static mut ARENA: Arena<4096> = Arena::new();

        memory::prepare_stack();
        // SAFETY: nobody else takes them, and this runs once. `take` looks whether it does: the only panic of this
        // firmware, which takes 500 bytes with its report.
        #[allow(unsafe_code)]
        let core = unsafe { cortex_m::Peripherals::steal() };
        clock::start(core.SYST, Board::CLOCK_HZ);
        TIMER.start();
        WATCHDOG.start(Board::CLOCK_HZ);
        let (receiver, transmitter) = start_uart(core.NVIC);
        let mut fixed = [Fixed::blocked("urls", DOCUMENT.capacity as u32, URLS)];
        run::<Board>(Keyspace::new(&mut fixed, ARENA), receiver, transmitter, LED)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: cargo xtask shell");
}
