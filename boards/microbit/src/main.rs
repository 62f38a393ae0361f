//! The console on a micro:bit v1: 8 KB for 6,607 URLs, 2 KB for the keys that users make, and flash to save them all.

#![no_std]
#![no_main]

mod timer;

use cortex_m_rt::entry;
use defmt_rtt as _;
use nrf51_hal::Clocks;
use nrf51_hal::gpio::{Level, p0};
use nrf51_hal::pac::{self, Interrupt, interrupt};
use sundew::persist::Store;
use sundew::profile::{KB8, Kb8};
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew_board::nordic_flash::NordicFlash;
use sundew_board::receive::Receiver;
use sundew_board::{
    AfterCrash, Machine, crash_handlers, memory, nordic_uart, nordic_watchdog, run_with,
};

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

/// The end of the flash, which memory.x leaves free: two slots, each for all RAM and as much again of changes.
const STORE: core::ops::Range<usize> = 0x3_8000..0x4_0000;
const SLOTS: u32 = 2;

struct Board;

impl Machine for Board {
    const NAME: &'static str = "microbit";
    type Interrupt = Interrupt;
    const RECEIVED: Interrupt = Interrupt::UART0;
    const CLOCK_HZ: u32 = timer::HZ;
    const AFTER_CRASH: AfterCrash = AfterCrash::Reset;

    fn ticks() -> u32 {
        timer::ticks()
    }

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
fn UART0() {
    // SAFETY: this is the handler.
    unsafe { nordic_uart::interrupt::<Board>() }
}

#[entry]
fn main() -> ! {
    static mut URLS: Kb8 = Kb8::new();
    static mut ARENA: Arena<32> = Arena::new();

    memory::prepare_stack();
    let mut core = cortex_m::Peripherals::take().unwrap();
    let chip = pac::Peripherals::take().unwrap();
    // The UART's rate needs the crystal.
    Clocks::new(chip.CLOCK).enable_ext_hfosc();
    let pins = p0::Parts::new(chip.GPIO);
    // The upper left LED: row 1 high, column 1 low.
    pins.p0_04.into_push_pull_output(Level::Low);
    let led = pins.p0_13.into_push_pull_output(Level::Low);
    // To the USB chip, which makes a serial port of it.
    pins.p0_24.into_push_pull_output(Level::High);
    pins.p0_25.into_floating_input();
    let transmitter = nordic_uart::start(24, 25);
    nordic_watchdog::start();
    timer::start(chip.TIMER0, &mut core.NVIC);
    // SAFETY: the program ends before, and this runs once.
    let flash = unsafe { NordicFlash::new(STORE) };
    let mut store = Store::open(flash, 0..STORE.len() as u32, SLOTS);
    let mut fixed = [Fixed::blocked("urls", KB8.capacity as u32, URLS)];
    run_with::<Board>(
        Keyspace::new(&mut fixed, ARENA),
        Receiver::start(core.NVIC),
        transmitter,
        led,
        |shell| match &mut store {
            Ok(store) => match shell.restore_from(store) {
                Ok(records) => defmt::info!("{} filters restored", records),
                Err(_) => defmt::error!("what was saved does not fit this firmware"),
            },
            Err(_) => defmt::error!("no flash to save to"),
        },
    )
}
