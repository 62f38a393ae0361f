//! The counting Bloom filter: keys can be removed, because each position counts instead of being set.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::hash::{DefaultHash, GOLDEN, HashFunction, HashValue, Xxh32};
use crate::key::Key;
use crate::merge_error::MergeError;
use crate::sizing::{self, Layout, Rate};
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};
use crate::stats::Stats;

/// Shared body of [`CountingBloom`] and [`CountingBloomView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct CountingBloomInner<const K: usize, H, B: ?Sized> {
    hash: H,
    // Last, so that an array of blocks coerces to a slice.
    blocks: B,
}

/// A counting Bloom filter of `N` blocks with `K` counters per key, in `64 * N` bytes of static RAM and one more
/// line of 64 for the hash's seed.
///
/// It is a [`BlockedBloom`](crate::BlockedBloom) with a counter of 4 bits in place of each bit (Fan, Cao,
/// Almeida and Broder, "Summary Cache", 2000), so a key can be [removed](CountingBloomView::remove) again. That
/// takes 4.4 times the RAM at 1 %: four times for the counters, the rest because a block of 64 bytes holds only
/// 128 of them. [`Layout::COUNTING`] makes a [`Plan`](crate::sizing::Plan) for it.
///
/// A key adds 1 to each of its counters, once even where two of its `K` probes meet. A counter stops at 15 and
/// is never taken down from there, since nobody knows any more how many keys it stands for: keys that rely on
/// it stay findable, and the filter gets a little fuller than it need be. At 1 %, that takes
/// the same key many times: 15 different keys meet at fewer than one counter in 10^16.
///
/// # What a wrong removal does
///
/// [`remove`](CountingBloomView::remove) refuses a key that is certainly not there. A key that was never
/// inserted but looks as if it were, a false positive, cannot be told apart: removing it takes 1 off counters
/// that belong to *other* keys, and [`contains`](CountingBloomView::contains) may then deny a key that was
/// inserted. So remove only what you know you inserted, as often as you inserted it.
///
/// # Examples
///
/// ```
/// use sundew::CountingBloom;
/// use sundew::sizing::{Layout, Plan, Rate};
///
/// // Who is in the room: 500 badges at 1 %, 2,752 bytes.
/// const PLAN: Plan = Plan::for_keys_in(500, Rate::percent(1), Layout::COUNTING);
/// let mut inside: CountingBloom<{ PLAN.blocks() }, { PLAN.k() }> = CountingBloom::new();
///
/// assert!(inside.insert("badge 17"));
/// assert!(inside.contains("badge 17"));
/// assert!(inside.remove("badge 17"));
/// assert!(!inside.contains("badge 17"));
/// assert!(!inside.remove("badge 17")); // refused: it is not there
/// ```
pub type CountingBloom<const N: usize, const K: usize, H = DefaultHash> =
    CountingBloomInner<K, H, [CounterBlock; N]>;

/// A [`CountingBloom`] behind a reference, without its size in the type; it has all the operations.
pub type CountingBloomView<const K: usize, H = DefaultHash> =
    CountingBloomInner<K, H, [CounterBlock]>;

/// 128 counters of 4 bits in one cache line.
///
/// Counter `c` is bits `4 * (c % 8)` to `4 * (c % 8) + 3` of word `c / 8`; in memory, little-endian, the lower
/// half of byte `c / 2` when `c` is even, and the upper half when it is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct CounterBlock {
    words: [u32; 16],
}

/// Where a counter stops, and stays.
const SATURATED: u32 = 15;
/// The lowest bit of each counter in a word.
const LOWEST: u32 = 0x1111_1111;

impl CounterBlock {
    /// Counters in a block.
    pub const COUNTERS: u32 = Layout::COUNTING.block_bits;

    const EMPTY: Self = Self { words: [0; 16] };
    /// Leaves the upper bits of a product, as many as it takes to name a counter.
    const SHIFT: u32 = 32 - Self::COUNTERS.ilog2();

    /// The words; see the type for the order of counters.
    pub const fn words(&self) -> &[u32; 16] {
        &self.words
    }

    /// How many counters are not 0.
    pub fn count_used(&self) -> u32 {
        let used = |word: &u32| (word | word >> 1 | word >> 2 | word >> 3) & LOWEST;
        self.words.iter().map(|word| used(word).count_ones()).sum()
    }

    /// How many counters have stopped at 15.
    pub fn count_saturated(&self) -> u32 {
        let saturated = |word: &u32| word & word >> 1 & word >> 2 & word >> 3 & LOWEST;
        self.words
            .iter()
            .map(|word| saturated(word).count_ones())
            .sum()
    }

    /// The smallest counter of a key; 0 at the first that is 0.
    #[inline]
    fn minimum<const K: usize>(&self, probe: u32) -> u32 {
        minimum(&self.words, probe, K as u32)
    }

    #[inline]
    fn contains<const K: usize>(&self, mut probe: u32) -> bool {
        // As `minimum`, less the minimum: the loop of every lookup.
        for _ in 0..K {
            probe = probe.wrapping_mul(GOLDEN);
            let counter = probe >> Self::SHIFT;
            if self.words[(counter / 8) as usize] >> (counter % 8 * 4) & SATURATED == 0 {
                return false;
            }
        }
        true
    }

    #[inline]
    fn add<const K: usize>(&mut self, probe: u32, step: u32) {
        add(&mut self.words, probe, K as u32, step);
    }

    /// Adds counter to counter, up to 15.
    fn union(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word = add_saturating(*word, *other);
        }
    }
}

/// The sums of eight counters, each at most 15.
fn add_saturating(word: u32, other: u32) -> u32 {
    /// Every second counter of a word, with room above it for a carry.
    const EVEN: u32 = 0x0F0F_0F0F;
    const CARRY: u32 = 0x1010_1010;
    let sums = |a: u32, b: u32| {
        let sum = (a & EVEN) + (b & EVEN);
        let carry = sum & CARRY;
        // 16 less 1 is 15.
        (sum | (carry - (carry >> 4))) & EVEN
    };
    sums(word, other) | sums(word >> 4, other >> 4) << 4
}

/// The smallest of a key's `k` counters; 0 at the first that is 0.
#[inline]
fn minimum(words: &[u32; 16], mut probe: u32, k: u32) -> u32 {
    let mut minimum = SATURATED;
    for _ in 0..k {
        probe = probe.wrapping_mul(GOLDEN);
        let counter = probe >> CounterBlock::SHIFT;
        let value = words[(counter / 8) as usize] >> (counter % 8 * 4) & SATURATED;
        minimum = minimum.min(value);
        if minimum == 0 {
            break;
        }
    }
    minimum
}

/// Adds `step` (1 or -1) to those of a key's `k` counters that have not stopped, once to each.
#[inline]
fn add(words: &mut [u32; 16], mut probe: u32, k: u32, step: u32) {
    // One bit for each counter that the key has met. Where two probes meet, adding twice and taking off
    // twice would be consistent too, until one of the two additions stops at 15.
    let mut met = [0_u32; CounterBlock::COUNTERS as usize / 32];
    for _ in 0..k {
        probe = probe.wrapping_mul(GOLDEN);
        let counter = probe >> CounterBlock::SHIFT;
        let flag = 1 << (counter % 32);
        let met = &mut met[(counter / 32) as usize];
        if *met & flag != 0 {
            continue;
        }
        *met |= flag;
        let shift = counter % 8 * 4;
        let word = &mut words[(counter / 8) as usize];
        if *word >> shift & SATURATED != SATURATED {
            // No carry into the next counter: adding to at most 14, or taking off at least 1, which the
            // caller has made sure of.
            *word = word.wrapping_add(step << shift);
        }
    }
}

impl<const N: usize, const K: usize, H: HashFunction> CountingBloom<N, K, H> {
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
                "CountingBloom: N (blocks) must be at least 1; sizing::Plan with Layout::COUNTING finds it"
            );
            assert!(
                K >= 1 && K <= 32,
                "CountingBloom: K (counters per key) must be from 1 to 32; 6 suits a rate of 1 %"
            );
            assert!(
                N as u64 * 512 <= H::Value::MAX_FILTER_BITS,
                "CountingBloom: a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            blocks: [CounterBlock::EMPTY; N],
        }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &CountingBloomView<K, H> {
        self
    }

    /// The filter without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut CountingBloomView<K, H> {
        self
    }
}

impl<const N: usize, const K: usize> CountingBloom<N, K, Xxh32> {
    /// An empty filter whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

impl<const K: usize, H: HashFunction> CountingBloomView<K, H> {
    /// Adds a key once more; true when it was certainly new, false when it was there before or looks like it.
    ///
    /// A key inserted twice is there until it is removed twice.
    ///
    /// # Cost
    ///
    /// One hash, one block.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.insert_hash(key.digest(&self.hash))
    }

    /// Takes a key off once; false, with nothing changed, when it certainly is not there.
    ///
    /// True may be wrong as that of [`contains`](Self::contains) may, and then other keys pay for it: see
    /// [the type](CountingBloom#what-a-wrong-removal-does). A key inserted 15 times or more may stay for good.
    ///
    /// # Cost
    ///
    /// One hash, one block.
    #[inline]
    pub fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.remove_hash(key.digest(&self.hash))
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    ///
    /// # Cost
    ///
    /// One hash, one block.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// How often a key is there at most: 0 is certain, 15 stands for 15 or more, and what lies between may be
    /// too high, never too low.
    ///
    /// # Cost
    ///
    /// One hash, one block.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::CountingBloom;
    ///
    /// let mut seen: CountingBloom<8, 6> = CountingBloom::new();
    /// seen.insert("twice");
    /// seen.insert("twice");
    /// assert_eq!(seen.count("twice"), 2);
    /// assert_eq!(seen.count("never"), 0);
    /// ```
    #[inline]
    pub fn count<Q: Key + ?Sized>(&self, key: &Q) -> u32 {
        self.count_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    #[inline]
    pub fn insert_hash(&mut self, hash: H::Value) -> bool {
        let index = hash.block_index(self.blocks.len());
        let Some(block) = self.blocks.get_mut(index) else {
            return false;
        };
        let is_new = !block.contains::<K>(hash.probe_seed());
        block.add::<K>(hash.probe_seed(), 1);
        is_new
    }

    /// [`remove`](Self::remove) of a key that is hashed already, by [`hash`](Self::hash).
    #[inline]
    pub fn remove_hash(&mut self, hash: H::Value) -> bool {
        let index = hash.block_index(self.blocks.len());
        let Some(block) = self.blocks.get_mut(index) else {
            return false;
        };
        let is_there = block.contains::<K>(hash.probe_seed());
        if is_there {
            block.add::<K>(hash.probe_seed(), 1_u32.wrapping_neg());
        }
        is_there
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        let index = hash.block_index(self.blocks.len());
        match self.blocks.get(index) {
            Some(block) => block.contains::<K>(hash.probe_seed()),
            None => true,
        }
    }

    /// [`count`](Self::count) of a key that is hashed already, by [`hash`](Self::hash).
    #[inline]
    pub fn count_hash(&self, hash: H::Value) -> u32 {
        let index = hash.block_index(self.blocks.len());
        match self.blocks.get(index) {
            Some(block) => block.minimum::<K>(hash.probe_seed()),
            None => SATURATED,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.blocks.fill(CounterBlock::EMPTY);
    }

    /// Adds all keys of another filter, as if each had been inserted here as often as there: counter is added
    /// to counter, up to 15.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    pub fn union(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.blocks.len() != other.blocks.len() {
            return Err(MergeError::SizeDiffers);
        }
        if self.hash != other.hash {
            return Err(MergeError::SeedDiffers);
        }
        for (block, other) in self.blocks.iter_mut().zip(&other.blocks) {
            block.union(other);
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

    /// How many counters there are.
    pub const fn num_counters(&self) -> u64 {
        self.blocks.len() as u64 * CounterBlock::COUNTERS as u64
    }

    /// How many counters have stopped at 15 and cannot be taken down any more. When they become many, clear the
    /// filter and fill it anew.
    ///
    /// # Cost
    ///
    /// Reads the whole filter.
    pub fn num_saturated(&self) -> u64 {
        let saturated = |block: &CounterBlock| u64::from(block.count_saturated());
        self.blocks.iter().map(saturated).sum()
    }

    /// The blocks in order.
    pub fn blocks(&self) -> core::slice::Iter<'_, CounterBlock> {
        self.blocks.iter()
    }

    /// How full the filter is, how many different keys it seems to hold, and how often it is wrong now. A bit
    /// in these [`Stats`] is a counter, and it is set when it is not 0.
    ///
    /// # Cost
    ///
    /// Reads the whole filter. No float.
    pub fn stats(&self) -> Stats {
        Stats::of_blocks(
            self.blocks.iter().map(CounterBlock::count_used),
            CounterBlock::COUNTERS,
            K as u32,
        )
    }

    /// The false-positive rate to expect with this many different keys in the filter.
    pub const fn rate_at(&self, keys: u64) -> Rate {
        let layout = Layout::new(CounterBlock::COUNTERS, H::Value::BITS);
        sizing::blocked_rate(keys, self.blocks.len() as u32, K as u32, layout)
    }
}

/// Its blocks. To absorb is to add.
impl<const K: usize, H: HashFunction> Parts for CountingBloomView<K, H> {
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        let counters = CounterBlock::COUNTERS;
        Header::new(Kind::COUNTING, &self.hash, counters, self.blocks.len(), K)
    }

    fn num_words(&self) -> usize {
        self.blocks.len() * 16
    }

    fn word(&self, index: usize) -> u32 {
        let block = self.blocks.get(index / 16);
        block.map_or(0, |block| block.words[index % 16])
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        }
    }

    fn set_word(&mut self, index: usize, word: u32) {
        if let Some(block) = self.blocks.get_mut(index / 16) {
            block.words[index % 16] = word;
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        for (index, word) in (first..).zip(words) {
            self.set_word(index, add_saturating(self.word(index), word));
        }
    }

    fn conclude(&mut self, _: &Header, _: bool) {}
}

impl<const N: usize, const K: usize, H: HashFunction> Default for CountingBloom<N, K, H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const K: usize, H> Deref for CountingBloom<N, K, H> {
    type Target = CountingBloomView<K, H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const N: usize, const K: usize, H> DerefMut for CountingBloom<N, K, H> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the counters.
impl<const K: usize, H> fmt::Debug for CountingBloomView<K, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountingBloom")
            .field("blocks", &self.blocks.len())
            .field("k", &K)
            .finish_non_exhaustive()
    }
}

impl<const N: usize, const K: usize, H> fmt::Debug for CountingBloom<N, K, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CountingBloomView::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_adds_every_pair_of_counters() {
        for a in 0..16_u32 {
            for b in 0..16_u32 {
                // The neighbours show a carry that goes astray.
                for (left, right) in [(0, 0), (15, 0), (7, 8), (15, 15)] {
                    let word =
                        |middle: u32, side: u32| side | middle << 4 | side << 8 | middle << 28;
                    let mut block = CounterBlock::EMPTY;
                    let mut other = CounterBlock::EMPTY;
                    block.words[3] = word(a, left);
                    other.words[3] = word(b, right);
                    block.union(&other);
                    let expected = word((a + b).min(15), (left + right).min(15));
                    assert_eq!(block.words[3], expected, "{a} + {b}");
                }
            }
        }
    }

    /// A seed whose first two probes meet, found by trying.
    fn meeting_seed() -> u32 {
        let place = |probe: u32| probe >> CounterBlock::SHIFT;
        (1..)
            .find(|seed: &u32| {
                let first = seed.wrapping_mul(GOLDEN);
                place(first) == place(first.wrapping_mul(GOLDEN))
            })
            .unwrap()
    }

    #[test]
    fn probes_that_meet_count_once() {
        let seed = meeting_seed();
        let mut block = CounterBlock::EMPTY;
        for times in 1..=14 {
            block.add::<2>(seed, 1);
            assert_eq!(block.minimum::<2>(seed), times);
            assert_eq!(
                block.words.iter().sum::<u32>().count_ones(),
                times.count_ones()
            );
        }
        for times in (0..14).rev() {
            block.add::<2>(seed, 1_u32.wrapping_neg());
            assert_eq!(block.minimum::<2>(seed), times);
        }
        assert_eq!(block, CounterBlock::EMPTY);
    }
}
