//! A filter in front of an exact store: certain answers, most of them without the store.

use core::fmt;

use crate::exact_store::ExactStore;
use crate::front_filter::{FilterFullError, FrontFilter, FrontFilterMut};
use crate::key::Key;
use crate::sizing::Rate;

/// A filter `F` in front of an exact store `S`: every answer is certain, and the store is asked only about keys
/// that it may have.
///
/// What the filter denies is certainly not in the store. What it does not deny is looked up there. So with a
/// filter at 1 %, 1 % of the new keys reach the store at most (the tests measure it), and all the known ones.
/// That pays where most keys are new and the store is slow: external flash, a card, a line to the host. In RAM
/// next to the filter, a store is mostly faster asked directly.
///
/// The filter must have all keys of the store, or it denies them: hand both over empty, or
/// [`admit`](Self::admit) the keys that the store already has, or fill the filter before. Keys that come to
/// the store by another way than this type must be admitted as well. Keys that only the filter has do no harm.
///
/// # Removal
///
/// [`remove`](Self::remove) takes the key from the store. A Bloom filter keeps its bits, so the answers stay
/// exact, but further lookups of that key reach the store, and the filter fills up with what has left: its rate
/// is that of all keys that were ever inserted. When [`Lookups::store_rate`] says that too much gets
/// through, fill a new filter from the store. [`CountingBloom`](crate::CountingBloom) and
/// [`CuckooFilter`](crate::CuckooFilter) let go of the key. Here they can do so without a risk: what looks like
/// a key but is none never gets as far as a removal, because the store denies it.
///
/// # Examples
///
/// Badges that may open a door, in RAM, removed again:
///
/// ```
/// # #[cfg(feature = "heapless")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use heapless::index_set::FnvIndexSet;
/// use sundew::{CountingBloom, TwoLayer};
///
/// type Badges = TwoLayer<CountingBloom<8, 6>, FnvIndexSet<[u8; 4], 64>>;
///
/// let mut badges: Badges = TwoLayer::new(CountingBloom::new(), FnvIndexSet::new());
/// assert!(badges.insert(&[1, 2, 3, 4])?);
/// assert!(badges.contains(&[1, 2, 3, 4])?); // certain
/// assert!(!badges.contains(&[9, 9, 9, 9])?); // certain, and the set was not searched
/// assert!(badges.remove(&[1, 2, 3, 4])?);
/// assert!(!badges.contains(&[1, 2, 3, 4])?);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "heapless"))]
/// # fn main() {}
/// ```
///
/// In flash: [`SortedList`](crate::SortedList). On the host: [`StoreFn`](crate::StoreFn), or, without waiting
/// for the answer:
///
/// ```
/// use sundew::{BlockedBloom, TwoLayer};
///
/// let mut seen = TwoLayer::new(BlockedBloom::<16, 7>::new(), ());
/// seen.admit("a")?; // the host has it
///
/// assert!(!seen.may_contain("b")); // certainly new: settled here
/// assert!(seen.may_contain("a")); // ask the host, and go on ...
/// seen.record(true); // ... until it answers that it has the key
/// assert_eq!((seen.lookups().by_filter(), seen.lookups().by_store()), (1, 1));
/// # Ok::<(), sundew::FilterFullError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TwoLayer<F, S> {
    lookups: Lookups,
    store: S,
    filter: F,
}

impl<F, S> TwoLayer<F, S> {
    /// Both layers; the filter has all keys of the store, or both are empty. All bytes 0 if those of the layers
    /// are.
    pub const fn new(filter: F, store: S) -> Self {
        Self {
            lookups: Lookups::new(),
            store,
            filter,
        }
    }

    /// What the lookups came to so far. [`insert`](Self::insert) and [`remove`](Self::remove) count as lookups,
    /// because they ask the same question first.
    pub const fn lookups(&self) -> Lookups {
        self.lookups
    }

    /// Starts to count anew.
    pub fn reset_lookups(&mut self) {
        self.lookups = Lookups::new();
    }

    /// The filter.
    pub const fn filter(&self) -> &F {
        &self.filter
    }

    /// The store.
    pub const fn store(&self) -> &S {
        &self.store
    }

    /// The store, to change it. Keys that it gets this way must be [admitted](Self::admit), or they are denied.
    pub const fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Both layers, without the counts.
    pub fn into_parts(self) -> (F, S) {
        (self.filter, self.store)
    }
}

impl<F: FrontFilter, S> TwoLayer<F, S> {
    /// Whether the key is there: both answers are certain.
    ///
    /// # Cost
    ///
    /// One lookup in the filter; then, for known keys and for new ones at the filter's false-positive rate, one in
    /// the store.
    ///
    /// # Errors
    ///
    /// Those of the store. The lookup is not counted, and can be repeated.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<bool, S::Error>
    where
        S: ExactStore<Q>,
    {
        let hash = self.filter.digest(key);
        self.contains_hash(hash, key)
    }

    #[inline]
    fn contains_hash<Q: ?Sized>(&mut self, hash: F::Hash, key: &Q) -> Result<bool, S::Error>
    where
        S: ExactStore<Q>,
    {
        if !self.may_contain_hash(hash) {
            return Ok(false);
        }
        let is_there = self.store.contains(key)?;
        self.lookups.count_store(is_there);
        Ok(is_there)
    }

    /// Only the filter's answer: false is certain; true may be wrong, and is for the store to settle.
    ///
    /// For a store that answers later: after true, ask it in your own time and hand its answer to
    /// [`record`](Self::record). False is counted as a lookup here, true there.
    #[inline]
    pub fn may_contain<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.may_contain_hash(self.filter.digest(key))
    }

    /// [`may_contain`](Self::may_contain) for a key that is hashed already, with [`FrontFilter::digest`] or piece by
    /// piece as it arrived.
    #[inline]
    pub fn may_contain_hash(&mut self, hash: F::Hash) -> bool {
        let may_contain = self.filter.may_contain(hash);
        if !may_contain {
            self.lookups.count_filter();
        }
        may_contain
    }

    /// Counts the store's answer to a lookup that [`may_contain`](Self::may_contain) did not settle.
    #[inline]
    pub fn record(&mut self, is_there: bool) {
        self.lookups.count_store(is_there);
    }
}

impl<F: FrontFilterMut, S> TwoLayer<F, S> {
    /// Puts a key that the store has, or will have, into the filter. Once for each key: a filter that lets go of
    /// keys counts them.
    ///
    /// # Errors
    ///
    /// When the filter is full, and as it was.
    #[inline]
    pub fn admit<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<(), FilterFullError> {
        self.filter.admit(self.filter.digest(key))
    }

    /// [`admit`](Self::admit) for a key that is hashed already.
    ///
    /// # Errors
    ///
    /// When the filter is full, and as it was.
    #[inline]
    pub fn admit_hash(&mut self, hash: F::Hash) -> Result<(), FilterFullError> {
        self.filter.admit(hash)
    }

    /// Adds a key to both layers; true when it was not there. Both answers are certain.
    ///
    /// # Cost
    ///
    /// A new key: the filter, and the store's `insert`; at the filter's false-positive rate its `contains` before.
    /// A known key: the filter, and the store's `contains`.
    ///
    /// # Errors
    ///
    /// When the filter is full, with everything as it was; or those of the store, after which a Bloom filter keeps
    /// the key's bits as after a [removal](Self#removal). Answers stay exact either way, and nothing is counted.
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<bool, TwoLayerError<S::Error>>
    where
        S: ExactStore<Q>,
    {
        let hash = self.filter.digest(key);
        let before = self.lookups;
        if self
            .contains_hash(hash, key)
            .map_err(TwoLayerError::Store)?
        {
            return Ok(false);
        }
        // The filter first: a key that only the filter has does no harm, one that only the store has is denied.
        let outcome = match self.filter.admit(hash) {
            Ok(()) => self.store.insert(key).map_err(|error| {
                self.filter.withdraw(hash);
                TwoLayerError::Store(error)
            }),
            Err(FilterFullError) => Err(TwoLayerError::FilterFull),
        };
        if outcome.is_err() {
            self.lookups = before;
        }
        outcome
    }

    /// Takes a key away; true when it was there. Both answers are certain; what the filter keeps of it is
    /// [here](Self#removal).
    ///
    /// # Cost
    ///
    /// As [`contains`](Self::contains), with the store's `remove`.
    ///
    /// # Errors
    ///
    /// Those of the store; the filter is as it was, and nothing is counted.
    pub fn remove<Q: Key + ?Sized>(&mut self, key: &Q) -> Result<bool, S::Error>
    where
        S: ExactStore<Q>,
    {
        let hash = self.filter.digest(key);
        if !self.may_contain_hash(hash) {
            return Ok(false);
        }
        let was_there = self.store.remove(key)?;
        self.lookups.count_store(was_there);
        if was_there {
            self.filter.withdraw(hash);
        }
        Ok(was_there)
    }
}

/// What the lookups of a [`TwoLayer`] came to; or of whatever else puts a filter in front of something slow, and
/// counts here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Lookups {
    by_filter: u64,
    by_store: u64,
    corrected: u64,
}

impl Lookups {
    /// None yet.
    pub const fn new() -> Self {
        Self {
            by_filter: 0,
            by_store: 0,
            corrected: 0,
        }
    }

    /// Counts a lookup that the filter answered alone.
    #[inline]
    pub fn count_filter(&mut self) {
        self.by_filter = self.by_filter.wrapping_add(1);
    }

    /// Counts a lookup that reached the store, and whether the key was there.
    #[inline]
    pub fn count_store(&mut self, is_there: bool) {
        self.by_store = self.by_store.wrapping_add(1);
        self.corrected = self.corrected.wrapping_add(u64::from(!is_there));
    }

    /// All lookups.
    pub const fn total(&self) -> u64 {
        self.by_filter.wrapping_add(self.by_store)
    }

    /// Those that the filter answered alone, with "no": what it saved the store.
    pub const fn by_filter(&self) -> u64 {
        self.by_filter
    }

    /// Those that reached the store.
    pub const fn by_store(&self) -> u64 {
        self.by_store
    }

    /// Those that reached the store and were not there: false positives of the filter, and keys that were removed
    /// but of which the filter keeps the bits.
    pub const fn corrected(&self) -> u64 {
        self.corrected
    }

    /// The part of the lookups of absent keys that reached the store: about 1 % with a filter at 1 %. 0 when there
    /// were none.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::sizing::{Plan, Rate};
    /// use sundew::{BlockedBloom, TwoLayer};
    ///
    /// const PLAN: Plan = Plan::for_keys(1_000, Rate::percent(1));
    /// let filter: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
    /// let mut seen = TwoLayer::new(filter, ());
    /// for key in 0..1_000_u32 {
    ///     seen.admit(&key)?;
    /// }
    /// for key in 1_000..11_000_u32 {
    ///     if seen.may_contain(&key) {
    ///         seen.record(false);
    ///     }
    /// }
    /// assert!(seen.lookups().store_rate() < Rate::ppm(12_000));
    /// # Ok::<(), sundew::FilterFullError>(())
    /// ```
    pub const fn store_rate(&self) -> Rate {
        const BILLION: u64 = 1_000_000_000;
        let mut corrected = self.corrected;
        let mut absent = self.by_filter.wrapping_add(corrected);
        // So that the product fits; at this size the bits lost do not show.
        while absent >= 1 << 34 {
            corrected >>= 1;
            absent >>= 1;
        }
        match (corrected * BILLION).checked_div(absent) {
            Some(parts) => Rate::from_parts_per_billion(parts as u32),
            None => Rate::ZERO,
        }
    }
}

/// Why [`insert`](TwoLayer::insert) added nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum TwoLayerError<E> {
    /// The filter has no room. Everything is as it was.
    FilterFull,
    /// The store's own reason.
    Store(E),
}

impl<E: fmt::Display> fmt::Display for TwoLayerError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FilterFull => FilterFullError.fmt(f),
            Self::Store(error) => write!(f, "the exact store: {error}"),
        }
    }
}

impl<E: core::error::Error + 'static> core::error::Error for TwoLayerError<E> {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::FilterFull => None,
            Self::Store(error) => Some(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_rate_is_right_for_any_count() {
        let rate = |by_filter, corrected| {
            let by_store = corrected;
            Lookups {
                by_filter,
                by_store,
                corrected,
            }
            .store_rate()
            .parts_per_billion()
        };
        assert_eq!(rate(0, 0), 0);
        assert_eq!(rate(0, 1), 1_000_000_000);
        assert_eq!(rate(99, 1), 10_000_000);
        assert_eq!(rate(99 << 50, 1 << 50), 10_000_000);
        assert_eq!(rate(0, u64::MAX), 1_000_000_000);
        assert_eq!(rate(u64::MAX - 1, 1), 0);
    }
}
