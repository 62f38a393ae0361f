//! Time: milliseconds for the shell's patience, ticks for its benchmark.

use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::SYST;
use cortex_m_rt::exception;

/// Between two interrupts of a timer: as long as the shell may wait for its next call. Every one wakes the core.
pub const STEP_MILLISECONDS: u32 = 50;

// Of the timer's control register.
const CORE_CLOCK: u32 = 1 << 2;
const INTERRUPT: u32 = 1 << 1;
const ON: u32 = 1 << 0;

static MILLISECONDS: AtomicU32 = AtomicU32::new(0);

/// Starts the core's timer, which counts at `hertz`.
#[allow(unsafe_code)]
pub fn start(mut timer: SYST, hertz: u32) {
    timer.set_reload(hertz / 1000 * STEP_MILLISECONDS - 1);
    timer.clear_current();
    // SAFETY: who hands the timer over has nothing that depends on it.
    unsafe { timer.csr.write(CORE_CLOCK | INTERRUPT | ON) };
}

/// Since the start, in steps of 50; wraps after 49 days.
pub fn milliseconds() -> u32 {
    MILLISECONDS.load(Ordering::Relaxed)
}

/// `hertz` a second, by the core's timer; wraps.
pub fn ticks(hertz: u32) -> u32 {
    let per_millisecond = hertz / 1000;
    loop {
        let steps = milliseconds();
        let left = SYST::get_current();
        // Otherwise the timer began anew between the two.
        if steps == milliseconds() {
            return (steps.wrapping_add(STEP_MILLISECONDS))
                .wrapping_mul(per_millisecond)
                .wrapping_sub(left);
        }
    }
}

/// [`STEP_MILLISECONDS`] have passed. Only the interrupt of the board's timer calls this.
pub fn step() {
    // Nothing else writes it, so this need not be one step.
    MILLISECONDS.store(
        milliseconds().wrapping_add(STEP_MILLISECONDS),
        Ordering::Relaxed,
    );
}

#[exception]
fn SysTick() {
    step();
}
