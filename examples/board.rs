//! Tries the board under the examples. It echoes what it receives, but for three letters: `p` is a panic, `f` a
//! fault, and after `s` it is busy for half a second.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod common;

#[cfg(target_os = "none")]
mod firmware {
    use cortex_m_rt::entry;
    use embedded_io::Write;
    use sundew_board::{Machine, clock};

    use crate::common::{Board, start_uart};

    #[entry]
    fn main() -> ! {
        let core = cortex_m::Peripherals::take().unwrap();
        clock::start(core.SYST, Board::CLOCK_HZ);
        let (mut receiver, mut transmitter) = start_uart(core.NVIC);
        loop {
            let packet = receiver.read();
            if packet.bytes().is_empty() {
                receiver.sleep();
            }
            for byte in packet.bytes() {
                match byte {
                    b'p' => panic!("on demand"),
                    b'f' => fault(),
                    b's' => stall(),
                    byte => {
                        let Ok(()) = transmitter.write_all(&[*byte]);
                    }
                }
            }
        }
    }

    #[allow(unsafe_code)]
    fn fault() {
        // SAFETY: it is not; mps2-an385 has nothing at this address, and the core faults.
        unsafe { core::ptr::with_exposed_provenance::<u32>(0xA000_0000).read_volatile() };
    }

    fn stall() {
        let start = clock::milliseconds();
        while clock::milliseconds().wrapping_sub(start) < 500 {}
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: tests/firmware.rs runs it");
}
