//! What a filter can say about itself: how full, how many keys, how often wrong.

use crate::sizing::{Rate, fraction, high_product, product_q58};

/// How full a filter is, taken at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Stats {
    bits: u64,
    ones: u64,
    full_blocks: u32,
    estimated_keys: u64,
    rate_parts_per_billion: u32,
}

impl Stats {
    /// From the bits set in each block. A classic filter is one block.
    pub(crate) fn of_blocks(
        ones_in_blocks: impl Iterator<Item = u32>,
        block_bits: u32,
        k: u32,
    ) -> Self {
        let mut blocks = 0_u32;
        let mut ones_in_all = 0_u64;
        let mut full_blocks = 0;
        // Sums over blocks: log2(bits / zeros) in units of 2^-26, and (ones / bits)^k in units of 2^-32.
        let mut emptied = 0_u64;
        let mut wrong = 0_u64;
        let whole = log2_of_twice(block_bits);
        let bits = u64::from(block_bits);
        // So that even all bits are below 1.
        let one_bit = fraction(0xFFFF_FFFF, bits << 32);
        for ones in ones_in_blocks {
            blocks += 1;
            ones_in_all += u64::from(ones);
            let zeros = block_bits - ones;
            full_blocks += u32::from(zeros == 0);
            emptied += u64::from(whole - log2_of_twice(zeros));
            let part = ((u64::from(ones) * one_bit) >> 32) as u32;
            let mut power = u32::MAX;
            for _ in 0..k {
                power = ((u64::from(power) * u64::from(part)) >> 32) as u32;
            }
            wrong += u64::from(power);
        }
        // keys = bits / k * ln(bits / zeros), with each block taken by itself.
        let times_k = product_q58(emptied, bits * LN_2);
        // Rounded, and 1 more because the inverse of k is rounded down.
        let keys = high_product(times_k + u64::from(k / 2 + 1), fraction(1, k.into()));
        Self {
            bits: u64::from(blocks) * bits,
            ones: ones_in_all,
            full_blocks,
            estimated_keys: keys,
            rate_parts_per_billion: Rate::of(wrong, u64::from(blocks.max(1)) << 32)
                .parts_per_billion(),
        }
    }

    /// Of a filter without blocks.
    pub(crate) const EMPTY: Self = Self {
        bits: 0,
        ones: 0,
        full_blocks: 0,
        estimated_keys: 0,
        rate_parts_per_billion: 0,
    };

    /// Of two filters that are asked one after the other: a key is found when either finds it.
    pub(crate) fn with(self, other: Self) -> Self {
        const BILLION: u64 = 1_000_000_000;
        let right = |stats: Self| BILLION.saturating_sub(u64::from(stats.rate_parts_per_billion));
        // Rounded up to the wrong side: the rate is not below the true one.
        let both_right = right(self) * right(other) / BILLION;
        Self {
            bits: self.bits + other.bits,
            ones: self.ones + other.ones,
            full_blocks: self.full_blocks + other.full_blocks,
            estimated_keys: self.estimated_keys + other.estimated_keys,
            rate_parts_per_billion: (BILLION - both_right) as u32,
        }
    }

    /// All bits of the filter.
    pub const fn num_bits(&self) -> u64 {
        self.bits
    }

    /// The bits that are set.
    pub const fn num_ones(&self) -> u64 {
        self.ones
    }

    /// How many different keys the filter seems to hold: `-(bits / K) ln(1 - ones / bits)`, block by block.
    ///
    /// Too low when the filter [is saturated](Self::is_saturated).
    pub const fn estimated_keys(&self) -> u64 {
        self.estimated_keys
    }

    /// How often the filter is wrong now about a key it never got: the mean over blocks of
    /// `(ones / bits)^K`.
    ///
    /// The usual estimate, `(all ones / all bits)^K`, is too low for a blocked filter, because some blocks
    /// are fuller than others. Not included is the chance of equal hashes, about `keys / 2^32` for a 32-bit
    /// hash; [`rate_at`](crate::BlockedBloomView::rate_at) has it.
    pub const fn rate(&self) -> Rate {
        Rate::from_parts_per_billion(self.rate_parts_per_billion)
    }

    /// Whether at least one block is full, so that the estimate of keys is too low.
    pub const fn is_saturated(&self) -> bool {
        self.full_blocks > 0
    }

    /// Whether the filter holds 90 % of this many keys or more: time to clear, rotate or enlarge it.
    pub const fn is_near_capacity(&self, capacity: u64) -> bool {
        self.estimated_keys >= capacity - capacity / 10
    }
}

/// Fractional bits of `log2_of_twice`: a key in the largest classic filter still counts.
const LOG2_BITS: u32 = 26;
/// The natural logarithm of 2, in units of 2^-32: with those of a logarithm 58 fractional bits.
const LN_2: u64 = 2_977_044_472;

/// The binary logarithm of twice a number in units of 2^-26, bit by bit: squaring doubles a logarithm, and
/// whether it then reaches 1 is its next bit.
///
/// That of 0 is 0, as if half a bit were left in a full block: the least that would look like this.
#[inline(never)]
fn log2_of_twice(x: u32) -> u32 {
    let zeros = x.leading_zeros();
    let mut log = 32 - zeros;
    // From 1 up to 2, in units of 2^-31; of 0 any will do.
    let mut mantissa = x.wrapping_shl(zeros);
    for _ in 0..LOG2_BITS {
        let square = ((u64::from(mantissa) * u64::from(mantissa)) >> 32) as u32;
        let carry = square >> 31;
        mantissa = square << (1 - carry);
        log = log << 1 | carry;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log2_is_right_to_its_last_bits() {
        let step = if cfg!(miri) { 997 } else { 1 };
        for x in (1..100_000)
            .step_by(step)
            .chain([1 << 25, u32::MAX, u32::MAX / 3])
        {
            let exact = (f64::from(x).log2() + 1.0) * f64::from(1_u32 << LOG2_BITS);
            assert!((f64::from(log2_of_twice(x)) - exact).abs() < 2.0, "{x}");
        }
    }

    #[test]
    fn one_key_counts_as_one() {
        for bits in [512, 4096, 1 << 25] {
            assert_eq!(
                Stats::of_blocks([7].into_iter(), bits, 7).estimated_keys(),
                1
            );
        }
    }

    #[test]
    fn a_full_filter_says_so() {
        let stats = Stats::of_blocks([512, 512].into_iter(), 512, 7);
        assert!(stats.is_saturated());
        assert!(stats.rate().parts_per_million() >= 999_999);
        assert!(stats.is_near_capacity(100));
    }

    #[test]
    fn an_empty_filter_is_never_wrong() {
        let stats = Stats::of_blocks([0, 0].into_iter(), 512, 7);
        assert_eq!(
            (stats.estimated_keys(), stats.rate().parts_per_billion()),
            (0, 0)
        );
    }
}
