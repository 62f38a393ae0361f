//! The console on an nRF52840-DK: 192 KB for 158,446 URLs, 32 KB for the keys that users make.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use defmt_rtt as _;
use nrf52840_hal::Clocks;
use nrf52840_hal::gpio::{Level, p0};
use nrf52840_hal::pac::{self, Interrupt, interrupt};
use sundew::profile::{KB192, Kb192};
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew_board::receive::Receiver;
use sundew_board::{
    AfterCrash, Inverted, Machine, clock, crash_handlers, memory, nordic_uart, nordic_watchdog, run,
};

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

struct Board;

impl Machine for Board {
    const NAME: &'static str = "nrf52840-dk";
    type Interrupt = Interrupt;
    const RECEIVED: Interrupt = Interrupt::UARTE0_UART0;
    const CLOCK_HZ: u32 = 64_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Reset;

    fn feed_watchdog() {
        nordic_watchdog::feed();
    }

    fn was_reset_by_watchdog() -> bool {
        nordic_watchdog::was_reset_by_watchdog()
    }

    fn write_last_word(byte: u8) {
        nordic_uart::write_last_word(byte);
    }
}

crash_handlers!(Board);

#[interrupt]
fn UARTE0_UART0() {
    // SAFETY: this is the handler.
    unsafe { nordic_uart::interrupt::<Board>() }
}

#[entry]
fn main() -> ! {
    static mut URLS: Kb192 = Kb192::new();
    static mut ARENA: Arena<512> = Arena::new();

    memory::prepare_stack();
    let core = cortex_m::Peripherals::take().unwrap();
    let chip = pac::Peripherals::take().unwrap();
    // The UART's rate needs the crystal.
    Clocks::new(chip.CLOCK).enable_ext_hfosc();
    let pins = p0::Parts::new(chip.P0);
    // LED 1, which is lit when low.
    let led = Inverted(pins.p0_13.into_push_pull_output(Level::High));
    // To the debugger, which makes a serial port of it.
    pins.p0_06.into_push_pull_output(Level::High);
    pins.p0_08.into_floating_input();
    let transmitter = nordic_uart::start(6, 8);
    nordic_watchdog::start();
    clock::start(core.SYST, Board::CLOCK_HZ);
    let mut fixed = [Fixed::blocked("urls", KB192.capacity as u32, URLS)];
    run::<Board>(
        Keyspace::new(&mut fixed, ARENA),
        Receiver::start(core.NVIC),
        transmitter,
        led,
    )
}
