//! A filter that is asked where its file lies.

use super::bloom::{hash, stats};
use super::file::{ReadError, open};
use super::positions::positions;
use super::shape::{MAX_WORDS, Shape};
use crate::key::Key;
use crate::stats::Stats;

/// A file of Guava's, asked where it lies: in flash, say, and without RAM.
///
/// It may begin at any address. A [`GuavaBloom`](super::GuavaBloom) is for filters that change.
///
/// # Examples
///
/// ```
/// use sundew::guava::{GuavaBloomRef, ReadError};
///
/// # const FILE: [u8; 14] = [1, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
/// # /*
/// static FILE: &[u8] = include_bytes!("seen.bloom");
/// # */
/// let seen = GuavaBloomRef::new(&FILE)?;
/// assert!(!seen.contains("https://example.com/"));
/// # Ok::<(), ReadError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GuavaBloomRef<'a> {
    shape: Shape,
    /// The longs, big-endian.
    bytes: &'a [u8],
}

impl<'a> GuavaBloomRef<'a> {
    /// The filter in this file. Computes in O(1): there is no checksum.
    ///
    /// # Errors
    ///
    /// Any [`ReadError`]; [`ReadError::DoesNotFit`] from 2^25 longs on.
    pub fn new(file: &'a [u8]) -> Result<Self, ReadError> {
        let (shape, longs) = open(file, MAX_WORDS as usize)?;
        Ok(Self {
            shape,
            bytes: longs.as_flattened(),
        })
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate. Guava's
    /// `mightContain`.
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(hash(key))
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by
    /// [`Murmur3::hash128`](crate::hash::Murmur3::hash128) with seed 0: false is certain, true may be wrong.
    pub fn contains_hash(&self, hash: [u64; 2]) -> bool {
        positions(self.shape, hash).all(|bit| {
            // The last byte of a long has its first bits.
            let byte = self.bytes.get(((bit / 8) ^ 7) as usize);
            byte.is_none_or(|byte| byte & 1 << (bit % 8) != 0)
        })
    }

    /// Strategy, bits per key and number of words.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// How full the filter is, and how often it is wrong; as [`stats`](super::GuavaBloomView::stats) of a filter
    /// that read the file.
    pub fn stats(&self) -> Stats {
        let ones = self.bytes.iter().map(|byte| byte.count_ones()).sum();
        stats(self.shape, ones)
    }
}
