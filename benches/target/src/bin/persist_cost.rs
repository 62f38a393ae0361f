//! Counts the instructions of one step of a save on a Cortex-M0, the flash driver's and all: the most of each sort.
//! `tests/persist_qemu.rs` runs it; QEMU's flash controller is ready at once, so what is not in the numbers is the
//! time that real flash takes.

#![no_std]
#![no_main]

#[path = "../../../../boards/common/src/nordic_flash.rs"]
mod nordic_flash;

use cortex_m::peripheral::{SYST, syst::SystClkSource};
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use nordic_flash::NordicFlash;
use panic_semihosting as _;
use sundew::CuckooFilter;
use sundew::persist::{Progress, Store, StoreError};
use sundew::profile::Kb4;
use sundew::snapshot::Snapshot;

/// The last 64 of 256 KB, far behind the program.
const ADDRESSES: core::ops::Range<usize> = 0x3_0000..0x4_0000;

#[entry]
fn main() -> ! {
    static mut SEEN: Kb4 = Kb4::new();
    static mut MEMBERS: CuckooFilter<512, u8> = CuckooFilter::new();
    let mut clock = cortex_m::Peripherals::take().unwrap().SYST;
    clock.set_clock_source(SystClkSource::Core);
    clock.set_reload(0x00FF_FFFF);
    clock.clear_current();
    clock.enable_counter();

    (0..3_303_u32).for_each(|key| _ = SEEN.insert(&key));
    (0..1_900_u32).for_each(|key| _ = MEMBERS.insert(&key));
    // SAFETY: the linker script of the tests puts nothing there that would reach so far; main runs once.
    let flash = unsafe { NordicFlash::new(ADDRESSES) };
    let length = ADDRESSES.len() as u32;
    let mut store = Store::open(flash, 0..length, 2).unwrap();

    store.begin(1);
    // Five pages of 1 KB, 64 pieces, two heads; erases come where a page begins.
    let (longest, steps) = save(&mut store, b"seen", SEEN.as_view()).unwrap();
    hprintln!("blocked, 4 KB: {} steps, the longest {}", steps, longest);
    let (longest, steps) = save(&mut store, b"members", MEMBERS.as_view()).unwrap();
    hprintln!("cuckoo, 2 KB: {} steps, the longest {}", steps, longest);
    let (ticks, _) = timed(|| store.commit().unwrap());
    hprintln!("commit {}", instructions(ticks));

    let flash = store.into_flash();
    let (ticks, mut store) = timed(|| Store::open(flash, 0..length, 2).unwrap());
    hprintln!("open, 6 KB: {}", instructions(ticks));
    let (ticks, is_found) = timed(|| store.restore(b"seen", SEEN.as_mut_view()).unwrap());
    assert!(is_found);
    hprintln!("restore, 4 KB: {}", instructions(ticks));

    // Until as many changes are to be looked at as there may be.
    store.save(b"seen", SEEN.as_view(), 2).unwrap();
    let mut longest = 0;
    for key in 10_000_u32.. {
        SEEN.insert(&key);
        store.begin_changes(3);
        let Ok((step, _)) = save(&mut store, b"seen", SEEN.as_view()) else {
            break;
        };
        longest = longest.max(step);
        store.commit().unwrap();
    }
    let changes = store.last_save().unwrap().num_changes;
    hprintln!("{} changes of 4 KB: the longest step {}", changes, longest);
    let (ticks, _) = timed(|| store.restore(b"seen", SEEN.as_mut_view()).unwrap());
    hprintln!("restore with them: {}", instructions(ticks));
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

/// The instructions of the longest step, and how many steps there were.
fn save<T: Snapshot + ?Sized>(
    store: &mut Store<NordicFlash>,
    name: &[u8],
    structure: &T,
) -> Result<(u32, u32), StoreError> {
    let mut longest = 0;
    for steps in 1.. {
        let (ticks, progress) = timed(|| store.step(name, structure));
        longest = longest.max(ticks);
        if progress? == Progress::Done {
            return Ok((instructions(longest), steps));
        }
    }
    unreachable!()
}

fn timed<R>(window: impl FnOnce() -> R) -> (u32, R) {
    let start = SYST::get_current();
    let result = window();
    let end = SYST::get_current();
    (start.wrapping_sub(end) & 0x00FF_FFFF, result)
}

/// An instruction is 256 ns under `-icount shift=8`, a tick 62.5.
fn instructions(ticks: u32) -> u32 {
    (ticks as u64 * 125).div_ceil(512) as u32
}
