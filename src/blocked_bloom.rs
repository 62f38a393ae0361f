//! The blocked Bloom filter: every key has all its bits in one block.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::block::{Block, Block512};
use crate::hash::{DefaultHash, HashFunction, HashValue, Xxh32, block_index};
use crate::key::Key;
use crate::merge_error::MergeError;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
use crate::simd;
use crate::sizing::{self, Layout, Rate};
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};
use crate::stats::Stats;

/// Shared body of [`BlockedBloom`] and [`BlockedBloomView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedBloomInner<const K: usize, H, B: ?Sized> {
    hash: H,
    // Last, so that an array of blocks coerces to a slice.
    blocks: B,
}

/// A blocked Bloom filter of `N` blocks with `K` bits per key, in `64 * N` bytes of static RAM and one more
/// line of 64 for the hash's seed.
///
/// It remembers keys without storing them. [`contains`](BlockedBloomView::contains) never forgets a key; for
/// a key that was never inserted it is wrong at a small, known rate, about 1 % at 10 bits per key. Each key
/// sets its `K` bits in one block of 512 bits, one cache line, chosen by a hash. [`sizing`](crate::sizing)
/// finds `N` and `K`; [`profile`](crate::profile) has ready-made sizes.
///
/// `B` is the block: [`Block512`] suits cores with a data cache; on others (Cortex-M0, M3, M4)
/// [`Block4096`](crate::Block4096) costs the same time and has fewer false positives.
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::sizing::{Plan, Rate};
///
/// const PLAN: Plan = Plan::for_keys(26_000, Rate::percent(1));
/// let mut seen: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
///
/// assert!(seen.insert("https://example.com/")); // new
/// assert!(!seen.insert("https://example.com/")); // seen before
/// assert!(!seen.contains("https://example.org/"));
/// ```
///
/// A deny list built by the compiler, in flash, without RAM:
///
/// ```
/// use sundew::BlockedBloom;
///
/// static BLOCKED: BlockedBloom<1, 7> = BlockedBloom::with_keys(&["ads.example", "track.example"]);
///
/// assert!(BLOCKED.contains("ads.example"));
/// assert!(!BLOCKED.contains("example.com"));
/// ```
pub type BlockedBloom<const N: usize, const K: usize, H = DefaultHash, B = Block512> =
    BlockedBloomInner<K, H, [B; N]>;

/// A [`BlockedBloom`] behind a reference, without its size in the type.
///
/// All operations are defined here, once for every size; a [`BlockedBloom`] derefs to it.
///
/// # Examples
///
/// ```
/// use sundew::{BlockedBloom, BlockedBloomView};
///
/// fn count_new(seen: &mut BlockedBloomView<7>, lines: &[&str]) -> usize {
///     lines.iter().filter(|line| seen.insert(**line)).count()
/// }
///
/// let mut small: BlockedBloom<8, 7> = BlockedBloom::new();
/// let mut large: BlockedBloom<64, 7> = BlockedBloom::new();
/// assert_eq!(count_new(&mut small, &["a", "b", "a"]), 2);
/// assert_eq!(count_new(&mut large, &["a", "b", "a"]), 2);
/// ```
pub type BlockedBloomView<const K: usize, H = DefaultHash, B = Block512> =
    BlockedBloomInner<K, H, [B]>;

impl<const N: usize, const K: usize, H: HashFunction, const WORDS: usize>
    BlockedBloom<N, K, H, Block<WORDS>>
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
                N > 0,
                "BlockedBloom: N (blocks) must be at least 1; sizing::Plan finds it"
            );
            assert!(
                K >= 1 && K <= 32,
                "BlockedBloom: K (bits per key) must be from 1 to 32; 7 suits a rate of 1 %"
            );
            assert!(
                N as u64 * Block::<WORDS>::BITS as u64 <= H::Value::MAX_FILTER_BITS,
                "BlockedBloom: a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            blocks: [Block::EMPTY; N],
        }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &BlockedBloomView<K, H, Block<WORDS>> {
        self
    }

    /// The filter without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut BlockedBloomView<K, H, Block<WORDS>> {
        self
    }
}

impl<const N: usize, const K: usize, const WORDS: usize> BlockedBloom<N, K, Xxh32, Block<WORDS>> {
    /// An empty filter whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }

    /// A filter of these keys, for a constant that the compiler builds.
    pub const fn with_keys(keys: &[&str]) -> Self {
        let mut filter = Self::new();
        let mut i = 0;
        while i < keys.len() {
            filter.as_mut_view().insert_bytes(keys[i].as_bytes());
            i += 1;
        }
        filter
    }
}

impl<const K: usize, const WORDS: usize> BlockedBloomView<K, Xxh32, Block<WORDS>> {
    /// [`insert`](Self::insert) for constants.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    ///
    /// const VENDORS: BlockedBloom<1, 7> = {
    ///     let mut vendors = BlockedBloom::new();
    ///     vendors.as_mut_view().insert_bytes(b"\xF0\x9F\xC2");
    ///     vendors
    /// };
    /// assert!(VENDORS.contains(b"\xF0\x9F\xC2"));
    /// ```
    pub const fn insert_bytes(&mut self, key: &[u8]) -> bool {
        let hash = self.hash.hash_const(key);
        // In bounds: the product with a fraction below 1 is below the number of blocks, and there is one.
        let index = block_index(hash, self.blocks.len());
        if index < self.blocks.len() {
            self.blocks[index].insert_const::<K>(hash)
        } else {
            false
        }
    }

    /// [`contains`](Self::contains) for constants: false is certain, true may be wrong.
    pub const fn contains_bytes(&self, key: &[u8]) -> bool {
        let hash = self.hash.hash_const(key);
        let index = block_index(hash, self.blocks.len());
        index >= self.blocks.len() || self.blocks[index].contains::<K>(hash)
    }
}

impl<const K: usize, H: HashFunction, const WORDS: usize> BlockedBloomView<K, H, Block<WORDS>> {
    /// The hash and the blocks, for code that knows `K` at run time only.
    pub(crate) fn parts_mut(&mut self) -> (H, &mut [Block<WORDS>]) {
        (self.hash, &mut self.blocks)
    }

    /// Adds a key; true when it was certainly new, false when it was seen before or looks like it.
    ///
    /// Like `HashSet::insert`. A key that looks as if it were there is there from now on: its bits were all
    /// set.
    ///
    /// # Cost
    ///
    /// One hash, one block. `cargo xtask bench target` counts the instructions.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if let Some(is_new) = simd::insert::<K, WORDS, H, Q>(&mut self.blocks, self.hash, key) {
            return is_new;
        }
        self.insert_hash(key.digest(&self.hash))
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    ///
    /// # Cost
    ///
    /// One hash, one block. `cargo xtask bench target` counts the instructions.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if let Some(is_there) = simd::contains::<K, WORDS, H, Q>(&self.blocks, self.hash, key) {
            return is_there;
        }
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    #[inline]
    pub fn insert_hash(&mut self, hash: H::Value) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if let Some(is_new) = simd::insert_hash::<K, WORDS, H::Value>(&mut self.blocks, hash) {
            return is_new;
        }
        let index = hash.block_index(self.blocks.len());
        match self.blocks.get_mut(index) {
            Some(block) => block.insert::<K>(hash.probe_seed()),
            None => false,
        }
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    ///
    /// # Examples
    ///
    /// A key that arrives in pieces is hashed as it comes:
    ///
    /// ```
    /// use sundew::hash::{HashFunction, HashStream};
    /// use sundew::{BlockedBloom, Sink};
    ///
    /// let mut seen: BlockedBloom<8, 7> = BlockedBloom::new();
    /// seen.insert("one long key");
    ///
    /// let mut key = seen.hash().stream();
    /// key.write(b"one long");
    /// key.write(b" key");
    /// assert!(seen.contains_hash(key.finish()));
    /// ```
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        #[cfg(all(feature = "std", target_arch = "x86_64"))]
        if let Some(is_there) = simd::contains_hash::<K, WORDS, H::Value>(&self.blocks, hash) {
            return is_there;
        }
        let index = hash.block_index(self.blocks.len());
        match self.blocks.get(index) {
            Some(block) => block.contains::<K>(hash.probe_seed()),
            None => true,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.blocks.fill(Block::EMPTY);
    }

    /// Adds all keys of another filter, as if each had been inserted here.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::{BlockedBloom, MergeError};
    ///
    /// let mut here: BlockedBloom<8, 7> = BlockedBloom::new();
    /// let mut there: BlockedBloom<8, 7> = BlockedBloom::new();
    /// here.insert("a");
    /// there.insert("b");
    /// here.union(&there)?;
    /// assert!(here.contains("a") && here.contains("b"));
    /// # Ok::<(), MergeError>(())
    /// ```
    pub fn union(&mut self, other: &Self) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        for (block, other) in self.blocks.iter_mut().zip(&other.blocks) {
            block.union(other);
        }
        Ok(())
    }

    /// Keeps what is in both filters.
    ///
    /// No key that was in both is lost. The false-positive rate is at most that of either filter, but higher
    /// than that of a filter filled with the common keys alone.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        for (block, other) in self.blocks.iter_mut().zip(&other.blocks) {
            block.intersect(other);
        }
        Ok(())
    }

    fn check_mergeable(&self, other: &Self) -> Result<(), MergeError> {
        if self.blocks.len() != other.blocks.len() {
            return Err(MergeError::SizeDiffers);
        }
        if self.hash != other.hash {
            return Err(MergeError::SeedDiffers);
        }
        Ok(())
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many blocks there are: `N`.
    pub const fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// How many bits there are.
    pub const fn num_bits(&self) -> u64 {
        self.blocks.len() as u64 * Block::<WORDS>::BITS as u64
    }

    /// The blocks in order.
    pub fn blocks(&self) -> core::slice::Iter<'_, Block<WORDS>> {
        self.blocks.iter()
    }

    /// The blocks in order, to change them.
    #[cfg(any(target_has_atomic = "32", feature = "portable-atomic"))]
    pub(crate) const fn blocks_mut(&mut self) -> &mut [Block<WORDS>] {
        &mut self.blocks
    }

    /// How full the filter is, how many keys it seems to hold, and how often it is wrong now.
    ///
    /// # Cost
    ///
    /// Reads the whole filter. No float.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    ///
    /// let mut seen: BlockedBloom<64, 7> = BlockedBloom::new();
    /// for key in 0..3_000_u32 {
    ///     seen.insert(&key);
    /// }
    /// let stats = seen.stats();
    /// assert!((2_900..3_100).contains(&stats.estimated_keys()));
    /// assert!(stats.is_near_capacity(3_300));
    /// assert!(stats.rate().parts_per_million() < 10_000);
    /// ```
    pub fn stats(&self) -> Stats {
        Stats::of_blocks(
            self.blocks.iter().map(Block::count_ones),
            Block::<WORDS>::BITS,
            K as u32,
        )
    }

    /// The false-positive rate to expect with this many keys in the filter.
    pub const fn rate_at(&self, keys: u64) -> Rate {
        let layout = Layout {
            block_bits: Block::<WORDS>::BITS,
            hash_bits: H::Value::BITS,
        };
        sizing::blocked_rate(keys, self.blocks.len() as u32, K as u32, layout)
    }

    /// How many blocks are how full: element `i` counts the blocks of which from `i / BINS` up to
    /// `(i + 1) / BINS` of the bits are set; a full block counts in the last.
    pub fn fill_histogram<const BINS: usize>(&self) -> [u32; BINS] {
        let mut histogram = [0_u32; BINS];
        for block in &self.blocks {
            let bin = block.count_ones() as usize * BINS / Block::<WORDS>::BITS as usize;
            if let Some(count) = histogram.get_mut(bin.min(BINS.saturating_sub(1))) {
                *count += 1;
            }
        }
        histogram
    }
}

/// Its blocks.
impl<const K: usize, H: HashFunction, const WORDS: usize> Parts
    for BlockedBloomView<K, H, Block<WORDS>>
{
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        let bits = Block::<WORDS>::BITS;
        Header::new(Kind::BLOCKED, &self.hash, bits, self.blocks.len(), K)
    }

    fn num_words(&self) -> usize {
        self.blocks.len() * WORDS
    }

    fn word(&self, index: usize) -> u32 {
        let block = self.blocks.get(index / WORDS);
        block.map_or(0, |block| block.words()[index % WORDS])
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        }
    }

    fn set_word(&mut self, index: usize, word: u32) {
        if let Some(block) = self.blocks.get_mut(index / WORDS) {
            block.words_mut()[index % WORDS] = word;
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        for (index, word) in (first..).zip(words) {
            self.set_word(index, self.word(index) | word);
        }
    }

    fn conclude(&mut self, _: &Header, _: bool) {}
}

impl<const N: usize, const K: usize, H: HashFunction, const WORDS: usize> Default
    for BlockedBloom<N, K, H, Block<WORDS>>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const K: usize, H, B> Deref for BlockedBloom<N, K, H, B> {
    type Target = BlockedBloomView<K, H, B>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const N: usize, const K: usize, H, B> DerefMut for BlockedBloom<N, K, H, B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the bits.
impl<const K: usize, H, B> fmt::Debug for BlockedBloomView<K, H, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockedBloom")
            .field("blocks", &self.blocks.len())
            .field("k", &K)
            .finish_non_exhaustive()
    }
}

impl<const N: usize, const K: usize, H, B> fmt::Debug for BlockedBloom<N, K, H, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        BlockedBloomView::fmt(self, f)
    }
}
