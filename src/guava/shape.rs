//! What a Guava filter's file says before its bits.

use core::fmt;
use core::num::{NonZeroU8, NonZeroU32};

/// The most words of a filter: positions are below 2^31, as the remainders in positions.rs need.
pub(super) const MAX_WORDS: u32 = (1 << 25) - 1;

/// How Guava goes from the hash of a key to bits. The values are the ordinals in a file.
///
/// Both hash by Murmur3 x64 128 with seed 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Strategy {
    /// `MURMUR128_MITZ_32`, what Guava wrote before version 17: bits from 64 bits of the hash, in 32-bit arithmetic.
    Murmur128Mitz32 = 0,
    /// `MURMUR128_MITZ_64`, what Guava writes since: bits from all 128 bits of the hash.
    Murmur128Mitz64 = 1,
}

/// Strategy, bits per key and size of a Guava filter.
///
/// # Examples
///
/// An empty filter of the old strategy:
///
/// ```
/// use sundew::guava::{GuavaBloom, Shape, Strategy};
///
/// let mut seen: GuavaBloom<16> = GuavaBloom::new();
/// seen.reset(Shape::new(Strategy::Murmur128Mitz32, 7, 15).unwrap()).unwrap();
/// assert_eq!(seen.num_bits(), 960);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    strategy: Strategy,
    k: NonZeroU8,
    words: NonZeroU32,
}

impl Shape {
    /// The smallest there is.
    pub(super) const LEAST: Self = Self {
        strategy: Strategy::Murmur128Mitz64,
        k: NonZeroU8::MIN,
        words: NonZeroU32::MIN,
    };

    /// So many bits per key in so many 64-bit words; `None` when either is 0.
    pub const fn new(strategy: Strategy, k: u8, words: u32) -> Option<Self> {
        match (NonZeroU8::new(k), NonZeroU32::new(words)) {
            (Some(k), Some(words)) => Some(Self { strategy, k, words }),
            _ => None,
        }
    }

    /// From hash to bits.
    pub const fn strategy(self) -> Strategy {
        self.strategy
    }

    /// Bits per key: Guava's number of hash functions.
    pub const fn k(self) -> u8 {
        self.k.get()
    }

    /// 64-bit words.
    pub const fn num_words(self) -> u32 {
        self.words.get()
    }

    /// How many bits a filter of this shape has. A shape of 2^25 words or more is that of no filter, and counts as
    /// one of the most words.
    pub(super) const fn num_bits(self) -> NonZeroU32 {
        let words = self.num_words();
        let words = if words > MAX_WORDS { MAX_WORDS } else { words };
        match NonZeroU32::new(words * 64) {
            Some(bits) => bits,
            None => NonZeroU32::MIN,
        }
    }
}

/// A shape has more words than the filter it was meant for, which is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct DoesNotFitError;

impl fmt::Display for DoesNotFitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the shape has more words than the filter: build it with a larger WORDS")
    }
}

impl core::error::Error for DoesNotFitError {}
