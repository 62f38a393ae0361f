//! The loop of every textbook: K hashes of the key, each taken modulo the number of bits.

use crate::{BITS, Contestant, K};

pub struct Textbook([u32; BITS / 32]);

impl Contestant for Textbook {
    const NAME: (&str, &str) = ("textbook", "murmur3_x86_32");

    fn empty() -> Self {
        Self([0; BITS / 32])
    }

    fn insert(&mut self, key: &[u8]) -> bool {
        // Not a constant: a textbook's filter has its size from the caller, and so a real division.
        let bits = core::hint::black_box(BITS as u32);
        let mut added = false;
        for seed in 0..K as u32 {
            let bit = murmur3_x86_32(key, seed) % bits;
            let word = &mut self.0[bit as usize / 32];
            added |= *word & 1 << (bit % 32) == 0;
            *word |= 1 << (bit % 32);
        }
        added
    }

    fn contains(&self, key: &[u8]) -> bool {
        let bits = core::hint::black_box(BITS as u32);
        (0..K as u32).all(|seed| {
            let bit = murmur3_x86_32(key, seed) % bits;
            self.0[bit as usize / 32] & 1 << (bit % 32) != 0
        })
    }
}

fn murmur3_x86_32(key: &[u8], seed: u32) -> u32 {
    fn scramble(word: u32) -> u32 {
        word.wrapping_mul(0xCC9E_2D51)
            .rotate_left(15)
            .wrapping_mul(0x1B87_3593)
    }
    let mut hash = seed;
    let (words, tail) = key.as_chunks::<4>();
    for word in words {
        hash = (hash ^ scramble(u32::from_le_bytes(*word)))
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xE654_6B64);
    }
    let mut last = 0;
    for (i, byte) in tail.iter().enumerate() {
        last |= u32::from(*byte) << (8 * i);
    }
    hash ^= scramble(last) ^ key.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xC2B2_AE35);
    hash ^ (hash >> 16)
}
