//! What to compare the library with: a set that is exact, and a bitmap with one bit per key.
//!
//! Also part of the host test `baselines`, which compares them with `HashSet`.

use sundew::hash::{HashFunction, Xxh32};

/// A place in `0..number` for a hash, by a product instead of a division.
fn place(hash: u32, number: usize) -> usize {
    ((u64::from(hash) * number as u64) >> 32) as usize
}

/// An exact set of keys of `L` bytes: open addressing with linear probing in `N` slots, three quarters of which are
/// used at most, because probing gets slow beyond. `WORDS` is `N / 32`, rounded up.
pub struct ExactSet<const L: usize, const N: usize, const WORDS: usize> {
    len: usize,
    /// A bit for every slot that has a key.
    used: [u32; WORDS],
    slots: [[u8; L]; N],
}

impl<const L: usize, const N: usize, const WORDS: usize> ExactSet<L, N, WORDS> {
    /// Keys that it takes.
    pub const CAPACITY: usize = N * 3 / 4;

    pub const fn new() -> Self {
        const { assert!(WORDS == N.div_ceil(32)) }
        Self {
            len: 0,
            used: [0; WORDS],
            slots: [[0; L]; N],
        }
    }

    fn is_used(&self, slot: usize) -> bool {
        self.used[slot / 32] >> (slot % 32) & 1 == 1
    }

    fn next(slot: usize) -> usize {
        if slot + 1 == N { 0 } else { slot + 1 }
    }

    fn home(key: &[u8]) -> usize {
        place(Xxh32::UNSEEDED.hash(key), N)
    }

    /// The key's slot, or the free one where it belongs.
    fn find(&self, key: &[u8]) -> Result<usize, usize> {
        let mut slot = Self::home(key);
        // Ends: a quarter of the slots is free.
        while self.is_used(slot) {
            if self.slots[slot] == *key {
                return Ok(slot);
            }
            slot = Self::next(slot);
        }
        Err(slot)
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        self.find(key).is_ok()
    }

    /// Adds a key of `L` bytes; None when there is no room or it has another length.
    pub fn insert(&mut self, key: &[u8]) -> Option<bool> {
        let Err(slot) = self.find(key) else {
            return Some(false);
        };
        if self.len == Self::CAPACITY {
            return None;
        }
        self.slots[slot] = key.try_into().ok()?;
        self.used[slot / 32] |= 1 << (slot % 32);
        self.len += 1;
        Some(true)
    }

    /// Takes a key away and moves up what was displaced by it (Knuth, volume 3, 6.4, algorithm R).
    pub fn remove(&mut self, key: &[u8]) -> bool {
        let Ok(mut hole) = self.find(key) else {
            return false;
        };
        let mut slot = Self::next(hole);
        while self.is_used(slot) {
            let home = Self::home(&self.slots[slot]);
            // In a circle: the key may move up to the hole unless its home lies after it.
            let is_home_after_hole = if hole < slot {
                hole < home && home <= slot
            } else {
                hole < home || home <= slot
            };
            if !is_home_after_hole {
                self.slots[hole] = self.slots[slot];
                hole = slot;
            }
            slot = Self::next(slot);
        }
        self.used[hole / 32] &= !(1 << (hole % 32));
        self.len -= 1;
        true
    }
}

/// A bit per key, at the place that its hash says: a Bloom filter with one probe.
pub struct Bitmap<const WORDS: usize>([u32; WORDS]);

impl<const WORDS: usize> Bitmap<WORDS> {
    pub const fn new() -> Self {
        Self([0; WORDS])
    }

    // Always: the library's own functions are inline too.
    #[inline(always)]
    fn bit(key: &[u8]) -> usize {
        place(Xxh32::UNSEEDED.hash(key), WORDS * 32)
    }

    pub fn insert(&mut self, key: &[u8]) -> bool {
        let bit = Self::bit(key);
        let word = &mut self.0[bit / 32];
        let is_new = *word >> (bit % 32) & 1 == 0;
        *word |= 1 << (bit % 32);
        is_new
    }

    pub fn contains(&self, key: &[u8]) -> bool {
        let bit = Self::bit(key);
        self.0[bit / 32] >> (bit % 32) & 1 == 1
    }
}
