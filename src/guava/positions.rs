//! From the hash of a key to its bits.

use core::num::{NonZeroU32, NonZeroU64};

use super::shape::{Shape, Strategy};
use crate::core_kind::IS_ARMV6M;

/// The lower 63 bits: what Java leaves of a `long` to make it positive.
const POSITIVE: u64 = i64::MAX as u64;

/// The positions of a key's bits.
pub(super) fn positions(shape: Shape, [first, second]: [u64; 2]) -> impl Iterator<Item = u32> {
    let bits = shape.num_bits();
    let (low, high) = (first as u32, (first >> 32) as u32);
    let (mut sum, step) = (first & POSITIVE, second & POSITIVE);
    let (mut position, mut stride, mut stride_with_carry) = (0, 0, 0);
    (1..=u32::from(shape.k())).map(move |i| match shape.strategy() {
        // `(first + (i - 1) second) & POSITIVE`, modulo `bits`. Guava takes the remainder of each sum. Here those of
        // the start, of the step and of a carry serve all of them, and the latter two wait until the first bit is
        // found set: a microcontroller has no instruction for any.
        Strategy::Murmur128Mitz64 => {
            match i {
                1 => {
                    position = remainder(sum, bits);
                    return position;
                }
                2 => {
                    stride = remainder(step, bits);
                    let carry = remainder(POSITIVE + 1, bits);
                    stride_with_carry = sum_modulo(stride, bits.get() - carry, bits.get());
                }
                _ => {}
            }
            sum += step;
            let is_carry = sum > POSITIVE;
            sum &= POSITIVE;
            let stride = if is_carry { stride_with_carry } else { stride };
            position = sum_modulo(position, stride, bits.get());
            position
        }
        Strategy::Murmur128Mitz32 => {
            let sum = low.wrapping_add(i.wrapping_mul(high)) as i32;
            // Java flips all bits of a negative number.
            (if sum < 0 { !sum } else { sum }) as u32 % bits
        }
    })
}

/// The sum of two numbers that are not above the modulus, which is below 2^31.
fn sum_modulo(a: u32, b: u32, modulus: u32) -> u32 {
    let sum = a + b;
    if sum >= modulus { sum - modulus } else { sum }
}

/// A remainder by a divisor from 1 to 2^31 - 1. On a Cortex-M the compiler would bring 900 bytes of code for it.
fn remainder(number: u64, divisor: NonZeroU32) -> u32 {
    if cfg!(target_pointer_width = "64") {
        (number % NonZeroU64::from(divisor)) as u32
    } else if IS_ARMV6M {
        remainder_by_subtractions(number, divisor)
    } else {
        remainder_by_divisions(number, divisor)
    }
}

/// For cores that have no instruction for a division: bit by bit.
#[inline(never)]
fn remainder_by_subtractions(number: u64, divisor: NonZeroU32) -> u32 {
    let mut rest = (number >> 32) as u32 % divisor;
    let mut bits = number as u32;
    for _ in 0..32 {
        rest = rest << 1 | bits >> 31;
        bits <<= 1;
        if rest >= divisor.get() {
            rest -= divisor.get();
        }
    }
    rest
}

/// For cores that divide 32-bit numbers: as many bits at a time as there is room for above the rest.
#[inline(never)]
fn remainder_by_divisions(number: u64, divisor: NonZeroU32) -> u32 {
    let mut rest = (number >> 32) as u32 % divisor;
    let mut bits = number as u32;
    let mut left = 32;
    while left > 0 {
        let taken = divisor.leading_zeros().min(left);
        rest = (rest << taken | bits >> (32 - taken)) % divisor;
        bits <<= taken;
        left -= taken;
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::super::shape::MAX_WORDS;
    use super::*;

    const NUMBERS: [u64; 9] = [
        0,
        1,
        0x7FFF_FFFF,
        0xFFFF_FFFF,
        0x1_0000_0000,
        0x1234_5678_9ABC_DEF0,
        POSITIVE - 1,
        POSITIVE,
        POSITIVE + 1,
    ];
    /// As words: the least, the most, and some between.
    const WORDS: [u32; 7] = [1, 2, 3, 150, 29_953, 1 << 24, MAX_WORDS];

    #[test]
    fn remainders_are_those_of_a_division() {
        for number in NUMBERS {
            for divisor in WORDS.map(|words| 64 * words).into_iter().chain([1, 7]) {
                let expected = (number % u64::from(divisor)) as u32;
                let divisor = NonZeroU32::new(divisor).unwrap();
                assert_eq!(remainder(number, divisor), expected);
                assert_eq!(remainder_by_subtractions(number, divisor), expected);
                assert_eq!(remainder_by_divisions(number, divisor), expected);
            }
        }
    }

    #[test]
    fn positions_are_the_remainders_of_each_sum() {
        for first in NUMBERS.into_iter().chain([u64::MAX]) {
            for second in NUMBERS.into_iter().chain([u64::MAX, 0x9E37_79B9_7F4A_7C15]) {
                for words in WORDS {
                    let shape = Shape::new(Strategy::Murmur128Mitz64, 255, words).unwrap();
                    let mut sum = first;
                    for position in positions(shape, [first, second]) {
                        let expected = (sum & POSITIVE) % u64::from(64 * words);
                        assert_eq!(u64::from(position), expected);
                        sum = sum.wrapping_add(second);
                    }
                }
            }
        }
    }
}
