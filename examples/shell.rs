//! The console on a Cortex-M3, for people and for Redis clients: `cargo xtask shell` boots it under QEMU.
//!
//! `urls` holds a million URLs in 1.25 MB of static RAM; 256 KiB are left to the keys that users make.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod common;

#[cfg(target_os = "none")]
mod firmware {
    use cortex_m_rt::entry;
    use sundew::profile::{DOCUMENT, Document};
    use sundew::shell::{Arena, Board, Fixed, Keyspace, Shell};

    use crate::common::led::{Led, Status};
    use crate::common::log::log;
    use crate::common::{clock, memory, uart};

    #[entry]
    fn main() -> ! {
        static mut URLS: Document = Document::new();
        static mut ARENA: Arena<4096> = Arena::new();

        memory::paint_stack();
        let core = cortex_m::Peripherals::take().unwrap();
        clock::start(core.SYST);
        let (mut receiver, mut transmitter) = uart::start(core.NVIC);
        let mut status = Status::new(Led);

        let mut fixed = [Fixed::blocked("urls", DOCUMENT.capacity as u32, URLS)];
        let mut shell = Shell::new(
            Keyspace::new(&mut fixed, ARENA),
            Board {
                name: "mps2-an385",
                static_ram: memory::static_ram(),
                stack_high_water: memory::stack_high_water,
                clock: clock::ticks,
                clock_hz: clock::HZ,
            },
        );
        log!(info, "started, {} bytes of static RAM", memory::static_ram());

        let mut chunk = [0; 64];
        loop {
            let received = receiver.read(&mut chunk);
            let now = clock::milliseconds();
            let lost = receiver.take_lost();
            if lost > 0 {
                log!(warn, "the UART lost {} bytes or more", lost);
                shell.bytes_lost(lost);
            }
            // Writing to the UART cannot fail.
            if !received.is_empty() {
                let Ok(()) = shell.feed(received, now, &mut transmitter);
                let Ok(()) = status.active(now, shell.is_near_capacity());
            } else {
                let Ok(()) = shell.poll(now, &mut transmitter);
                let Ok(()) = status.show(now);
                receiver.sleep();
            }
        }
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: cargo xtask shell");
}
