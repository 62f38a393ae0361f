//! TIMER0 of the nRF51 as the clock: its core has no SysTick.

use cortex_m::peripheral::NVIC;
use nrf51_hal::pac::{Interrupt, TIMER0, interrupt};
use sundew_board::clock;

/// 16 MHz by 2 to the power of 4.
pub const HZ: u32 = 1_000_000;
const STEP: u32 = HZ / 1000 * clock::STEP_MILLISECONDS;

/// The registers, which main hands over by [`start`] and nothing else uses.
fn timer() -> &'static nrf51_hal::pac::timer0::RegisterBlock {
    // SAFETY: the interrupt uses compare register 0, the main loop register 1.
    unsafe { &*TIMER0::ptr() }
}

/// Starts it, with an interrupt every 50 ms. Received bytes go before it.
pub fn start(_timer: TIMER0, controller: &mut NVIC) {
    let timer = timer();
    timer.bitmode.write(|register| register.bitmode()._32bit());
    // SAFETY: any value of 4 bits up to 9 is a divider.
    timer
        .prescaler
        .write(|register| unsafe { register.prescaler().bits(4) });
    // SAFETY: any value goes.
    timer.cc[0].write(|register| unsafe { register.bits(STEP) });
    timer.intenset.write(|register| register.compare0().set());
    // SAFETY: any value goes.
    timer
        .tasks_start
        .write(|register| unsafe { register.bits(1) });
    // SAFETY: no critical section relies on priorities or on the mask of this interrupt.
    unsafe {
        controller.set_priority(Interrupt::TIMER0, 0x80);
        NVIC::unmask(Interrupt::TIMER0);
    }
}

/// [`HZ`] a second; wraps after 71 minutes.
pub fn ticks() -> u32 {
    let timer = timer();
    // SAFETY: any value goes.
    timer.tasks_capture[1].write(|register| unsafe { register.bits(1) });
    timer.cc[1].read().bits()
}

#[interrupt]
fn TIMER0() {
    let timer = timer();
    // SAFETY: any value goes, here and below.
    timer.events_compare[0].write(|register| unsafe { register.bits(0) });
    timer.cc[0]
        .modify(|register, writer| unsafe { writer.bits(register.bits().wrapping_add(STEP)) });
    clock::step();
}
