//! An exact set in flash: a sorted list, binary searched.

use core::borrow::Borrow;
use core::fmt;

use crate::exact_store::ExactStore;

/// A sorted list of keys, in flash when it is a constant: an [`ExactStore`] that can be read and not written.
///
/// # Cost
///
/// A lookup compares with `log2(len)` keys, rounded up: 13 for 8,000. No RAM but the reference.
///
/// # Examples
///
/// A deny list without a single wrong answer, filter and list in flash, with 24 bytes of RAM for the counts:
///
/// ```
/// use sundew::{BlockedBloom, SortedList, TwoLayer};
///
/// const NAMES: [&str; 3] = ["ads.example", "spam.example", "track.example"]; // sorted, or it does not compile
/// static FILTER: BlockedBloom<1, 7> = BlockedBloom::with_keys(&NAMES);
/// const LIST: SortedList<&str> = SortedList::of_texts(&NAMES);
///
/// let mut blocked = TwoLayer::new(&FILTER, LIST);
/// assert!(blocked.contains("spam.example")?);
/// assert!(!blocked.contains("example.org")?);
/// assert_eq!(blocked.lookups().by_filter(), 1); // the list was not searched for example.org
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SortedList<T: 'static> {
    keys: &'static [T],
}

impl SortedList<&'static str> {
    /// A list of texts, for constants.
    ///
    /// # Panics
    ///
    /// When the texts are not in ascending order of their bytes, or one is there twice; in a constant, that
    /// does not compile.
    pub const fn of_texts(keys: &'static [&'static str]) -> Self {
        let mut i = 1;
        while i < keys.len() {
            assert!(
                is_less(keys[i - 1].as_bytes(), keys[i].as_bytes()),
                "SortedList: the texts must be in ascending order, each once"
            );
            i += 1;
        }
        Self { keys }
    }
}

impl<const L: usize> SortedList<[u8; L]> {
    /// A list of byte strings of one length, for constants.
    ///
    /// # Panics
    ///
    /// When they are not in ascending order, or one is there twice; in a constant, that does not compile.
    pub const fn of_arrays(keys: &'static [[u8; L]]) -> Self {
        let mut i = 1;
        while i < keys.len() {
            assert!(
                is_less(&keys[i - 1], &keys[i]),
                "SortedList: the keys must be in ascending order, each once"
            );
            i += 1;
        }
        Self { keys }
    }
}

const fn is_less(left: &[u8], right: &[u8]) -> bool {
    let mut i = 0;
    while i < left.len() && i < right.len() {
        if left[i] != right[i] {
            return left[i] < right[i];
        }
        i += 1;
    }
    left.len() < right.len()
}

impl<T: Ord> SortedList<T> {
    /// A list of keys of any type with an order; `None` when they are not ascending, or one is there twice.
    ///
    /// # Cost
    ///
    /// Reads the whole list.
    pub fn try_new(keys: &'static [T]) -> Option<Self> {
        let is_ascending = keys.windows(2).all(|pair| pair[0] < pair[1]);
        is_ascending.then_some(Self { keys })
    }
}

impl<T> SortedList<T> {
    /// The keys, in ascending order.
    pub const fn keys(&self) -> &'static [T] {
        self.keys
    }
}

impl<T> Clone for SortedList<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SortedList<T> {}

/// Why a [`SortedList`] was not changed: it lies in flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct ReadOnlyError;

impl fmt::Display for ReadOnlyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sorted list in flash cannot be changed at run time")
    }
}

impl core::error::Error for ReadOnlyError {}

/// Looked up by whatever a key can be borrowed as: texts by `str`, arrays by `[u8]` as well.
impl<Q: Ord + ?Sized, T: Borrow<Q>> ExactStore<Q> for SortedList<T> {
    type Error = ReadOnlyError;

    fn contains(&mut self, key: &Q) -> Result<bool, ReadOnlyError> {
        let place = self.keys.binary_search_by(|other| other.borrow().cmp(key));
        Ok(place.is_ok())
    }

    /// Refused, also for a key that is there.
    fn insert(&mut self, _: &Q) -> Result<bool, ReadOnlyError> {
        Err(ReadOnlyError)
    }

    /// Refused, also for a key that is not there.
    fn remove(&mut self, _: &Q) -> Result<bool, ReadOnlyError> {
        Err(ReadOnlyError)
    }
}
