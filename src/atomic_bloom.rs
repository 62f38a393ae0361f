//! The atomic Bloom filter: interrupts and threads insert into one blocked filter without a lock.

use core::fmt;
use core::ops::Deref;
#[cfg(target_has_atomic = "32")]
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::Relaxed;

#[cfg(not(target_has_atomic = "32"))]
use portable_atomic::AtomicU32;

use crate::block::Block512;
use crate::blocked_bloom::{BlockedBloom, BlockedBloomView};
use crate::hash::{DefaultHash, GOLDEN, HashFunction, HashValue, Xxh32};
use crate::key::Key;
use crate::merge_error::MergeError;
use crate::sizing::{self, Layout, Rate};
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};
use crate::stats::Stats;

/// Shared body of [`AtomicBloom`] and [`AtomicBloomView`]. Name the aliases, not this.
pub struct AtomicBloomInner<const K: usize, H, B: ?Sized> {
    hash: H,
    // Last, so that an array of blocks coerces to a slice.
    blocks: B,
}

/// A [`BlockedBloom`] that is shared: interrupts and threads [insert](AtomicBloomView::insert) through `&self`,
/// without a lock, and no key is lost.
///
/// The same keys set the same bits as in a [`BlockedBloom`] of the same size, with the same rate, and a filter of
/// one kind can be copied to the other.
///
/// A Cortex-M3 or larger, and every host, has the instructions for it. A Cortex-M0 has not: there the feature
/// `portable-atomic` masks interrupts for a few instructions per new bit, through the `critical-section` that a HAL
/// or the crate `cortex-m` provides.
///
/// # What is promised
///
/// - A key whose insert has returned is found, by everyone for whom that insert lies in the past: later in the same
///   thread, in an interrupt that comes later, after a join or a lock. While the insert runs, it may or may not be.
/// - Each bit is set by exactly one call, and `insert` is true for the calls that set at least one. So a key whose
///   insert has returned is never called new again. Of several calls that insert one new key at the same time, at
///   least one gives true; more than one may, when each was the first at some of its bits. (None does when inserts
///   of *other* keys set all of its bits meanwhile: then it looks as if it were known, as it would have a moment
///   later.)
///
/// # Why `Relaxed` is enough
///
/// Bits are only ever set, by `fetch_or`, and all changes of one word have one order that everyone agrees on: no bit
/// is lost, and no bit is found set first by two calls. Words are independent of each other, because an answer
/// depends on whether bits are set, not on when. A load may see an older value; then `insert` falls back on
/// `fetch_or`, which never does, and `contains` answers as it would have a moment before. What a filter does *not*
/// do is publish other memory: that it has a key does not mean that what the inserting thread wrote elsewhere is
/// visible. Use a lock, a queue or a fence for that.
///
/// # Examples
///
/// ```
/// use sundew::AtomicBloom;
///
/// static SEEN: AtomicBloom<64, 7> = AtomicBloom::new();
///
/// fn on_radio_interrupt(address: &[u8; 6]) -> bool {
///     SEEN.insert(address)
/// }
///
/// assert!(on_radio_interrupt(&[1, 2, 3, 4, 5, 6]));
/// assert!(SEEN.contains(&[1_u8, 2, 3, 4, 5, 6]));
/// ```
pub type AtomicBloom<const N: usize, const K: usize, H = DefaultHash> =
    AtomicBloomInner<K, H, [AtomicBlock; N]>;

/// An [`AtomicBloom`] behind a reference, without its size in the type; it has all the operations.
pub type AtomicBloomView<const K: usize, H = DefaultHash> = AtomicBloomInner<K, H, [AtomicBlock]>;

/// The 512 bits of a [`Block512`], each word of which can be changed by several at once.
#[repr(C, align(64))]
pub struct AtomicBlock {
    words: [AtomicU32; WORDS],
}

const WORDS: usize = 16;

impl AtomicBlock {
    const fn empty() -> Self {
        Self {
            words: [const { AtomicU32::new(0) }; WORDS],
        }
    }

    fn count_ones(&self) -> u32 {
        self.words
            .iter()
            .map(|word| word.load(Relaxed).count_ones())
            .sum()
    }
}

/// What this file does to an atomic word, and nothing else, so that the tests can watch each step.
trait Word {
    fn load(&self) -> u32;
    /// Sets bits, and returns the word as it was before.
    fn fetch_or(&self, bits: u32) -> u32;
}

impl Word for AtomicU32 {
    #[inline]
    fn load(&self) -> u32 {
        self.load(Relaxed)
    }

    #[inline]
    fn fetch_or(&self, bits: u32) -> u32 {
        self.fetch_or(bits, Relaxed)
    }
}

/// The words and bits of a key in its block, as in [`Block`](crate::Block).
#[inline]
fn bits_of<W, const K: usize>(words: &[W; WORDS], probe: u32) -> impl Iterator<Item = (&W, u32)> {
    const SHIFT: u32 = 32 - Block512::BITS.ilog2();
    (0..K).scan(probe, move |probe, _| {
        *probe = probe.wrapping_mul(GOLDEN);
        let bit = *probe >> SHIFT;
        Some((&words[(bit / 32) as usize], 1 << (bit % 32)))
    })
}

/// Sets the bits of a key; true when this call, and no other, set one of them.
#[inline]
fn insert_bits<W: Word, const K: usize>(words: &[W; WORDS], probe: u32) -> bool {
    let mut is_new = false;
    for (word, bit) in bits_of::<W, K>(words, probe) {
        // Looking first spares known keys the costly step, and their cache lines the way to and fro.
        if word.load() & bit == 0 {
            is_new |= word.fetch_or(bit) & bit == 0;
        }
    }
    is_new
}

#[inline]
fn contains_bits<W: Word, const K: usize>(words: &[W; WORDS], probe: u32) -> bool {
    bits_of::<W, K>(words, probe).all(|(word, bit)| word.load() & bit != 0)
}

impl<const N: usize, const K: usize, H: HashFunction> AtomicBloom<N, K, H> {
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
                "AtomicBloom: N (blocks) must be at least 1; sizing::Plan finds it"
            );
            assert!(
                K >= 1 && K <= 32,
                "AtomicBloom: K (bits per key) must be from 1 to 32; 7 suits a rate of 1 %"
            );
            assert!(
                N as u64 * 512 <= H::Value::MAX_FILTER_BITS,
                "AtomicBloom: a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            blocks: [const { AtomicBlock::empty() }; N],
        }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &AtomicBloomView<K, H> {
        self
    }
}

impl<const N: usize, const K: usize> AtomicBloom<N, K, Xxh32> {
    /// An empty filter whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

impl<const K: usize, H: HashFunction> AtomicBloomView<K, H> {
    /// Adds a key; true when it was certainly new, false when it was seen before or looks like it.
    ///
    /// Of calls that insert the same new key at the same time at least one gives true, and more may: see
    /// [the type](AtomicBloom#what-is-promised).
    ///
    /// # Cost
    ///
    /// One hash, one block. For each of the `K` bits a load, and for each that was not set an atomic change: on a
    /// Cortex-M3 a loop that repeats only when an interrupt comes between, on a Cortex-M0 a critical section.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.insert_hash(key.digest(&self.hash))
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    ///
    /// False is about the past: the key may be being inserted this moment.
    ///
    /// # Cost
    ///
    /// One hash, one block. Loads only.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    #[inline]
    pub fn insert_hash(&self, hash: H::Value) -> bool {
        match self.blocks.get(hash.block_index(self.blocks.len())) {
            Some(block) => insert_bits::<_, K>(&block.words, hash.probe_seed()),
            None => false,
        }
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        match self.blocks.get(hash.block_index(self.blocks.len())) {
            Some(block) => contains_bits::<_, K>(&block.words, hash.probe_seed()),
            None => true,
        }
    }

    /// Forgets everything, word by word.
    ///
    /// A key that is inserted while this runs may be forgotten, or half of its bits may, and then it is not found.
    /// Where that matters, keep others from inserting meanwhile.
    pub fn clear(&self) {
        for word in self.blocks.iter().flat_map(|block| &block.words) {
            word.store(0, Relaxed);
        }
    }

    /// Adds all keys of another filter, as if each had been inserted here.
    ///
    /// Of keys that are inserted there while this runs, some may be left out.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    pub fn union(&self, other: &Self) -> Result<(), MergeError> {
        self.check_mergeable(other.blocks.len(), &other.hash)?;
        self.set(other.words());
        Ok(())
    }

    /// Adds all keys of a filter that is not shared, as if each had been inserted here.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::{AtomicBloom, BlockedBloom, MergeError};
    ///
    /// static SEEN: AtomicBloom<1, 7> = AtomicBloom::new();
    /// const KNOWN: BlockedBloom<1, 7> = BlockedBloom::with_keys(&["ads.example"]);
    ///
    /// SEEN.union_blocked(&KNOWN)?;
    /// assert!(SEEN.contains("ads.example"));
    /// # Ok::<(), MergeError>(())
    /// ```
    pub fn union_blocked(&self, other: &BlockedBloomView<K, H>) -> Result<(), MergeError> {
        self.check_mergeable(other.num_blocks(), other.hash())?;
        self.set(other.blocks().flat_map(|block| block.words()).copied());
        Ok(())
    }

    /// Makes a filter that is not shared a copy of this one.
    ///
    /// Of keys that are inserted while this runs, some bits may be left out.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; the other one is as it was.
    pub fn copy_to(&self, other: &mut BlockedBloomView<K, H>) -> Result<(), MergeError> {
        self.check_mergeable(other.num_blocks(), other.hash())?;
        let words = other.blocks_mut().iter_mut().flat_map(Block512::words_mut);
        for (to, from) in words.zip(self.words()) {
            *to = from;
        }
        Ok(())
    }

    fn check_mergeable(&self, num_blocks: usize, hash: &H) -> Result<(), MergeError> {
        if self.blocks.len() != num_blocks {
            return Err(MergeError::SizeDiffers);
        }
        if self.hash != *hash {
            return Err(MergeError::SeedDiffers);
        }
        Ok(())
    }

    fn set(&self, words: impl Iterator<Item = u32>) {
        let own = self.blocks.iter().flat_map(|block| &block.words);
        for (word, bits) in own.zip(words) {
            Word::fetch_or(word, bits);
        }
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
        self.blocks.len() as u64 * Block512::BITS as u64
    }

    /// The words in order, 16 to a block, each as it is when its turn comes. See [`Block`](crate::Block) for the
    /// order of bits.
    pub fn words(&self) -> impl Iterator<Item = u32> {
        let words = self.blocks.iter().flat_map(|block| &block.words);
        words.map(Word::load)
    }

    /// How full the filter is, how many keys it seems to hold, and how often it is wrong now.
    ///
    /// # Cost
    ///
    /// Reads the whole filter. No float.
    pub fn stats(&self) -> Stats {
        let ones = self.blocks.iter().map(AtomicBlock::count_ones);
        Stats::of_blocks(ones, Block512::BITS, K as u32)
    }

    /// The false-positive rate to expect with this many keys in the filter.
    pub const fn rate_at(&self, keys: u64) -> Rate {
        let layout = Layout::new(Block512::BITS, H::Value::BITS);
        sizing::blocked_rate(keys, self.blocks.len() as u32, K as u32, layout)
    }
}

/// Its blocks, as those of a [`BlockedBloom`]. A reference to the view, because a shared filter is not to be had
/// otherwise.
impl<const K: usize, H: HashFunction> Parts for &AtomicBloomView<K, H> {
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        let bits = Block512::BITS;
        Header::new(Kind::BLOCKED, &self.hash, bits, self.blocks.len(), K)
    }

    fn num_words(&self) -> usize {
        self.blocks.len() * WORDS
    }

    fn word(&self, index: usize) -> u32 {
        let block = self.blocks.get(index / WORDS);
        block.map_or(0, |block| Word::load(&block.words[index % WORDS]))
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        }
    }

    fn set_word(&mut self, index: usize, word: u32) {
        if let Some(block) = self.blocks.get(index / WORDS) {
            block.words[index % WORDS].store(word, Relaxed);
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        for (index, bits) in (first..).zip(words) {
            if let Some(block) = self.blocks.get(index / WORDS) {
                Word::fetch_or(&block.words[index % WORDS], bits);
            }
        }
    }

    fn conclude(&mut self, _: &Header, _: bool) {}
}

/// Copies the bits.
impl<const N: usize, const K: usize, H: HashFunction> From<&BlockedBloom<N, K, H>>
    for AtomicBloom<N, K, H>
{
    fn from(filter: &BlockedBloom<N, K, H>) -> Self {
        let shared = Self::with_hash(*filter.hash());
        shared.set(filter.blocks().flat_map(|block| block.words()).copied());
        shared
    }
}

/// Copies the bits. Of keys that are inserted meanwhile, some may be left out.
impl<const N: usize, const K: usize, H: HashFunction> From<&AtomicBloom<N, K, H>>
    for BlockedBloom<N, K, H>
{
    fn from(shared: &AtomicBloom<N, K, H>) -> Self {
        let mut filter = Self::with_hash(shared.hash);
        // Same size, same seed: it cannot fail.
        let _ = shared.copy_to(&mut filter);
        filter
    }
}

impl<const N: usize, const K: usize, H: HashFunction> Default for AtomicBloom<N, K, H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const K: usize, H> Deref for AtomicBloom<N, K, H> {
    type Target = AtomicBloomView<K, H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

/// Shows the shape, not the bits.
impl<const K: usize, H> fmt::Debug for AtomicBloomView<K, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AtomicBloom")
            .field("blocks", &self.blocks.len())
            .field("k", &K)
            .finish_non_exhaustive()
    }
}

impl<const N: usize, const K: usize, H> fmt::Debug for AtomicBloom<N, K, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        AtomicBloomView::fmt(self, f)
    }
}

/// Every order in which threads can take their steps, and every old value that a relaxed load may see.
#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashSet;

    use super::*;

    /// A step of a thread: one access to a word of the block.
    #[derive(Clone, Copy)]
    enum Step {
        Load(usize),
        FetchOr(usize, u32),
        /// Only in the broken insert, to see that the search finds what it looks for.
        Store(usize, u32),
    }

    /// What the steps of a thread have given so far. A thread that runs again with these does the same as before,
    /// and its first step after them is the next that it wants to take.
    struct Replay {
        results: Vec<u32>,
        taken: usize,
        next: Option<Step>,
    }

    struct WatchedWord<'a> {
        index: usize,
        replay: &'a RefCell<Replay>,
    }

    impl WatchedWord<'_> {
        fn step(&self, step: Step) -> u32 {
            let mut replay = self.replay.borrow_mut();
            let result = replay.results.get(replay.taken).copied();
            if result.is_none() {
                replay.next.get_or_insert(step);
            }
            replay.taken += 1;
            result.unwrap_or(0)
        }

        fn store(&self, value: u32) {
            self.step(Step::Store(self.index, value));
        }
    }

    impl Word for WatchedWord<'_> {
        fn load(&self) -> u32 {
            self.step(Step::Load(self.index))
        }

        fn fetch_or(&self, bits: u32) -> u32 {
            self.step(Step::FetchOr(self.index, bits))
        }
    }

    /// What a thread runs, and what that returns.
    type Program<'p> = &'p dyn Fn(&[WatchedWord<'_>; WORDS]) -> Vec<bool>;

    /// The next step of a thread, or what it returned.
    fn advance(program: Program<'_>, results: &[u32]) -> Result<Step, Vec<bool>> {
        let replay = RefCell::new(Replay {
            results: results.to_vec(),
            taken: 0,
            next: None,
        });
        let returned = program(&core::array::from_fn(|index| WatchedWord {
            index,
            replay: &replay,
        }));
        replay.into_inner().next.ok_or(returned)
    }

    #[derive(Clone, PartialEq, Eq, Hash)]
    struct State {
        /// All values that each word has had, the newest last.
        words: [Vec<u32>; WORDS],
        threads: Vec<Thread>,
    }

    #[derive(Clone, Default, PartialEq, Eq, Hash)]
    struct Thread {
        results: Vec<u32>,
        /// The newest value of each word that the thread has seen; it never sees an older one again.
        seen: [usize; WORDS],
    }

    impl State {
        /// Every state that one step of a thread can lead to.
        fn after(&self, thread: usize, step: Step) -> impl Iterator<Item = Self> {
            let (Step::Load(word) | Step::FetchOr(word, _) | Step::Store(word, _)) = step;
            let newest = self.words[word].len() - 1;
            let oldest = match step {
                Step::Load(_) => self.threads[thread].seen[word],
                Step::FetchOr(..) | Step::Store(..) => newest,
            };
            (oldest..=newest).map(move |seen| {
                let mut state = self.clone();
                let value = state.words[word][seen];
                let written = match step {
                    Step::Load(_) => None,
                    Step::FetchOr(_, bits) => Some(value | bits),
                    Step::Store(_, value) => Some(value),
                };
                state.threads[thread].results.push(value);
                state.threads[thread].seen[word] = seen + usize::from(written.is_some());
                state.words[word].extend(written);
                state
            })
        }
    }

    /// Calls `check` with the final words and what each thread returned, for every state in which all can end.
    /// Returns how many states there are on the way.
    fn explore(
        start: [u32; WORDS],
        programs: &[Program<'_>],
        mut check: impl FnMut([u32; WORDS], Vec<Vec<bool>>),
    ) -> usize {
        let mut to_visit = vec![State {
            words: start.map(|word| vec![word]),
            threads: vec![Thread::default(); programs.len()],
        }];
        let mut known = HashSet::new();
        while let Some(state) = to_visit.pop() {
            // Different ways to the same state go on alike.
            if !known.insert(state.clone()) {
                continue;
            }
            let mut returned = Vec::new();
            for (thread, program) in programs.iter().enumerate() {
                match advance(program, &state.threads[thread].results) {
                    Ok(step) => to_visit.extend(state.after(thread, step)),
                    Err(result) => returned.push(result),
                }
            }
            if returned.len() == programs.len() {
                let last = |values: &Vec<u32>| values.last().copied().unwrap_or(0);
                check(core::array::from_fn(|i| last(&state.words[i])), returned);
            }
        }
        known.len()
    }

    /// The bits of keys, set one key after the other.
    fn words_of<const K: usize>(probes: &[u32]) -> [u32; WORDS] {
        let block = AtomicBlock::empty();
        for probe in probes {
            insert_bits::<_, K>(&block.words, *probe);
        }
        block.words.map(AtomicU32::into_inner)
    }

    /// Seeds of probes all of whose bits are different and lie in one word, the same for all.
    fn crowded_keys<const K: usize>(number: usize) -> Vec<u32> {
        let is_crowded = |probe: &u32| words_of::<K>(&[*probe])[5].count_ones() == K as u32;
        (1..).filter(is_crowded).take(number).collect()
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn of_two_inserts_of_one_new_key_at_least_one_says_so() {
        let mut told = HashSet::new();
        // In one word, and in as many as there are bits.
        for key in [crowded_keys::<3>(1)[0], 12_345] {
            let insert: Program<'_> = &|words| vec![insert_bits::<_, 3>(words, key)];
            let states = explore([0; WORDS], &[insert; 2], |words, returned| {
                assert_eq!(words, words_of::<3>(&[key]));
                told.insert(returned.concat());
            });
            assert!(states > 100, "{states}");
        }
        // Each alone, and both when each was first at some bit; never neither.
        let expected = [[true, false], [false, true], [true, true]];
        assert_eq!(told, expected.map(Vec::from).into());
    }

    #[test]
    fn no_bit_of_three_keys_is_lost() {
        let keys = crowded_keys::<2>(3);
        let programs: [Program<'_>; 3] = [
            &|words| vec![insert_bits::<_, 2>(words, keys[0])],
            &|words| vec![insert_bits::<_, 2>(words, keys[1])],
            &|words| vec![insert_bits::<_, 2>(words, keys[2])],
        ];
        // Three take Miri too long.
        let threads = if cfg!(miri) { 2 } else { 3 };
        let expected = words_of::<2>(&keys[..threads]);
        explore([0; WORDS], &programs[..threads], |words, returned| {
            assert_eq!(words, expected);
            assert!(returned.concat().contains(&true));
        });
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn whoever_has_inserted_a_key_finds_it() {
        let keys = crowded_keys::<3>(2);
        let insert = |words: &[WatchedWord<'_>; WORDS], key| {
            insert_bits::<_, 3>(words, key);
            vec![contains_bits::<_, 3>(words, key)]
        };
        let programs: [Program<'_>; 2] = [&|words| insert(words, keys[0]), &|words| {
            insert(words, keys[1])
        }];
        explore([0; WORDS], &programs, |words, returned| {
            assert_eq!(words, words_of::<3>(&keys));
            assert_eq!(returned, [[true], [true]]);
        });
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn a_key_that_is_there_stays_there() {
        let keys = crowded_keys::<3>(2);
        let insert: Program<'_> = &|words| vec![insert_bits::<_, 3>(words, keys[1])];
        let look: Program<'_> = &|words| vec![contains_bits::<_, 3>(words, keys[0])];
        let again: Program<'_> = &|words| vec![!insert_bits::<_, 3>(words, keys[0])];
        explore(
            words_of::<3>(&keys[..1]),
            &[look, insert, again],
            |_, returned| {
                assert!(returned[0][0] && returned[2][0]);
            },
        );
    }

    /// The same search over an insert that loads, changes and stores: it must find the lost bits.
    #[test]
    fn the_search_finds_a_lost_bit() {
        let keys = crowded_keys::<2>(2);
        let insert = |words: &[WatchedWord<'_>; WORDS], key| {
            for (word, bit) in bits_of::<_, 2>(words, key) {
                word.store(word.load() | bit);
            }
            vec![]
        };
        let mut lost = 0;
        let one: Program<'_> = &|words| insert(words, keys[0]);
        let other: Program<'_> = &|words| insert(words, keys[1]);
        explore([0; WORDS], &[one, other], |words, _| {
            lost += u32::from(words != words_of::<2>(&keys));
        });
        assert!(lost > 0);
    }
}
