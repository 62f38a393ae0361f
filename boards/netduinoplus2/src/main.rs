//! The console on an STM32F405, for instance the Netduino Plus 2: 96 KB for 79,258 URLs, 16 KB for the keys that
//! users make.

#![no_std]
#![no_main]

use core::cell::RefCell;

use cortex_m::interrupt::Mutex;
use cortex_m_rt::entry;
use defmt_rtt as _;
use embedded_hal_nb::nb;
use embedded_hal_nb::serial::{Read, Write};
use stm32f4xx_hal::pac::{self, Interrupt, USART1, interrupt};
use stm32f4xx_hal::prelude::*;
use stm32f4xx_hal::rcc::Config;
use stm32f4xx_hal::serial::Rx;
use stm32f4xx_hal::watchdog::IndependentWatchdog;
use sundew::BlockedBloom;
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew::sizing::{Plan, Rate};
use sundew_board::receive::{self, Receiver};
use sundew_board::{
    AfterCrash, BAUD, Machine, Transmitter, WATCHDOG_MILLISECONDS, clock, crash_handlers, memory,
    run, stm32f4_watchdog,
};

const PLAN: Plan = Plan::for_ram(96 * 1024, Rate::percent(1));

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

struct Board;

impl Machine for Board {
    const NAME: &'static str = "netduinoplus2";
    type Interrupt = Interrupt;
    const RECEIVED: Interrupt = Interrupt::USART1;
    const CLOCK_HZ: u32 = 168_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Reset;

    fn feed_watchdog() {
        stm32f4_watchdog::feed();
    }

    fn was_reset_by_watchdog() -> bool {
        stm32f4_watchdog::was_reset_by_watchdog()
    }

    fn write_last_word(byte: u8) {
        // SAFETY: nothing else runs any more.
        let uart = unsafe { &*USART1::ptr() };
        let mut patience = 1_000_000;
        while uart.sr().read().txe().bit_is_clear() && patience > 0 {
            patience -= 1;
        }
        uart.dr().write(|register| register.dr().set(byte.into()));
    }
}

crash_handlers!(Board);

static RX: Mutex<RefCell<Option<Rx<USART1>>>> = Mutex::new(RefCell::new(None));

#[interrupt]
fn USART1() {
    cortex_m::interrupt::free(|section| {
        match RX.borrow(section).borrow_mut().as_mut().map(Read::read) {
            // SAFETY: this is the handler.
            Some(Ok(byte)) => _ = unsafe { receive::byte::<Board>(byte) },
            Some(Err(nb::Error::Other(_))) => receive::lost(1),
            Some(Err(nb::Error::WouldBlock)) | None => {}
        }
    });
}

#[entry]
fn main() -> ! {
    static mut URLS: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
    static mut ARENA: Arena<256> = Arena::new();

    memory::prepare_stack();
    let core = cortex_m::Peripherals::take().unwrap();
    let chip = pac::Peripherals::take().unwrap();
    // From the chip's own oscillator: boards differ in their crystals. QEMU has no clock control, so no oscillator
    // is ever ready, and to wait for the PLL would be for ever; its clock is 168 MHz anyway.
    let is_silicon = chip.RCC.cr().read().hsirdy().bit_is_set();
    let clocks = if is_silicon {
        Config::hsi().sysclk(168.MHz())
    } else {
        Config::hsi()
    };
    let mut rcc = chip.RCC.freeze(clocks);
    let (pins_a, pins_b) = (chip.GPIOA.split(&mut rcc), chip.GPIOB.split(&mut rcc));

    let uart = (chip.USART1).serial::<u8>((pins_b.pb6, pins_b.pb7), BAUD.bps(), &mut rcc);
    let (mut tx, mut rx) = uart.unwrap().split();
    rx.listen();
    cortex_m::interrupt::free(|section| RX.borrow(section).replace(Some(rx)));
    IndependentWatchdog::new(chip.IWDG).start(WATCHDOG_MILLISECONDS.millis());
    clock::start(core.SYST, Board::CLOCK_HZ);
    let mut fixed = [Fixed::blocked("urls", PLAN.keys() as u32, URLS)];
    run::<Board>(
        Keyspace::new(&mut fixed, ARENA),
        Receiver::start(core.NVIC),
        // It has no error to give.
        Transmitter(|byte| _ = nb::block!(Write::write(&mut tx, byte))),
        pins_a.pa10.into_push_pull_output(),
    )
}
