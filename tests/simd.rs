//! A filter built with the feature `std` against the page on hashing, bit by bit: whatever path is taken on this
//! processor, it must set and find the same bits.

use sundew::hash::{HashFunction, Xxh3, Xxh32};
use sundew::{Block, BlockedBloom, Key};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// A blocked filter as the page on hashing has it.
#[derive(Clone, PartialEq, Debug)]
struct Reference {
    bits: Vec<bool>,
    blocks: u64,
    k: usize,
}

impl Reference {
    fn places(&self, high: u32, low: u32) -> Vec<usize> {
        let block_bits = self.bits.len() as u64 / self.blocks;
        let block = (u64::from(high) * self.blocks) >> 32;
        let mut probe = low;
        (0..self.k)
            .map(|_| {
                probe = probe.wrapping_mul(0x9E37_79B1);
                (block * block_bits + ((u64::from(probe) * block_bits) >> 32)) as usize
            })
            .collect()
    }

    fn contains(&self, (high, low): (u32, u32)) -> bool {
        self.places(high, low).into_iter().all(|bit| self.bits[bit])
    }

    fn insert(&mut self, (high, low): (u32, u32)) -> bool {
        let is_new = !self.contains((high, low));
        for bit in self.places(high, low) {
            self.bits[bit] = true;
        }
        is_new
    }
}

fn halves(hash: u64) -> (u32, u32) {
    ((hash >> 32) as u32, hash as u32)
}

fn assert_same_bits<const N: usize, const K: usize, H: HashFunction, const WORDS: usize>(
    filter: &BlockedBloom<N, K, H, Block<WORDS>>,
    reference: &Reference,
) {
    let words: Vec<u32> = filter.blocks().flat_map(|block| *block.words()).collect();
    let bits = (0..reference.bits.len()).map(|bit| words[bit / 32] >> (bit % 32) & 1 == 1);
    assert!(
        bits.eq(reference.bits.iter().copied()),
        "K = {K}, {WORDS} words"
    );
}

/// Hashes at random and at the edges, through `insert_hash` and `contains_hash`, then `union`.
fn check_hashes<const K: usize, const WORDS: usize>() {
    const N: usize = 7;
    let empty = Reference {
        bits: vec![false; N * WORDS * 32],
        blocks: N as u64,
        k: K,
    };
    let mut random = Random(K as u64 * 1_000 + WORDS as u64);
    let edges = [0, 1, u64::MAX, 1 << 32, (1 << 32) - 1, 1 << 31, 1 << 63];
    let keys: Vec<u64> = edges
        .into_iter()
        .chain((0..N * WORDS * 4).map(|_| random.next()))
        .collect();

    let mut parts = [(); 2].map(|()| {
        let filter = BlockedBloom::<N, K, Xxh3, Block<WORDS>>::new();
        (filter, empty.clone())
    });
    for (i, &hash) in keys.iter().enumerate() {
        let (filter, reference) = &mut parts[i % 2];
        assert_eq!(filter.contains_hash(hash), reference.contains(halves(hash)));
        assert_eq!(filter.insert_hash(hash), reference.insert(halves(hash)));
        assert!(filter.contains_hash(hash));
        assert!(!filter.insert_hash(hash));
    }
    let [(mut filter, mut reference), (other, other_reference)] = parts;
    assert_same_bits(&filter, &reference);
    assert_same_bits(&other, &other_reference);

    filter.union(&other).expect("of one size and seed");
    for (bit, other) in reference.bits.iter_mut().zip(other_reference.bits) {
        *bit |= other;
    }
    assert_same_bits(&filter, &reference);
    assert!(keys.iter().all(|&hash| filter.contains_hash(hash)));
    for _ in 0..2_000 {
        let hash = random.next();
        assert_eq!(filter.contains_hash(hash), reference.contains(halves(hash)));
    }
}

/// Keys of all lengths, through `insert` and `contains`.
fn check_keys<const K: usize, H: HashFunction>(hash: H, to_halves: fn(H::Value) -> (u32, u32)) {
    const N: usize = 11;
    let mut filter = BlockedBloom::<N, K, H>::with_hash(hash);
    let mut reference = Reference {
        bits: vec![false; N * 512],
        blocks: N as u64,
        k: K,
    };
    let text: Vec<u8> = (0..300_u32).map(|i| (i * i + 3 * i) as u8).collect();
    for len in 0..text.len() {
        let key = &text[len / 3..len];
        let value = to_halves(hash.hash(key));
        assert_eq!(to_halves(key.digest(&hash)), value);
        assert_eq!(filter.contains(key), reference.contains(value));
        assert_eq!(filter.insert(key), reference.insert(value));
        assert!(filter.contains(key));
        let absent = &text[len / 2..len];
        let value = to_halves(hash.hash(absent));
        assert_eq!(filter.contains(absent), reference.contains(value));
    }
    assert_same_bits(&filter, &reference);
}

macro_rules! for_every_k {
    ($($k:literal)+) => {$(
        check_hashes::<$k, 16>();
        check_hashes::<$k, 32>();
        check_hashes::<$k, 128>();
        check_keys::<$k, Xxh3>(Xxh3::UNSEEDED, halves);
        check_keys::<$k, Xxh3>(Xxh3::with_seed(0x1234_5678_9ABC), halves);
        check_keys::<$k, Xxh32>(Xxh32::with_seed(7), |hash| (hash, hash));
    )+};
}

#[test]
fn filters_have_the_bits_of_the_page_on_hashing() {
    for_every_k!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
}
