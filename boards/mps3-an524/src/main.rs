//! The console on QEMU's mps3-an524, a Cortex-M33 with DDR: the device of the 256 MB class. 1.25 MB for 1,000,000
//! URLs, 64 MB for the keys that users make. src/bin/crawl.rs has the larger filter.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use sundew::profile::{DOCUMENT, Document};
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew_board::cmsdk::{Led, Uart};
use sundew_board::large_ram::{self, Large};
use sundew_board::receive::Receiver;
use sundew_board::register::Register;
use sundew_board::{
    AfterCrash, Machine, Transmitter, clock, cmsdk_receive_handler, crash_handlers,
    interrupt_table, memory, run,
};

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

struct Board;

impl Machine for Board {
    const NAME: &'static str = "mps3-an524";
    type Interrupt = Uart0Received;
    const RECEIVED: Uart0Received = Uart0Received;
    const CLOCK_HZ: u32 = 32_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Exit;

    fn take_lost() -> u32 {
        UART.take_lost()
    }

    fn write_last_word(byte: u8) {
        UART.write_last_word(byte);
    }
}

const UART_ADDRESS: usize = 0x5130_3000;
// SAFETY: both are there, at their secure addresses: the core starts in the secure state and stays there.
const UART: Uart = unsafe { Uart::at(UART_ADDRESS, Board::CLOCK_HZ, sundew_board::BAUD) };
const LED: Led = Led(unsafe { Register::at(0x5130_2000) });

crash_handlers!(Board);
interrupt_table!(Uart0Received = 32 => received);

cmsdk_receive_handler!(received, Board, UART_ADDRESS);

#[unsafe(link_section = ".large.urls")]
static URLS: Large<Document> = Large::new(Document::new());
#[unsafe(link_section = ".large.arena")]
static ARENA: Large<Arena<{ 64 * 16_384 }>> = Large::new(Arena::new());

#[entry]
fn main() -> ! {
    memory::prepare_stack();
    // SAFETY: this runs once, and in this order.
    let (urls, arena) = unsafe {
        large_ram::clear();
        (URLS.take(), ARENA.take())
    };
    let core = cortex_m::Peripherals::take().unwrap();
    clock::start(core.SYST, Board::CLOCK_HZ);
    UART.start();
    let mut fixed = [Fixed::blocked("urls", DOCUMENT.capacity as u32, urls)];
    run::<Board>(
        Keyspace::new(&mut fixed, arena),
        Receiver::start(core.NVIC),
        Transmitter(|byte| UART.write(byte)),
        LED,
    )
}
