//! The console on a Stellaris LM3S6965 evaluation board: 32 KB for 26,427 URLs, 16 KB for the keys that users make.

#![no_std]
#![no_main]

mod chip;

use cortex_m_rt::entry;
use sundew::profile::{KB32, Kb32};
use sundew::shell::{Arena, Fixed, Keyspace};
use sundew_board::receive::{self, Receiver};
use sundew_board::{
    AfterCrash, Machine, Transmitter, clock, crash, crash_handlers, interrupt_table, memory, run,
};

/// So that cargo links anew when it was changed.
const _: &[u8] = include_bytes!("../memory.x");

struct Board;

impl Machine for Board {
    const NAME: &'static str = "lm3s6965evb";
    type Interrupt = Uart0;
    const RECEIVED: Uart0 = Uart0;
    const CLOCK_HZ: u32 = chip::CLOCK_HZ;
    const AFTER_CRASH: AfterCrash = AfterCrash::Reset;

    fn feed_watchdog() {
        chip::WATCHDOG.feed();
    }

    fn was_reset_by_watchdog() -> bool {
        chip::was_reset_by_watchdog()
    }

    fn write_last_word(byte: u8) {
        chip::write_last_word(byte);
    }
}

crash_handlers!(Board);
interrupt_table!(Uart0 = 5 => received, 18 => watchdog);

extern "C" fn received() {
    while let Some((byte, is_after_loss)) = chip::read() {
        receive::lost(is_after_loss.into());
        // SAFETY: this is the handler.
        if !unsafe { receive::byte::<Board>(byte) } {
            return;
        }
    }
}

extern "C" fn watchdog() {
    crash::watchdog::<Board>()
}

#[entry]
fn main() -> ! {
    static mut URLS: Kb32 = Kb32::new();
    static mut ARENA: Arena<256> = Arena::new();

    memory::prepare_stack();
    let core = cortex_m::Peripherals::take().unwrap();
    chip::start();
    clock::start(core.SYST, Board::CLOCK_HZ);
    let mut fixed = [Fixed::blocked("urls", KB32.capacity as u32, URLS)];
    run::<Board>(
        Keyspace::new(&mut fixed, ARENA),
        Receiver::start(core.NVIC),
        Transmitter(chip::write),
        chip::Led,
    )
}
