//! The contestants, each behind the same few methods.

use std::collections::HashSet;
use std::hash::BuildHasher;

use bloomfilter::Bloom;
use fastbloom::BloomFilter;
use rapidhash::v3::{RapidSecrets, rapidhash_v3, rapidhash_v3_seeded};
use sbbf_rs::{BUCKET_SIZE, FilterFn};
use sundew::hash::{HashFunction, HashId, HashStream};
use sundew::{BlockedBloom, Sink};

use crate::keys::{Random, URL_BYTES};

/// Bits that a key sets in every filter but sbbf-rs, where it is always 8.
pub const PROBES: usize = 7;

/// What is asked of a contestant for one key.
pub trait Filter {
    /// True when the key was new, as far as the filter can tell.
    fn insert(&mut self, url: &str) -> bool;
    fn contains(&self, url: &str) -> bool;
    /// Inserts some key other than a URL: through the hash where the filter takes one, which saves the
    /// time to hash a hundred million URLs.
    fn insert_filler(&mut self, random: u64);
    fn clear(&mut self);
    /// RAM for the bits, or for the whole table where keys are stored.
    fn bytes(&self) -> usize;
}

/// The published one-shot function of the rapidhash crate, the fastest good hash for these keys.
pub fn rapid(url: &str) -> u64 {
    rapidhash_v3(url.as_bytes())
}

/// The published one-shot XXH3 of 64 bits.
pub fn xxh3(url: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(url.as_bytes())
}

/// The least that a filter with one random memory access can do: hash the key, touch one cache line.
pub struct Limit<H> {
    hash: H,
    lines: Vec<CacheLine>,
}

#[derive(Clone)]
#[repr(align(64))]
struct CacheLine([u64; 8]);

impl<H: Fn(&str) -> u64> Limit<H> {
    pub fn new(bytes: usize, hash: H) -> Self {
        // Random content, because a page that was never written is backed by one shared page of zeros,
        // which is always in the cache.
        let mut random = Random::new(1);
        let lines = (0..bytes / size_of::<CacheLine>())
            .map(|_| CacheLine(std::array::from_fn(|_| random.next())))
            .collect();
        Self { hash, lines }
    }

    fn place(&self, hash: u64) -> (usize, usize) {
        let line = ((hash >> 32) * self.lines.len() as u64) >> 32;
        (line as usize, hash as usize % 8)
    }

    fn change(&mut self, hash: u64) -> bool {
        let (line, word) = self.place(hash);
        let word = &mut self.lines[line].0[word];
        let old = *word;
        *word = old ^ hash;
        old & 1 == 0
    }
}

impl<H: Fn(&str) -> u64> Filter for Limit<H> {
    fn insert(&mut self, url: &str) -> bool {
        self.change((self.hash)(url))
    }

    fn contains(&self, url: &str) -> bool {
        let (line, word) = self.place((self.hash)(url));
        self.lines[line].0[word] & 1 == 1
    }

    fn insert_filler(&mut self, random: u64) {
        self.change(random);
    }

    /// There is nothing to clear, but the others leave their memory in the cache when they do it.
    fn clear(&mut self) {
        for CacheLine([first, ..]) in &mut self.lines {
            *first = !*first;
        }
    }

    fn bytes(&self) -> usize {
        self.lines.len() * size_of::<CacheLine>()
    }
}

/// [`BlockedBloom`] on the heap.
pub struct Sundew<const BLOCKS: usize, H: HashFunction>(Box<BlockedBloom<BLOCKS, PROBES, H>>);

impl<const BLOCKS: usize, H: HashFunction> Sundew<BLOCKS, H> {
    pub fn new() -> Self {
        // `Box::new` may build the value on the stack first, where 128 MiB do not fit.
        let zeroed = Box::new_zeroed();
        // SAFETY: all bytes of an empty filter with an unseeded hash are 0, as the documentation of
        // `BlockedBloom::new` and `HashFunction::UNSEEDED` promises.
        Self(unsafe { zeroed.assume_init() })
    }
}

/// A hash of either width, drawn at random.
pub trait FromRandom {
    fn from_random(random: u64) -> Self;
}

impl FromRandom for u32 {
    fn from_random(random: u64) -> Self {
        random as u32
    }
}

impl FromRandom for u64 {
    fn from_random(random: u64) -> Self {
        random
    }
}

impl<const BLOCKS: usize, H: HashFunction<Value: FromRandom>> Filter for Sundew<BLOCKS, H> {
    fn insert(&mut self, url: &str) -> bool {
        self.0.insert(url)
    }

    fn contains(&self, url: &str) -> bool {
        self.0.contains(url)
    }

    fn insert_filler(&mut self, random: u64) {
        self.0.insert_hash(H::Value::from_random(random));
    }

    fn clear(&mut self) {
        *self.0 = BlockedBloom::new();
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// rapidhash as the hash of a sundew filter, to tell the cost of the hash from that of the filter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rapid;

impl HashFunction for Rapid {
    const ID: HashId = HashId(128);
    const UNSEEDED: Self = Self;
    type Value = u64;
    type Stream = RapidStream;

    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        rapidhash_v3(bytes)
    }

    fn stream(&self) -> RapidStream {
        RapidStream(Vec::new())
    }
}

/// [`Rapid`] fed piece by piece; nothing measured here uses it.
pub struct RapidStream(Vec<u8>);

impl Sink for RapidStream {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

impl HashStream for RapidStream {
    type Value = u64;

    fn finish(&self) -> u64 {
        rapidhash_v3(&self.0)
    }
}

/// The split block filter of Parquet, on SIMD instructions that it chooses at run time.
pub struct Sbbf {
    functions: FilterFn,
    lines: Vec<CacheLine>,
}

impl Sbbf {
    pub fn new(bytes: usize) -> Self {
        Self {
            functions: FilterFn::new(),
            lines: vec![CacheLine([0; 8]); bytes / size_of::<CacheLine>()],
        }
    }

    fn buckets(&self) -> usize {
        size_of_val(&*self.lines) / BUCKET_SIZE
    }

    fn insert_hash(&mut self, hash: u64) -> bool {
        let buckets = self.buckets();
        // SAFETY: cache lines are aligned to 64 bytes, and `buckets` counts what they hold: more than 0.
        let was_present = unsafe {
            self.functions
                .insert(self.lines.as_mut_ptr().cast(), buckets, hash)
        };
        !was_present
    }
}

impl Filter for Sbbf {
    fn insert(&mut self, url: &str) -> bool {
        self.insert_hash(rapid(url))
    }

    fn contains(&self, url: &str) -> bool {
        // SAFETY: as in `insert_hash`.
        unsafe {
            self.functions
                .contains(self.lines.as_ptr().cast(), self.buckets(), rapid(url))
        }
    }

    fn insert_filler(&mut self, random: u64) {
        self.insert_hash(random);
    }

    fn clear(&mut self) {
        self.lines.fill(CacheLine([0; 8]));
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.lines)
    }
}

impl<S: BuildHasher> Filter for BloomFilter<S> {
    fn insert(&mut self, url: &str) -> bool {
        !BloomFilter::insert(self, url)
    }

    fn contains(&self, url: &str) -> bool {
        BloomFilter::contains(self, url)
    }

    fn insert_filler(&mut self, random: u64) {
        self.insert_hash(random);
    }

    fn clear(&mut self) {
        BloomFilter::clear(self);
    }

    fn bytes(&self) -> usize {
        self.num_bits() / 8
    }
}

impl Filter for Bloom<[u8]> {
    fn insert(&mut self, url: &str) -> bool {
        !self.check_and_set(url.as_bytes())
    }

    fn contains(&self, url: &str) -> bool {
        self.check(url.as_bytes())
    }

    fn insert_filler(&mut self, random: u64) {
        self.set(random.to_le_bytes().as_slice());
    }

    fn clear(&mut self) {
        Bloom::clear(self);
    }

    fn bytes(&self) -> usize {
        (self.len() / 8) as usize
    }
}

/// The Bloom filter of the textbooks: one array, a hash of its own for each bit, a modulo each.
pub struct Textbook {
    hashes: [RapidSecrets; PROBES],
    words: Vec<u64>,
}

impl Textbook {
    pub fn new(bytes: usize) -> Self {
        Self {
            hashes: std::array::from_fn(|seed| RapidSecrets::seed(seed as u64)),
            words: vec![0; bytes / size_of::<u64>()],
        }
    }

    fn bits(&self, key: &[u8]) -> impl Iterator<Item = (usize, u64)> {
        let bits = self.words.len() as u64 * 64;
        self.hashes.iter().map(move |secrets| {
            let bit = rapidhash_v3_seeded(key, secrets) % bits;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    fn insert_bytes(&mut self, key: &[u8]) -> bool {
        let mut is_new = false;
        // Collected, because the iterator borrows what the loop changes.
        let mut bits = [(0, 0); PROBES];
        for (to, bit) in bits.iter_mut().zip(self.bits(key)) {
            *to = bit;
        }
        for (word, mask) in bits {
            is_new |= self.words[word] & mask == 0;
            self.words[word] |= mask;
        }
        is_new
    }
}

impl Filter for Textbook {
    fn insert(&mut self, url: &str) -> bool {
        self.insert_bytes(url.as_bytes())
    }

    fn contains(&self, url: &str) -> bool {
        self.bits(url.as_bytes())
            .all(|(word, mask)| self.words[word] & mask != 0)
    }

    fn insert_filler(&mut self, random: u64) {
        self.insert_bytes(&random.to_le_bytes());
    }

    fn clear(&mut self) {
        self.words.fill(0);
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }
}

/// The exact answer, for the price of storing every key.
impl Filter for HashSet<Box<str>> {
    fn insert(&mut self, url: &str) -> bool {
        HashSet::insert(self, url.into())
    }

    fn contains(&self, url: &str) -> bool {
        HashSet::contains(self, url)
    }

    fn insert_filler(&mut self, random: u64) {
        HashSet::insert(self, format!("{random:0URL_BYTES$x}").into());
    }

    fn clear(&mut self) {
        HashSet::clear(self);
    }

    fn bytes(&self) -> usize {
        // A slot and a control byte in each of 8/7 of the capacity, and the text of every key; what the
        // allocator adds is not counted.
        self.capacity() * 8 / 7 * (size_of::<Box<str>>() + 1) + self.len() * URL_BYTES
    }
}
