//! What one `BF.ADD` of an 80-byte item costs the console's firmware, in instructions: `cargo xtask bench shell`
//! runs it under QEMU. First one of many in a row, of which all but the item comes again; then `BF.ADD` and
//! `BF.EXISTS` by turns, which come to 1 byte more on average.
//!
//! Every part runs as in `shell.rs`: the interrupt for each byte, moving bytes out of the ring, and the shell. Only
//! the bytes' values are not those of the UART, which nobody sends anything: the interrupt and the ring cost the
//! same for any.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod common;

#[cfg(target_os = "none")]
mod firmware {
    use core::fmt::Write;

    use cortex_m_rt::entry;
    use cortex_m_semihosting::{debug, hprintln};
    use heapless::{String, Vec};
    use sundew::profile::{DOCUMENT, Document};
    use sundew::shell::{Arena, Board as Description, Fixed, Keyspace, Shell};
    use sundew_board::receive::BUFFER_BYTES;
    use sundew_board::register::Register;
    use sundew_board::{Machine, describe};

    use crate::common::{Board, TIMER, start_uart};

    /// Together they fill a whole number of buffers, as they come without pauses.
    const COMMANDS: u32 = 256;

    /// The interrupt controller: a 1 raises an interrupt. That of the UART is bit 0.
    // SAFETY: every core has it there.
    #[allow(unsafe_code)]
    const INTERRUPT_PEND: Register = unsafe { Register::at(0xE000_E200) };
    const UART0_RX_BIT: u32 = 1 << 0;

    #[entry]
    fn main() -> ! {
        static mut URLS: Document = Document::new();
        static mut ARENA: Arena<4096> = Arena::new();

        let core = cortex_m::Peripherals::take().unwrap();
        TIMER.start();
        let (mut receiver, mut transmitter) = start_uart(core.NVIC);
        let mut fixed = [Fixed::blocked("urls", DOCUMENT.capacity as u32, URLS)];
        let board = Description {
            stack_high_water: || 0,
            ..describe::<Board>()
        };
        let mut shell = Shell::new(Keyspace::new(&mut fixed, ARENA), board);

        for (name, commands) in [("again", ["BF.ADD"; 2]), ("turns", ["BF.ADD", "BF.EXISTS"])] {
            let [mut interrupts, mut ring, mut work] = [0; 3];
            let mut bytes = 0;
            let mut piece = Vec::<u8, BUFFER_BYTES>::new();
            for i in 0..COMMANDS {
                let command = commands[i as usize % 2];
                let mut frame = String::<128>::new();
                write!(
                    frame,
                    "*3\r\n${}\r\n{command}\r\n$4\r\nurls\r\n$80\r\nhttps://www.example.com/archive/2026/articles/section-00/page-{i:013}.html\r\n",
                    command.len()
                )
                .unwrap();
                assert!(frame.len() == 107 + command.len());
                for byte in frame.bytes() {
                    bytes += 1;
                    piece.push(byte).unwrap();
                    if !piece.is_full() {
                        continue;
                    }
                    interrupts += ticks(|| {
                        piece
                            .iter()
                            .for_each(|_| INTERRUPT_PEND.write(UART0_RX_BIT))
                    });
                    // Asking for no interrupt takes as long as asking for one.
                    interrupts -= ticks(|| piece.iter().for_each(|_| INTERRUPT_PEND.write(0)));
                    ring += ticks(|| receiver.read(|bytes| assert!(bytes.len() == piece.len())));
                    work += ticks(|| {
                        let Ok(()) = shell.feed(&piece, 0, &mut transmitter);
                    });
                    piece.clear();
                }
            }
            assert!(piece.is_empty());
            hprintln!("{} bytes {}", name, bytes / COMMANDS);
            for (part, ticks) in [
                ("interrupts", interrupts),
                ("ring", ring),
                ("shell", work),
                ("all", interrupts + ring + work),
            ] {
                hprintln!("{} {} {}", name, part, instructions(ticks / COMMANDS));
            }
        }
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }

    /// Ticks that the work takes, with those of reading the clock left out.
    fn ticks(work: impl FnOnce()) -> u32 {
        let start = Board::ticks();
        work();
        let end = Board::ticks();
        let empty = Board::ticks().wrapping_sub(end);
        end.wrapping_sub(start) - empty
    }

    /// QEMU is told that an instruction takes 256 ns; a tick is 40 ns.
    fn instructions(ticks: u32) -> u32 {
        ticks * 40 / 256
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: cargo xtask bench shell");
}
