//! A classic filter that is read where its snapshot lies.

use super::error::SnapshotError;
use super::header::Kind;
use super::in_place;
use crate::classic_bloom::positions;
use crate::hash::{DefaultHash, HashFunction};
use crate::key::Key;

/// A [`ClassicBloom`](crate::ClassicBloom) in a snapshot, read in place, without RAM; see
/// [`BlockedBloomRef`](super::BlockedBloomRef), which is faster. `K` is 7 unless said.
#[derive(Clone, Copy, Debug)]
pub struct ClassicBloomRef<'a, const K: usize = 7, H = DefaultHash> {
    hash: H,
    words: &'a [u32],
}

impl<'a, const K: usize, H: HashFunction> ClassicBloomRef<'a, K, H> {
    /// The filter in this snapshot, which must be plain and begin at a multiple of 4 bytes; see
    /// [`Aligned`](super::Aligned).
    ///
    /// # Cost
    ///
    /// Reads all bytes, for the checksum.
    ///
    /// # Errors
    ///
    /// When the snapshot is damaged, incomplete, followed by other bytes, compressed, not aligned, of another
    /// structure, `K` or hash, or has a seed.
    pub fn new(bytes: &'a [u8]) -> Result<Self, SnapshotError> {
        Self::with_hash(bytes, H::UNSEEDED)
    }

    /// [`new`](Self::new) for a filter with a seed or key of its own.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and when the seed or key is another.
    pub fn with_hash(bytes: &'a [u8], hash: H) -> Result<Self, SnapshotError> {
        let (header, payload) = in_place::open(bytes, Kind::CLASSIC, &hash)?;
        if header.unit_bits != 32 || header.units >= 1 << 27 {
            return Err(SnapshotError::Geometry);
        }
        in_place::check_bits::<K, H>(&header)?;
        let words = in_place::words(payload)?;
        in_place::check_payload(&header, payload)?;
        Ok(Self { hash, words })
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`contains`](Self::contains) of a key that is hashed already: false is certain, true may be wrong.
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        positions(hash, self.words.len(), K as u32).all(|bit| {
            self.words
                .get((bit / 32) as usize)
                .is_none_or(|word| u32::from_le(*word).rotate_right(bit) & 1 != 0)
        })
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many bits there are.
    pub const fn num_bits(&self) -> u64 {
        self.words.len() as u64 * 32
    }
}
