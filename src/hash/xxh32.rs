//! XXH32, the default hash: 32 bits, only 32-bit multiplications, libraries in every language.

use super::pending::Pending;
use super::{HashFunction, HashId, HashStream};
use crate::core_kind::{IS_ARMV6M, RUNS_AHEAD};
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
        hash_const(self.seed, bytes)
    }
}

impl HashFunction for Xxh32 {
    const ID: HashId = HashId::XXH32;
    const UNSEEDED: Self = Self::with_seed(0);
    type Value = u32;
    type Stream = Xxh32Stream;

    #[inline]
    fn hash(&self, bytes: &[u8]) -> u32 {
        hash(self.seed, bytes)
    }

    fn stream(&self) -> Xxh32Stream {
        let mut stream = Xxh32Stream::STOPPED;
        stream.restart(*self);
        stream
    }

    fn seed_check(&self) -> u64 {
        self.seed.into()
    }
}

/// Four bytes of a key, aligned or not.
trait Word: Copy {
    fn get(&self) -> u32;
}

impl Word for u32 {
    fn get(&self) -> u32 {
        u32::from_le(*self)
    }
}

impl Word for [u8; 4] {
    #[inline(always)]
    fn get(&self) -> u32 {
        if IS_ARMV6M {
            // Loads byte by byte either way; in this order they get by with one register less.
            let [a, b, c, d] = *self;
            ((u32::from(d) << 8 | u32::from(c)) << 8 | u32::from(b)) << 8 | u32::from(a)
        } else {
            u32::from_le_bytes(*self)
        }
    }
}

/// Always inline, as it is little more than calls. [`finish`] and [`four_lanes`] have no attribute: at opt-level 3
/// the compiler pulls them in as well, at opt-level s all callers share them.
#[inline(always)]
fn hash(seed: u32, bytes: &[u8]) -> u32 {
    if IS_ARMV6M {
        hash_by_two_lanes(seed, bytes)
    } else if bytes.len() < STRIPE {
        let hash = seed.wrapping_add(PRIME_5);
        finish(hash.wrapping_add(bytes.len() as u32), bytes)
    } else {
        hash_long(seed, bytes)
    }
}

// With floating-point registers the compiler schedules for speed and loads all words of a stripe at once: inline
// that costs more than a call, as the caller's variables have to go to the stack.
#[cfg_attr(target_abi = "eabihf", inline(never))]
#[cfg_attr(not(target_abi = "eabihf"), inline(always))]
fn hash_long(seed: u32, bytes: &[u8]) -> u32 {
    let (stripes, rest) = bytes.as_chunks::<STRIPE>();
    let hash = four_lanes(seed, bytemuck::cast_slice(stripes)).wrapping_add(bytes.len() as u32);
    if rest.is_empty() {
        avalanche(hash)
    } else {
        finish(hash, rest)
    }
}

fn four_lanes(seed: u32, mut stripes: &[[[u8; 4]; 4]]) -> u32 {
    let [mut a, mut b, mut c, mut d] = lanes(seed);
    // Not a `for`: on ARMv7-M that would count in one more instruction.
    while let [[w, x, y, z], after @ ..] = stripes {
        // One word at a time: with two of them loaded, ARMv7-M has no registers left for the filter, the key and
        // its length, and saves some of them on the stack.
        a = round(a, w.get());
        stay_rolled();
        b = round(b, x.get());
        stay_rolled();
        c = round(c, y.get());
        stay_rolled();
        d = round(d, z.get());
        stripes = after;
    }
    converge([a, b, c, d])
}

/// [`hash`] for ARMv6-M, whose registers hold two lanes but not four: the stripes are read twice.
#[inline(never)]
fn hash_by_two_lanes(seed: u32, bytes: &[u8]) -> u32 {
    let mut hash = seed.wrapping_add(PRIME_5);
    let mut rest = bytes;
    if bytes.len() >= STRIPE {
        hash = stripes_by_two_lanes(seed, bytes);
        let rest_len = bytes.len() % STRIPE;
        if rest_len == 0 {
            return avalanche(hash.wrapping_add(bytes.len() as u32));
        }
        rest = bytes.get(bytes.len() - rest_len..).unwrap_or_default();
    }
    hash = hash.wrapping_add(bytes.len() as u32);
    while let Some((word, after)) = rest.split_first_chunk::<4>() {
        hash = mix_word(hash, word.get());
        rest = after;
        stay_rolled();
    }
    while let Some((byte, after)) = rest.split_first() {
        hash = mix_byte(hash, *byte);
        rest = after;
        stay_rolled();
    }
    avalanche(hash)
}

#[inline(always)]
fn stripes_by_two_lanes(seed: u32, bytes: &[u8]) -> u32 {
    // One more half after the last stripe changes nothing: to either pair of lanes it is the other's.
    let (halves, _) = bytes.as_chunks::<{ STRIPE / 2 }>();
    let ([first @ .., _], [_, second @ ..]) = (halves, halves) else {
        return 0;
    };
    let [a, b, c, d] = lanes(seed);
    let [a, b] = unpack(two_lanes(pack([a, b]), first));
    let [c, d] = unpack(two_lanes(pack([c, d]), second));
    converge([a, b, c, d])
}

/// Two lanes after the 1st, 3rd, 5th... of these halves of stripes.
#[inline(never)]
fn two_lanes(lanes: u64, halves: &[[u8; STRIPE / 2]]) -> u64 {
    if let Ok(halves) = bytemuck::try_cast_slice::<_, [u32; 2]>(halves) {
        every_other_half(lanes, halves)
    } else {
        every_other_half::<[u8; 4]>(lanes, bytemuck::cast_slice(halves))
    }
}

#[inline(always)]
fn every_other_half<W: Word>(lanes: u64, mut halves: &[[W; 2]]) -> u64 {
    let [mut a, mut b] = unpack(lanes);
    while let [[x, y], ..] = halves {
        a = round(a, x.get());
        stay_rolled();
        b = round(b, y.get());
        if halves.len() <= 2 {
            break;
        }
        halves = halves.get(2..).unwrap_or_default();
    }
    pack([a, b])
}

/// Two lanes in one number: it returns in two registers, where an array goes through memory.
fn pack([a, b]: [u32; 2]) -> u64 {
    u64::from(b) << 32 | u64::from(a)
}

fn unpack(lanes: u64) -> [u32; 2] {
    [lanes as u32, (lanes >> 32) as u32]
}

/// Keeps the loop around it as it is, at no instruction of its own. The compiler must assume that memory is
/// read or written here: it neither unrolls the loop nor loads ahead, for which a Cortex-M lacks registers.
#[inline(always)]
fn stay_rolled() {
    if !RUNS_AHEAD {
        core::hint::black_box(());
    }
}

/// Mixes in what is left after the stripes, at most three words and three bytes. No loops: the compiler
/// would unroll them further.
fn finish(mut hash: u32, rest: &[u8]) -> u32 {
    let (words, tail) = rest.as_chunks::<4>();
    if let [word, ..] = words {
        hash = mix_word(hash, word.get());
    }
    if let [_, word, ..] = words {
        hash = mix_word(hash, word.get());
    }
    if let [_, _, word, ..] = words {
        hash = mix_word(hash, word.get());
    }
    if let [byte, ..] = *tail {
        hash = mix_byte(hash, byte);
    }
    if let [_, byte, ..] = *tail {
        hash = mix_byte(hash, byte);
    }
    if let [_, _, byte, ..] = *tail {
        hash = mix_byte(hash, byte);
    }
    avalanche(hash)
}

/// The same as `hash`, for the compiler: a `const fn` cannot be generic over the load.
const fn hash_const(seed: u32, bytes: &[u8]) -> u32 {
    let (mut words, mut tail) = bytes.as_chunks::<4>();
    let mut hash = if words.len() >= STRIPE / 4 {
        let [mut a, mut b, mut c, mut d] = lanes(seed);
        while let Some((&[w, x, y, z], rest)) = words.split_first_chunk() {
            a = round(a, u32::from_le_bytes(w));
            b = round(b, u32::from_le_bytes(x));
            c = round(c, u32::from_le_bytes(y));
            d = round(d, u32::from_le_bytes(z));
            words = rest;
        }
        converge([a, b, c, d])
    } else {
        seed.wrapping_add(PRIME_5)
    };
    hash = hash.wrapping_add(bytes.len() as u32);
    while let Some((&word, rest)) = words.split_first() {
        hash = mix_word(hash, u32::from_le_bytes(word));
        words = rest;
    }
    while let Some((&byte, rest)) = tail.split_first() {
        hash = mix_byte(hash, byte);
        tail = rest;
    }
    avalanche(hash)
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
    /// Not 0 when the lanes hold input; until then the third one is the seed. A word: for a byte and its padding the
    /// compiler calls `memcpy`, which is 750 bytes of flash in firmware that has no other use for it.
    is_long: u32,
}

impl Xxh32Stream {
    /// All zeros, to be [started](Self::restart).
    pub(crate) const STOPPED: Self = Self {
        lanes: [0; 4],
        pending: Pending::new(),
        length: 0,
        is_long: 0,
    };

    /// Starts anew. What is pending stays where it is, so that nothing is cleared but counts.
    pub(crate) fn restart(&mut self, hash: Xxh32) {
        self.lanes = lanes(hash.seed);
        self.pending.clear();
        self.length = 0;
        self.is_long = 0;
    }
}

impl Sink for Xxh32Stream {
    fn write(&mut self, bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u32);
        // In variables of their own: registers, where the core has enough.
        let [mut a, mut b, mut c, mut d] = self.lanes;
        let is_long = &mut self.is_long;
        self.pending.absorb(bytes, |stripe| {
            if let [w, x, y, z] = stripe.as_chunks::<4>().0 {
                a = round(a, w.get());
                b = round(b, x.get());
                stay_rolled();
                c = round(c, y.get());
                d = round(d, z.get());
            }
            *is_long = 1;
        });
        self.lanes = [a, b, c, d];
    }
}

impl HashStream for Xxh32Stream {
    type Value = u32;

    fn finish(&self) -> u32 {
        let mut hash = if self.is_long != 0 {
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

#[cfg(test)]
mod tests {
    use super::{hash, hash_by_two_lanes, hash_const};

    #[test]
    fn every_way_to_the_hash_agrees() {
        let bytes: [u8; 200] = core::array::from_fn(|i| (i * 151) as u8);
        for start in 0..4 {
            for end in start..=bytes.len() {
                let (seed, key) = (end as u32 * 77, &bytes[start..end]);
                let expected = hash_const(seed, key);
                assert_eq!(hash(seed, key), expected, "{start}..{end}");
                assert_eq!(hash_by_two_lanes(seed, key), expected, "{start}..{end}");
            }
        }
    }
}
