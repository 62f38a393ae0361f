//! A cuckoo filter that is read where its snapshot lies.

use super::error::SnapshotError;
use super::header::Kind;
use super::in_place;
use crate::cuckoo_filter::{BucketStore, Fingerprint, SLOTS, contains_at, max_buckets};
use crate::hash::{DefaultHash, HashFunction};
use crate::key::Key;

/// A [`CuckooFilter`](crate::CuckooFilter) in a snapshot, read in place, without RAM; see
/// [`BlockedBloomRef`](super::BlockedBloomRef) for how snapshots come into flash.
#[derive(Clone, Copy, Debug)]
pub struct CuckooFilterRef<'a, F, H = DefaultHash> {
    hash: H,
    /// Fingerprints of 16 bits are little-endian.
    buckets: &'a [[F; SLOTS]],
}

impl<'a, F: Fingerprint, H: HashFunction> CuckooFilterRef<'a, F, H> {
    /// The filter in this snapshot, which must be plain and, for fingerprints of 16 bits, begin at a multiple of 2
    /// bytes; see [`Aligned`](super::Aligned).
    ///
    /// # Cost
    ///
    /// Reads all bytes, for the checksum.
    ///
    /// # Errors
    ///
    /// When the snapshot is damaged, incomplete, followed by other bytes, compressed, not aligned, of another
    /// structure, fingerprint or hash, or has a seed.
    pub fn new(bytes: &'a [u8]) -> Result<Self, SnapshotError> {
        Self::with_hash(bytes, H::UNSEEDED)
    }

    /// [`new`](Self::new) for a filter with a seed or key of its own.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and when the seed or key is another.
    pub fn with_hash(bytes: &'a [u8], hash: H) -> Result<Self, SnapshotError> {
        let (header, payload) = in_place::open(bytes, Kind::CUCKOO, &hash)?;
        let num_buckets = u64::from(header.units);
        if header.unit_bits != F::BITS
            || header.probes != 2
            || header.parts != 0
            || num_buckets == 0
            || num_buckets > max_buckets::<H>()
        {
            return Err(SnapshotError::Geometry);
        }
        in_place::check_len(
            &header,
            num_buckets * SLOTS as u64 * u64::from(header.unit_bits),
        )?;
        let slots = F::slice_from(payload).ok_or(SnapshotError::Unaligned)?;
        let (buckets, _) = slots.as_chunks();
        in_place::check_payload(&header, payload)?;
        Ok(Self { hash, buckets })
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

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        let mut place = self.buckets.place(hash);
        place.fingerprint = place.fingerprint.to_le();
        contains_at(self.buckets, &place)
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many buckets there are.
    pub const fn num_buckets(&self) -> usize {
        self.buckets.len()
    }
}
