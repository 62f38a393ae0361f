//! The console on a Raspberry Pi Pico: 192 KB for 158,446 URLs, 32 KB for the keys that users make.

#![no_std]
#![no_main]

mod chip;

use core::cell::RefCell;

use cortex_m::interrupt::Mutex;
use cortex_m_rt::entry;
use defmt_rtt as _;
use embedded_hal_nb::nb;
use embedded_hal_nb::serial::{Read, Write};
use rp2040_hal::clocks::init_clocks_and_plls;
use rp2040_hal::fugit::{ExtU32, RateExtU32};
use rp2040_hal::gpio::bank0::{Gpio0, Gpio1};
use rp2040_hal::gpio::{FunctionUart, Pin, Pins, PullDown};
use rp2040_hal::pac::{self, Interrupt, UART0, interrupt};
use rp2040_hal::uart::{DataBits, Reader, StopBits, UartConfig, UartPeripheral};
use rp2040_hal::{Clock, Sio, Watchdog};
use sundew::profile::{KB192, Kb192};
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew_board::receive::{self, Receiver};
use sundew_board::{
    AfterCrash, BAUD, Machine, Transmitter, WATCHDOG_MILLISECONDS, clock, crash_handlers, memory,
    run,
};

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

struct Board;

impl Machine for Board {
    const NAME: &'static str = "pico";
    type Interrupt = Interrupt;
    const RECEIVED: Interrupt = Interrupt::UART0_IRQ;
    const CLOCK_HZ: u32 = 125_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Reset;

    fn feed_watchdog() {
        chip::feed_watchdog();
    }

    fn was_reset_by_watchdog() -> bool {
        chip::was_reset_by_watchdog()
    }

    fn write_last_word(byte: u8) {
        chip::write_last_word(byte);
    }
}

crash_handlers!(Board);

type UartPins = (
    Pin<Gpio0, FunctionUart, PullDown>,
    Pin<Gpio1, FunctionUart, PullDown>,
);
static RX: Mutex<RefCell<Option<Reader<UART0, UartPins>>>> = Mutex::new(RefCell::new(None));

#[interrupt]
fn UART0_IRQ() {
    cortex_m::interrupt::free(|section| {
        while let Some(result) = RX.borrow(section).borrow_mut().as_mut().map(Read::read) {
            match result {
                // SAFETY: this is the handler.
                Ok(byte) if unsafe { receive::byte::<Board>(byte) } => {}
                Ok(_) | Err(nb::Error::WouldBlock) => return,
                Err(nb::Error::Other(_)) => receive::lost(1),
            }
        }
    });
}

#[entry]
fn main() -> ! {
    static mut URLS: Kb192 = Kb192::new();
    static mut ARENA: Arena<512> = Arena::new();

    memory::prepare_stack();
    let core = cortex_m::Peripherals::take().unwrap();
    let mut parts = pac::Peripherals::take().unwrap();
    let mut watchdog = Watchdog::new(parts.WATCHDOG);
    let (xosc, resets) = (parts.XOSC, &mut parts.RESETS);
    let clocks = init_clocks_and_plls(
        12_000_000,
        xosc,
        parts.CLOCKS,
        parts.PLL_SYS,
        parts.PLL_USB,
        resets,
        &mut watchdog,
    );
    let clocks = clocks.ok().unwrap();
    let sio = Sio::new(parts.SIO);
    let pins = Pins::new(parts.IO_BANK0, parts.PADS_BANK0, sio.gpio_bank0, resets);
    let uart_pins = (pins.gpio0.into_function(), pins.gpio1.into_function());
    let config = UartConfig::new(BAUD.Hz(), DataBits::Eight, None, StopBits::One);
    let uart = UartPeripheral::new(parts.UART0, uart_pins, resets)
        .enable(config, clocks.peripheral_clock.freq());
    let mut uart = uart.ok().unwrap();
    uart.set_fifos(true);
    uart.enable_rx_interrupt();
    let (rx, mut tx) = uart.split();
    cortex_m::interrupt::free(|section| RX.borrow(section).replace(Some(rx)));
    watchdog.start(WATCHDOG_MILLISECONDS.millis());
    clock::start(core.SYST, Board::CLOCK_HZ);
    let mut fixed = [Fixed::blocked("urls", KB192.capacity as u32, URLS)];
    run::<Board>(
        Keyspace::new(&mut fixed, ARENA),
        Receiver::start(core.NVIC),
        // It has no error to give.
        Transmitter(|byte| _ = nb::block!(Write::write(&mut tx, byte))),
        pins.gpio25.into_push_pull_output(),
    )
}
