//! The filters that are compared, each of 1.5 KB with 7 bits per key, behind one trait; and the structures of the
//! library, each in 8 KB.

#![no_std]

mod baselines;
pub mod family;
pub mod measure;
#[cfg(feature = "peers")]
mod peers;
#[cfg(feature = "peers")]
mod textbook;

use sundew::hash::{HashFunction, Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::{Block4096, BlockedBloom};

#[cfg(feature = "peers")]
pub use peers::{BitBloom, SplitBlock};
#[cfg(feature = "peers")]
pub use textbook::Textbook;

/// Bits in every filter.
pub const BITS: usize = 3 * 4096;
/// Probes per key in every filter.
pub const K: usize = 7;

/// Gives the allocating peers their RAM; call it once, first.
pub fn start_heap() {
    #[cfg(feature = "peers")]
    peers::start_heap();
}

/// A filter to be measured.
pub trait Contestant {
    /// `impl` and `hash` in the table.
    const NAME: (&str, &str);
    /// Whether it needs [`start_heap`].
    const ALLOCATES: bool = false;

    fn empty() -> Self;
    fn insert(&mut self, key: &[u8]) -> bool;
    fn contains(&self, key: &[u8]) -> bool;
}

/// Calls a macro with every contestant. A peer that was not built is left out.
#[macro_export]
macro_rules! for_each_contestant {
    ($call:ident) => {
        $call!($crate::Sundew<sundew::hash::Xxh32>);
        $call!($crate::Sundew<sundew::hash::Xxh3>);
        $call!($crate::Sundew<sundew::hash::SipHash13>);
        $call!($crate::Sundew<sundew::hash::Murmur3>);
        $call!($crate::SundewLargeBlocks);
        #[cfg(feature = "peers")]
        $call!($crate::SplitBlock);
        #[cfg(feature = "fastbloom")]
        $call!($crate::fast::FastBloom);
        #[cfg(feature = "fastbloom")]
        $call!($crate::fast::FastBloomFoldhash);
        #[cfg(feature = "peers")]
        $call!($crate::BitBloom);
        #[cfg(feature = "peers")]
        $call!($crate::Textbook);
    };
}

/// Ours, with 512-bit blocks.
pub struct Sundew<H: HashFunction>(BlockedBloom<{ BITS / 512 }, K, H>);

trait HashName {
    const NAME: &'static str;
}
impl HashName for Xxh32 {
    const NAME: &'static str = "xxh32";
}
impl HashName for Xxh3 {
    const NAME: &'static str = "xxh3";
}
impl HashName for SipHash13 {
    const NAME: &'static str = "siphash13";
}
impl HashName for Murmur3 {
    const NAME: &'static str = "murmur3";
}

#[allow(private_bounds)]
impl<H: HashFunction + HashName> Contestant for Sundew<H> {
    const NAME: (&str, &str) = ("sundew", H::NAME);

    fn empty() -> Self {
        Self(BlockedBloom::new())
    }
    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key)
    }
    fn contains(&self, key: &[u8]) -> bool {
        self.0.contains(key)
    }
}

/// Ours, with the blocks for cores without a cache.
pub struct SundewLargeBlocks(BlockedBloom<{ BITS / 4096 }, K, Xxh32, Block4096>);

impl Contestant for SundewLargeBlocks {
    const NAME: (&str, &str) = ("sundew 4096", "xxh32");

    fn empty() -> Self {
        Self(BlockedBloom::new())
    }
    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key)
    }
    fn contains(&self, key: &[u8]) -> bool {
        self.0.contains(key)
    }
}

#[cfg(feature = "fastbloom")]
pub mod fast {
    use super::{BITS, Contestant, K};
    use fastbloom::BloomFilter;

    pub struct FastBloom(BloomFilter);

    impl Contestant for FastBloom {
        const NAME: (&str, &str) = ("fastbloom", "default");
        const ALLOCATES: bool = true;

        fn empty() -> Self {
            Self(BloomFilter::with_num_bits(BITS).seed(&1).hashes(K as u32))
        }
        fn insert(&mut self, key: &[u8]) -> bool {
            !self.0.insert(key)
        }
        fn contains(&self, key: &[u8]) -> bool {
            self.0.contains(key)
        }
    }

    pub struct FastBloomFoldhash(BloomFilter<foldhash::fast::FixedState>);

    impl Contestant for FastBloomFoldhash {
        const NAME: (&str, &str) = ("fastbloom", "foldhash");
        const ALLOCATES: bool = true;

        fn empty() -> Self {
            let hasher = foldhash::fast::FixedState::with_seed(1);
            Self(
                BloomFilter::with_num_bits(BITS)
                    .hasher(hasher)
                    .hashes(K as u32),
            )
        }
        fn insert(&mut self, key: &[u8]) -> bool {
            !self.0.insert(key)
        }
        fn contains(&self, key: &[u8]) -> bool {
            self.0.contains(key)
        }
    }
}
