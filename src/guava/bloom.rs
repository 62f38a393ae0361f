//! The filter itself.

use core::fmt;
use core::ops::{Deref, DerefMut};

use super::positions::positions;
use super::shape::{DoesNotFitError, MAX_WORDS, Shape, Strategy};
use crate::hash::{HashFunction, Murmur3};
use crate::key::Key;
use crate::merge_error::MergeError;
use crate::stats::Stats;

/// Shared body of [`GuavaBloom`] and [`GuavaBloomView`]. Name the aliases, not this.
#[derive(Clone)]
pub struct GuavaBloomInner<const K: usize, W: ?Sized> {
    // An empty filter is all zero: 0 words in use stand for all of them, with `K` and the newer strategy. (An
    // `Option<Shape>` would keep its `None` in the strategy, as a 2.)
    words_in_use: u32,
    k: u8,
    has_old_strategy: bool,
    // Last, so that an array of words coerces to a slice. Those beyond the shape are 0.
    words: W,
}

/// Guava's `BloomFilter` in at most `WORDS` 64-bit words, with `K` bits per key.
///
/// An empty filter has all `WORDS` words and `K` bits per key; [`Plan`](super::Plan) gives the numbers that Guava
/// would choose. Without `K` it is 5, Guava's number for a rate of 3 %, which it takes when no rate is given. A
/// file that is [read](GuavaBloomView::read_from) brings its own strategy, bits per key and number of words; it fits
/// when it has no more than `WORDS` words.
///
/// # Cost
///
/// A 128-bit hash, a random access per bit, and three 64-bit remainders per key, which a microcontroller computes in
/// software. `WORDS` times 8 bytes of RAM, in `.bss`, and 8 more.
///
/// # Examples
///
/// ```
/// use sundew::GuavaBloom;
///
/// let mut seen: GuavaBloom<150, 7> = GuavaBloom::new(); // 1,000 keys at 1 %
/// assert!(seen.insert("a"));
/// assert!(seen.contains("a"));
/// assert!(!seen.contains("b"));
/// ```
pub type GuavaBloom<const WORDS: usize, const K: usize = 5> = GuavaBloomInner<K, [u64; WORDS]>;

/// A [`GuavaBloom`] behind a reference, without its size in the type; it has all the operations.
pub type GuavaBloomView<const K: usize = 5> = GuavaBloomInner<K, [u64]>;

impl<const WORDS: usize, const K: usize> GuavaBloom<WORDS, K> {
    /// An empty filter: all bytes 0.
    pub const fn new() -> Self {
        const {
            assert!(
                WORDS > 0 && WORDS <= MAX_WORDS as usize,
                "GuavaBloom: WORDS (of 64 bits) must be from 1 to 2^25 - 1"
            );
            assert!(
                K >= 1 && K <= 255,
                "GuavaBloom: K (bits per key) must be from 1 to 255; 7 suits a rate of 1 %"
            );
        }
        Self {
            words_in_use: 0,
            k: 0,
            has_old_strategy: false,
            words: [0; WORDS],
        }
    }
}

impl<const K: usize> GuavaBloomView<K> {
    /// Adds a key; true when it was certainly new, false when it was seen before or looks like it. Guava's `put`.
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.insert_hash(hash(key))
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate. Guava's
    /// `mightContain`.
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(hash(key))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`Murmur3::hash128`] with seed 0.
    pub fn insert_hash(&mut self, hash: [u64; 2]) -> bool {
        let mut is_new = false;
        for bit in positions(self.shape(), hash) {
            if let Some(word) = self.words.get_mut((bit / 64) as usize) {
                let mask = 1 << (bit % 64);
                is_new |= *word & mask == 0;
                *word |= mask;
            }
        }
        is_new
    }

    /// [`contains`](Self::contains) of a key that is hashed already: false is certain, true may be wrong.
    pub fn contains_hash(&self, hash: [u64; 2]) -> bool {
        positions(self.shape(), hash).all(|bit| {
            self.words
                .get((bit / 64) as usize)
                .is_none_or(|word| *word & 1 << (bit % 64) != 0)
        })
    }

    /// Forgets all keys, and keeps strategy, bits per key and number of words.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Forgets all keys and takes this shape: as if Guava had made a filter of it.
    ///
    /// # Errors
    ///
    /// When the shape has more words than the filter, which is as it was.
    pub fn reset(&mut self, shape: Shape) -> Result<(), DoesNotFitError> {
        if shape.num_words() as usize > self.max_words() {
            return Err(DoesNotFitError);
        }
        self.clear();
        self.words_in_use = shape.num_words();
        self.k = shape.k();
        self.has_old_strategy = shape.strategy() == Strategy::Murmur128Mitz32;
        Ok(())
    }

    /// Forgets all keys and every shape but that of the type: the filter is as [`GuavaBloom::new`] made it.
    pub fn reset_to_new(&mut self) {
        self.clear();
        self.words_in_use = 0;
    }

    pub(super) const fn max_words(&self) -> usize {
        self.words.len()
    }

    /// Adds all keys of another filter, as if each had been inserted here. Guava's `putAll`.
    ///
    /// # Errors
    ///
    /// When the filters differ in size, bits per key or strategy; this one is as it was.
    pub fn union(&mut self, other: &Self) -> Result<(), MergeError> {
        let (shape, others) = (self.shape(), other.shape());
        if shape.num_words() != others.num_words() {
            return Err(MergeError::SizeDiffers);
        }
        if shape != others {
            return Err(MergeError::ShapeDiffers);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= *other;
        }
        Ok(())
    }

    /// Strategy, bits per key and number of words: those of the type, or of the file that was read.
    pub const fn shape(&self) -> Shape {
        let strategy = if self.has_old_strategy {
            Strategy::Murmur128Mitz32
        } else {
            Strategy::Murmur128Mitz64
        };
        let shape = match self.words_in_use {
            0 => Shape::new(Strategy::Murmur128Mitz64, K as u8, self.words.len() as u32),
            words => Shape::new(strategy, self.k, words),
        };
        match shape {
            Some(shape) => shape,
            // `new` and `Shape` allow neither K nor WORDS to be 0.
            None => Shape::LEAST,
        }
    }

    /// From hash to bits.
    pub const fn strategy(&self) -> Strategy {
        self.shape().strategy()
    }

    /// Bits per key: Guava's number of hash functions.
    pub const fn k(&self) -> u8 {
        self.shape().k()
    }

    /// How many 64-bit words are in use: all, or those of the file that was read.
    pub const fn num_words(&self) -> u32 {
        self.shape().num_words()
    }

    /// How many bits are in use.
    pub const fn num_bits(&self) -> u32 {
        self.shape().num_bits().get()
    }

    /// The words in use: bit `b` of the filter is bit `b % 64` of word `b / 64`.
    pub fn words(&self) -> &[u64] {
        self.words.get(..self.num_words() as usize).unwrap_or(&[])
    }

    pub(super) fn word_mut(&mut self, index: usize) -> Option<&mut u64> {
        self.words.get_mut(index)
    }

    /// How full the filter is, how many keys it seems to hold (Guava's `approximateElementCount`), and how often it
    /// is wrong now (`expectedFpp`).
    ///
    /// In integers: up to a million keys the number is Guava's or one beside it, and the rate is Guava's to some
    /// parts per billion. For a full filter `approximateElementCount` throws an exception; this one gives the least
    /// number that would fill it.
    pub fn stats(&self) -> Stats {
        let ones = self.words.iter().map(|word| word.count_ones()).sum();
        stats(self.shape(), ones)
    }
}

/// Of a filter with so many bits set.
pub(super) fn stats(shape: Shape, ones: u32) -> Stats {
    let (bits, k) = (shape.num_bits().get(), u32::from(shape.k()));
    Stats::of_blocks([ones].into_iter(), bits, k)
}

/// What Guava's strategies begin with.
pub(super) fn hash<Q: Key + ?Sized>(key: &Q) -> [u64; 2] {
    let mut stream = Murmur3::UNSEEDED.stream();
    key.feed(&mut stream);
    stream.finish128()
}

impl<const WORDS: usize, const K: usize> Default for GuavaBloom<WORDS, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const WORDS: usize, const K: usize> Deref for GuavaBloom<WORDS, K> {
    type Target = GuavaBloomView<K>;

    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const WORDS: usize, const K: usize> DerefMut for GuavaBloom<WORDS, K> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// By shape and bits, as Guava compares; room that is not in use does not count.
impl<const K: usize> PartialEq for GuavaBloomView<K> {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape() && self.words() == other.words()
    }
}

impl<const K: usize> Eq for GuavaBloomView<K> {}

/// By shape and bits, as Guava compares; room that is not in use does not count.
impl<const WORDS: usize, const K: usize> PartialEq for GuavaBloom<WORDS, K> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const WORDS: usize, const K: usize> Eq for GuavaBloom<WORDS, K> {}

/// Shows the shape, not the bits.
impl<const WORDS: usize, const K: usize> fmt::Debug for GuavaBloom<WORDS, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Shows the shape, not the bits.
impl<const K: usize> fmt::Debug for GuavaBloomView<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuavaBloom")
            .field("strategy", &self.strategy())
            .field("k", &self.k())
            .field("words", &self.num_words())
            .finish_non_exhaustive()
    }
}
