//! The keys: URLs of 80 bytes, the same in every run.

/// Length of every URL.
pub const URL_BYTES: usize = 80;

/// Steele, Lea and Flood's SplitMix64: every value of the state comes up once, so the first 2^64
/// numbers of one seed are distinct.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// URLs one after the other in one text, so that reading them in order costs a lookup next to nothing:
/// the processor fetches ahead. What is left to measure is the hash and the filter.
pub struct Urls {
    text: String,
}

impl Urls {
    /// The URLs numbered `first` to `first + count - 1`. No two numbers give the same URL.
    pub fn generate(first: u32, count: u32) -> Self {
        use std::fmt::Write as _;

        let mut random = Random::new(u64::from(first));
        let mut text = String::with_capacity(count as usize * URL_BYTES);
        for number in first..first + count {
            let (store, session) = (random.next() as u16, random.next());
            write!(
                text,
                "https://store-{store:04x}.example.org/catalogue/entry-{number:08x}?session={session:016x}"
            )
            .expect("writing to a String cannot fail");
        }
        assert_eq!(
            text.len(),
            count as usize * URL_BYTES,
            "every URL must have {URL_BYTES} bytes"
        );
        Self { text }
    }

    /// The same URLs in random order, again one after the other in memory.
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut urls: Vec<&str> = self.slices();
        for last in (1..urls.len()).rev() {
            urls.swap(last, random.below(last + 1));
        }
        Self {
            text: urls.concat(),
        }
    }

    /// The URLs as slices. Their length is read from memory, so no contestant can be compiled for keys
    /// of 80 bytes only.
    pub fn slices(&self) -> Vec<&str> {
        (0..self.text.len() / URL_BYTES)
            .map(|index| &self.text[index * URL_BYTES..][..URL_BYTES])
            .collect()
    }
}
