//! The size that Guava chooses for a filter, in integers.

use core::fmt;

use super::shape::MAX_WORDS;
use crate::sizing::{Rate, classic_bits, product};

/// Why Guava has no filter of this kind, or none that is served here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PlanError {
    /// The rate is 0 % or 100 %.
    RateOutOfRange,
    /// So few keys at so high a rate get no bit at all.
    NoBits,
    /// The filter would have 2^25 words or more.
    TooLarge,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RateOutOfRange => "the rate must be above 0 % and below 100 %",
            Self::NoBits => "so few keys at so high a rate get no bit at all",
            Self::TooLarge => "the filter would have 2^25 words or more",
        })
    }
}

impl core::error::Error for PlanError {}

/// Words and bits per key that Guava's `BloomFilter.create` chooses for a number of keys and a rate.
///
/// Guava computes `optimalNumOfBits` and `optimalNumOfHashFunctions` in `double`, this in integers with more digits.
/// Both gave the same numbers in each of 69,840 comparisons with Guava 31.1: for every number of keys up to 10,000 and
/// 20,000 larger ones up to 67 million, at 1 % and at 0.01 %, and for rates of all sizes. A proof for all others this
/// is not: the last digit of a `double` could decide otherwise. A million more pairs are compared with the same formulas
/// in `double`, without Java, in every test run.
///
/// Versions after 2024 (Guava's pull request 7494) take the bits per key from the rate alone. That is the same number
/// for 5 keys and more at 10, 3, 1, 0.1 or 0.01 %. A file brings its own, so either is read.
///
/// # Examples
///
/// ```
/// use sundew::guava::{GuavaBloom, Plan};
/// use sundew::sizing::Rate;
///
/// const PLAN: Plan = Plan::for_keys(26_000, Rate::percent(1));
/// static SEEN: GuavaBloom<{ PLAN.words() }, { PLAN.k() }> = GuavaBloom::new();
/// assert_eq!((PLAN.bytes(), PLAN.k()), (31_152, 7));
/// # assert!(!SEEN.contains("key"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    words: u32,
    k: u32,
}

impl Plan {
    /// What Guava chooses for so many keys.
    ///
    /// # Panics
    ///
    /// Where [`try_for_keys`](Self::try_for_keys) gives an error; in a constant, that stops the build.
    pub const fn for_keys(keys: u64, rate: Rate) -> Self {
        match Self::try_for_keys(keys, rate) {
            Ok(plan) => plan,
            Err(PlanError::RateOutOfRange) => {
                panic!("guava::Plan: the rate must be above 0 % and below 100 %")
            }
            Err(PlanError::NoBits) => {
                panic!("guava::Plan: so few keys at so high a rate get no bit at all")
            }
            Err(PlanError::TooLarge) => {
                panic!("guava::Plan: the filter would have 2^25 words (256 MiB) or more")
            }
        }
    }

    /// What Guava chooses for so many keys, without a panic. For no keys that is what it chooses for one.
    ///
    /// # Errors
    ///
    /// [`PlanError::RateOutOfRange`] and [`PlanError::NoBits`], where Guava throws an exception;
    /// [`PlanError::TooLarge`].
    pub const fn try_for_keys(keys: u64, rate: Rate) -> Result<Self, PlanError> {
        /// The natural logarithm of 2 with 64 fractional bits.
        const LN_2: u64 = 0xB172_17F7_D1CF_79AB;
        let parts = rate.parts_per_billion();
        if parts == 0 || parts == Rate::ONE.parts_per_billion() {
            return Err(PlanError::RateOutOfRange);
        }
        let keys = if keys == 0 { 1 } else { keys };
        // At the least rate a key takes 43 bits: 6 digits are left for them, and all others go to the fraction.
        // Guava cuts the fraction off, so it must be known.
        let shift = keys.leading_zeros().saturating_sub(6);
        let bits = classic_bits(keys << shift, rate) >> shift;
        if bits == 0 {
            return Err(PlanError::NoBits);
        }
        let words = bits.div_ceil(64);
        if words > MAX_WORDS as u64 {
            return Err(PlanError::TooLarge);
        }
        // `bits ln(2) / keys`, rounded to the nearest. Only the whole part of a numerator counts in a quotient that
        // is rounded down. With `bits` below 2^31, `keys` is below 2^60: at the highest rate a key has 2^-29 bits.
        let twice_bits_ln_2 = (product(2 * bits, LN_2) >> 64) as u64;
        let k = (twice_bits_ln_2 + keys) / (2 * keys);
        Ok(Self {
            words: words as u32,
            k: if k == 0 { 1 } else { k as u32 },
        })
    }

    /// 64-bit words: `WORDS` of a [`GuavaBloom`](super::GuavaBloom).
    pub const fn words(&self) -> usize {
        self.words as usize
    }

    /// Bits per key: `K` of a [`GuavaBloom`](super::GuavaBloom).
    pub const fn k(&self) -> usize {
        self.k as usize
    }

    /// Bytes of all words; the file has 6 more.
    pub const fn bytes(&self) -> usize {
        self.words as usize * 8
    }
}
