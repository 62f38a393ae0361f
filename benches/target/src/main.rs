//! Counts the instructions of every contestant and prints one line a row over semihosting:
//! `row IMPL,HASH,KEY_LEN,ALIGNED,OP,KEYS,TICKS,EMPTY_TICKS,FALSE_POSITIVES`.
//!
//! Ticks are SysTick's, which under `-icount shift=8` pass in step with instructions; xtask converts.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use sundew_bench_target::{Contestant, for_each_contestant, start_heap};

const KEY_LENGTHS: [usize; 4] = [6, 16, 32, 80];
/// Keys that are timed together, and lie in RAM together.
const BATCH: usize = 64;
/// Keys in the full filter: 10.1 bits each.
const KEYS: usize = 19 * BATCH;

#[entry]
fn main() -> ! {
    start_heap();
    let mut clock = cortex_m::Peripherals::take().unwrap().SYST;
    clock.set_clock_source(SystClkSource::Core);
    clock.set_reload(0x00FF_FFFF);
    clock.clear_current();
    clock.enable_counter();

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
    let mut keys = Keys::new(length, aligned);

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
            "row {},{},{},{},{},{},{},{},{}",
            name,
            hash,
            length,
            aligned,
            op,
            KEYS,
            ticks,
            empty,
            false_positives
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

fn ticks(window: impl FnOnce()) -> u32 {
    let start = SYST::get_current();
    window();
    let end = SYST::get_current();
    start.wrapping_sub(end) & 0x00FF_FFFF
}

/// A batch of keys in RAM, at aligned or odd addresses.
struct Keys {
    bytes: [u32; BATCH * 84 / 4 + 1],
    offset: usize,
    stride: usize,
    length: usize,
}

impl Keys {
    fn new(length: usize, aligned: bool) -> Self {
        Self {
            bytes: [0; _],
            offset: if aligned { 0 } else { 1 },
            stride: length.next_multiple_of(4),
            length,
        }
    }

    /// Pseudo-random keys, the same for every contestant. The batch number makes them distinct.
    fn generate(&mut self, batch: usize) {
        let mut state = (batch as u32 + 1).wrapping_mul(0x9E37_79B9) | 1;
        for word in &mut self.bytes {
            // Marsaglia's xorshift32.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            *word = state;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        // SAFETY: any u32 is four initialised bytes.
        let (_, bytes, _) = unsafe { self.bytes.align_to::<u8>() };
        (0..BATCH).map(move |i| &bytes[self.offset + i * self.stride..][..self.length])
    }

    fn each(&self, mut op: impl FnMut(&[u8]) -> bool) {
        for key in self.iter() {
            black_box(op(black_box(key)));
        }
    }

    fn count(&self, mut op: impl FnMut(&[u8]) -> bool) -> usize {
        self.iter().filter(|key| op(key)).count()
    }
}
