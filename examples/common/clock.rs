//! Time: milliseconds for the shell's patience, ticks for its benchmark.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::exception;

use super::register::{TIMER_CONTROL, TIMER_RELOAD, TIMER_VALUE};

/// Of the core and of its timers.
pub const HZ: u32 = 25_000_000;

/// Between two interrupts; the shell wants to be called every 50 ms at least.
const STEP_MILLISECONDS: u32 = 10;

static MILLISECONDS: AtomicU32 = AtomicU32::new(0);

/// Starts both clocks.
pub fn start(mut timer: SYST) {
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(HZ / 1000 * STEP_MILLISECONDS - 1);
    timer.clear_current();
    timer.enable_interrupt();
    timer.enable_counter();

    TIMER_RELOAD.write(u32::MAX);
    TIMER_VALUE.write(u32::MAX);
    TIMER_CONTROL.write(1);
}

/// Since the start, in steps of 10; wraps after 49 days.
pub fn milliseconds() -> u32 {
    MILLISECONDS.load(Ordering::Relaxed)
}

/// [`HZ`] a second; wraps after 171 seconds.
pub fn ticks() -> u32 {
    !TIMER_VALUE.read()
}

#[exception]
fn SysTick() {
    // Nothing else writes it, so this need not be one step.
    MILLISECONDS.store(
        milliseconds().wrapping_add(STEP_MILLISECONDS),
        Ordering::Relaxed,
    );
}
