//! A blocked filter that is read where its snapshot lies.

use core::marker::PhantomData;

use super::error::SnapshotError;
use super::header::Kind;
use super::in_place;
use crate::block::{Block, Block512};
use crate::hash::{DefaultHash, HashFunction, HashValue};
use crate::key::Key;

/// A [`BlockedBloom`](crate::BlockedBloom) in a snapshot, read in place: a deny list in flash, without RAM.
///
/// Built on another machine, and brought in by `include_bytes!`, a section of the linker, or memory-mapped flash.
/// [`new`](Self::new) checks the bytes once. The number of blocks is in the snapshot, so that a list may grow without a
/// new program; `K` (7 unless said) and the block are in the type, as in that of a filter in RAM: it is asked by the same
/// code, and takes up to 12 % more instructions on a Cortex-M0 or M3 (`tests/snapshot_firmware.rs`), because the number of
/// blocks is read.
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
/// let blocked: BlockedBloomRef<7> = BlockedBloomRef::new(&FILE.0)?;
/// assert!(blocked.contains("ads.example"));
/// assert!(!blocked.contains("example.com"));
/// # Ok::<(), SnapshotError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BlockedBloomRef<'a, const K: usize = 7, H = DefaultHash, B = Block512> {
    hash: H,
    /// Of all blocks, little-endian. Not blocks: those begin at multiples of 64.
    words: &'a [u32],
    block: PhantomData<B>,
}

impl<'a, const K: usize, H: HashFunction, const WORDS: usize>
    BlockedBloomRef<'a, K, H, Block<WORDS>>
{
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
    /// structure, block, `K` or hash, or has a seed.
    pub fn new(bytes: &'a [u8]) -> Result<Self, SnapshotError> {
        Self::with_hash(bytes, H::UNSEEDED)
    }

    /// [`new`](Self::new) for a filter with a seed or key of its own.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and when the seed or key is another.
    pub fn with_hash(bytes: &'a [u8], hash: H) -> Result<Self, SnapshotError> {
        let _ = const { Block::<WORDS>::EMPTY };
        let (header, payload) = in_place::open(bytes, Kind::BLOCKED, &hash)?;
        if header.unit_bits != Block::<WORDS>::BITS {
            return Err(SnapshotError::Geometry);
        }
        in_place::check_bits::<K, H>(&header)?;
        let words = in_place::words(payload)?;
        in_place::check_payload(&header, payload)?;
        Ok(Self {
            hash,
            words,
            block: PhantomData,
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
        let (blocks, _) = self.words.as_chunks();
        match blocks.get(hash.block_index(blocks.len())) {
            Some(words) => Block::<WORDS>::contains_stored::<K>(words, hash.probe_seed()),
            None => true,
        }
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many blocks there are.
    pub const fn num_blocks(&self) -> usize {
        self.words.len() / WORDS
    }

    /// How many bits there are.
    pub const fn num_bits(&self) -> u64 {
        self.words.len() as u64 * 32
    }
}
