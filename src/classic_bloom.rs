//! The classic Bloom filter: the bits of a key lie anywhere in one flat array.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::hash::{DefaultHash, HashFunction, HashValue};
use crate::key::Key;
use crate::merge_error::MergeError;
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};
use crate::stats::Stats;

/// Shared body of [`ClassicBloom`] and [`ClassicBloomView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct ClassicBloomInner<const K: usize, H, W: ?Sized> {
    hash: H,
    // Last, so that an array of words coerces to a slice.
    words: W,
}

/// A classic Bloom filter of `WORDS` 32-bit words with `K` bits per key.
///
/// It has the lowest false-positive rate for its RAM (0.82 % at 10 bits per key), at the cost of `K` random
/// accesses and `K` multiplications per lookup; [`BlockedBloom`](crate::BlockedBloom) is faster. The `K`
/// positions come from one hash by double hashing (Kirsch and Mitzenmacher, "Less Hashing, Same
/// Performance", 2006).
///
/// # Examples
///
/// ```
/// use sundew::ClassicBloom;
///
/// let mut seen: ClassicBloom<1024, 7> = ClassicBloom::new(); // 4 KB
/// assert!(seen.insert("a"));
/// assert!(seen.contains("a"));
/// assert!(!seen.contains("b"));
/// ```
pub type ClassicBloom<const WORDS: usize, const K: usize, H = DefaultHash> =
    ClassicBloomInner<K, H, [u32; WORDS]>;

/// A [`ClassicBloom`] behind a reference, without its size in the type; it has all the operations.
pub type ClassicBloomView<const K: usize, H = DefaultHash> = ClassicBloomInner<K, H, [u32]>;

impl<const WORDS: usize, const K: usize, H: HashFunction> ClassicBloom<WORDS, K, H> {
    /// An empty filter with the unseeded hash: all bytes 0.
    pub const fn new() -> Self {
        Self::with_hash(H::UNSEEDED)
    }

    /// An empty filter with a seed or key of your own.
    pub const fn with_hash(hash: H) -> Self {
        const {
            assert!(
                WORDS > 0 && WORDS < 1 << 27,
                "ClassicBloom: WORDS (of 32 bits) must be from 1 to 2^27 - 1"
            );
            assert!(
                K >= 1 && K <= 32,
                "ClassicBloom: K (bits per key) must be from 1 to 32; 7 suits a rate of 1 %"
            );
            assert!(
                WORDS as u64 * 32 <= H::Value::MAX_FILTER_BITS,
                "ClassicBloom: a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            words: [0; WORDS],
        }
    }
}

impl<const K: usize, H: HashFunction> ClassicBloomView<K, H> {
    /// Adds a key; true when it was certainly new, false when it was seen before or looks like it.
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.insert_hash(key.digest(&self.hash))
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn insert_hash(&mut self, hash: H::Value) -> bool {
        let mut is_new = false;
        for bit in positions(hash, self.words.len(), K as u32) {
            if let Some(word) = self.words.get_mut((bit / 32) as usize) {
                is_new |= word.rotate_right(bit) & 1 == 0;
                *word |= 1 << (bit % 32);
            }
        }
        is_new
    }

    /// [`contains`](Self::contains) of a key that is hashed already: false is certain, true may be wrong.
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        positions(hash, self.words.len(), K as u32).all(|bit| {
            self.words
                .get((bit / 32) as usize)
                .is_none_or(|word| word.rotate_right(bit) & 1 != 0)
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Adds all keys of another filter, as if each had been inserted here.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    pub fn union(&mut self, other: &Self) -> Result<(), MergeError> {
        self.merge(other, |word, other| word | other)
    }

    /// Keeps what is in both filters; no key that was in both is lost.
    ///
    /// # Errors
    ///
    /// When the filters differ in size or seed; this one is as it was.
    pub fn intersect(&mut self, other: &Self) -> Result<(), MergeError> {
        self.merge(other, |word, other| word & other)
    }

    fn merge(&mut self, other: &Self, combine: fn(u32, u32) -> u32) -> Result<(), MergeError> {
        if self.words.len() != other.words.len() {
            return Err(MergeError::SizeDiffers);
        }
        if self.hash != other.hash {
            return Err(MergeError::SeedDiffers);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word = combine(*word, *other);
        }
        Ok(())
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many bits there are.
    pub const fn num_bits(&self) -> u64 {
        self.words.len() as u64 * 32
    }

    /// The words in order: bit `b` of the filter is bit `b % 32` of word `b / 32`.
    pub const fn words(&self) -> &[u32] {
        &self.words
    }

    /// How full the filter is, how many keys it seems to hold, and how often it is wrong now.
    pub fn stats(&self) -> Stats {
        let ones = self.words.iter().map(|word| word.count_ones()).sum();
        Stats::of_blocks([ones].into_iter(), self.words.len() as u32 * 32, K as u32)
    }
}

/// `(start + i * step) mod 2^32`, scaled down to the number of bits, for `i` from 0 to `k - 1`.
#[inline]
pub(crate) fn positions<V: HashValue>(hash: V, words: usize, k: u32) -> impl Iterator<Item = u32> {
    let bits = words as u64 * 32;
    let (start, step) = hash.start_and_step();
    (0..k).map(move |i| {
        let probe = start.wrapping_add(i.wrapping_mul(step));
        ((u64::from(probe) * bits) >> 32) as u32
    })
}

/// Its words.
impl<const K: usize, H: HashFunction> Parts for ClassicBloomView<K, H> {
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        Header::new(Kind::CLASSIC, &self.hash, 32, self.words.len(), K)
    }

    fn num_words(&self) -> usize {
        self.words.len()
    }

    fn word(&self, index: usize) -> u32 {
        self.words.get(index).copied().unwrap_or(0)
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        }
    }

    fn set_word(&mut self, index: usize, word: u32) {
        if let Some(to) = self.words.get_mut(index) {
            *to = word;
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        for (index, word) in (first..).zip(words) {
            self.set_word(index, self.word(index) | word);
        }
    }

    fn conclude(&mut self, _: &Header, _: bool) {}
}

impl<const WORDS: usize, const K: usize, H: HashFunction> Default for ClassicBloom<WORDS, K, H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const WORDS: usize, const K: usize, H> Deref for ClassicBloom<WORDS, K, H> {
    type Target = ClassicBloomView<K, H>;

    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const WORDS: usize, const K: usize, H> DerefMut for ClassicBloom<WORDS, K, H> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the bits.
impl<const WORDS: usize, const K: usize, H> fmt::Debug for ClassicBloom<WORDS, K, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClassicBloom")
            .field("words", &WORDS)
            .field("k", &K)
            .finish_non_exhaustive()
    }
}
