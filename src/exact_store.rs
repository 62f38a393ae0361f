//! Where keys are kept as they are: the second layer of a `TwoLayer`.

/// A set that is never wrong, behind the filter of a [`TwoLayer`](crate::TwoLayer), for keys of type `Q`.
///
/// | store | keys |
/// |---|---|
/// | `heapless::index_set::IndexSet` (feature `heapless`) | in RAM, of fixed size |
/// | [`SortedList`](crate::SortedList) | in flash, read only |
/// | [`StoreFn`] | wherever a function of yours finds them: external flash, a card, the host |
/// | your own type | likewise |
///
/// `&mut S` is a store when `S` is. `contains` takes `&mut self` because a store outside may have to talk to a
/// bus.
///
/// # Stores that answer later
///
/// A store may take its time in three ways:
///
/// - **It waits.** `contains` sends the question and runs whatever brings the answer, such as the UART, until
///   it is there. The simplest, if the program has nothing else to do.
/// - **It says "not yet".** `contains` sends the question, gives an error that means "not yet", and gives the
///   answer when it is asked for the same key again. [`TwoLayer`](crate::TwoLayer) counts no lookup that ends
///   in an error, so one that is asked for ten times counts once.
/// - **It calls back.** Leave the store out of it: a [`TwoLayer`](crate::TwoLayer) asks only its filter in
///   [`may_contain`](crate::TwoLayer::may_contain), and [`record`](crate::TwoLayer::record) takes the store's
///   answer whenever it comes. The store is `()` then, and nothing waits.
///
/// # Examples
///
/// A store of a user's own, with keys of any length, which are told apart by nothing but their bytes:
///
/// ```
/// use sundew::ExactStore;
///
/// struct Card { /* pins, a buffer ... */ }
/// struct CardError;
///
/// impl ExactStore<[u8]> for Card {
///     type Error = CardError;
///
///     fn contains(&mut self, key: &[u8]) -> Result<bool, CardError> {
///         // ... reads the sector where the key would be
/// #       let _ = key;
/// #       Ok(false)
///     }
///     // ...
/// #   fn insert(&mut self, _: &[u8]) -> Result<bool, CardError> { Ok(true) }
/// #   fn remove(&mut self, _: &[u8]) -> Result<bool, CardError> { Ok(false) }
/// }
/// ```
pub trait ExactStore<Q: ?Sized> {
    /// What goes wrong with this store; [`core::convert::Infallible`] if nothing can.
    type Error;

    /// Whether the key is there. Both answers are certain.
    ///
    /// # Errors
    ///
    /// When the store cannot tell, or not yet.
    fn contains(&mut self, key: &Q) -> Result<bool, Self::Error>;

    /// Adds a key; true when it was not there.
    ///
    /// # Errors
    ///
    /// When the store has no room or cannot be written; it is as it was.
    fn insert(&mut self, key: &Q) -> Result<bool, Self::Error>;

    /// Takes a key away; true when it was there.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; it is as it was.
    fn remove(&mut self, key: &Q) -> Result<bool, Self::Error>;
}

impl<Q: ?Sized, S: ExactStore<Q> + ?Sized> ExactStore<Q> for &mut S {
    type Error = S::Error;

    #[inline]
    fn contains(&mut self, key: &Q) -> Result<bool, Self::Error> {
        (**self).contains(key)
    }

    #[inline]
    fn insert(&mut self, key: &Q) -> Result<bool, Self::Error> {
        (**self).insert(key)
    }

    #[inline]
    fn remove(&mut self, key: &Q) -> Result<bool, Self::Error> {
        (**self).remove(key)
    }
}

/// What an [`ExactStore`] is asked to do with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum StoreCall {
    /// Is it there?
    Contains,
    /// Add it; was it new?
    Insert,
    /// Take it away; was it there?
    Remove,
}

/// A function as a store: it gets what to do and the key, and answers as [`ExactStore`] says.
///
/// # Examples
///
/// The keys are in a database on the host. The device settles what is certainly new itself, and asks the host
/// about the rest:
///
/// ```
/// use sundew::{BlockedBloom, StoreCall, StoreFn, TwoLayer};
/// # use std::collections::HashSet;
/// # let mut database: HashSet<String> = HashSet::from(["https://example.com/".into()]);
/// # let mut ask_host = |call: StoreCall, key: &str| -> std::io::Result<bool> {
/// #     Ok(match call {
/// #         StoreCall::Contains => database.contains(key),
/// #         StoreCall::Insert => database.insert(key.into()),
/// #         StoreCall::Remove => database.remove(key),
/// #     })
/// # };
/// let host = StoreFn(|call: StoreCall, key: &str| {
///     ask_host(call, key) // sends a line, waits for one
/// });
/// let mut urls = TwoLayer::new(BlockedBloom::<16, 7>::new(), host);
/// urls.admit("https://example.com/")?; // the host has it
///
/// assert!(urls.contains("https://example.com/")?);
/// assert!(!urls.contains("https://example.org/")?);
/// assert_eq!(urls.lookups().by_store(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StoreFn<F>(
    /// The function.
    pub F,
);

impl<Q: ?Sized, E, F: FnMut(StoreCall, &Q) -> Result<bool, E>> ExactStore<Q> for StoreFn<F> {
    type Error = E;

    #[inline]
    fn contains(&mut self, key: &Q) -> Result<bool, E> {
        (self.0)(StoreCall::Contains, key)
    }

    #[inline]
    fn insert(&mut self, key: &Q) -> Result<bool, E> {
        (self.0)(StoreCall::Insert, key)
    }

    #[inline]
    fn remove(&mut self, key: &Q) -> Result<bool, E> {
        (self.0)(StoreCall::Remove, key)
    }
}

#[cfg(feature = "heapless")]
pub use in_ram::StoreFullError;

#[cfg(feature = "heapless")]
mod in_ram {
    use core::fmt;
    use core::hash::{BuildHasher, Hash};

    use heapless::index_set::IndexSet;

    use super::ExactStore;

    /// Why a `heapless` set took no further key: it has no room. The set is as it was.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(feature = "defmt", derive(defmt::Format))]
    #[non_exhaustive]
    pub struct StoreFullError;

    impl fmt::Display for StoreFullError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the exact store is full: remove keys, or give it a larger N")
        }
    }

    impl core::error::Error for StoreFullError {}

    /// In RAM. `N` must be a power of two; each key takes its own size and 6 bytes.
    impl<T: Clone + Eq + Hash, S: BuildHasher, const N: usize> ExactStore<T> for IndexSet<T, S, N> {
        type Error = StoreFullError;

        fn contains(&mut self, key: &T) -> Result<bool, StoreFullError> {
            Ok(IndexSet::contains(self, key))
        }

        fn insert(&mut self, key: &T) -> Result<bool, StoreFullError> {
            IndexSet::insert(self, key.clone()).map_err(|_| StoreFullError)
        }

        fn remove(&mut self, key: &T) -> Result<bool, StoreFullError> {
            Ok(IndexSet::remove(self, key))
        }
    }
}
