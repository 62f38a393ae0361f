//! The rotating Bloom filter: seen in the last while, not ever.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::block::{Block, Block512};
use crate::hash::{DefaultHash, HashFunction, HashValue, Xxh32};
use crate::key::Key;
use crate::sizing::{self, Layout, Rate};
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};
use crate::stats::Stats;

/// Shared body of [`RotatingBloom`] and [`RotatingBloomView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct RotatingBloomInner<const K: usize, const G: usize, H, B: ?Sized> {
    hash: H,
    /// Which block of a row belongs to the newest generation; the next one, in a circle, to the oldest.
    newest: usize,
    /// How many blocks of the oldest generation are cleared already, in a rotation that takes several calls.
    cleared: usize,
    inserted: u32,
    /// When the newest generation began, once the clock is started.
    since: u32,
    is_clock_started: bool,
    // Last, so that an array of rows coerces to a slice. A row has the blocks of all generations for one index, so
    // that a lookup computes one address and reads on from there.
    rows: B,
}

/// A rotating Bloom filter: `G` generations of `N` blocks of 64 bytes, with `K` bits per key.
///
/// For "seen in the last ten minutes" or "among the last thousand". Keys go into the newest generation, a lookup
/// asks all of them, and a rotation forgets the oldest and begins a new one. A filter that only fills up is wrong
/// more and more often; this one can run forever.
///
/// # What is promised
///
/// - A key is found until `G - 1` rotations have been made after it was last inserted, and is forgotten when the
///   `G`-th begins. (As in every Bloom filter it may still look as if it were there, at the false-positive rate.)
/// - Inserting a key again counts: it is copied to the newest generation and has its full time before it.
/// - With [`rotate_if_due`](RotatingBloomView::rotate_if_due) before each insert and lookup, a key is found for at
///   least `G - 1` periods and forgotten after at most `G`.
///
/// More generations make that span narrower: with 4, "the last minute" is from 60 to 80 seconds, in periods of
/// 20. They share the rate out: each generation may be wrong for a `G`-th of the whole.
///
/// # When to rotate
///
/// | | all at once | a slice per call |
/// |---|---|---|
/// | by call | [`rotate`](RotatingBloomView::rotate) | [`rotate_slice`](RotatingBloomView::rotate_slice) |
/// | by time | [`rotate_if_due`](RotatingBloomView::rotate_if_due) | [`rotate_slice_if_due`](RotatingBloomView::rotate_slice_if_due) |
/// | by count | [`rotate_if_full`](RotatingBloomView::rotate_if_full) | `rotate_slice` when [`num_inserted`](RotatingBloomView::num_inserted) says so |
///
/// # Examples
///
/// ```
/// use sundew::RotatingBloom;
/// use sundew::sizing::{Plan, Rate};
///
/// // Adverts of the last minute, 200 in 20 seconds at most, wrong for 1 in 100: 4 generations at a quarter of that.
/// const PLAN: Plan = Plan::for_keys(200, Rate::ppm(10_000 / 4));
/// let mut recent: RotatingBloom<{ PLAN.blocks() }, { PLAN.k() }, 4> = RotatingBloom::new();
///
/// let mut is_news = |now: u32, advert: &str| {
///     recent.rotate_if_due(now, 20_000); // milliseconds
///     recent.insert(advert)
/// };
/// assert!(is_news(5_000, "a"));
/// assert!(!is_news(64_000, "a")); // 59 seconds later
/// assert!(!is_news(123_000, "a")); // and 59 seconds after that
/// assert!(is_news(203_000, "a")); // 80 seconds later
/// ```
pub type RotatingBloom<const N: usize, const K: usize, const G: usize, H = DefaultHash> =
    RotatingBloomInner<K, G, H, [[Block512; G]; N]>;

/// A [`RotatingBloom`] behind a reference, without its size in the type; it has all the operations.
pub type RotatingBloomView<const K: usize, const G: usize, H = DefaultHash> =
    RotatingBloomInner<K, G, H, [[Block512; G]]>;

impl<const N: usize, const K: usize, const G: usize, H: HashFunction> RotatingBloom<N, K, G, H> {
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
                "RotatingBloom: N (blocks of a generation) must be at least 1; sizing::Plan finds it"
            );
            assert!(
                K >= 1 && K <= 32,
                "RotatingBloom: K (bits per key) must be from 1 to 32; 9 suits a rate of 1 % in 4 generations"
            );
            assert!(
                G >= 2 && G <= 32,
                "RotatingBloom: G (generations) must be from 2 to 32; with one, to rotate would be to clear"
            );
            assert!(
                N as u64 * 512 <= H::Value::MAX_FILTER_BITS,
                "RotatingBloom: a 32-bit hash serves generations up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            newest: 0,
            cleared: 0,
            inserted: 0,
            since: 0,
            is_clock_started: false,
            rows: [[Block::EMPTY; G]; N],
        }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &RotatingBloomView<K, G, H> {
        self
    }

    /// The filter without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut RotatingBloomView<K, G, H> {
        self
    }
}

impl<const N: usize, const K: usize, const G: usize> RotatingBloom<N, K, G, Xxh32> {
    /// An empty filter whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

impl<const K: usize, const G: usize, H: HashFunction> RotatingBloomView<K, G, H> {
    /// Adds a key to the newest generation; true when it was certainly in none, false when it was seen lately or
    /// looks like it.
    ///
    /// A key that only older generations have is copied to the newest, so that it is remembered from now on.
    ///
    /// # Cost
    ///
    /// One hash, one block of each generation, which lie next to each other.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.insert_hash(key.digest(&self.hash))
    }

    /// Whether a key may have been inserted lately: false is certain, true may be wrong at the filter's
    /// false-positive rate.
    ///
    /// # Cost
    ///
    /// One hash, one block of each generation, which lie next to each other.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    #[inline]
    pub fn insert_hash(&mut self, hash: H::Value) -> bool {
        let is_known = self.contains_hash(hash);
        let index = hash.block_index(self.rows.len());
        let row = self.rows.get_mut(index);
        if let Some(block) = row.and_then(|row| row.get_mut(self.newest))
            && block.insert::<K>(hash.probe_seed())
        {
            self.inserted = self.inserted.saturating_add(1);
        }
        !is_known
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        let Some(row) = self.rows.get(hash.block_index(self.rows.len())) else {
            return true;
        };
        // A generation that is being cleared is forgotten as a whole, not block by block.
        let forgotten = if self.is_rotating() { self.oldest() } else { G };
        row.iter().enumerate().any(|(generation, block)| {
            generation != forgotten && block.contains::<K>(hash.probe_seed())
        })
    }

    #[inline]
    const fn oldest(&self) -> usize {
        if self.newest + 1 < G {
            self.newest + 1
        } else {
            0
        }
    }

    /// Forgets the oldest generation and begins a new one; if a rotation in slices has begun, finishes that.
    ///
    /// # Cost
    ///
    /// Clears `N` blocks, or what is left of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::RotatingBloom;
    ///
    /// let mut recent: RotatingBloom<8, 7, 3> = RotatingBloom::new();
    /// recent.insert("a");
    /// recent.rotate();
    /// recent.rotate();
    /// assert!(recent.contains("a")); // G - 1 rotations later
    /// recent.rotate();
    /// assert!(!recent.contains("a"));
    /// ```
    pub fn rotate(&mut self) {
        self.rotate_slice(usize::MAX);
    }

    /// Rotates a slice at a time: clears up to `max_blocks` blocks (0 counts as 1), and is true when that was the
    /// last slice.
    ///
    /// The oldest generation is forgotten from the first slice on, all of it. Until the last, new keys go into the
    /// generation that was the newest before. So every answer in between is right, and what is promised of
    /// [`RotatingBloom`] holds.
    ///
    /// # Cost
    ///
    /// Clears `max_blocks` blocks at most.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::RotatingBloom;
    ///
    /// let mut recent: RotatingBloom<100, 7, 3> = RotatingBloom::new();
    /// recent.insert("a");
    /// let mut calls = 1;
    /// while !recent.rotate_slice(16) {
    ///     assert!(recent.contains("a"));
    ///     calls += 1; // and do something else
    /// }
    /// assert_eq!(calls, 7);
    /// ```
    pub fn rotate_slice(&mut self, max_blocks: usize) -> bool {
        let oldest = self.oldest();
        let slice = self.rows.iter_mut().skip(self.cleared);
        for block in slice
            .take(max_blocks.max(1))
            .filter_map(|row| row.get_mut(oldest))
        {
            *block = Block::EMPTY;
            self.cleared += 1;
        }
        let is_done = self.cleared >= self.rows.len();
        if is_done {
            self.newest = oldest;
            self.cleared = 0;
            self.inserted = 0;
        }
        is_done
    }

    /// Whether a rotation in slices has begun and is not finished.
    #[inline]
    pub const fn is_rotating(&self) -> bool {
        self.cleared > 0
    }

    /// Rotates once for every period that has ended since the newest generation began; returns how many.
    ///
    /// Time is in ticks of your choice and may wrap around: call this at least once in 2^32 of them. Call it before
    /// every insert and lookup, and a key is found for at least `G - 1` periods, and forgotten after at most `G`.
    /// The first call only starts the clock. A period of 0 counts as 1.
    ///
    /// # Cost
    ///
    /// Mostly a comparison; when due, clears a generation for each period that has ended, all of them at most.
    pub fn rotate_if_due(&mut self, now: u32, period: u32) -> u32 {
        let period = period.max(1);
        let due = self.num_due(now, period);
        if due > 0 {
            (0..due.min(G as u32)).for_each(|_| self.rotate());
            // Not `now`: generations begin in step with the period, however late the calls come.
            self.since = self.since.wrapping_add(due * period);
        }
        due
    }

    /// [`rotate_if_due`](Self::rotate_if_due) a slice at a time: clears up to `max_blocks` blocks (0 counts as 1)
    /// when a period has ended or a rotation has begun, and is true when that was the last slice.
    ///
    /// The next period begins when the rotation is finished: a key is found for at least `G - 1` periods all the
    /// same, but may be forgotten later than after `G` of them, by as much as the rotations in between came late
    /// and took. After a long pause, [`rotate_if_due`](Self::rotate_if_due) catches up.
    ///
    /// # Cost
    ///
    /// Mostly a comparison; when due, clears `max_blocks` blocks at most.
    pub fn rotate_slice_if_due(&mut self, now: u32, period: u32, max_blocks: usize) -> bool {
        let is_due = self.num_due(now, period.max(1)) > 0;
        let is_done = (is_due || self.is_rotating()) && self.rotate_slice(max_blocks);
        if is_done && is_due {
            // Not when the last period ended: a key inserted since then is in the generation before, and would be
            // forgotten early.
            self.since = now;
        }
        is_done
    }

    /// How many periods have ended; starts the clock.
    fn num_due(&mut self, now: u32, period: u32) -> u32 {
        if !self.is_clock_started {
            self.is_clock_started = true;
            self.since = now;
        }
        let elapsed = now.wrapping_sub(self.since);
        // Almost always without a division, which a Cortex-M0 does in software.
        if elapsed < period {
            0
        } else {
            elapsed / period
        }
    }

    /// Rotates when so many keys are in the newest generation, or more; true when it did.
    ///
    /// Called before every insert, the filter remembers the last `(G - 1) * keys` different keys at least.
    ///
    /// # Cost
    ///
    /// Mostly a comparison; when full, clears `N` blocks.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::RotatingBloom;
    ///
    /// let mut recent: RotatingBloom<16, 7, 4> = RotatingBloom::new();
    /// for key in 0..10_000_u32 {
    ///     recent.rotate_if_full(100);
    ///     recent.insert(&key);
    /// }
    /// assert!((9_700..10_000_u32).all(|key| recent.contains(&key)));
    /// ```
    pub fn rotate_if_full(&mut self, keys: u32) -> bool {
        let is_full = self.inserted >= keys;
        if is_full {
            self.rotate();
        }
        is_full
    }

    /// Forgets everything, the time included.
    pub fn clear(&mut self) {
        self.newest = 0;
        self.cleared = 0;
        self.inserted = 0;
        self.since = 0;
        self.is_clock_started = false;
        self.rows.fill([Block::EMPTY; G]);
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many blocks a generation has: `N`.
    pub const fn num_blocks(&self) -> usize {
        self.rows.len()
    }

    /// How many keys were inserted into the newest generation, or copied to it, that were not in it before.
    pub const fn num_inserted(&self) -> u32 {
        self.inserted
    }

    /// The blocks of a generation, in order: 0 is the newest, `G - 1` the oldest. None when there is no such
    /// generation, or when it is being cleared.
    pub fn generation(&self, age: usize) -> impl Iterator<Item = &Block512> {
        let is_there = age < if self.is_rotating() { G - 1 } else { G };
        let place = (self.newest + G).saturating_sub(age) % G;
        self.rows
            .iter()
            .filter_map(move |row| row.get(place).filter(|_| is_there))
    }

    /// How full all generations are together, and how often the filter is wrong now. A key that is in several
    /// generations counts in each of them.
    ///
    /// # Cost
    ///
    /// Reads the whole filter. No float.
    pub fn stats(&self) -> Stats {
        (0..G)
            .map(|age| self.generation_stats(age))
            .fold(Stats::EMPTY, Stats::with)
    }

    /// How full one generation is: 0 is the newest, `G - 1` the oldest. All 0 when there is none of this age, or
    /// when it is being cleared.
    pub fn generation_stats(&self, age: usize) -> Stats {
        let ones = self.generation(age).map(Block::count_ones);
        Stats::of_blocks(ones, Block512::BITS, K as u32)
    }

    /// The false-positive rate to expect with this many different keys in each of the generations.
    pub const fn rate_at(&self, keys: u64) -> Rate {
        const BILLION: u64 = 1_000_000_000;
        let layout = Layout::new(Block512::BITS, H::Value::BITS);
        let rate = sizing::blocked_rate(keys, self.rows.len() as u32, K as u32, layout);
        let mut right = BILLION;
        let mut generation = 0;
        while generation < G {
            right = right * (BILLION - rate.parts_per_billion() as u64) / BILLION;
            generation += 1;
        }
        Rate::from_parts_per_billion((BILLION - right) as u32)
    }
}

/// Its generations, the newest first; a rotation that has begun counts as finished. The clock is not part of it:
/// the ticks of the device that restores a filter begin anew.
impl<const K: usize, const G: usize, H: HashFunction> RotatingBloomView<K, G, H> {
    /// The row and the generation, by its age, in which a word of the snapshot is, and its index in the block.
    fn find_word(&self, index: usize) -> Option<(usize, usize, usize)> {
        let block = index / 16;
        let age = block.checked_div(self.rows.len())?;
        (age < G).then(|| (block - age * self.rows.len(), age, index % 16))
    }

    fn word_mut(&mut self, index: usize) -> Option<&mut u32> {
        let (row, age, word) = self.find_word(index)?;
        let generation = (self.newest + G - age) % G;
        let block = self.rows.get_mut(row)?.get_mut(generation)?;
        Some(&mut block.words_mut()[word])
    }
}

impl<const K: usize, const G: usize, H: HashFunction> Parts for RotatingBloomView<K, G, H> {
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        let bits = Block512::BITS;
        let inserted = if self.is_rotating() { 0 } else { self.inserted };
        Header {
            parts: G as u8,
            count: Some(inserted.into()),
            ..Header::new(Kind::ROTATING, &self.hash, bits, self.rows.len(), K)
        }
    }

    fn num_words(&self) -> usize {
        self.rows.len() * G * 16
    }

    fn word(&self, index: usize) -> u32 {
        let Some((row, age, word)) = self.find_word(index) else {
            return 0;
        };
        let newest = if self.is_rotating() {
            if age == 0 {
                return 0;
            }
            self.oldest()
        } else {
            self.newest
        };
        let row = self.rows.get(row);
        let block = row.and_then(|row| row.get((newest + G - age) % G));
        block.map_or(0, |block| block.words()[word])
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        } else if self.is_rotating() {
            self.rotate();
        }
    }

    fn set_word(&mut self, index: usize, word: u32) {
        if let Some(to) = self.word_mut(index) {
            *to = word;
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        for (index, word) in (first..).zip(words) {
            if let Some(to) = self.word_mut(index) {
                *to |= word;
            }
        }
    }

    fn conclude(&mut self, header: &Header, is_absorbing: bool) {
        let inserted = u32::try_from(header.count.unwrap_or(0)).unwrap_or(u32::MAX);
        let before = if is_absorbing { self.inserted } else { 0 };
        self.inserted = before.saturating_add(inserted);
    }
}

impl<const N: usize, const K: usize, const G: usize, H: HashFunction> Default
    for RotatingBloom<N, K, G, H>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const K: usize, const G: usize, H> Deref for RotatingBloom<N, K, G, H> {
    type Target = RotatingBloomView<K, G, H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const N: usize, const K: usize, const G: usize, H> DerefMut for RotatingBloom<N, K, G, H> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the bits.
impl<const K: usize, const G: usize, H> fmt::Debug for RotatingBloomView<K, G, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RotatingBloom")
            .field("blocks", &self.rows.len())
            .field("k", &K)
            .field("generations", &G)
            .finish_non_exhaustive()
    }
}

impl<const N: usize, const K: usize, const G: usize, H> fmt::Debug for RotatingBloom<N, K, G, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        RotatingBloomView::fmt(self, f)
    }
}
