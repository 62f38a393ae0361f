//! Filters of other crates.

extern crate alloc;

use embedded_alloc::LlffHeap;
use sundew::hash::{HashFunction, Xxh32};

use crate::{BITS, Contestant};

/// For the peers that allocate.
#[global_allocator]
static HEAP: LlffHeap = LlffHeap::empty();

pub fn start_heap() {
    const SIZE: usize = 3 * 1024;
    static mut MEMORY: [u64; SIZE / 8] = [0; SIZE / 8];
    // SAFETY: called once, at the start of main, and nothing else names MEMORY.
    unsafe { HEAP.init(&raw mut MEMORY as usize, SIZE) }
}

/// sbbf-rs takes 64-bit hashes; it gets our default one, widened.
#[repr(align(64))]
pub struct SplitBlock([u8; BITS / 8]);

// Always: the library's own functions are inline too.
#[inline(always)]
fn widened(key: &[u8]) -> u64 {
    let hash = Xxh32::UNSEEDED.hash(key);
    u64::from(hash) << 32 | u64::from(hash.wrapping_mul(0x9E37_79B9))
}

impl Contestant for SplitBlock {
    const NAME: (&str, &str) = ("sbbf-rs", "xxh32");

    fn empty() -> Self {
        Self([0; BITS / 8])
    }
    fn insert(&mut self, key: &[u8]) -> bool {
        let buckets = self.0.len() / sbbf_rs::BUCKET_SIZE;
        // SAFETY: the array has that many buckets, and the struct's alignment.
        unsafe { !sbbf_rs::FilterFn::new().insert(self.0.as_mut_ptr(), buckets, widened(key)) }
    }
    fn contains(&self, key: &[u8]) -> bool {
        let buckets = self.0.len() / sbbf_rs::BUCKET_SIZE;
        // SAFETY: as above.
        unsafe { sbbf_rs::FilterFn::new().contains(self.0.as_ptr(), buckets, widened(key)) }
    }
}

/// bitbloom sizes itself: the rate at which it takes our bits.
pub struct BitBloom(bitbloom::Bloom);

impl Contestant for BitBloom {
    const NAME: (&str, &str) = ("bitbloom", "siphash13");
    const ALLOCATES: bool = true;

    fn empty() -> Self {
        Self(bitbloom::Bloom::new_with_key(
            1640,
            0.00825,
            [(1, 2), (3, 4)],
        ))
    }
    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.set(&key);
        true
    }
    fn contains(&self, key: &[u8]) -> bool {
        self.0.contain(&key)
    }
}
