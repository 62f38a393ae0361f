//! XXH3, the 64-bit hash for large filters and 64-bit hosts.

use xxhash_rust::xxh3::{self, Xxh3Builder};

use super::{HashFunction, HashId, HashStream};
use crate::key::Sink;

/// XXH3 (64 bits) with a 64-bit seed.
///
/// Published by Yann Collet, stable since xxHash 0.8.0, with libraries in every common language. The
/// fastest choice on 64-bit hosts; it needs 64-bit multiplications, so on a Cortex-M0 it costs several
/// times [`Xxh32`](super::Xxh32).
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::hash::Xxh3;
///
/// let mut seen: BlockedBloom<1024, 7, Xxh3> = BlockedBloom::new();
/// seen.insert("https://example.com/");
/// assert!(seen.contains("https://example.com/"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xxh3 {
    seed: u64,
}

impl Xxh3 {
    /// The function with this seed.
    pub const fn with_seed(seed: u64) -> Self {
        Self { seed }
    }
}

impl HashFunction for Xxh3 {
    const ID: HashId = HashId::XXH3_64;
    const UNSEEDED: Self = Self::with_seed(0);
    type Value = u64;
    type Stream = Xxh3Stream;

    // Always: as `Key::digest`.
    #[inline(always)]
    fn hash(&self, bytes: &[u8]) -> u64 {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        return match crate::simd::xxh3_64(bytes, self.seed) {
            Some(hash) => hash,
            None => hash_any(bytes, self.seed),
        };
        #[cfg(not(all(feature = "std", target_arch = "x86_64")))]
        xxh3::xxh3_64_with_seed(bytes, self.seed)
    }

    fn stream(&self) -> Xxh3Stream {
        Xxh3Stream(Xxh3Builder::new().with_seed(self.seed).build())
    }

    fn seed_check(&self) -> u64 {
        self.seed
    }
}

/// The hash of a key of any length. Not inlined, and called cold, so that a function which hashes the other way saves
/// no registers for this one.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[cold]
#[inline(never)]
fn hash_any(bytes: &[u8], seed: u64) -> u64 {
    xxh3::xxh3_64_with_seed(bytes, seed)
}

/// [`Xxh3`] fed piece by piece, in over 500 bytes of state: the published function looks back that far.
#[derive(Clone)]
pub struct Xxh3Stream(xxh3::Xxh3);

impl core::fmt::Debug for Xxh3Stream {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Xxh3Stream(..)")
    }
}

impl Sink for Xxh3Stream {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

impl HashStream for Xxh3Stream {
    type Value = u64;

    fn finish(&self) -> u64 {
        self.0.digest()
    }
}
