//! The blocked filter on AVX2, chosen at run time: the same bits as everywhere else, all of a key's at once.
//!
//! The only module with unsafe code, there with the feature `std` on x86-64 only. Two things need it: instructions
//! that not every x86-64 processor has, behind [`is_available`], and loads of 16 or 32 bytes.
//!
//! A function for AVX2 cannot be inlined into one that runs everywhere, so there is one call for each key. Hashing it
//! is on the far side of that call, where the products of a 64-bit hash take fewer instructions.

#[cfg(feature = "xxh3")]
mod xxh3;

use core::arch::x86_64::{
    __m256i, _mm256_blendv_ps, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_loadu_si256,
    _mm256_mullo_epi32, _mm256_permutevar8x32_epi32, _mm256_set1_epi32, _mm256_setr_epi32,
    _mm256_slli_epi32, _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_storeu_si256,
    _mm256_testc_si256,
};
use core::sync::atomic::{AtomicU8, Ordering};

use crate::block::Block;
use crate::hash::{GOLDEN, HashFunction, HashValue};
use crate::key::Key;

#[cfg(feature = "xxh3")]
pub(crate) use xxh3::xxh3_64;

/// Probes in a vector.
const LANES: usize = 8;

/// Whether this processor has AVX2 and BMI2.
#[inline]
fn is_available() -> bool {
    const UNKNOWN: u8 = 0;
    const MISSING: u8 = 1;
    const AVAILABLE: u8 = 2;
    // What `is_x86_feature_detected` says, in one byte: the yes takes one comparison, where the macro takes five
    // instructions for each feature, 3 % of a lookup.
    static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

    #[cold]
    #[inline(never)]
    fn ask() -> bool {
        if STATE.load(Ordering::Relaxed) == MISSING {
            return false;
        }
        let is_available =
            std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi2");
        let state = if is_available { AVAILABLE } else { MISSING };
        STATE.store(state, Ordering::Relaxed);
        is_available
    }

    STATE.load(Ordering::Relaxed) == AVAILABLE || ask()
}

/// Whether a filter has this path: its bits in one cache line, its probes in one vector.
const fn suits<const K: usize, const WORDS: usize>() -> bool {
    WORDS == 16 && K <= LANES
}

/// [`BlockedBloomView::contains`](crate::BlockedBloomView::contains), or None where there is no faster way than the
/// portable one.
#[inline]
pub(crate) fn contains<const K: usize, const WORDS: usize, H: HashFunction, Q: Key + ?Sized>(
    blocks: &[Block<WORDS>],
    hash: H,
    key: &Q,
) -> Option<bool> {
    if const { suits::<K, WORDS>() } && is_available() {
        // SAFETY: the processor has the features, as was just asked.
        Some(unsafe { contains_key::<K, WORDS, H, Q>(blocks, hash, key) })
    } else {
        None
    }
}

/// [`BlockedBloomView::contains_hash`](crate::BlockedBloomView::contains_hash), or None as above.
#[inline]
pub(crate) fn contains_hash<const K: usize, const WORDS: usize, V: HashValue>(
    blocks: &[Block<WORDS>],
    hash: V,
) -> Option<bool> {
    if const { suits::<K, WORDS>() } && is_available() {
        // SAFETY: the processor has the features, as was just asked.
        Some(unsafe { contains_value::<K, WORDS, V>(blocks, hash) })
    } else {
        None
    }
}

/// [`BlockedBloomView::insert`](crate::BlockedBloomView::insert), or None as above.
#[inline]
pub(crate) fn insert<const K: usize, const WORDS: usize, H: HashFunction, Q: Key + ?Sized>(
    blocks: &mut [Block<WORDS>],
    hash: H,
    key: &Q,
) -> Option<bool> {
    if const { suits::<K, WORDS>() } && is_available() {
        // SAFETY: the processor has the features, as was just asked.
        Some(unsafe { insert_key::<K, WORDS, H, Q>(blocks, hash, key) })
    } else {
        None
    }
}

/// [`BlockedBloomView::insert_hash`](crate::BlockedBloomView::insert_hash), or None as above.
#[inline]
pub(crate) fn insert_hash<const K: usize, const WORDS: usize, V: HashValue>(
    blocks: &mut [Block<WORDS>],
    hash: V,
) -> Option<bool> {
    if const { suits::<K, WORDS>() } && is_available() {
        // SAFETY: the processor has the features, as was just asked.
        Some(unsafe { insert_value::<K, WORDS, V>(blocks, hash) })
    } else {
        None
    }
}

#[target_feature(enable = "avx2,bmi2")]
fn contains_key<const K: usize, const WORDS: usize, H: HashFunction, Q: Key + ?Sized>(
    blocks: &[Block<WORDS>],
    hash: H,
    key: &Q,
) -> bool {
    contains_value::<K, WORDS, H::Value>(blocks, key.digest(&hash))
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn contains_value<const K: usize, const WORDS: usize, V: HashValue>(
    blocks: &[Block<WORDS>],
    hash: V,
) -> bool {
    let block = blocks.get(hash.block_index(blocks.len()));
    match block.and_then(|block| block.words().first_chunk()) {
        Some(words) => Probes::new::<K>(hash.probe_seed()).are_set_in(words),
        None => true,
    }
}

#[target_feature(enable = "avx2,bmi2")]
fn insert_key<const K: usize, const WORDS: usize, H: HashFunction, Q: Key + ?Sized>(
    blocks: &mut [Block<WORDS>],
    hash: H,
    key: &Q,
) -> bool {
    insert_value::<K, WORDS, H::Value>(blocks, key.digest(&hash))
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn insert_value<const K: usize, const WORDS: usize, V: HashValue>(
    blocks: &mut [Block<WORDS>],
    hash: V,
) -> bool {
    let block = blocks.get_mut(hash.block_index(blocks.len()));
    let Some(words) = block.and_then(|block| block.words_mut().first_chunk_mut()) else {
        return false;
    };
    let probes = Probes::new::<K>(hash.probe_seed());
    if probes.are_set_in(words) {
        return false;
    }
    probes.set_in::<K>(words);
    true
}

/// The bits of a key in a block of 512, one in each lane; the last one again in the lanes that are left.
struct Probes {
    /// The upper nine bits of a lane name the bit.
    products: __m256i,
}

impl Probes {
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn new<const K: usize>(probe: u32) -> Self {
        let [a, b, c, d, e, f, g, h] = const { powers_of_golden::<K>() };
        let powers = _mm256_setr_epi32(a, b, c, d, e, f, g, h);
        Self {
            products: _mm256_mullo_epi32(_mm256_set1_epi32(probe as i32), powers),
        }
    }

    /// The upper four bits: which word.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn words(&self) -> __m256i {
        _mm256_srli_epi32::<28>(self.products)
    }

    /// The five bits below: which bit of the word, as a mask.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn masks(&self) -> __m256i {
        let bits = _mm256_srli_epi32::<27>(_mm256_slli_epi32::<4>(self.products));
        _mm256_sllv_epi32(_mm256_set1_epi32(1), bits)
    }

    /// Whether all of them are set, without a branch: half of the bits that a miss looks at are set, so the guess
    /// at a branch for each would be wrong about once.
    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn are_set_in(&self, block: &[u32; 16]) -> bool {
        let halves = block.as_ptr().cast::<__m256i>();
        // SAFETY: 16 words are two vectors, and these loads need no alignment.
        let (lower, upper) = unsafe {
            (
                _mm256_loadu_si256(halves),
                _mm256_loadu_si256(halves.add(1)),
            )
        };
        // A permutation looks at three bits of the index; the fourth, which is the uppermost of the product, where
        // `blendv` looks, chooses the half. A gather takes longer.
        let words = self.words();
        let lower = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(lower, words));
        let upper = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(upper, words));
        let chosen = _mm256_blendv_ps(lower, upper, _mm256_castsi256_ps(self.products));
        _mm256_testc_si256(_mm256_castps_si256(chosen), self.masks()) == 1
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi2")]
    fn set_in<const K: usize>(&self, block: &mut [u32; 16]) {
        let words = to_array(self.words());
        let masks = to_array(self.masks());
        // One by one, as several may fall into one word.
        for (word, mask) in words.into_iter().zip(masks).take(K) {
            block[word as usize % 16] |= mask;
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi2")]
fn to_array(vector: __m256i) -> [u32; LANES] {
    let mut array = [0; LANES];
    // SAFETY: 8 words are one vector, and this store needs no alignment.
    unsafe { _mm256_storeu_si256(array.as_mut_ptr().cast(), vector) };
    array
}

/// What a probe is multiplied with in each lane, instead of one product after another.
const fn powers_of_golden<const K: usize>() -> [i32; LANES] {
    let mut powers = [0; LANES];
    let mut power = 1_u32;
    let mut i = 0;
    while i < LANES {
        if i < K {
            power = power.wrapping_mul(GOLDEN);
        }
        powers[i] = power as i32;
        i += 1;
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Block512;

    /// Miri checks every access, and takes a thousand times as long.
    const STEP: usize = if cfg!(miri) { 61 } else { 1 };

    /// SplitMix64, after hashes with every bit in a row set or clear.
    fn hashes(count: u64) -> impl Iterator<Item = u64> {
        let edges = (0..64).flat_map(|shift| [1 << shift, u64::MAX << shift, u64::MAX >> shift]);
        let random = (0..count).map(|i| {
            let mut mixed = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        });
        core::iter::once(0).chain(edges).chain(random).step_by(STEP)
    }

    /// Whether there is anything to test: an older processor takes the portable path.
    fn can_test() -> bool {
        if !is_available() {
            std::eprintln!("left out: this processor has no AVX2");
        }
        is_available()
    }

    /// What the portable path does, and this one, from an empty filter to one that is nearly full.
    fn assert_same_as_portable<const K: usize>() {
        if !can_test() {
            return;
        }
        let mut blocks = [Block512::EMPTY; 5];
        let mut portable = blocks;
        for hash in hashes(900) {
            let index = hash.block_index(portable.len());
            let is_there = portable[index].contains::<K>(hash.probe_seed());
            assert_eq!(contains_hash::<K, 16, _>(&blocks, hash), Some(is_there));
            let is_new = portable[index].insert::<K>(hash.probe_seed());
            assert_eq!(insert_hash::<K, 16, _>(&mut blocks, hash), Some(is_new));
            assert_eq!(blocks, portable, "K = {K}, hash {hash:#x}");
            assert_eq!(contains_hash::<K, 16, _>(&blocks, hash), Some(true));
        }
        for hash in hashes(5_000).map(|hash| hash.swap_bytes()) {
            let block = &portable[hash.block_index(portable.len())];
            let is_there = block.contains::<K>(hash.probe_seed());
            assert_eq!(contains_hash::<K, 16, _>(&blocks, hash), Some(is_there));
        }
    }

    #[test]
    fn every_k_sets_and_finds_the_bits_of_the_portable_path() {
        assert_same_as_portable::<1>();
        assert_same_as_portable::<2>();
        assert_same_as_portable::<3>();
        assert_same_as_portable::<4>();
        assert_same_as_portable::<5>();
        assert_same_as_portable::<6>();
        assert_same_as_portable::<7>();
        assert_same_as_portable::<8>();
    }

    /// With one bit of the block clear at a time, in an otherwise full block.
    #[test]
    fn a_single_clear_bit_is_seen_in_every_place() {
        if !can_test() {
            return;
        }
        for bit in (0..512).step_by(STEP) {
            let mut block = Block512::EMPTY;
            block.words_mut().fill(u32::MAX);
            block.words_mut()[bit / 32] ^= 1 << (bit % 32);
            for hash in hashes(200) {
                let is_there = block.contains::<8>(hash.probe_seed());
                let blocks = core::slice::from_ref(&block);
                assert_eq!(contains_hash::<8, 16, _>(blocks, hash), Some(is_there));
            }
        }
    }

    #[test]
    fn other_shapes_are_left_to_the_portable_path() {
        assert_eq!(contains_hash::<9, 16, _>(&[Block::EMPTY], 1_u64), None);
        assert_eq!(contains_hash::<7, 32, _>(&[Block::EMPTY], 1_u64), None);
        assert_eq!(insert_hash::<9, 16, _>(&mut [Block::EMPTY], 1_u64), None);
    }

    #[test]
    fn no_blocks_are_no_reason_to_panic() {
        if !can_test() {
            return;
        }
        assert_eq!(contains_hash::<7, 16, _>(&[], u64::MAX), Some(true));
        assert_eq!(insert_hash::<7, 16, _>(&mut [], u64::MAX), Some(false));
    }
}
