//! How the value of a hash chooses a block or a register and seeds the probes.

use crate::core_kind::IS_ARMV6M;

/// The value of a hash: `u32` or `u64`, no other type.
///
/// It knows how to choose a block and how to seed the probes, in 32-bit arithmetic.
pub trait HashValue: Copy + Eq + core::fmt::Debug + sealed::Sealed {
    /// 32 or 64.
    const BITS: u32;

    /// The most bits a filter on this hash may have.
    #[doc(hidden)]
    const MAX_FILTER_BITS: u64;

    /// The index of the block for this hash: below `blocks`, and 0 when there are none.
    #[doc(hidden)]
    fn block_index(self, blocks: usize) -> usize;

    /// What the bits in a block are derived from.
    #[doc(hidden)]
    fn probe_seed(self) -> u32;

    /// The same number.
    #[doc(hidden)]
    fn to_u64(self) -> u64;

    /// Start and step of the double hashing of a classic filter.
    #[doc(hidden)]
    fn start_and_step(self) -> (u32, u32);

    /// The index of a HyperLogLog's register, from the upper bits, and the position of the first 1 in the bits
    /// that are left, counted from 1; when all are 0, one more than there are. The number of registers is a
    /// power of two from 2 to 2^16.
    #[doc(hidden)]
    fn register_and_rank(self, registers: usize) -> (usize, u32);
}

impl HashValue for u32 {
    const BITS: u32 = 32;
    /// 4 MiB: above that, equal hashes of different keys show in the false-positive rate.
    const MAX_FILTER_BITS: u64 = 1 << 25;

    #[inline]
    fn block_index(self, blocks: usize) -> usize {
        block_index(self, blocks)
    }

    #[inline]
    fn probe_seed(self) -> u32 {
        self
    }

    #[inline]
    fn to_u64(self) -> u64 {
        self.into()
    }

    #[inline]
    fn start_and_step(self) -> (u32, u32) {
        // The step must not be a multiple of the start: turn the product so that its well mixed upper
        // bits meet the lower ones of the start. Odd, so it is never 0.
        (self, self.wrapping_mul(super::GOLDEN).rotate_left(16) | 1)
    }

    #[inline]
    fn register_and_rank(self, registers: usize) -> (usize, u32) {
        // A product with a power of two is a shift that needs no logarithm. The bit below what is left of the
        // hash ends the count.
        let number = registers as u32;
        let rest = self.wrapping_mul(number) | number >> 1;
        (block_index(self, registers), rest.leading_zeros() + 1)
    }
}

impl HashValue for u64 {
    const BITS: u32 = 64;
    const MAX_FILTER_BITS: u64 = 1 << 41;

    #[inline]
    fn block_index(self, blocks: usize) -> usize {
        (((self >> 32) * blocks as u64) >> 32) as usize
    }

    #[inline]
    fn probe_seed(self) -> u32 {
        self as u32
    }

    #[inline]
    fn to_u64(self) -> u64 {
        self
    }

    #[inline]
    fn start_and_step(self) -> (u32, u32) {
        ((self >> 32) as u32, self as u32 | 1)
    }

    #[inline]
    fn register_and_rank(self, registers: usize) -> (usize, u32) {
        let index = block_index((self >> 32) as u32, registers);
        let rest = self.wrapping_shl(registers.trailing_zeros()) | registers as u64 >> 1;
        (index, rest.leading_zeros() + 1)
    }
}

/// `hash * blocks / 2^32`, for at most 2^16 blocks.
#[inline]
pub(crate) const fn block_index(hash: u32, blocks: usize) -> usize {
    if IS_ARMV6M {
        // In halves: the library call that stands in for the missing instruction costs several times as
        // much. For 2^16 blocks or fewer this is exact and does not overflow.
        let blocks = blocks as u32;
        let low = (hash & 0xFFFF).wrapping_mul(blocks) >> 16;
        ((hash >> 16).wrapping_mul(blocks).wrapping_add(low) >> 16) as usize
    } else {
        ((hash as u64 * blocks as u64) >> 32) as usize
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}
