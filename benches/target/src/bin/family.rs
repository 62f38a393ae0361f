//! Counts the instructions of every structure in 8 KB and prints rows as `main.rs` does.
//!
//! A firmware of its own: next to the peers and their heap, 8 KB do not fit into the 16 KB of the Cortex-M0.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use sundew_bench_target::family::{Estimates, Member, Removes};
use sundew_bench_target::for_each_member;
use sundew_bench_target::measure::{Keys, start_clock, ticks, words};

/// Keys that are timed together, and lie in RAM together.
const BATCH: usize = 16;
type Batch = Keys<{ words(BATCH) }>;

/// Where the keys begin that are not inserted.
const FIRST_NEW: usize = 1 << 16;
/// New keys whose lookups are timed.
const TIMED: usize = 4096;
/// New keys that are looked up: enough to tell a rate of 1 % to a sixtieth of itself.
const LOOKUPS: usize = 400_000;
/// Keys that a structure gets that has no capacity.
const ESTIMATED: usize = 20_000;

#[entry]
fn main() -> ! {
    start_clock();
    macro_rules! measure {
        (member $member:ty) => {
            measure::<$member>(None);
        };
        (removes $member:ty) => {
            measure::<$member>(Some(call_remove));
        };
        (estimates $member:ty) => {
            measure_estimate::<$member>();
        };
    }
    for_each_member!(measure);
    hprintln!("end");
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

fn measure<M: Member>(remove: Option<fn(&mut M, &[u8]) -> bool>) {
    let mut member = M::EMPTY;
    let insert = time::<M>(0, M::KEYS, |key| call_insert(&mut member, key));
    let hit = time::<M>(0, M::KEYS, |key| call_contains(&mut member, key));
    let found = count::<M>(0, M::KEYS, |key| call_contains(&mut member, key));
    assert!(found == M::KEYS, "{} forgot a key", M::NAME);
    let miss = time::<M>(FIRST_NEW, TIMED, |key| call_contains(&mut member, key));
    let wrong = count::<M>(FIRST_NEW, LOOKUPS, |key| call_contains(&mut member, key));
    // Which keys came can make that much of a difference to the smaller ones.
    assert!(
        M::CAPACITY == 0 || wrong < LOOKUPS / 100 * 11 / 10,
        "{} has too many keys",
        M::NAME
    );

    let row = |op, calls, (ticks, empty)| {
        row(
            (M::NAME, M::HASH),
            M::KEY_LEN,
            op,
            calls,
            ticks,
            empty,
            wrong,
            M::CAPACITY,
        );
    };
    row("insert", M::KEYS, insert);
    row("hit", M::KEYS, hit);
    row("miss", TIMED, miss);
    if let Some(remove) = remove {
        row(
            "remove",
            M::KEYS,
            time::<M>(0, M::KEYS, |key| remove(&mut member, key)),
        );
        // A key that looks like another that is there cannot be told from it: those are few.
        let left = count::<M>(0, M::KEYS, |key| call_contains(&mut member, key));
        assert!(left <= M::KEYS / 1000, "{} keeps what was removed", M::NAME);
    }
}

fn measure_estimate<E: Estimates>() {
    let mut sketch = E::EMPTY;
    let (mut ticks_of_inserts, mut empty) = (0, 0);
    batches(6, 0, ESTIMATED, |keys| {
        empty += ticks(|| keys.each(|_| true));
        ticks_of_inserts += ticks(|| keys.each(|key| call_insert_into_sketch(&mut sketch, key)));
    });
    row(
        (E::NAME, "xxh32"),
        6,
        "insert",
        ESTIMATED,
        ticks_of_inserts,
        empty,
        0,
        0,
    );
    let mut estimate = 0;
    let ticks = ticks(|| estimate = call_estimate(&sketch));
    row((E::NAME, "xxh32"), 6, "estimate", 1, ticks, 0, 0, 0);
    // Four standard errors.
    assert!(
        estimate.abs_diff(ESTIMATED as u64) < ESTIMATED as u64 * 46 / 1000,
        "{} estimates {}",
        E::NAME,
        estimate
    );
}

#[allow(clippy::too_many_arguments)] // The fields of a row.
fn row(
    (name, hash): (&str, &str),
    key_len: usize,
    op: &str,
    calls: usize,
    ticks: u32,
    empty: u32,
    wrong: usize,
    keys: usize,
) {
    hprintln!(
        "row {},{},{},true,{},{},{},{},{},{},{}",
        name,
        hash,
        key_len,
        op,
        calls,
        ticks,
        empty,
        wrong,
        LOOKUPS,
        keys
    );
}

/// Ticks of a call for each key, and of the loop without the calls.
fn time<M: Member>(first: usize, number: usize, mut call: impl FnMut(&[u8]) -> bool) -> (u32, u32) {
    let [mut spent, mut empty] = [0; 2];
    batches(M::KEY_LEN, first, number, |keys| {
        empty += ticks(|| keys.each(|_| true));
        spent += ticks(|| keys.each(&mut call));
    });
    (spent, empty)
}

/// For how many keys the answer is true.
fn count<M: Member>(first: usize, number: usize, mut call: impl FnMut(&[u8]) -> bool) -> usize {
    let mut count = 0;
    batches(M::KEY_LEN, first, number, |keys| {
        count += keys.count(&mut call)
    });
    count
}

/// So many keys from the batch `first` on, a batch at a time.
fn batches(key_len: usize, first: usize, number: usize, mut each: impl FnMut(&Batch)) {
    for start in (0..number).step_by(BATCH) {
        let mut keys = Batch::new(key_len, true, BATCH.min(number - start));
        keys.generate(first + start / BATCH);
        each(&keys);
    }
}

// Not inlined: the count includes the call, as it does for a user who calls from more than one place.

#[inline(never)]
fn call_insert<M: Member>(member: &mut M, key: &[u8]) -> bool {
    member.insert(key)
}

#[inline(never)]
fn call_contains<M: Member>(member: &mut M, key: &[u8]) -> bool {
    member.contains(key)
}

#[inline(never)]
fn call_remove<M: Removes>(member: &mut M, key: &[u8]) -> bool {
    member.remove(key)
}

#[inline(never)]
fn call_insert_into_sketch<E: Estimates>(sketch: &mut E, key: &[u8]) -> bool {
    sketch.insert(key)
}

#[inline(never)]
fn call_estimate<E: Estimates>(sketch: &E) -> u64 {
    sketch.estimate()
}
