//! The blocked Bloom filter: every key has all its bits in one block.

use core::ops::{Deref, DerefMut};

use crate::block::{Block, Block512};
use crate::hash::{DefaultHash, HashFunction, HashValue, Xxh32, block_index};
use crate::key::Key;
use crate::merge_error::MergeError;

/// Shared body of [`BlockedBloom`] and [`BlockedBloomView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct BlockedBloomInner<const K: usize, H, B: ?Sized> {
    hash: H,
    // Last, so that an array of blocks coerces to a slice.
    blocks: B,
}

/// A blocked Bloom filter of `N` blocks with `K` bits per key.
pub type BlockedBloom<const N: usize, const K: usize, H = DefaultHash, B = Block512> =
    BlockedBloomInner<K, H, [B; N]>;

/// A [`BlockedBloom`] behind a reference, without its size in the type.
pub type BlockedBloomView<const K: usize, H = DefaultHash, B = Block512> =
    BlockedBloomInner<K, H, [B]>;

impl<const N: usize, const K: usize, H: HashFunction, const WORDS: usize>
    BlockedBloom<N, K, H, Block<WORDS>>
{
    /// An empty filter with the unseeded hash: all bytes 0, so a static one costs no flash.
    pub const fn new() -> Self {
        Self::with_hash(H::UNSEEDED)
    }

    /// An empty filter with a hash of your own seed or key.
    pub const fn with_hash(hash: H) -> Self {
        const {
            assert!(N > 0, "BlockedBloom: N (blocks) must be at least 1");
            assert!(K >= 1 && K <= 32, "BlockedBloom: K (bits per key) must be from 1 to 32; 7 suits 1 %");
            assert!(
                (N as u64) * (Block::<WORDS>::BITS as u64) <= H::Value::MAX_FILTER_BITS,
                "BlockedBloom: a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3"
            );
        }
        Self { hash, blocks: [Block::EMPTY; N] }
    }

    /// The filter without its size in the type.
    pub const fn as_view(&self) -> &BlockedBloomView<K, H, Block<WORDS>> {
        self
    }

    /// The filter without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut BlockedBloomView<K, H, Block<WORDS>> {
        self
    }
}

impl<const N: usize, const K: usize, H, B> Deref for BlockedBloom<N, K, H, B> {
    type Target = BlockedBloomView<K, H, B>;
    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const N: usize, const K: usize, H, B> DerefMut for BlockedBloom<N, K, H, B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

impl<const K: usize, H: HashFunction, const WORDS: usize> BlockedBloomView<K, H, Block<WORDS>> {
    /// Adds
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.insert_hash(key.digest(&self.hash))
    }
    /// Has
    #[inline]
    pub fn contains<Q: Key + ?Sized>(&self, key: &Q) -> bool {
        self.contains_hash(key.digest(&self.hash))
    }
    /// Adds
    #[inline]
    pub fn insert_hash(&mut self, hash: H::Value) -> bool {
        let index = hash.block_index(self.blocks.len());
        match self.blocks.get_mut(index) {
            Some(block) => block.insert::<K>(hash.probe_seed()),
            None => false,
        }
    }
    /// Has
    #[inline]
    pub fn contains_hash(&self, hash: H::Value) -> bool {
        let index = hash.block_index(self.blocks.len());
        match self.blocks.get(index) {
            Some(block) => block.contains::<K>(hash.probe_seed()),
            None => true,
        }
    }
}
