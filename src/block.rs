//! One block of a blocked filter: the cache line in which all bits of a key lie.

use crate::core_kind::{IS_ARMV6M, RUNS_AHEAD};
use crate::hash::GOLDEN;

/// A block of `WORDS` 32-bit words; [`Block512`] is the default.
///
/// Bit `b` of a block is bit `b % 32` of word `b / 32`; in memory, little-endian, bit `b % 8` of byte
/// `b / 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block<const WORDS: usize> {
    words: [u32; WORDS],
}

/// 512 bits, one cache line of 64 bytes.
pub type Block512 = Block<16>;
/// 1024 bits, the two lines that many 64-bit processors fetch together.
pub type Block1024 = Block<32>;
/// 2048 bits.
pub type Block2048 = Block<64>;
/// 4096 bits, for cores without a data cache (Cortex-M0, M3, M4), where a larger block costs nothing and
/// lowers the rate: 0.84 % instead of 0.97 % at 10 bits per key.
pub type Block4096 = Block<128>;
/// 8192 bits.
pub type Block8192 = Block<256>;

impl<const WORDS: usize> Block<WORDS> {
    /// Bits in a block.
    pub const BITS: u32 = WORDS as u32 * 32;

    pub(crate) const EMPTY: Self = {
        assert!(
            WORDS >= 16 && WORDS <= 2048 && WORDS.is_power_of_two(),
            "Block: WORDS must be a power of two from 16 to 2048; use Block512 or Block4096"
        );
        Self { words: [0; WORDS] }
    };

    /// Leaves the upper bits of a product, as many as it takes to name a bit of the block.
    const SHIFT: u32 = 32 - Self::BITS.ilog2();

    /// The words; see the type for the order of bits.
    pub const fn words(&self) -> &[u32; WORDS] {
        &self.words
    }

    pub(crate) const fn words_mut(&mut self) -> &mut [u32; WORDS] {
        &mut self.words
    }

    /// How many bits are set.
    pub fn count_ones(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether all bits of a key are set.
    #[inline]
    pub(crate) const fn contains<const K: usize>(&self, probe: u32) -> bool {
        if RUNS_AHEAD {
            self.contains_by_fours::<K>(probe)
        } else {
            Self::has_bits::<K, false>(&self.words, probe, GOLDEN, opaque_golden(probe))
        }
    }

    /// [`contains`](Self::contains) of a block in a snapshot, whose words are little-endian and may lie at any multiple
    /// of four.
    #[inline]
    pub(crate) const fn contains_stored<const K: usize>(words: &[u32; WORDS], probe: u32) -> bool {
        if RUNS_AHEAD {
            Self::has_bits_by_fours::<K, true>(words, probe)
        } else {
            Self::has_bits::<K, true>(words, probe, GOLDEN, opaque_golden(probe))
        }
    }

    /// [`contains`](Self::contains) with a branch after every fourth probe only.
    ///
    /// Half of the bits that a miss looks at are set, so the guess at a branch for each of them would be
    /// wrong about once per miss, which costs more than all probes. After four bits it is wrong for one
    /// miss in sixteen.
    const fn contains_by_fours<const K: usize>(&self, probe: u32) -> bool {
        Self::has_bits_by_fours::<K, false>(&self.words, probe)
    }

    const fn has_bits_by_fours<const K: usize, const IS_STORED: bool>(
        words: &[u32; WORDS],
        mut probe: u32,
    ) -> bool {
        let mut i = 0;
        while i < K {
            let end = if K - i < 4 { K } else { i + 4 };
            let mut all = u32::MAX;
            while i < end {
                probe = probe.wrapping_mul(GOLDEN);
                all &= Self::turned_to::<IS_STORED>(words, probe);
                i += 1;
            }
            if all & 1 == 0 {
                return false;
            }
        }
        true
    }

    #[inline]
    const fn contains_by<const K: usize>(&self, probe: u32, golden: u32) -> bool {
        Self::has_bits::<K, false>(&self.words, probe, golden, golden)
    }

    /// `first` is the multiplier of the first product, `golden` that of all others: the same number, but only one
    /// of them must be opaque. Half of all misses end at the first bit and need not compute it.
    #[inline]
    const fn has_bits<const K: usize, const IS_STORED: bool>(
        words: &[u32; WORDS],
        mut probe: u32,
        first: u32,
        golden: u32,
    ) -> bool {
        let mut i = 0;
        while i < K {
            probe = probe.wrapping_mul(if i == 0 { first } else { golden });
            if Self::turned_to::<IS_STORED>(words, probe) & 1 == 0 {
                return false;
            }
            i += 1;
        }
        true
    }

    /// [`insert`](Self::insert) for constants.
    pub(crate) const fn insert_const<const K: usize>(&mut self, mut probe: u32) -> bool {
        let mut is_new = false;
        let mut i = 0;
        while i < K {
            probe = probe.wrapping_mul(GOLDEN);
            is_new |= Self::turned_to::<false>(&self.words, probe) & 1 == 0;
            let bit = probe >> Self::SHIFT;
            self.words[(bit / 32) as usize] |= 1 << (bit % 32);
            i += 1;
        }
        is_new
    }

    /// Sets the bits of a key; true when one of them was not set before.
    // Always: the call costs a Cortex-M0 seven instructions.
    #[inline(always)]
    pub(crate) fn insert<const K: usize>(&mut self, mut probe: u32) -> bool {
        let golden = if RUNS_AHEAD {
            GOLDEN
        } else {
            opaque_golden(probe)
        };
        // Asking first costs a new key two probes on average, and saves a known one all writes. Keeping
        // track while setting costs more: the compiler runs out of registers.
        let is_known = if RUNS_AHEAD {
            self.contains_by_fours::<K>(probe)
        } else {
            self.contains_by::<K>(probe, golden)
        };
        if is_known {
            return false;
        }
        let mut i = 0;
        while i < K {
            probe = probe.wrapping_mul(golden);
            let bit = probe >> Self::SHIFT;
            if IS_ARMV6M && cfg!(target_endian = "little") {
                // By bytes: their index needs no scaling to an address.
                let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
                bytes[(bit / 8) as usize] |= 1 << (bit % 8);
            } else {
                self.words[(bit / 32) as usize] |= 1 << (bit % 32);
            }
            i += 1;
        }
        true
    }

    /// Sets the bits of a key; returns how many of them were not set before.
    #[inline]
    pub(crate) fn insert_counting<const K: usize>(&mut self, mut probe: u32) -> u32 {
        let mut new = 0;
        for _ in 0..K {
            probe = probe.wrapping_mul(GOLDEN);
            new += !Self::turned_to::<false>(&self.words, probe) & 1;
            let bit = probe >> Self::SHIFT;
            self.words[(bit / 32) as usize] |= 1 << (bit % 32);
        }
        new
    }

    /// The word in which the probe's bit lies, turned so that it is the lowest.
    #[inline]
    const fn turned_to<const IS_STORED: bool>(words: &[u32; WORDS], probe: u32) -> u32 {
        let bit = probe >> Self::SHIFT;
        let word = words[(bit / 32) as usize];
        let word = if IS_STORED { u32::from_le(word) } else { word };
        // A rotation takes its count modulo 32, where a shift would need a mask.
        word.rotate_right(bit)
    }

    pub(crate) fn union(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub(crate) fn intersect(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }
}

/// The multiplier, in a form that the compiler does not know to be constant. Otherwise it turns the chain of
/// products into `K` products with constants of their own, each of which a Cortex-M must load first.
///
/// Of two numbers in a row one is even, so what is added is 0. That takes two instructions on ARMv7-M, where
/// [`core::hint::black_box`] goes through the stack in five.
#[inline]
const fn opaque_golden(probe: u32) -> u32 {
    let even = probe.wrapping_mul(probe.wrapping_add(1));
    GOLDEN.wrapping_add(even << 31)
}

/// Clears blocks, one by one: for all at once the compiler calls another variant of `memset`, of 174 bytes.
pub(crate) fn clear(blocks: &mut [Block512]) {
    #[inline(never)]
    fn clear_words(words: &mut [u32]) {
        words.fill(0);
    }

    for block in blocks {
        clear_words(&mut block.words);
    }
}

/// Whether all of a key's `k` bits are set in a block of 512 bits: [`Block::contains`] for a filter that was made
/// at run time.
pub(crate) fn has_bits(words: &[u32; 16], mut probe: u32, k: u32) -> bool {
    (0..k).all(|_| {
        probe = probe.wrapping_mul(GOLDEN);
        let bit = probe >> Block512::SHIFT;
        words[(bit / 32) as usize].rotate_right(bit) & 1 == 1
    })
}

/// Sets all of a key's `k` bits in a block of 512 bits: [`Block::insert`] for a filter that was made at run time.
pub(crate) fn set_bits(words: &mut [u32; 16], mut probe: u32, k: u32) {
    for _ in 0..k {
        probe = probe.wrapping_mul(GOLDEN);
        let bit = probe >> Block512::SHIFT;
        words[(bit / 32) as usize] |= 1 << (bit % 32);
    }
}
