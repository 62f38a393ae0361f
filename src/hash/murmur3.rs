//! Murmur3 x64 128, the hash of Guava's Bloom filters.

use super::pending::Pending;
use super::{HashFunction, HashId, HashStream};
use crate::key::Sink;

const C1: u64 = 0x87C3_7B91_1142_53D5;
const C2: u64 = 0x4CF5_AD43_2745_937F;

/// Murmur3 x64 128 with a 32-bit seed, by Austin Appleby; filters use the first 64 of its 128 bits.
///
/// For hashes shared with Guava (whose `asLong` is the same first half), Cassandra and others. Its 64-bit
/// multiplications make it slow on a Cortex-M0.
///
/// # Examples
///
/// ```
/// use sundew::hash::Murmur3;
///
/// let [low, high] = Murmur3::with_seed(0).hash128(b"hello");
/// assert_eq!([low, high], [0xCBD8_A7B3_41BD_9B02, 0x5B1E_906A_48AE_1D19]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Murmur3 {
    seed: u32,
}

impl Murmur3 {
    /// The function with this seed; Guava uses seed 0.
    pub const fn with_seed(seed: u32) -> Self {
        Self { seed }
    }

    /// Both halves of the hash.
    pub fn hash128(&self, bytes: &[u8]) -> [u64; 2] {
        let mut state = State::new(self.seed);
        let (blocks, tail) = bytes.as_chunks();
        for block in blocks {
            state.round(block);
        }
        state.finish(tail, bytes.len() as u64)
    }
}

impl HashFunction for Murmur3 {
    const ID: HashId = HashId::MURMUR3_X64_128;
    const UNSEEDED: Self = Self::with_seed(0);
    type Value = u64;
    type Stream = Murmur3Stream;

    fn hash(&self, bytes: &[u8]) -> u64 {
        self.hash128(bytes)[0]
    }

    fn stream(&self) -> Murmur3Stream {
        Murmur3Stream {
            state: State::new(self.seed),
            pending: Pending::new(),
            length: 0,
        }
    }

    fn seed_check(&self) -> u64 {
        self.seed.into()
    }
}

/// [`Murmur3`] fed piece by piece.
#[derive(Clone, Debug)]
pub struct Murmur3Stream {
    state: State,
    pending: Pending<16>,
    length: u64,
}

impl Murmur3Stream {
    /// Both halves of the hash of everything written so far.
    pub fn finish128(&self) -> [u64; 2] {
        self.state.clone().finish(self.pending.bytes(), self.length)
    }
}

impl Sink for Murmur3Stream {
    fn write(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        self.pending.absorb(bytes, |block| self.state.round(block));
    }
}

impl HashStream for Murmur3Stream {
    type Value = u64;

    fn finish(&self) -> u64 {
        self.finish128()[0]
    }
}

#[derive(Clone, Debug)]
struct State {
    h1: u64,
    h2: u64,
}

impl State {
    fn new(seed: u32) -> Self {
        let seed = u64::from(seed);
        Self { h1: seed, h2: seed }
    }

    fn round(&mut self, block: &[u8; 16]) {
        let [low, high] = words(*block);
        self.h1 = (self.h1 ^ scramble_low(low))
            .rotate_left(27)
            .wrapping_add(self.h2)
            .wrapping_mul(5)
            .wrapping_add(0x52DC_E729);
        self.h2 = (self.h2 ^ scramble_high(high))
            .rotate_left(31)
            .wrapping_add(self.h1)
            .wrapping_mul(5)
            .wrapping_add(0x3849_5AB5);
    }

    /// `tail` is shorter than a block; absent bytes count as zero.
    fn finish(mut self, tail: &[u8], length: u64) -> [u64; 2] {
        let mut block = [0; 16];
        for (to, from) in block.iter_mut().zip(tail) {
            *to = *from;
        }
        let [low, high] = words(block);
        self.h1 ^= scramble_low(low);
        self.h2 ^= scramble_high(high);

        let (h1, h2) = (self.h1 ^ length, self.h2 ^ length);
        let h1 = h1.wrapping_add(h2);
        let h2 = h2.wrapping_add(h1);
        let (h1, h2) = (avalanche(h1), avalanche(h2));
        let h1 = h1.wrapping_add(h2);
        [h1, h2.wrapping_add(h1)]
    }
}

fn words(block: [u8; 16]) -> [u64; 2] {
    bytemuck::cast::<_, [u64; 2]>(block).map(u64::from_le)
}

fn scramble_low(word: u64) -> u64 {
    word.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn scramble_high(word: u64) -> u64 {
    word.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn avalanche(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ (hash >> 33)
}
