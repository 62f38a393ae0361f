//! What RAM keeps over a reset: how often the firmware started since power came, and what ended it last.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::Machine;

/// Why the firmware started.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum ResetReason {
    /// Power came; RAM held nothing of ours.
    PowerOn,
    /// Somebody reset the board.
    Reset,
    /// The firmware panicked.
    Panic,
    /// The core came upon a fault.
    HardFault,
    /// The stack was used up.
    StackOverflow,
    /// The main loop stood still for too long.
    Watchdog,
}

/// As `INFO` shows them.
const NAMES: [&str; 6] = [
    "power-on",
    "reset",
    "panic",
    "hard-fault",
    "stack-overflow",
    "watchdog",
];

/// Says that the rest is ours. RAM has any value at power-on.
const MAGIC: u32 = 0x5EED_B007;

struct Kept {
    magic: AtomicU32,
    /// How often the firmware started.
    count: AtomicU32,
    /// The number of the [`ResetReason`] to blame for the next start, and of this one.
    next: AtomicU32,
    reason: AtomicU32,
}

// SAFETY: cortex-m-rt's linker script leaves this section alone at the start; any bits are a valid value.
#[allow(unsafe_code)]
#[unsafe(link_section = ".uninit.sundew_boot")]
// Whole, or the compiler makes a variable of each field, each with an address of its own.
#[used]
static KEPT: Kept = Kept {
    magic: AtomicU32::new(0),
    count: AtomicU32::new(0),
    next: AtomicU32::new(0),
    reason: AtomicU32::new(0),
};

/// Counts this start. To be called once.
pub fn start<M: Machine>() {
    let was_watchdog = M::was_reset_by_watchdog();
    let (count, reason) = match KEPT.magic.load(Ordering::Relaxed) {
        MAGIC if was_watchdog => (count(), ResetReason::Watchdog as u32),
        MAGIC => (count(), KEPT.next.load(Ordering::Relaxed)),
        _ => (0, ResetReason::PowerOn as u32),
    };
    KEPT.reason.store(reason, Ordering::Relaxed);
    KEPT.count.store(count.wrapping_add(1), Ordering::Relaxed);
    KEPT.magic.store(MAGIC, Ordering::Relaxed);
    note(ResetReason::Reset);
}

/// What to blame for the next start.
pub(crate) fn note(reason: ResetReason) {
    KEPT.next.store(reason as u32, Ordering::Relaxed);
}

/// How often the firmware started since power came, with this time.
pub fn count() -> u32 {
    KEPT.count.load(Ordering::Relaxed)
}

/// Why it started this time, as `INFO` shows it.
pub fn reason() -> &'static str {
    let number = KEPT.reason.load(Ordering::Relaxed) as usize;
    NAMES.get(number).unwrap_or(&"reset")
}
