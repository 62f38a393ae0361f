//! 20,000 domains that are denied, in 25 KB of flash and no RAM, on a Cortex-M0.

#![no_std]
#![no_main]

use core::fmt::Write;

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hio};
use domains::{NUM_DOMAINS, domain};
use sundew::snapshot::{Aligned, BlockedBloomRef};

mod domains;

/// What build.rs has built.
static DENY_LIST: Aligned<
    [u8; include_bytes!(concat!(env!("OUT_DIR"), "/deny_list.snapshot")).len()],
> = Aligned(*include_bytes!(concat!(
    env!("OUT_DIR"),
    "/deny_list.snapshot"
)));

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    debug::exit(debug::EXIT_FAILURE);
    loop {}
}

#[entry]
fn main() -> ! {
    // Not hprintln!, which keeps the stream in a static.
    let mut out = hio::hstdout().unwrap();
    // 6 is what the plan in build.rs comes to; another K would be refused here.
    let denied: BlockedBloomRef<6> = BlockedBloomRef::new(&DENY_LIST.0).unwrap();
    let count = |numbers: core::ops::Range<u32>| {
        numbers
            .filter(|number| denied.contains(&domain(*number)))
            .count()
    };
    let on_the_list = count(0..NUM_DOMAINS);
    let wrong = count(NUM_DOMAINS..2 * NUM_DOMAINS);
    writeln!(out, "{} bytes", DENY_LIST.0.len()).unwrap();
    writeln!(out, "denied {on_the_list} of {NUM_DOMAINS} on the list").unwrap();
    writeln!(out, "denied {wrong} of {NUM_DOMAINS} others").unwrap();
    debug::exit(debug::EXIT_SUCCESS);
    loop {}
}
