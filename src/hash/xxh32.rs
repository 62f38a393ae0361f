//! XXH32, the default hash: 32 bits, only 32-bit multiplications, libraries in every language.

use super::pending::Pending;
use super::{HashFunction, HashId, HashStream};
use crate::key::Sink;

const PRIME_1: u32 = 0x9E37_79B1;
const PRIME_2: u32 = 0x85EB_CA77;
const PRIME_3: u32 = 0xC2B2_AE3D;
const PRIME_4: u32 = 0x27D4_EB2F;
const PRIME_5: u32 = 0x1656_67B1;

/// Bytes that the four lanes take in one round.
const STRIPE: usize = 16;

/// XXH32 with a 32-bit seed: the default hash of every filter.
///
/// Published by Yann Collet in 2012 and frozen since; there are libraries for it in every common
/// language, so a server can build a filter for a device. It needs no 64-bit multiplication, which a
/// Cortex-M0 does not have. Its 32 bits add about `keys / 2^32` to the false-positive rate, 0.02 % at
/// a million keys: a filter above 4 MiB wants [`Xxh3`](super::Xxh3), and does not compile without a
/// 64-bit hash.
///
/// # Examples
///
/// ```
/// use sundew::hash::{HashFunction, Xxh32};
///
/// const AT_COMPILE_TIME: u32 = Xxh32::with_seed(0).hash_const(b"abc");
/// assert_eq!(AT_COMPILE_TIME, 0x32D1_53FF);
/// assert_eq!(Xxh32::with_seed(0).hash(b"abc"), 0x32D1_53FF);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xxh32 {
    seed: u32,
}

impl Xxh32 {
    /// The function with this seed; seed 0 is the one that [`new`](crate::BlockedBloom::new) uses.
    pub const fn with_seed(seed: u32) -> Self {
        Self { seed }
    }

    /// The seed.
    pub const fn seed(&self) -> u32 {
        self.seed
    }

    /// [`hash`](HashFunction::hash) for constants: the same result, computed by the compiler.
    pub const fn hash_const(&self, bytes: &[u8]) -> u32 {
        hash_unaligned(self.seed, bytes)
    }
}

impl HashFunction for Xxh32 {
    const ID: HashId = HashId::XXH32;
    const UNSEEDED: Self = Self::with_seed(0);
    type Value = u32;
    type Stream = Xxh32Stream;

    fn hash(&self, bytes: &[u8]) -> u32 {
        // Arm only: x86 loads an unaligned word in one instruction, and would test for nothing.
        if cfg!(target_arch = "arm") {
            let (words, tail) = bytes.as_chunks::<4>();
            if let Ok(words) = bytemuck::try_cast_slice::<[u8; 4], u32>(words) {
                return hash_aligned(self.seed, words, tail);
            }
        }
        hash_unaligned(self.seed, bytes)
    }

    fn stream(&self) -> Xxh32Stream {
        Xxh32Stream {
            lanes: lanes(self.seed),
            pending: Pending::new(),
            length: 0,
            is_long: false,
        }
    }
}

/// One definition of the function for both ways to load a word, because a `const fn` cannot take the
/// load as a closure or a trait.
macro_rules! xxh32 {
    ($seed:expr, $words:expr, $tail:expr, $load:expr) => {{
        let (seed, mut words, mut tail): (u32, _, &[u8]) = ($seed, $words, $tail);
        let length = (words.len() * 4 + tail.len()) as u32;
        let mut hash = if words.len() >= STRIPE / 4 {
            let [mut a, mut b, mut c, mut d] = lanes(seed);
            while let Some((&[w, x, y, z], rest)) = words.split_first_chunk() {
                a = round(a, $load(w));
                b = round(b, $load(x));
                c = round(c, $load(y));
                d = round(d, $load(z));
                words = rest;
            }
            converge([a, b, c, d])
        } else {
            seed.wrapping_add(PRIME_5)
        };
        hash = hash.wrapping_add(length);
        while let Some((&word, rest)) = words.split_first() {
            hash = mix_word(hash, $load(word));
            words = rest;
        }
        while let Some((&byte, rest)) = tail.split_first() {
            hash = mix_byte(hash, byte);
            tail = rest;
        }
        avalanche(hash)
    }};
}

const fn hash_unaligned(seed: u32, bytes: &[u8]) -> u32 {
    let (words, tail) = bytes.as_chunks::<4>();
    xxh32!(seed, words, tail, u32::from_le_bytes)
}

fn hash_aligned(seed: u32, words: &[u32], tail: &[u8]) -> u32 {
    xxh32!(seed, words, tail, u32::from_le)
}

const fn lanes(seed: u32) -> [u32; 4] {
    [
        seed.wrapping_add(PRIME_1).wrapping_add(PRIME_2),
        seed.wrapping_add(PRIME_2),
        seed,
        seed.wrapping_sub(PRIME_1),
    ]
}

const fn round(lane: u32, word: u32) -> u32 {
    lane.wrapping_add(word.wrapping_mul(PRIME_2))
        .rotate_left(13)
        .wrapping_mul(PRIME_1)
}

const fn converge([a, b, c, d]: [u32; 4]) -> u32 {
    a.rotate_left(1)
        .wrapping_add(b.rotate_left(7))
        .wrapping_add(c.rotate_left(12))
        .wrapping_add(d.rotate_left(18))
}

const fn mix_word(hash: u32, word: u32) -> u32 {
    hash.wrapping_add(word.wrapping_mul(PRIME_3))
        .rotate_left(17)
        .wrapping_mul(PRIME_4)
}

const fn mix_byte(hash: u32, byte: u8) -> u32 {
    hash.wrapping_add((byte as u32).wrapping_mul(PRIME_5))
        .rotate_left(11)
        .wrapping_mul(PRIME_1)
}

const fn avalanche(mut hash: u32) -> u32 {
    hash = (hash ^ (hash >> 15)).wrapping_mul(PRIME_2);
    hash = (hash ^ (hash >> 13)).wrapping_mul(PRIME_3);
    hash ^ (hash >> 16)
}

/// [`Xxh32`] fed piece by piece, in 44 bytes of state.
#[derive(Clone, Debug)]
pub struct Xxh32Stream {
    lanes: [u32; 4],
    pending: Pending<STRIPE>,
    /// Modulo 2^32, as the published function has it.
    length: u32,
    /// Whether the lanes hold input; until then the third one is the seed.
    is_long: bool,
}

impl Sink for Xxh32Stream {
    fn write(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u32);
        let Self { lanes, is_long, .. } = self;
        self.pending.absorb(bytes, |stripe| {
            let (words, _) = stripe.as_chunks::<4>();
            for (lane, word) in lanes.iter_mut().zip(words) {
                *lane = round(*lane, u32::from_le_bytes(*word));
            }
            *is_long = true;
        });
    }
}

impl HashStream for Xxh32Stream {
    type Value = u32;

    fn finish(&self) -> u32 {
        let mut hash = if self.is_long {
            converge(self.lanes)
        } else {
            self.lanes[2].wrapping_add(PRIME_5)
        };
        hash = hash.wrapping_add(self.length);
        let (words, tail) = self.pending.bytes().as_chunks::<4>();
        for word in words {
            hash = mix_word(hash, u32::from_le_bytes(*word));
        }
        for byte in tail {
            hash = mix_byte(hash, *byte);
        }
        avalanche(hash)
    }
}
