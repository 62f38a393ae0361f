//! What a filter must do to stand in front of an exact store.

use core::fmt;

use crate::block::Block;
use crate::blocked_bloom::{BlockedBloom, BlockedBloomView};
use crate::classic_bloom::{ClassicBloom, ClassicBloomView};
use crate::counting_bloom::{CountingBloom, CountingBloomView};
use crate::cuckoo_filter::{CuckooFilter, CuckooFilterView, Fingerprint};
use crate::hash::HashFunction;
use crate::key::Key;
use crate::scalable_bloom::{ScalableBloom, ScalableBloomView};

#[cfg(any(target_has_atomic = "32", feature = "portable-atomic"))]
use crate::atomic_bloom::{AtomicBloom, AtomicBloomView};

/// A filter that can be the first layer of a [`TwoLayer`](crate::TwoLayer): it never denies a key that it got.
///
/// [`BlockedBloom`], [`ClassicBloom`], [`CountingBloom`], [`ScalableBloom`], [`CuckooFilter`] and
/// [`AtomicBloom`](crate::AtomicBloom) are, and so are their views and references to them.
/// [`RotatingBloom`](crate::RotatingBloom) is not: it forgets, and the two layers together would deny keys that
/// the store has.
///
/// A key is hashed once and goes by its hash from there on.
pub trait FrontFilter {
    /// What a key is hashed to.
    type Hash: Copy;

    /// The hash of a key.
    fn digest<Q: Key + ?Sized>(&self, key: &Q) -> Self::Hash;

    /// Whether a key with this hash may be there: false is certain, true may be wrong.
    fn may_contain(&self, hash: Self::Hash) -> bool;
}

/// A [`FrontFilter`] that takes keys in: all of them but those behind `&`, such as a filter in flash.
pub trait FrontFilterMut: FrontFilter {
    /// Takes a key in, once more if it looks as if it were there.
    ///
    /// # Errors
    ///
    /// When there is no room; the filter is as it was. Only [`ScalableBloom`] and [`CuckooFilter`] have an end.
    fn admit(&mut self, hash: Self::Hash) -> Result<(), FilterFullError>;

    /// Takes a key that was admitted, and not withdrawn since, out again. [`CountingBloom`] and
    /// [`CuckooFilter`] do that; the others keep the key, as this does unless it is defined otherwise.
    fn withdraw(&mut self, hash: Self::Hash) {
        let _ = hash;
    }
}

/// Why a filter took no further key: it has no room. The filter is as it was.
// Exhaustive, unlike other errors: whoever implements the trait makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct FilterFullError;

impl fmt::Display for FilterFullError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the filter is full: remove keys, or build it larger")
    }
}

impl core::error::Error for FilterFullError {}

/// References do what the filter does.
macro_rules! front_filter_behind {
    ($reference:ty) => {
        impl<F: FrontFilter + ?Sized> FrontFilter for $reference {
            type Hash = F::Hash;

            #[inline]
            fn digest<Q: Key + ?Sized>(&self, key: &Q) -> Self::Hash {
                (**self).digest(key)
            }

            #[inline]
            fn may_contain(&self, hash: Self::Hash) -> bool {
                (**self).may_contain(hash)
            }
        }
    };
}

front_filter_behind!(&F);
front_filter_behind!(&mut F);

impl<F: FrontFilterMut + ?Sized> FrontFilterMut for &mut F {
    #[inline]
    fn admit(&mut self, hash: Self::Hash) -> Result<(), FilterFullError> {
        (**self).admit(hash)
    }

    #[inline]
    fn withdraw(&mut self, hash: Self::Hash) {
        (**self).withdraw(hash);
    }
}

/// Once for the filter with its size and once for its view, which have the same methods.
macro_rules! front_filter {
    (
        [$($generics:tt)*] [$($size:tt)*] $owned:ty, $view:ty,
        admit: $admit:expr $(, withdraw: $withdraw:expr)?
    ) => {
        front_filter!(@one [$($size)* $($generics)*] $owned, $admit $(, $withdraw)?);
        front_filter!(@one [$($generics)*] $view, $admit $(, $withdraw)?);
    };
    (@one [$($generics:tt)*] $filter:ty, $admit:expr $(, $withdraw:expr)?) => {
        impl<$($generics)*> FrontFilter for $filter {
            type Hash = H::Value;

            #[inline]
            fn digest<Q: Key + ?Sized>(&self, key: &Q) -> Self::Hash {
                key.digest(self.hash())
            }

            #[inline]
            fn may_contain(&self, hash: Self::Hash) -> bool {
                self.contains_hash(hash)
            }
        }

        impl<$($generics)*> FrontFilterMut for $filter {
            #[inline]
            fn admit(&mut self, hash: Self::Hash) -> Result<(), FilterFullError> {
                let admit: fn(&mut Self, Self::Hash) -> Result<(), FilterFullError> = $admit;
                admit(self, hash)
            }

            $(
                #[inline]
                fn withdraw(&mut self, hash: Self::Hash) {
                    let withdraw: fn(&mut Self, Self::Hash) = $withdraw;
                    withdraw(self, hash);
                }
            )?
        }
    };
}

front_filter! {
    [const K: usize, H: HashFunction, const WORDS: usize] [const N: usize,]
    BlockedBloom<N, K, H, Block<WORDS>>, BlockedBloomView<K, H, Block<WORDS>>,
    admit: |filter, hash| {
        filter.insert_hash(hash);
        Ok(())
    }
}

front_filter! {
    [const K: usize, H: HashFunction] [const WORDS: usize,]
    ClassicBloom<WORDS, K, H>, ClassicBloomView<K, H>,
    admit: |filter, hash| {
        filter.insert_hash(hash);
        Ok(())
    }
}

#[cfg(any(target_has_atomic = "32", feature = "portable-atomic"))]
front_filter! {
    [const K: usize, H: HashFunction] [const N: usize,]
    AtomicBloom<N, K, H>, AtomicBloomView<K, H>,
    admit: |filter, hash| {
        filter.insert_hash(hash);
        Ok(())
    }
}

front_filter! {
    [const K: usize, H: HashFunction] [const N: usize,]
    CountingBloom<N, K, H>, CountingBloomView<K, H>,
    admit: |filter, hash| {
        filter.insert_hash(hash);
        Ok(())
    },
    withdraw: |filter, hash| {
        filter.remove_hash(hash);
    }
}

front_filter! {
    [const K: usize, const STAGES: usize, const PPM: u32, H: HashFunction] [const N: usize,]
    ScalableBloom<N, K, STAGES, PPM, H>, ScalableBloomView<K, STAGES, PPM, H>,
    admit: |filter, hash| filter.insert_hash(hash).map(|_| ()).map_err(|_| FilterFullError)
}

front_filter! {
    [F: Fingerprint, H: HashFunction] [const BUCKETS: usize,]
    CuckooFilter<BUCKETS, F, H>, CuckooFilterView<F, H>,
    admit: |filter, hash| filter.insert_hash(hash).map_err(|_| FilterFullError),
    withdraw: |filter, hash| {
        filter.remove_hash(hash);
    }
}
