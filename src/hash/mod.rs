//! The hash functions a filter can be built on.
//!
//! | type | bits | for | feature |
//! |---|---|---|---|
//! | [`Xxh32`] | 32 | the default: filters up to 4 MiB, any core, compile-time filters | |
//! | [`Xxh3`] | 64 | filters above 4 MiB, 64-bit hosts | `xxh3` |
//! | [`SipHash13`] | 64 | keys that an attacker may choose, with a secret key | `siphash` |
//! | [`Murmur3`] | 64 of 128 | sharing hashes with Guava and others that use Murmur3 x64 128 | |
//!
//! All are published functions with the same result on every target. The derivation of block and bits
//! is part of the byte format of a filter; the [crate's hashing page](crate::hashing) gives it to the
//! bit, with a reference in Python.

mod murmur3;
mod pending;
#[cfg(feature = "siphash")]
mod siphash;
mod value;
#[cfg(feature = "xxh3")]
mod xxh3;
mod xxh32;

pub use murmur3::{Murmur3, Murmur3Stream};
#[cfg(feature = "siphash")]
pub use siphash::{SipHash13, SipHash13Stream};
pub use value::HashValue;
pub(crate) use value::block_index;
#[cfg(feature = "xxh3")]
pub use xxh3::{Xxh3, Xxh3Stream};
pub use xxh32::{Xxh32, Xxh32Stream};

use crate::key::Sink;

/// The hash a filter uses when its type does not name one.
pub type DefaultHash = Xxh32;

/// A seeded hash function, the `H` of a filter's type.
///
/// The value of the type is the seed: two filters hash alike exactly when their hashes are equal.
pub trait HashFunction: Copy + Eq {
    /// Stands for the function in snapshots.
    const ID: HashId;
    /// The function with seed or key 0, all of whose bytes are 0, so that an empty filter lies in
    /// `.bss`.
    const UNSEEDED: Self;
    /// What the function computes: `u32` or `u64`.
    type Value: HashValue;
    /// The function fed piece by piece.
    type Stream: HashStream<Value = Self::Value>;

    /// The hash of one key that lies in memory.
    fn hash(&self, bytes: &[u8]) -> Self::Value;

    /// Starts to hash a key that arrives in pieces. Where it is cut does not change the result.
    fn stream(&self) -> Self::Stream;

    /// What a snapshot says about the seed: the seed itself, or, where it is secret, what no one can find it from.
    ///
    /// Unless a function says otherwise it is the hash of the six bytes `sundew`.
    fn seed_check(&self) -> u64 {
        self.hash(b"sundew").to_u64()
    }
}

/// A hash in the making: write the pieces of a key, then call [`finish`](Self::finish).
///
/// # Examples
///
/// ```
/// use sundew::Sink;
/// use sundew::hash::{HashFunction, HashStream, Xxh32};
///
/// let hash = Xxh32::with_seed(7);
/// let mut stream = hash.stream();
/// stream.write(b"https://");
/// stream.write(b"example.com/");
/// assert_eq!(stream.finish(), hash.hash(b"https://example.com/"));
/// ```
pub trait HashStream: Sink {
    /// What the function computes.
    type Value: HashValue;

    /// The hash of everything written so far. More may be written afterwards.
    fn finish(&self) -> Self::Value;
}

/// The number by which snapshots name a hash function.
///
/// Numbers up to 127 are given by this crate and never reused; 128 and above are free for hash functions
/// of your own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HashId(pub u8);

impl HashId {
    /// [`Xxh32`].
    pub const XXH32: Self = Self(1);
    /// `Xxh3`, the 64-bit variant of XXH3.
    pub const XXH3_64: Self = Self(2);
    /// `SipHash13`.
    pub const SIPHASH_1_3: Self = Self(3);
    /// [`Murmur3`], the first half of Murmur3 x64 128.
    pub const MURMUR3_X64_128: Self = Self(4);
}

/// A prime near 2^32 divided by the golden ratio: the multiplier that derives one probe from the last. It is
/// XXH32's first, so code that does both loads one constant.
pub(crate) const GOLDEN: u32 = 0x9E37_79B1;
