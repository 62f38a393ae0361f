//! Counts the instructions of every contestant and prints one line a row over semihosting:
//! `row IMPL,HASH,KEY_LEN,ALIGNED,OP,CALLS,TICKS,EMPTY_TICKS,FALSE_POSITIVES,LOOKUPS,KEYS`.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use sundew_bench_target::measure::{Keys, start_clock, ticks, words};
use sundew_bench_target::{Contestant, for_each_contestant, start_heap};

const KEY_LENGTHS: [usize; 4] = [6, 16, 32, 80];
/// Keys that are timed together, and lie in RAM together.
const BATCH: usize = 64;
/// Keys in the full filter: 10.1 bits each.
const KEYS: usize = 19 * BATCH;

#[entry]
fn main() -> ! {
    start_heap();
    start_clock();
    macro_rules! measure {
        ($contestant:ty) => {
            for length in KEY_LENGTHS {
                measure::<$contestant>(length, true);
                measure::<$contestant>(length, false);
            }
        };
    }
    for_each_contestant!(measure);
    hprintln!("end");
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

fn measure<C: Contestant>(length: usize, aligned: bool) {
    let mut filter = C::empty();
    let mut keys = Keys::<{ words(BATCH) }>::new(length, aligned, BATCH);

    let mut empty = 0;
    let [mut insert, mut hit, mut miss] = [0; 3];
    for batch in 0..KEYS / BATCH {
        keys.generate(batch);
        empty += ticks(|| keys.each(|_| true));
        insert += ticks(|| keys.each(|key| call_insert(&mut filter, key)));
    }
    let mut found = 0;
    for batch in 0..KEYS / BATCH {
        keys.generate(batch);
        hit += ticks(|| keys.each(|key| call_contains(&filter, key)));
        found += keys.count(|key| call_contains(&filter, key));
    }
    assert!(found == KEYS, "{} forgot a key", C::NAME.0);
    let mut false_positives = 0;
    for batch in KEYS / BATCH..2 * KEYS / BATCH {
        keys.generate(batch);
        miss += ticks(|| keys.each(|key| call_contains(&filter, key)));
        false_positives += keys.count(|key| call_contains(&filter, key));
    }

    for (op, ticks) in [("insert", insert), ("hit", hit), ("miss", miss)] {
        let (name, hash) = C::NAME;
        hprintln!(
            "row {},{},{},{},{},{},{},{},{},{},{}",
            name,
            hash,
            length,
            aligned,
            op,
            KEYS,
            ticks,
            empty,
            false_positives,
            KEYS,
            KEYS
        );
    }
}

/// Not inlined: the count includes the call, as it does for a user who calls from more than one place.
#[inline(never)]
fn call_insert<C: Contestant>(filter: &mut C, key: &[u8]) -> bool {
    filter.insert(key)
}

#[inline(never)]
fn call_contains<C: Contestant>(filter: &C, key: &[u8]) -> bool {
    filter.contains(key)
}
