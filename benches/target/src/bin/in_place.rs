//! Ticks of `contains` on filters in RAM and on their snapshots, read in place:
//! `FILTER hit|miss TICKS_IN_RAM TICKS_IN_PLACE TICKS_OF_THE_LOOP`, for 256 keys of 16 bytes.
//!
//! Ticks are SysTick's, which under `-icount shift=8` pass in step with instructions; the test converts.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use sundew::snapshot::{Aligned, BlockedBloomRef, ClassicBloomRef, CuckooFilterRef, Snapshot};
use sundew::{Block4096, BlockedBloom, ClassicBloom, CuckooFilter, hash::Xxh32};

const KEYS: u32 = 256;
const ROOM: usize = 64 + 512;

type Key = [u32; 4];

fn key(number: u32) -> Key {
    [number, number.wrapping_mul(0x9E37_79B9), 7, !number]
}

fn ticks(first: u32, contains: impl Fn(&Key) -> bool) -> u32 {
    let start = SYST::get_current();
    for number in first..first + KEYS {
        black_box(contains(black_box(&key(number))));
    }
    let end = SYST::get_current();
    start.wrapping_sub(end) & 0x00FF_FFFF
}

macro_rules! compare {
    ($name:literal, $filter:expr, $reference:ty) => {{
        #[inline(never)]
        fn run() {
            let mut filter = $filter;
            for number in 0..KEYS {
                let _ = filter.insert(&key(number));
            }
            let mut flash = Aligned([0_u8; ROOM]);
            let length = filter.snapshot().pull(&mut flash.0);
            let in_place = <$reference>::new(&flash.0[..length]).unwrap();

            // Neither is known to the compiler, and each is asked through one call.
            let (filter, in_place) = (black_box(&filter), black_box(&in_place));
            #[inline(never)]
            fn call(key: &Key, contains: impl Fn(&Key) -> bool) -> bool {
                contains(key)
            }
            for (what, first) in [("hit", 0), ("miss", KEYS)] {
                hprintln!(
                    "{} {} {} {} {}",
                    $name,
                    what,
                    ticks(first, |key| call(key, |key| filter.contains(key))),
                    ticks(first, |key| call(key, |key| in_place.contains(key))),
                    ticks(first, |_| true)
                );
            }
        }
        run();
    }};
}

#[entry]
fn main() -> ! {
    let mut clock = cortex_m::Peripherals::take().unwrap().SYST;
    clock.set_clock_source(SystClkSource::Core);
    clock.set_reload(0x00FF_FFFF);
    clock.clear_current();
    clock.enable_counter();

    compare!("blocked", BlockedBloom::<8, 7>::new(), BlockedBloomRef<7>);
    compare!("blocked-4096", BlockedBloom::<1, 7, Xxh32, Block4096>::new(), BlockedBloomRef<7, Xxh32, Block4096>);
    compare!("classic", ClassicBloom::<127, 7>::new(), ClassicBloomRef<7>);
    compare!(
        "cuckoo-8",
        CuckooFilter::<72, u8>::new(),
        CuckooFilterRef<u8>
    );
    compare!(
        "cuckoo-16",
        CuckooFilter::<64, u16>::new(),
        CuckooFilterRef<u16>
    );
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
