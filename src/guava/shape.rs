//! What a Guava filter's file says before its bits.

use core::fmt;
use core::num::{NonZeroU8, NonZeroU32};

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

    /// The positions that a key with this hash has among `bits`, of which there are fewer than 2^31.
    pub(super) fn positions(self, hash: [u64; 2], bits: u32) -> impl Iterator<Item = u32> {
        const POSITIVE: u64 = i64::MAX as u64;
        let bits = bits.max(1);
        let [first, second] = hash;
        let (low, high) = (first as u32, (first >> 32) as u32);
        let mut sum = first;
        (1..=u32::from(self.k())).map(move |i| match self.strategy {
            Strategy::Murmur128Mitz64 => {
                let position = (sum & POSITIVE) % u64::from(bits);
                sum = sum.wrapping_add(second);
                position as u32
            }
            Strategy::Murmur128Mitz32 => {
                let sum = low.wrapping_add(i.wrapping_mul(high)) as i32;
                // Java flips all bits of a negative number.
                (if sum < 0 { !sum } else { sum }) as u32 % bits
            }
        })
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
