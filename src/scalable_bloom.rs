//! The scalable Bloom filter: stages come into use one after another, and the rate stays under a target.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::block::{Block, Block512};
use crate::hash::{DefaultHash, HashFunction, HashValue, Xxh32};
use crate::key::Key;
use crate::sizing::{self, Layout, Rate};
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};
use crate::stats::Stats;

/// Shared body of [`ScalableBloom`] and [`ScalableBloomView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct ScalableBloomInner<const K: usize, const STAGES: usize, const PPM: u32, H, B: ?Sized> {
    hash: H,
    /// The stage that takes new keys; the ones before it are full, the ones after it empty.
    stage: u32,
    /// How often this stage is wrong: the sum over its blocks, each in units of 2^-32.
    wrong: u64,
    inserted: u64,
    // Last, so that an array of blocks coerces to a slice.
    blocks: B,
}

/// A scalable Bloom filter: `N` blocks of 64 bytes in `STAGES` stages, wrong for at most `PPM` in a million.
///
/// A filter of another kind that gets more keys than planned is wrong more and more often, and does not say so.
/// This one keeps its promise: keys go into a small first stage until it is full, then into the next, larger and
/// tighter one, and when the last is full [`insert`](ScalableBloomView::insert) gives an error instead of a
/// higher rate (Almeida, Baquero, Preguiça and Hutchison, "Scalable Bloom Filters", 2007).
///
/// - **Growth:** each stage from the third on is twice as large as the one before; every stage but the first
///   doubles the filter. Of `N` blocks the last stage has half, the one before a quarter, and so on; the first two
///   are equal.
/// - **Tightening:** each stage may be wrong 7/8 as often as the one before; all together `PPM`. (The paper
///   recommends 0.8 to 0.9. Its series has no end; as this one has, no share is kept back for later stages.)
/// - **Full** is a stage when one more key would take it above its share. That is not a number of keys: the filter
///   adds up its own blocks' rates, so the target holds for whatever keys come, even if they crowd into a few
///   blocks.
///
/// `K`, the bits per key, is the same in all stages; 8 suits the default target of 1 %.
///
/// All of the RAM is reserved from the start, so this does not save any: a [`BlockedBloom`](crate::BlockedBloom)
/// of 8 KiB holds 6,607 keys at 1 %, this one 4,871 in 4 stages. What grows is the part in use, which is all that
/// lookups touch and that must be saved or sent.
///
/// # Examples
///
/// ```
/// use sundew::{ScalableBloom, StagesFullError};
///
/// let mut seen: ScalableBloom<128, 8, 4> = ScalableBloom::new(); // 8 KiB, 1 %
/// assert!(seen.insert("a")?); // new
/// assert!(!seen.insert("a")?); // seen before
/// assert_eq!(seen.num_stages_in_use(), 1);
///
/// let full = (0..u32::MAX).find(|key| seen.insert(key).is_err());
/// assert!(full.is_some_and(|keys| keys > 4_500));
/// assert!(seen.stats().rate().parts_per_million() <= 10_000);
/// assert!(seen.contains("a"));
/// # Ok::<(), StagesFullError>(())
/// ```
pub type ScalableBloom<
    const N: usize,
    const K: usize,
    const STAGES: usize,
    const PPM: u32 = 10_000,
    H = DefaultHash,
> = ScalableBloomInner<K, STAGES, PPM, H, [Block512; N]>;

/// A [`ScalableBloom`] behind a reference, without its size in the type; it has all the operations.
pub type ScalableBloomView<
    const K: usize,
    const STAGES: usize,
    const PPM: u32 = 10_000,
    H = DefaultHash,
> = ScalableBloomInner<K, STAGES, PPM, H, [Block512]>;

/// Why [`insert`](ScalableBloomView::insert) refused a key: the last stage is full. The filter is as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct StagesFullError;

impl fmt::Display for StagesFullError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the last stage is full: clear the filter, or build it with a larger N")
    }
}

impl core::error::Error for StagesFullError {}

impl<const N: usize, const K: usize, const STAGES: usize, const PPM: u32, H: HashFunction>
    ScalableBloom<N, K, STAGES, PPM, H>
{
    /// An empty filter with the unseeded hash: all bytes 0, so a static one lies in `.bss` and costs no
    /// flash.
    pub const fn new() -> Self {
        Self::with_hash(H::UNSEEDED)
    }

    /// An empty filter with a seed or key of your own.
    pub const fn with_hash(hash: H) -> Self {
        const {
            assert!(
                STAGES >= 1 && STAGES <= 8,
                "ScalableBloom: STAGES must be from 1 to 8; the last of 4 stages is half of the filter"
            );
            assert!(
                N >= 1 << (STAGES - 1),
                "ScalableBloom: N (blocks) must be at least 2^(STAGES - 1), so that the first stage has one"
            );
            assert!(
                K >= 1 && K <= 32,
                "ScalableBloom: K (bits per key) must be from 1 to 32; 8 suits a rate of 1 %"
            );
            assert!(
                PPM >= 1 && PPM < 1_000_000,
                "ScalableBloom: PPM (the highest rate) must be from 1 to 999,999 in a million; 10,000 is 1 %"
            );
            assert!(
                N as u64 * 512 <= H::Value::MAX_FILTER_BITS,
                "ScalableBloom: a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            stage: 0,
            wrong: 0,
            inserted: 0,
            blocks: [Block::EMPTY; N],
        }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &ScalableBloomView<K, STAGES, PPM, H> {
        self
    }

    /// The filter without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut ScalableBloomView<K, STAGES, PPM, H> {
        self
    }
}

impl<const N: usize, const K: usize, const STAGES: usize, const PPM: u32>
    ScalableBloom<N, K, STAGES, PPM, Xxh32>
{
    /// An empty filter whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

impl<const K: usize, const STAGES: usize, const PPM: u32, H: HashFunction>
    ScalableBloomView<K, STAGES, PPM, H>
{
    /// What each stage may be wrong, in units of 2^-32: in the ratio 8 to 7 to the one before, `PPM` in all.
    const SHARES: [u32; STAGES] = {
        let target = ((PPM as u64) << 32) / 1_000_000;
        let mut weights = [0; STAGES];
        let mut sum = 0;
        let mut stage = 0;
        while stage < STAGES {
            weights[stage] = 7_u64.pow(stage as u32) * 8_u64.pow((STAGES - 1 - stage) as u32);
            sum += weights[stage];
            stage += 1;
        }
        let mut shares = [0; STAGES];
        let mut stage = 0;
        while stage < STAGES {
            shares[stage] = (target * weights[stage] / sum) as u32;
            stage += 1;
        }
        shares
    };

    /// Adds a key; `Ok(true)` when it was certainly new, `Ok(false)` when it was seen before or looks like it.
    ///
    /// # Cost
    ///
    /// One hash, and one block of each stage in use. A new key counts the bits of its block besides.
    ///
    /// # Errors
    ///
    /// When the key is new and the last stage has no room for it; the filter is as it was. Another key, of whose
    /// bits more are set, may still fit.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<bool, StagesFullError> {
        self.insert_hash(key.digest(&self.hash))
    }

    /// Whether a key may be there: false is certain, true may be wrong, for at most `PPM` in a million others.
    ///
    /// # Cost
    ///
    /// One hash, and one block of each stage in use.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    ///
    /// # Errors
    ///
    /// As for [`insert`](Self::insert).
    pub fn insert_hash(&mut self, hash: H::Value) -> Result<bool, StagesFullError> {
        if self.contains_hash(hash) {
            return Ok(false);
        }
        let mut stage = self.stage as usize;
        let mut wrong = self.wrong;
        while let Some(share) = Self::SHARES.get(stage) {
            let (start, end) = Self::bounds(self.blocks.len(), stage);
            let blocks = self.blocks.get_mut(start..end).unwrap_or_default();
            let num_blocks = blocks.len();
            if let Some(block) = blocks.get_mut(hash.block_index(num_blocks)) {
                let mut filled = *block;
                let ones = block.count_ones();
                let ones_after = ones + filled.insert_counting::<K>(hash.probe_seed());
                wrong += u64::from(power::<K>(ones_after) - power::<K>(ones));
                if H::Value::BITS == 32 {
                    // Whoever has the same hash is taken for this key: 2^-32, shared out to all blocks.
                    wrong += num_blocks as u64;
                }
                if wrong <= product(*share, num_blocks) {
                    *block = filled;
                    self.stage = stage as u32;
                    self.wrong = wrong;
                    self.inserted = self.inserted.saturating_add(1);
                    return Ok(true);
                }
            }
            stage += 1;
            wrong = 0;
        }
        Err(StagesFullError)
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        // The newest first: it has the most keys.
        (0..self.num_stages_in_use()).rev().any(|stage| {
            let blocks = self.stage(stage);
            blocks
                .get(hash.block_index(blocks.len()))
                .is_some_and(|block| block.contains::<K>(hash.probe_seed()))
        })
    }

    /// First block of a stage, and of the next.
    #[inline]
    const fn bounds(blocks: usize, stage: usize) -> (usize, usize) {
        // Shifts instead of a division by 2^STAGES - 1, which growth from the first stage on would take.
        let end = blocks >> (STAGES - 1).saturating_sub(stage);
        (if stage == 0 { 0 } else { end / 2 }, end)
    }

    #[inline]
    fn stage(&self, stage: usize) -> &[Block512] {
        let (start, end) = Self::bounds(self.blocks.len(), stage);
        self.blocks.get(start..end).unwrap_or_default()
    }

    /// Forgets everything, and starts with the first stage again.
    pub fn clear(&mut self) {
        self.stage = 0;
        self.wrong = 0;
        self.inserted = 0;
        self.blocks.fill(Block::EMPTY);
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many blocks there are in all stages: `N`.
    pub const fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many stages have keys, or are about to: from 1 to `STAGES`.
    pub const fn num_stages_in_use(&self) -> usize {
        self.stage as usize + 1
    }

    /// How many keys were inserted as new.
    pub const fn num_inserted(&self) -> u64 {
        self.inserted
    }

    /// The blocks in use, in order; all others are empty.
    pub fn blocks(&self) -> core::slice::Iter<'_, Block512> {
        let (_, end) = Self::bounds(self.blocks.len(), self.stage as usize);
        self.blocks.get(..end).unwrap_or_default().iter()
    }

    /// How many keys to expect before the last stage is full. The keys decide: with few blocks it may be some
    /// percent more or less.
    ///
    /// # Cost
    ///
    /// Nothing in a constant; on the target, some hundred times that of
    /// [`blocked_rate`](crate::sizing::blocked_rate).
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::ScalableBloom;
    ///
    /// static SEEN: ScalableBloom<128, 8, 4> = ScalableBloom::new();
    /// const _: () = assert!(ScalableBloom::<128, 8, 4>::new().as_view().expected_keys() > 4_800);
    /// # assert!(!SEEN.contains("key"));
    /// ```
    pub const fn expected_keys(&self) -> u64 {
        let layout = Layout::new(Block512::BITS, H::Value::BITS);
        let mut keys = 0;
        let mut stage = 0;
        while stage < STAGES {
            let (start, end) = Self::bounds(self.blocks.len(), stage);
            let rate = Rate::from_parts_per_billion(
                ((Self::SHARES[stage] as u64 * 1_000_000_000) >> 32) as u32,
            );
            keys += sizing::blocked_keys((end - start) as u32, K as u32, rate, layout);
            stage += 1;
        }
        keys
    }

    /// How full the stages in use are together, how many keys they seem to hold, and how often the filter is
    /// wrong now.
    ///
    /// # Cost
    ///
    /// Reads the stages in use. No float.
    pub fn stats(&self) -> Stats {
        (0..self.num_stages_in_use())
            .filter_map(|stage| self.stage_stats(stage))
            .fold(Stats::EMPTY, Stats::with)
    }

    /// The same of one stage, from 0; `None` when it is not in use.
    pub fn stage_stats(&self, stage: usize) -> Option<Stats> {
        (stage < self.num_stages_in_use()).then(|| {
            let ones = self.stage(stage).iter().map(Block::count_ones);
            Stats::of_blocks(ones, Block512::BITS, K as u32)
        })
    }
}

/// `(ones / 512)^K` in units of 2^-32: how often a block is wrong.
#[inline]
fn power<const K: usize>(ones: u32) -> u32 {
    let mut power = u32::MAX;
    for _ in 0..K {
        // In halves: exact, without a product of 64 bits.
        power = (((power >> 16) * ones) << 7) + (((power & 0xFFFF) * ones) >> 9);
    }
    power
}

/// A share times the number of blocks.
#[inline]
fn product(share: u32, blocks: usize) -> u64 {
    if blocks <= 0x1_0000 {
        // In halves: two products of 32 bits, which is all that a Cortex-M0 has.
        let blocks = blocks as u32;
        (u64::from((share >> 16).wrapping_mul(blocks)) << 16)
            + u64::from((share & 0xFFFF).wrapping_mul(blocks))
    } else {
        u64::from(share).saturating_mul(blocks as u64)
    }
}

/// Its blocks, the stage in use, and how much of that stage's share is used up. Which stage a key is in depends on the
/// keys before it, so that two filters cannot be united.
impl<const K: usize, const STAGES: usize, const PPM: u32, H: HashFunction> Parts
    for ScalableBloomView<K, STAGES, PPM, H>
{
    const CAN_ABSORB: bool = false;

    fn header(&self) -> Header {
        let bits = Block512::BITS;
        Header {
            parts: STAGES as u8,
            stage: self.stage as u8,
            rate_ppm: PPM,
            count: Some(self.inserted),
            state: self.wrong,
            ..Header::new(Kind::SCALABLE, &self.hash, bits, self.blocks.len(), K)
        }
    }

    fn num_words(&self) -> usize {
        self.blocks.len() * 16
    }

    fn word(&self, index: usize) -> u32 {
        let block = self.blocks.get(index / 16);
        block.map_or(0, |block| block.words()[index % 16])
    }

    fn prepare(&mut self, _: bool) {
        self.clear();
    }

    fn set_word(&mut self, index: usize, word: u32) {
        if let Some(block) = self.blocks.get_mut(index / 16) {
            block.words_mut()[index % 16] = word;
        }
    }

    fn absorb_words(&mut self, _: usize, _: [u32; GROUP]) {}

    fn conclude(&mut self, header: &Header, _: bool) {
        let stage = usize::from(header.stage);
        let (start, end) = Self::bounds(self.blocks.len(), stage);
        let share = Self::SHARES.get(stage).copied().unwrap_or(0);
        self.stage = header.stage.into();
        // Whatever a header says: with more than the share, the sums of an insert might overflow.
        self.wrong = header.state.min(product(share, end.saturating_sub(start)));
        self.inserted = header.count.unwrap_or(0);
    }
}

impl<const N: usize, const K: usize, const STAGES: usize, const PPM: u32, H: HashFunction> Default
    for ScalableBloom<N, K, STAGES, PPM, H>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const K: usize, const STAGES: usize, const PPM: u32, H> Deref
    for ScalableBloom<N, K, STAGES, PPM, H>
{
    type Target = ScalableBloomView<K, STAGES, PPM, H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const N: usize, const K: usize, const STAGES: usize, const PPM: u32, H> DerefMut
    for ScalableBloom<N, K, STAGES, PPM, H>
{
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the bits.
impl<const K: usize, const STAGES: usize, const PPM: u32, H> fmt::Debug
    for ScalableBloomView<K, STAGES, PPM, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScalableBloom")
            .field("blocks", &self.blocks.len())
            .field("k", &K)
            .field("stages", &STAGES)
            .field("ppm", &PPM)
            .field("inserted", &self.inserted)
            .finish_non_exhaustive()
    }
}

impl<const N: usize, const K: usize, const STAGES: usize, const PPM: u32, H> fmt::Debug
    for ScalableBloom<N, K, STAGES, PPM, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ScalableBloomView::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_is_exact_to_its_rounding() {
        for ones in 0..=512 {
            let exact = (f64::from(ones) / 512.0).powi(7) * 4_294_967_296.0;
            let error = exact - f64::from(power::<7>(ones));
            assert!((0.0..8.0).contains(&error), "{ones}: {error}");
        }
        assert_eq!((power::<32>(512), power::<1>(0)), (u32::MAX, 0));
    }

    #[test]
    fn product_in_halves_is_the_product() {
        for share in [0, 1, 0xFFFF, 0x1_0000, 0x1234_5678, u32::MAX] {
            for blocks in [0, 1, 7, 0xFFFF, 0x1_0000, 0x1_0001, 0xFFF_FFFF] {
                assert_eq!(product(share, blocks), u64::from(share) * blocks as u64);
            }
        }
    }

    #[test]
    fn stages_cover_all_blocks_and_double() {
        type View = ScalableBloomView<7, 5>;
        for blocks in [16, 17, 31, 100, 128] {
            let sizes: Vec<usize> = (0..5)
                .map(|stage| View::bounds(blocks, stage))
                .map(|(start, end)| end - start)
                .collect();
            assert_eq!(sizes.iter().sum::<usize>(), blocks);
            for pair in sizes[1..].windows(2) {
                assert!(
                    pair[1] == 2 * pair[0]
                        || pair[1] + 1 == 2 * pair[0]
                        || pair[1] == 2 * pair[0] + 1
                );
            }
        }
        let shares = View::SHARES.map(f64::from);
        assert!((shares.iter().sum::<f64>() / 4_294_967_296.0 - 0.01).abs() < 1e-8);
        for pair in shares.windows(2) {
            assert!((pair[1] / pair[0] - 0.875).abs() < 1e-6);
        }
    }
}
