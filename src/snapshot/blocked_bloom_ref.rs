//! A blocked filter that is read where its snapshot lies.

use super::error::SnapshotError;
use super::header::Kind;
use super::in_place;
use crate::hash::{DefaultHash, GOLDEN, HashFunction, HashValue};
use crate::key::Key;

/// A [`BlockedBloom`](crate::BlockedBloom) in a snapshot, read in place: a deny list in flash, without RAM.
///
/// Built on another machine, and brought in by `include_bytes!`, a section of the linker, or memory-mapped flash. Of
/// any size, block and number of bits per key; [`new`](Self::new) checks the bytes once.
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::snapshot::{Aligned, BlockedBloomRef, Snapshot, SnapshotError};
///
/// # static FILE: std::sync::LazyLock<Aligned<[u8; 128]>> = std::sync::LazyLock::new(|| {
/// #     let mut file = Aligned([0; 128]);
/// #     BlockedBloom::<1, 7>::with_keys(&["ads.example"]).snapshot().pull(&mut file.0);
/// #     file
/// # });
/// // static FILE: Aligned<[u8; 128]> = Aligned(*include_bytes!("deny_list.bin"));
/// let blocked: BlockedBloomRef = BlockedBloomRef::new(&FILE.0)?;
/// assert!(blocked.contains("ads.example"));
/// assert!(!blocked.contains("example.com"));
/// # Ok::<(), SnapshotError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockedBloomRef<'a, H = DefaultHash> {
    hash: H,
    /// All blocks; each has `2^log2_words` words.
    words: &'a [u32],
    num_blocks: usize,
    log2_words: u32,
    k: u32,
}

impl<'a, H: HashFunction> BlockedBloomRef<'a, H> {
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
    /// structure or hash, or has a seed.
    pub fn new(bytes: &'a [u8]) -> Result<Self, SnapshotError> {
        Self::with_hash(bytes, H::UNSEEDED)
    }

    /// [`new`](Self::new) for a filter with a seed or key of its own.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and when the seed or key is another.
    pub fn with_hash(bytes: &'a [u8], hash: H) -> Result<Self, SnapshotError> {
        let (header, payload) = in_place::open(bytes, Kind::BLOCKED, &hash)?;
        if !(512..=1 << 16).contains(&header.unit_bits) || !header.unit_bits.is_power_of_two() {
            return Err(SnapshotError::Geometry);
        }
        in_place::check_bits::<H>(&header)?;
        let words = in_place::words(payload)?;
        in_place::check_payload(&header, payload)?;
        Ok(Self {
            hash,
            words,
            num_blocks: header.units as usize,
            log2_words: (header.unit_bits / 32).ilog2(),
            k: header.probes.into(),
        })
    }

    /// Whether a key may be there: false is certain, true may be wrong at the filter's false-positive rate.
    ///
    /// # Cost
    ///
    /// One hash, one block.
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }

    /// [`contains`](Self::contains) of a key that is hashed already, by [`hash`](Self::hash): false is
    /// certain, true may be wrong.
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        let start = hash.block_index(self.num_blocks) << self.log2_words;
        let block = self.words.get(start..).unwrap_or_default();
        // Leaves the upper bits of a product, as many as name a bit of the block.
        let shift = 27 - self.log2_words;
        let mut probe = hash.probe_seed();
        for _ in 0..self.k {
            probe = probe.wrapping_mul(GOLDEN);
            let bit = probe >> shift;
            let Some(word) = block.get((bit / 32) as usize) else {
                return true;
            };
            if u32::from_le(*word).rotate_right(bit) & 1 == 0 {
                return false;
            }
        }
        true
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many blocks there are.
    pub const fn num_blocks(&self) -> usize {
        self.num_blocks
    }

    /// How many bits there are.
    pub const fn num_bits(&self) -> u64 {
        self.words.len() as u64 * 32
    }
}
