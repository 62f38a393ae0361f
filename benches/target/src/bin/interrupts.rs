//! A timer interrupt and the main loop insert into one filter at once: no key may be lost.
//!
//! The same again with a load and a store in place of the atomic step, which must lose some: otherwise the interrupt
//! never came at the wrong moment, and the first result would mean nothing.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::{entry, exception};
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use sundew::{AtomicBloom, BlockedBloom};

const ROUNDS: u32 = 400;
/// Keys that each of the two inserts in a round.
const KEYS: u32 = 6;
const MAIN: u32 = 1;
const INTERRUPT: u32 = 2;

/// One block, so that the two meet at every word.
static FILTER: AtomicBloom<1, 7> = AtomicBloom::new();
static NAIVE: [AtomicU32; 16] = [const { AtomicU32::new(0) }; 16];

static USES_NAIVE: AtomicU32 = AtomicU32::new(0);
static ROUND: AtomicU32 = AtomicU32::new(0);
/// Keys that the interrupt has inserted in this round.
static INSERTED: AtomicU32 = AtomicU32::new(0);
static IS_MAIN_INSERTING: AtomicU32 = AtomicU32::new(0);
/// Interrupts that came while the main loop was inserting.
static MET: AtomicU32 = AtomicU32::new(0);

#[entry]
fn main() -> ! {
    let mut clock = cortex_m::Peripherals::take().unwrap().SYST;
    clock.set_clock_source(SystClkSource::Core);

    for uses_naive in [0, 1] {
        USES_NAIVE.store(uses_naive, Relaxed);
        MET.store(0, Relaxed);
        let lost: u32 = (0..ROUNDS).map(|round| play(&mut clock, round)).sum();
        let name = ["atomic", "load and store"][uses_naive as usize];
        let met = if MET.load(Relaxed) > ROUNDS {
            "met"
        } else {
            "hardly met"
        };
        let outcome = if lost == 0 {
            "no key lost"
        } else {
            "keys lost"
        };
        hprintln!("{}: {} rounds, {}, {}", name, ROUNDS, met, outcome);
    }
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

/// How many keys are missing after both have inserted theirs.
fn play(clock: &mut SYST, round: u32) -> u32 {
    FILTER.clear();
    NAIVE.iter().for_each(|word| word.store(0, Relaxed));
    ROUND.store(round, Relaxed);
    INSERTED.store(0, Relaxed);
    // A different period in each round, so that the interrupt comes at every point of an insert; never so short
    // that the main loop gets no turn.
    let shortest = if USES_NAIVE.load(Relaxed) == 1 {
        6_000
    } else {
        2_500
    };
    clock.set_reload(shortest + round * 37 % 1_999);
    clock.clear_current();
    clock.enable_counter();
    clock.enable_interrupt();
    for i in 0..KEYS {
        IS_MAIN_INSERTING.store(1, Relaxed);
        insert(&(MAIN, round, i));
        IS_MAIN_INSERTING.store(0, Relaxed);
    }
    while INSERTED.load(Relaxed) < KEYS {}
    clock.disable_interrupt();
    clock.disable_counter();

    let keys = [MAIN, INTERRUPT]
        .into_iter()
        .flat_map(|who| (0..KEYS).map(move |i| (who, round, i)));
    if USES_NAIVE.load(Relaxed) == 1 {
        return keys.filter(|key| !naive_contains(key)).count() as u32;
    }
    let mut expected: BlockedBloom<1, 7> = BlockedBloom::new();
    let lost = keys
        .inspect(|key| {
            expected.insert(key);
        })
        .filter(|key| !FILTER.contains(key))
        .count() as u32;
    // Not a bit too few, and not one too many.
    lost + u32::from(BlockedBloom::from(&FILTER) != expected)
}

#[exception]
fn SysTick() {
    let i = INSERTED.load(Relaxed);
    if i < KEYS {
        insert(&(INTERRUPT, ROUND.load(Relaxed), i));
        MET.store(MET.load(Relaxed) + IS_MAIN_INSERTING.load(Relaxed), Relaxed);
        INSERTED.store(i + 1, Relaxed);
    }
}

#[inline(never)]
fn insert(key: &(u32, u32, u32)) {
    if USES_NAIVE.load(Relaxed) == 1 {
        for (bits, word) in words_of(key).zip(&NAIVE) {
            word.store(word.load(Relaxed) | bits, Relaxed);
        }
    } else {
        FILTER.insert(key);
    }
}

fn naive_contains(key: &(u32, u32, u32)) -> bool {
    words_of(key)
        .zip(&NAIVE)
        .all(|(bits, word)| word.load(Relaxed) & bits == bits)
}

/// The bits of one key, word by word.
fn words_of(key: &(u32, u32, u32)) -> impl Iterator<Item = u32> {
    let mut filter: BlockedBloom<1, 7> = BlockedBloom::new();
    filter.insert(key);
    let block = filter.blocks().next().copied();
    block.into_iter().flat_map(|block| *block.words())
}
