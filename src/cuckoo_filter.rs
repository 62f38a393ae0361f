//! The cuckoo filter: a set from which keys can be removed again.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::hash::{DefaultHash, GOLDEN, HashFunction, HashValue, Xxh32, block_index};
use crate::key::Key;
use crate::sizing::Rate;
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};

/// Fingerprints in a bucket. With four, Fan et al. measure a load of 95 %; two reach 84 %, eight need one more
/// bit per fingerprint for the same rate.
pub(crate) const SLOTS: usize = 4;

/// How many fingerprints one insert moves at most before it gives up, as in the paper.
const MAX_KICKS: usize = 500;

/// Shared body of [`CuckooFilter`] and [`CuckooFilterView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct CuckooFilterInner<H, B: ?Sized> {
    hash: H,
    len: usize,
    // Last, so that an array of buckets coerces to a slice.
    buckets: B,
}

/// A cuckoo filter of `BUCKETS` buckets of four fingerprints of type `F`, for sets that keys leave again.
///
/// | `F` | RAM per bucket | bits per key at 95 % load | false positives at 95 % load |
/// |---|---|---|---|
/// | `u8` | 4 bytes | 8.4 | 2.9 % |
/// | `u16` | 8 bytes | 16.8 | 0.012 % |
///
/// [`contains`](CuckooFilterView::contains) never forgets a key that is in the filter; for one that is not, it
/// is wrong at the rate of the table. Unlike a Bloom filter it has a last key: at about 95 % of
/// [`capacity`](CuckooFilterView::capacity) [`insert`](CuckooFilterView::insert) says that it is full, and
/// leaves everything as it was. [`sizing::cuckoo_buckets`](crate::sizing::cuckoo_buckets) finds `BUCKETS`, which
/// need not be a power of two.
///
/// Remove only keys that were inserted. Another one that looks as if it were there takes the fingerprint of a
/// key that was, and that key is then forgotten. The same key can be inserted up to eight times and must then be
/// removed as often; [`insert_unique`](CuckooFilterView::insert_unique) keeps it at one.
///
/// # How it works
///
/// Partial-key cuckoo hashing (Fan, Andersen, Kaminsky and Mitzenmacher, "Cuckoo Filter: Practically Better Than
/// Bloom", 2014): a key has a fingerprint, which lies in one of two buckets. If both are full, one of the
/// fingerprints there moves to its own other bucket, which its bits and its place tell, and so on. Two
/// deviations: the other bucket is a difference, not an exclusive or, so that any number of buckets will do; and
/// which fingerprint moves follows from the hash of the new key, not from a random generator, so that the same
/// inserts give the same bytes everywhere, and so that a search that fails can be walked backwards, without RAM
/// for the way. The [hashing page](crate::hashing) has the formulas.
///
/// # Examples
///
/// Devices in range, in 1 KB:
///
/// ```
/// use sundew::CuckooFilter;
///
/// let mut present: CuckooFilter<128, u16> = CuckooFilter::new();
/// let address: [u8; 6] = [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC];
/// present.insert(&address)?;
/// assert!(present.contains(&address));
/// assert!(present.remove(&address)); // it has left
/// assert!(!present.contains(&address));
/// # Ok::<(), sundew::CuckooFilterFull>(())
/// ```
pub type CuckooFilter<const BUCKETS: usize, F, H = DefaultHash> =
    CuckooFilterInner<H, [[F; SLOTS]; BUCKETS]>;

/// A [`CuckooFilter`] behind a reference, without its size in the type; it has all the operations.
///
/// # Examples
///
/// ```
/// use sundew::{CuckooFilter, CuckooFilterView};
///
/// fn leave(present: &mut CuckooFilterView<u8>, names: &[&str]) -> usize {
///     names.iter().filter(|name| present.remove(**name)).count()
/// }
///
/// let mut small: CuckooFilter<10, u8> = CuckooFilter::new();
/// small.insert("a")?;
/// assert_eq!(leave(&mut small, &["a", "a"]), 1);
/// # Ok::<(), sundew::CuckooFilterFull>(())
/// ```
pub type CuckooFilterView<F, H = DefaultHash> = CuckooFilterInner<H, [[F; SLOTS]]>;

/// What a [`CuckooFilter`] keeps of a key: `u8` or `u16`, no other type. 0 stands for an empty slot.
pub trait Fingerprint: Copy + Eq + fmt::Debug + sealed::Sealed {
    /// An empty slot.
    #[doc(hidden)]
    const EMPTY: Self;
    /// How many fingerprints there are: all values but 0.
    #[doc(hidden)]
    const NUMBER: u32;

    /// From 16 bits of a hash, each fingerprint as likely as the others: `1 + floor(bits * NUMBER / 2^16)`.
    #[doc(hidden)]
    fn from_bits(bits: u16) -> Self;

    /// The same number.
    #[doc(hidden)]
    fn to_u32(self) -> u32;

    /// Bits of a fingerprint.
    #[doc(hidden)]
    const BITS: u32;

    /// The number's lower bits.
    #[doc(hidden)]
    fn from_u32(number: u32) -> Self;

    /// With its bytes in the order that a snapshot has.
    #[doc(hidden)]
    fn to_le(self) -> Self;

    /// The fingerprints in a snapshot, little-endian; none when their address is not a multiple of their size.
    #[doc(hidden)]
    fn slice_from(bytes: &[u8]) -> Option<&[Self]>;
}

macro_rules! stored {
    () => {
        const BITS: u32 = Self::BITS;

        #[inline]
        fn from_u32(number: u32) -> Self {
            number as Self
        }

        #[inline]
        fn to_le(self) -> Self {
            self.to_le()
        }

        fn slice_from(bytes: &[u8]) -> Option<&[Self]> {
            bytemuck::try_cast_slice(bytes).ok()
        }
    };
}

impl Fingerprint for u8 {
    stored!();
    const EMPTY: Self = 0;
    const NUMBER: u32 = 0xFF;

    #[inline]
    fn from_bits(bits: u16) -> Self {
        (1 + ((u32::from(bits) * Self::NUMBER) >> 16)) as Self
    }

    #[inline]
    fn to_u32(self) -> u32 {
        self.into()
    }
}

impl Fingerprint for u16 {
    stored!();
    const EMPTY: Self = 0;
    const NUMBER: u32 = 0xFFFF;

    #[inline]
    fn from_bits(bits: u16) -> Self {
        // What the formula comes to when there is one fingerprint fewer than there are bits.
        bits.max(1)
    }

    #[inline]
    fn to_u32(self) -> u32 {
        self.into()
    }
}

/// [`insert`](CuckooFilterView::insert) found no room, or the key is there eight times; the filter is exactly as
/// it was.
///
/// Remove keys, clear the filter, or build a larger one from the source of the keys: a cuckoo filter cannot grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct CuckooFilterFull;

impl fmt::Display for CuckooFilterFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the cuckoo filter is full: remove keys or give it more buckets")
    }
}

impl core::error::Error for CuckooFilterFull {}

impl<const BUCKETS: usize, F: Fingerprint, H: HashFunction> CuckooFilter<BUCKETS, F, H> {
    /// An empty filter with the unseeded hash: all bytes 0, so a static one lies in `.bss` and costs no
    /// flash.
    pub const fn new() -> Self {
        Self::with_hash(H::UNSEEDED)
    }

    /// An empty filter with a seed or key of your own.
    pub const fn with_hash(hash: H) -> Self {
        const {
            assert!(
                BUCKETS > 0,
                "CuckooFilter: BUCKETS (of 4 keys) must be at least 1; sizing::cuckoo_buckets finds it"
            );
            assert!(
                BUCKETS as u64 <= max_buckets::<H>(),
                "CuckooFilter: a 32-bit hash serves up to 65536 buckets; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self {
            hash,
            len: 0,
            buckets: [[F::EMPTY; SLOTS]; BUCKETS],
        }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &CuckooFilterView<F, H> {
        self
    }

    /// The filter without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut CuckooFilterView<F, H> {
        self
    }
}

impl<const BUCKETS: usize, F: Fingerprint> CuckooFilter<BUCKETS, F, Xxh32> {
    /// An empty filter whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

/// How many buckets a hash serves.
pub(crate) const fn max_buckets<H: HashFunction>() -> u64 {
    if H::Value::BITS == 64 {
        1 << 32
    } else {
        1 << 16
    }
}

/// Where a key may be, and as what.
pub(crate) struct Place<F> {
    pub(crate) fingerprint: F,
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// What a walk through full buckets begins with.
    turn: u32,
}

impl<F: Fingerprint> Place<F> {
    #[inline]
    pub(crate) fn new<V: HashValue>(hash: V, num_buckets: usize) -> Self {
        let fingerprint = F::from_bits(hash.probe_seed() as u16);
        let first = hash.block_index(num_buckets);
        Self {
            fingerprint,
            first,
            second: other(num_buckets, first, fingerprint),
            turn: hash.probe_seed(),
        }
    }
}

impl<F: Fingerprint, H: HashFunction> CuckooFilterView<F, H> {
    /// Adds a key, even when it is there already: each [`remove`](Self::remove) takes one away.
    ///
    /// # Cost
    ///
    /// One hash and two buckets until the filter is about half full. On the way to 95 % an insert looks at three
    /// buckets on average; the last ones move some hundred fingerprints, and none more than 500, which a full
    /// filter moves twice, there and back.
    ///
    /// # Errors
    ///
    /// When the filter is full, or holds the key eight times; it is exactly as it was.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<(), CuckooFilterFull> {
        self.insert_hash(key.digest(&self.hash))
    }

    /// Adds a key unless it is there: true when it was certainly new, false when it is there or looks like it.
    ///
    /// A new key that only looks as if it were there is not added, and is gone as soon as the key that it looks
    /// like is removed.
    ///
    /// # Errors
    ///
    /// When the key is new and the filter is full; it is exactly as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::CuckooFilter;
    ///
    /// let mut seen: CuckooFilter<100, u16> = CuckooFilter::new();
    /// assert_eq!(seen.insert_unique("a"), Ok(true));
    /// assert_eq!(seen.insert_unique("a"), Ok(false));
    /// assert_eq!(seen.len(), 1);
    /// ```
    #[inline]
    pub fn insert_unique<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<bool, CuckooFilterFull> {
        self.insert_unique_hash(key.digest(&self.hash))
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    ///
    /// # Cost
    ///
    /// One hash, one or two buckets.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// How often a key may be there: never less than it was inserted and not removed, and more at the filter's
    /// false-positive rate.
    ///
    /// # Cost
    ///
    /// One hash, two buckets.
    #[inline]
    pub fn count<Q: Key + ?Sized>(&self, key: &Q) -> usize {
        self.count_hash(key.digest(&self.hash))
    }

    /// Takes a key away once: true when it was there or looked like it, false when it certainly was not.
    ///
    /// Only for keys that were inserted: one that only looks as if it were there takes another key's
    /// fingerprint, and that key is forgotten.
    ///
    /// # Cost
    ///
    /// One hash, one or two buckets.
    #[inline]
    pub fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.remove_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    ///
    /// # Errors
    ///
    /// When the filter is full, or holds the key eight times; it is exactly as it was.
    pub fn insert_hash(&mut self, hash: H::Value) -> Result<(), CuckooFilterFull> {
        if !self.buckets.insert_at(&self.buckets.place(hash)) {
            return Err(CuckooFilterFull);
        }
        self.len += 1;
        Ok(())
    }

    /// [`insert_unique`](Self::insert_unique) of a key that is hashed already, by [`hash`](Self::hash).
    ///
    /// # Errors
    ///
    /// When the key is new and the filter is full; it is exactly as it was.
    pub fn insert_unique_hash(&mut self, hash: H::Value) -> Result<bool, CuckooFilterFull> {
        if self.contains_hash(hash) {
            return Ok(false);
        }
        self.insert_hash(hash).map(|()| true)
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        contains_at(&self.buckets, &self.buckets.place(hash))
    }

    /// [`count`](Self::count) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn count_hash(&self, hash: H::Value) -> usize {
        count_at(&self.buckets, &self.buckets.place(hash))
    }

    /// [`remove`](Self::remove) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn remove_hash(&mut self, hash: H::Value) -> bool {
        let is_removed = self.buckets.remove_at(&self.buckets.place(hash));
        self.len -= usize::from(is_removed);
        is_removed
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill([F::EMPTY; SLOTS]);
        self.len = 0;
    }

    /// How many keys are in the filter, each as often as it was inserted.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is in the filter.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many fingerprints there is room for: `4 * BUCKETS`, of which about 95 % can be filled.
    pub const fn capacity(&self) -> usize {
        self.buckets.len() * SLOTS
    }

    /// How often the filter is wrong now about a key it does not hold: `1 - (1 - 1 / n)^s` for `n` fingerprints
    /// (255 or 65,535) and `s` of them in two buckets on average.
    ///
    /// With a 32-bit hash and `u16` it is up to 7 % too low above 8,192 buckets, where there are hardly more
    /// hashes than fingerprints in all buckets.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::CuckooFilter;
    /// use sundew::sizing::Rate;
    ///
    /// let mut seen: CuckooFilter<100, u8> = CuckooFilter::new();
    /// assert_eq!(seen.rate(), Rate::ZERO);
    /// for key in 0..380_u32 {
    ///     seen.insert(&key)?;
    /// }
    /// assert_eq!(seen.rate().to_string(), "2.94 %");
    /// # Ok::<(), sundew::CuckooFilterFull>(())
    /// ```
    pub const fn rate(&self) -> Rate {
        const BILLION: u64 = 1_000_000_000;
        // Two terms of the binomial series, `s / n - s * (s - 1) / 2 / n^2`; the third is below 6 parts per
        // million.
        let slots = self.buckets.len() as u64 * F::NUMBER as u64;
        let parts = match (2 * BILLION)
            .saturating_mul(self.len as u64)
            .checked_div(slots)
        {
            Some(parts) => parts,
            None => BILLION,
        };
        let less_one = parts.saturating_sub(BILLION / F::NUMBER as u64);
        Rate::from_parts_per_billion((parts - parts * less_one / (2 * BILLION)) as u32)
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many buckets there are: `BUCKETS`.
    pub const fn num_buckets(&self) -> usize {
        self.buckets.len()
    }

    /// The buckets in order, as they lie in memory; 0 is an empty slot.
    ///
    /// Filters that got the same keys in the same order have the same buckets. In another order they need not.
    pub fn buckets(&self) -> core::slice::Iter<'_, [F; SLOTS]> {
        self.buckets.iter()
    }
}

/// Where buckets lie: in a filter, or wherever a user without one keeps them. A bucket that is not there, which does
/// not happen, is an empty one.
pub(crate) trait BucketStore<F: Fingerprint> {
    fn num_buckets(&self) -> usize;

    /// Writes `new` into the first slot that holds `old`; false when there is none.
    fn replace(&mut self, index: usize, old: F, new: F) -> bool;

    /// Exchanges the fingerprint with that in the slot which the upper two bits of `turn` name.
    fn swap(&mut self, index: usize, turn: u32, fingerprint: &mut F);

    #[inline]
    fn place<V: HashValue>(&self, hash: V) -> Place<F> {
        Place::new(hash, self.num_buckets())
    }

    /// Writes `new` into the first slot of the two buckets that holds `old`; false when there is none.
    #[inline]
    fn replace_at(&mut self, place: &Place<F>, old: F, new: F) -> bool {
        self.replace(place.first, old, new) || self.replace(place.second, old, new)
    }

    /// False, and all as it was, when there is no room.
    #[inline]
    fn insert_at(&mut self, place: &Place<F>) -> bool {
        self.replace_at(place, F::EMPTY, place.fingerprint) || self.kick(place)
    }

    #[inline]
    fn remove_at(&mut self, place: &Place<F>) -> bool {
        self.replace_at(place, place.fingerprint, F::EMPTY)
    }

    /// Puts a fingerprint into its second bucket, which is full, and the one it replaces into its other bucket, and
    /// so on until one finds room. False when none does; then all are where they were.
    ///
    /// A walk, not a breadth-first search for the shortest way: for the same load (95 % in 99 of 100 filters)
    /// the search needs a queue of 256 places, 2 KB of stack, and looks at as many buckets.
    #[cold]
    fn kick(&mut self, place: &Place<F>) -> bool {
        let num_buckets = self.num_buckets();
        let (mut index, mut fingerprint, mut turn) = (place.second, place.fingerprint, place.turn);
        for _ in 0..MAX_KICKS {
            turn = turn.wrapping_add(GOLDEN);
            self.swap(index, turn, &mut fingerprint);
            index = other(num_buckets, index, fingerprint);
            if self.replace(index, F::EMPTY, fingerprint) {
                return true;
            }
        }
        // The same way back: the fingerprint in hand tells where it came from, and the turns run backwards.
        for _ in 0..MAX_KICKS {
            index = other(num_buckets, index, fingerprint);
            self.swap(index, turn, &mut fingerprint);
            turn = turn.wrapping_sub(GOLDEN);
        }
        false
    }
}

#[inline]
fn bucket<F: Fingerprint>(buckets: &[[F; SLOTS]], index: usize) -> [F; SLOTS] {
    buckets.get(index).copied().unwrap_or([F::EMPTY; SLOTS])
}

#[inline]
fn set_bucket<F: Fingerprint>(buckets: &mut [[F; SLOTS]], index: usize, bucket: [F; SLOTS]) {
    if let Some(place) = buckets.get_mut(index) {
        *place = bucket;
    }
}

/// Whether a fingerprint is in one of its buckets.
#[inline]
pub(crate) fn contains_at<F: Fingerprint>(buckets: &[[F; SLOTS]], place: &Place<F>) -> bool {
    let fingerprint = &place.fingerprint;
    bucket(buckets, place.first).contains(fingerprint)
        || bucket(buckets, place.second).contains(fingerprint)
}

/// How often a fingerprint is in its buckets.
#[inline]
fn count_at<F: Fingerprint>(buckets: &[[F; SLOTS]], place: &Place<F>) -> usize {
    let count_in = |index| {
        let slots = bucket(buckets, index).into_iter();
        slots.filter(|slot| *slot == place.fingerprint).count()
    };
    let mut count = count_in(place.first);
    if place.first != place.second {
        count += count_in(place.second);
    }
    count
}

impl<F: Fingerprint> BucketStore<F> for [[F; SLOTS]] {
    #[inline]
    fn num_buckets(&self) -> usize {
        self.len()
    }

    #[inline]
    fn replace(&mut self, index: usize, old: F, new: F) -> bool {
        let mut bucket = bucket(self, index);
        let slot = bucket.iter_mut().find(|slot| **slot == old);
        let is_found = slot.map(|slot| *slot = new).is_some();
        if is_found {
            set_bucket(self, index, bucket);
        }
        is_found
    }

    fn swap(&mut self, index: usize, turn: u32, fingerprint: &mut F) {
        let mut bucket = bucket(self, index);
        core::mem::swap(&mut bucket[(turn >> 30) as usize], fingerprint);
        set_bucket(self, index, bucket);
    }
}

/// Its buckets. Two filters cannot be united: there may not be room.
impl<F: Fingerprint, H: HashFunction> CuckooFilterView<F, H> {
    /// How many fingerprints are in a word of a snapshot.
    const PER_WORD: usize = (u32::BITS / F::BITS) as usize;
}

impl<F: Fingerprint, H: HashFunction> Parts for CuckooFilterView<F, H> {
    const CAN_ABSORB: bool = false;

    fn header(&self) -> Header {
        Header {
            count: Some(self.len as u64),
            ..Header::new(Kind::CUCKOO, &self.hash, F::BITS, self.buckets.len(), 2)
        }
    }

    fn num_words(&self) -> usize {
        self.buckets.len() * SLOTS / Self::PER_WORD
    }

    fn word(&self, index: usize) -> u32 {
        let slots = self.buckets.as_flattened().iter();
        let slots = slots.skip(index * Self::PER_WORD).take(Self::PER_WORD);
        slots
            .rev()
            .fold(0, |word, slot| word.wrapping_shl(F::BITS) | slot.to_u32())
    }

    fn prepare(&mut self, _: bool) {
        self.clear();
    }

    fn set_word(&mut self, index: usize, mut word: u32) {
        let slots = self.buckets.as_flattened_mut().iter_mut();
        for slot in slots.skip(index * Self::PER_WORD).take(Self::PER_WORD) {
            *slot = F::from_u32(word);
            word = word.wrapping_shr(F::BITS);
        }
    }

    fn absorb_words(&mut self, _: usize, _: [u32; GROUP]) {}

    fn conclude(&mut self, _: &Header, _: bool) {
        // Counted, not believed: to remove more than there are would be an overflow.
        let slots = self.buckets.as_flattened().iter();
        self.len = slots.filter(|slot| **slot != F::EMPTY).count();
    }
}

/// The other bucket for a fingerprint that is in this one: `(g - index) mod buckets`, where `g` depends on the
/// fingerprint alone. Hence `other(other(index)) == index`, for any number of buckets.
#[inline]
fn other<F: Fingerprint>(buckets: usize, index: usize, fingerprint: F) -> usize {
    let scattered = fingerprint.to_u32().wrapping_mul(GOLDEN);
    let sum = if buckets <= 1 << 16 {
        block_index(scattered, buckets)
    } else {
        (u64::from(scattered) << 32).block_index(buckets)
    };
    if sum >= index {
        sum - index
    } else {
        sum + buckets - index
    }
}

impl<const BUCKETS: usize, F: Fingerprint, H: HashFunction> Default
    for CuckooFilter<BUCKETS, F, H>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const BUCKETS: usize, F, H> Deref for CuckooFilter<BUCKETS, F, H> {
    type Target = CuckooFilterView<F, H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const BUCKETS: usize, F, H> DerefMut for CuckooFilter<BUCKETS, F, H> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the fingerprints.
impl<F, H> fmt::Debug for CuckooFilterView<F, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CuckooFilter")
            .field("buckets", &self.buckets.len())
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<const BUCKETS: usize, F, H> fmt::Debug for CuckooFilter<BUCKETS, F, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CuckooFilterView::fmt(self, f)
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for u8 {}
    impl Sealed for u16 {}
}
