//! The console on QEMU's mps2-an500, a Cortex-M7: 4 MB for 3,318,835 URLs, the most that a 32-bit hash tells apart,
//! and 8 MB for the keys that users make.

#![no_std]
#![no_main]

use cortex_m_rt::{entry, exception};
use sundew::BlockedBloom;
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew::sizing::{Plan, Rate};
use sundew_board::cmsdk::{Led, Timer, Uart, Watchdog};
use sundew_board::large_ram::{self, Large};
use sundew_board::receive::Receiver;
use sundew_board::register::Register;
use sundew_board::{
    AfterCrash, Machine, Transmitter, clock, cmsdk_receive_handler, crash, crash_handlers,
    interrupt_table, memory, run,
};

const PLAN: Plan = Plan::for_ram(4 * 1024 * 1024, Rate::percent(1));

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

struct Board;

impl Machine for Board {
    const NAME: &'static str = "mps2-an500";
    type Interrupt = Uart0Received;
    const RECEIVED: Uart0Received = Uart0Received;
    const CLOCK_HZ: u32 = 25_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Exit;

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

const UART_ADDRESS: usize = 0x4000_4000;
// SAFETY: all are there.
const UART: Uart = unsafe { Uart::at(UART_ADDRESS, Board::CLOCK_HZ, sundew_board::BAUD) };
const TIMER: Timer = unsafe { Timer::at(0x4000_0000) };
const WATCHDOG: Watchdog = unsafe { Watchdog::at(0x4000_8000) };
const LED: Led = Led(unsafe { Register::at(0x4002_8000) });

crash_handlers!(Board);
interrupt_table!(Uart0Received = 0 => received);

cmsdk_receive_handler!(received, Board, UART_ADDRESS);

/// The watchdog is about to reset the board.
#[exception]
unsafe fn NonMaskableInt() -> ! {
    crash::watchdog::<Board>()
}

#[unsafe(link_section = ".large.urls")]
static URLS: Large<BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }>> = Large::new(BlockedBloom::new());
#[unsafe(link_section = ".large.arena")]
static ARENA: Large<Arena<{ 8 * 16_384 }>> = Large::new(Arena::new());

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
    TIMER.start();
    // Four times as long: a key may take 8 MB here, and the checksum of its dump ten seconds.
    WATCHDOG.start(4 * Board::CLOCK_HZ);
    UART.start();
    let mut fixed = [Fixed::blocked("urls", PLAN.keys() as u32, urls)];
    run::<Board>(
        Keyspace::new(&mut fixed, arena),
        Receiver::start(core.NVIC),
        Transmitter(|byte| UART.write(byte)),
        LED,
    )
}
