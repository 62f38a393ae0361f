//! The reference job of a crawler on a device of the 256 MB class; `cargo xtask crawl` runs it under QEMU.
//!
//! 1,000,000 URLs of 80 bytes are made, inserted and all asked for, then as many that never came. With the argument
//! `large` they are 100,000,000, in a filter of 128 MB with the 64-bit hash.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::ops::Range;

use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln, nr, syscall};
use sundew::hash::{HashFunction, Xxh3, Xxh32};
use sundew::profile::{DOCUMENT, Document};
use sundew::sizing::{Layout, Plan, Rate, blocked_rate};
use sundew::{BlockedBloom, BlockedBloomView};
use sundew_board::cmsdk::Uart;
use sundew_board::large_ram::{self, Large};
use sundew_board::{AfterCrash, Machine, crash_handlers, interrupt_table, memory};

const LAYOUT: Layout = Layout::new(512, 64);
const LARGE: Plan = Plan::for_ram_in(128 << 20, Rate::percent(1), LAYOUT);

const URLS: u32 = 1_000_000;
const LARGE_URLS: u32 = 100_000_000;
/// How many are asked for that never came.
const OTHERS: u32 = 1_000_000;
/// URLs that lie in RAM together and are timed together.
const BATCH: u32 = 64;

struct Board;

impl Machine for Board {
    const NAME: &'static str = "mps3-an524";
    type Interrupt = Unused;
    const RECEIVED: Unused = Unused;
    const CLOCK_HZ: u32 = 32_000_000;
    const AFTER_CRASH: AfterCrash = AfterCrash::Exit;

    fn write_last_word(byte: u8) {
        // SAFETY: it is there.
        unsafe { Uart::at(0x5130_3000, Self::CLOCK_HZ, sundew_board::BAUD) }.write_last_word(byte);
    }
}

crash_handlers!(Board);
interrupt_table!(Unused = 32 => unused);

extern "C" fn unused() {}

#[unsafe(link_section = ".large.small_filter")]
static SMALL: Large<Document> = Large::new(Document::new());
#[unsafe(link_section = ".large.large_filter")]
static BIG: Large<BlockedBloom<{ LARGE.blocks() }, { LARGE.k() }, Xxh3>> =
    Large::new(BlockedBloom::new());

#[entry]
fn main() -> ! {
    static mut MADE: Batch = Batch::new();

    memory::prepare_stack();
    // SAFETY: this runs once, and in this order.
    let (small, big) = unsafe {
        large_ram::clear();
        (SMALL.take(), BIG.take())
    };
    let mut timer = cortex_m::Peripherals::take().unwrap().SYST;
    timer.set_clock_source(SystClkSource::Core);
    timer.set_reload(0x00FF_FFFF);
    timer.clear_current();
    timer.enable_counter();

    if is_large_wanted() {
        hprintln!("filter_bytes {}", size_of_val(big));
        hprintln!("k {}", LARGE.k());
        let (blocks, k) = (LARGE.blocks() as u32, LARGE.k() as u32);
        let predicted = blocked_rate(LARGE_URLS.into(), blocks, k, LAYOUT);
        hprintln!("predicted_ppm {}", predicted.parts_per_million());
        crawl::<{ LARGE.k() }, Xxh3>(big, LARGE_URLS, MADE);
    } else {
        hprintln!("filter_bytes {}", size_of_val(small));
        hprintln!("k {}", DOCUMENT.k);
        hprintln!(
            "predicted_ppm {}",
            DOCUMENT.rate(URLS.into()).parts_per_million()
        );
        crawl::<{ DOCUMENT.k }, Xxh32>(small, URLS, MADE);
    }
    let filters = size_of_val(small) + size_of_val(big);
    hprintln!("rest_bytes {}", memory::static_ram() - filters as u32);
    hprintln!("stack_bytes {}", memory::stack_high_water());
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}

fn crawl<const K: usize, H: HashFunction>(
    filter: &mut BlockedBloomView<K, H>,
    urls: u32,
    batch: &mut Batch,
) {
    // Not inlined: the count includes the call, as it does for a user who calls from more than one place.
    #[inline(never)]
    fn insert<const K: usize, H: HashFunction>(
        filter: &mut BlockedBloomView<K, H>,
        url: &[u8],
    ) -> bool {
        filter.insert(url)
    }
    #[inline(never)]
    fn contains<const K: usize, H: HashFunction>(
        filter: &BlockedBloomView<K, H>,
        url: &[u8],
    ) -> bool {
        filter.contains(url)
    }

    let inserted = batch.each_of(0..urls, |url| insert(filter, url));
    let hit = batch.each_of(0..urls, |url| contains(filter, url));
    let miss = batch.each_of(urls..urls + OTHERS, |url| contains(filter, url));
    hprintln!("urls {}", urls);
    hprintln!("lost_urls {}", urls - hit.yes);
    hprintln!("others {}", OTHERS);
    hprintln!("false_positives {}", miss.yes);
    for (name, counts, calls) in [
        ("insert", inserted, urls),
        ("hit", hit, urls),
        ("miss", miss, OTHERS),
    ] {
        // To the tenth of a tick; xtask knows how many instructions that is.
        let ticks = counts.ticks * 10 / u64::from(calls);
        hprintln!("{}_deciticks {}", name, ticks);
    }
}

struct Counts {
    yes: u32,
    /// Net of the empty loop.
    ticks: u64,
}

/// URLs in RAM.
struct Batch {
    urls: [[u8; 80]; BATCH as usize],
}

impl Batch {
    const fn new() -> Self {
        let url =
            *b"https://www.example.com/archive/2026/articles/section-00/page-0000000000000.html";
        Self {
            urls: [url; BATCH as usize],
        }
    }

    /// Makes the URLs of these numbers, and counts what the work takes and says yes to.
    fn each_of(&mut self, numbers: Range<u32>, mut work: impl FnMut(&[u8]) -> bool) -> Counts {
        let mut counts = Counts { yes: 0, ticks: 0 };
        for start in numbers.step_by(BATCH as usize) {
            for (url, number) in self.urls.iter_mut().zip(start..) {
                write_number(url, number);
            }
            let (_, empty) = self.timed(&mut |url| url.is_empty());
            let (yes, ticks) = self.timed(&mut work);
            counts.yes += yes;
            counts.ticks += u64::from(ticks - empty);
        }
        counts
    }

    fn timed(&self, work: &mut impl FnMut(&[u8]) -> bool) -> (u32, u32) {
        let start = SYST::get_current();
        let mut yes = 0;
        for url in &self.urls {
            yes += u32::from(work(black_box(url)));
        }
        let ticks = start.wrapping_sub(SYST::get_current()) & 0x00FF_FFFF;
        (yes, ticks)
    }
}

fn write_number(url: &mut [u8; 80], mut number: u32) {
    for digit in url[62..75].iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Whether QEMU was told `arg=large`.
fn is_large_wanted() -> bool {
    let mut text = [0_u8; 64];
    let block = [text.as_mut_ptr().expose_provenance(), text.len()];
    // SAFETY: semihosting writes no more than the buffer's length, which the block states.
    let result = unsafe { syscall(nr::GET_CMDLINE, &block) };
    result == 0 && black_box(text).windows(5).any(|word| word == b"large")
}
