//! HyperLogLog: how many different keys came, in RAM that does not depend on their number.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::hash::{DefaultHash, HashFunction, HashValue, Xxh32};
use crate::key::Key;
use crate::merge_error::MergeError;
use crate::sizing::fraction;
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};

/// Registers in a group, and the bits of each: 4 * 6 bits are 3 bytes.
pub(crate) const REGISTERS: usize = 4;
const REGISTER_BITS: u32 = 6;
const REGISTER_MASK: u32 = (1 << REGISTER_BITS) - 1;

/// Four registers; register `i` is bits `6 i` to `6 i + 5` of the little-endian number.
pub(crate) type Group = [u8; 3];

/// Shared body of [`HyperLogLog`] and [`HyperLogLogView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct HyperLogLogInner<H, G: ?Sized> {
    hash: H,
    // Last, so that an array of groups coerces to a slice.
    groups: G,
}

/// A HyperLogLog of `N` groups of four 6-bit registers, in `3 * N` bytes: how many different keys came?
///
/// `N` is a power of two from 4 to 4,096. Name it by its precision, the binary logarithm of the number of
/// registers; the standard error is `1.04 / sqrt(registers)`:
///
/// | type | registers | RAM in bytes | standard error |
/// |---|---:|---:|---:|
/// | [`HyperLogLog4`] | 16 | 12 | 26 % |
/// | [`HyperLogLog6`] | 64 | 48 | 13 % |
/// | [`HyperLogLog8`] | 256 | 192 | 6.5 % |
/// | [`HyperLogLog10`] | 1,024 | 768 | 3.3 % |
/// | [`HyperLogLog11`] | 2,048 | 1,536 | 2.3 % |
/// | [`HyperLogLog12`] | 4,096 | 3,072 | 1.6 % |
/// | [`HyperLogLog14`] | 16,384 | 12,288 | 0.81 % |
///
/// [`insert`](HyperLogLogView::insert) is cheap, the same key counts once, and
/// [`merge`](HyperLogLogView::merge) gives the count of a union.
///
/// # How good can it be?
///
/// The often quoted "2 % in 1.5 KB" is 2.3 %, and no other way to read the registers changes that: the least
/// error that 2,048 of them allow is `sqrt(ln 2 / (pi^2 / 6 - 1) / 2048)` = 2.29 % (the Cramér-Rao bound), and
/// the estimator used here has 2.30 %. Up to about 3,000 keys it errs less, by 1.5 to 1.9 %. Whoever counts one
/// stream and need not merge gets 1.84 % from the same registers and 16 bytes more:
/// [`StreamingHyperLogLog`](crate::StreamingHyperLogLog).
///
/// # Which hash?
///
/// The default is [`Xxh32`]: on a Cortex-M it costs a fraction of a 64-bit hash, and one hash of a key serves this
/// and all other structures. Keys that share a 32-bit hash are no loss, because the estimator takes hashes for
/// drawn at random and expects as much; it is right up to a billion keys. Only keys that never share one look like
/// more than they are, by `keys / 2^33`: different `u32`s, and others that differ in four bytes next to each other,
/// for which XXH32 is one to one. That is 0.1 % at ten million, 1.2 % at a hundred million, 14 % at a billion. Who
/// counts so many of them takes [`Murmur3`](crate::hash::Murmur3) or `hash::Xxh3`, of 64 bits.
///
/// # How it works
///
/// Flajolet, Fusy, Gandouet and Meunier, "HyperLogLog", 2007, with the estimator of Ertl, "New cardinality
/// estimation algorithms for HyperLogLog sketches", 2017 (algorithm 6), which needs no tables and no switch
/// between ranges. Computed in 64-bit integers. Two deviations: Flajolet's factor for few registers, without which
/// 16 of them would be 7 % too high; and only the first term of Ertl's correction for registers at their maximum,
/// which with a 32-bit hash costs 0.1 % at a billion keys and 4 % at four. The [hashing page](crate::hashing) says
/// how a hash becomes a register.
///
/// # Examples
///
/// ```
/// use sundew::HyperLogLog11;
///
/// let mut visitors: HyperLogLog11 = HyperLogLog11::new(); // 1.5 KB
/// for address in 0..100_000_u32 {
///     visitors.insert(&address);
///     visitors.insert(&address);
/// }
/// assert!((95_000..105_000).contains(&visitors.estimate()));
/// ```
pub type HyperLogLog<const N: usize, H = DefaultHash> = HyperLogLogInner<H, [Group; N]>;

/// A [`HyperLogLog`] behind a reference, without its size in the type; it has all the operations.
///
/// # Examples
///
/// ```
/// use sundew::{HyperLogLog8, HyperLogLog11, HyperLogLogView};
///
/// fn insert_all(sketch: &mut HyperLogLogView, names: &[&str]) -> u64 {
///     names.iter().for_each(|name| { sketch.insert(*name); });
///     sketch.estimate()
/// }
///
/// assert_eq!(insert_all(&mut HyperLogLog8::new(), &["a", "b", "a"]), 2);
/// assert_eq!(insert_all(&mut HyperLogLog11::new(), &["a", "b", "a"]), 2);
/// ```
pub type HyperLogLogView<H = DefaultHash> = HyperLogLogInner<H, [Group]>;

/// 16 registers in 12 bytes, standard error 26 %.
pub type HyperLogLog4<H = DefaultHash> = HyperLogLog<4, H>;
/// 32 registers in 24 bytes, standard error 18 %.
pub type HyperLogLog5<H = DefaultHash> = HyperLogLog<8, H>;
/// 64 registers in 48 bytes, standard error 13 %.
pub type HyperLogLog6<H = DefaultHash> = HyperLogLog<16, H>;
/// 128 registers in 96 bytes, standard error 9.2 %.
pub type HyperLogLog7<H = DefaultHash> = HyperLogLog<32, H>;
/// 256 registers in 192 bytes, standard error 6.5 %.
pub type HyperLogLog8<H = DefaultHash> = HyperLogLog<64, H>;
/// 512 registers in 384 bytes, standard error 4.6 %.
pub type HyperLogLog9<H = DefaultHash> = HyperLogLog<128, H>;
/// 1,024 registers in 768 bytes, standard error 3.3 %.
pub type HyperLogLog10<H = DefaultHash> = HyperLogLog<256, H>;
/// 2,048 registers in 1,536 bytes, standard error 2.3 %.
pub type HyperLogLog11<H = DefaultHash> = HyperLogLog<512, H>;
/// 4,096 registers in 3,072 bytes, standard error 1.6 %.
pub type HyperLogLog12<H = DefaultHash> = HyperLogLog<1024, H>;
/// 8,192 registers in 6,144 bytes, standard error 1.1 %.
pub type HyperLogLog13<H = DefaultHash> = HyperLogLog<2048, H>;
/// 16,384 registers in 12,288 bytes, standard error 0.81 %.
pub type HyperLogLog14<H = DefaultHash> = HyperLogLog<4096, H>;

impl<const N: usize, H: HashFunction> HyperLogLog<N, H> {
    /// An empty sketch with the unseeded hash: all bytes 0, so a static one lies in `.bss` and costs no
    /// flash.
    pub const fn new() -> Self {
        Self::with_hash(H::UNSEEDED)
    }

    /// An empty sketch with a seed or key of your own.
    pub const fn with_hash(hash: H) -> Self {
        const {
            assert!(
                N >= 4 && N <= 4096 && N.is_power_of_two(),
                "HyperLogLog: N (groups of 4 registers) must be a power of two from 4 to 4096; use HyperLogLog4 to HyperLogLog14"
            );
        }
        Self {
            hash,
            groups: [[0; 3]; N],
        }
    }

    /// The sketch without its size in the type.
    pub const fn as_view(&self) -> &HyperLogLogView<H> {
        self
    }

    /// The sketch without its size in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut HyperLogLogView<H> {
        self
    }
}

impl<const N: usize> HyperLogLog<N, Xxh32> {
    /// An empty sketch whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

/// What an insert did to a register.
pub(crate) struct Change {
    pub(crate) old: u32,
    pub(crate) new: u32,
}

impl<H: HashFunction> HyperLogLogView<H> {
    /// Counts a key; true when a register changed, and with it perhaps the estimate.
    ///
    /// True says that the key is certainly new. False says little: most new keys change nothing once there are
    /// more keys than registers.
    ///
    /// # Cost
    ///
    /// One hash, one group of three bytes.
    #[inline]
    pub fn insert<Q: Key + ?Sized>(&mut self, key: &Q) -> bool {
        self.insert_hash(key.digest(&self.hash))
    }

    /// [`insert`](Self::insert) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn insert_hash(&mut self, hash: H::Value) -> bool {
        self.raise(hash).is_some()
    }

    /// Raises the register of a hash to the rank of the hash, if it is lower.
    #[inline]
    pub(crate) fn raise(&mut self, hash: H::Value) -> Option<Change> {
        raise(&mut self.groups, hash)
    }

    /// How many different keys were inserted, give or take the standard error.
    ///
    /// # Cost
    ///
    /// Reads all registers; then at most 20 multiplications and four divisions of 64 bits. No float. 128 bytes
    /// of stack.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::HyperLogLog14;
    ///
    /// let mut sketch: HyperLogLog14 = HyperLogLog14::new();
    /// assert_eq!(sketch.estimate(), 0);
    /// for key in 1..=10_u64 {
    ///     sketch.insert(&key);
    /// }
    /// assert_eq!(sketch.estimate(), 10);
    /// ```
    pub fn estimate(&self) -> u64 {
        self.estimate_of(self.groups.iter().map(unpack))
    }

    /// How many different keys were inserted into this and the other sketches together, without changing any.
    ///
    /// # Errors
    ///
    /// When the sketches differ in size or seed.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::{HyperLogLog11, MergeError};
    ///
    /// let mut monday: HyperLogLog11 = HyperLogLog11::new();
    /// let mut tuesday: HyperLogLog11 = HyperLogLog11::new();
    /// monday.insert("a");
    /// tuesday.insert("a");
    /// tuesday.insert("b");
    /// assert_eq!(monday.estimate_union(&[&tuesday])?, 2);
    /// # Ok::<(), MergeError>(())
    /// ```
    pub fn estimate_union(&self, others: &[&Self]) -> Result<u64, MergeError> {
        for other in others {
            self.check_mergeable(other)?;
        }
        let united = self.groups.iter().enumerate().map(|(i, group)| {
            let groups = others.iter().filter_map(|other| other.groups.get(i));
            groups.fold(unpack(group), |united, group| {
                highest(united, unpack(group))
            })
        });
        Ok(self.estimate_of(united))
    }

    fn estimate_of(&self, groups: impl Iterator<Item = u32>) -> u64 {
        estimate_groups(groups, self.num_registers() as u32, H::Value::BITS)
    }

    /// Counts all keys of another sketch, as if each had been inserted here; equal keys count once.
    ///
    /// # Errors
    ///
    /// When the sketches differ in size or seed; this one is as it was.
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.check_mergeable(other)?;
        for (group, other) in self.groups.iter_mut().zip(&other.groups) {
            merge_group(group, other);
        }
        Ok(())
    }

    fn check_mergeable(&self, other: &Self) -> Result<(), MergeError> {
        if self.groups.len() != other.groups.len() {
            return Err(MergeError::SizeDiffers);
        }
        if self.hash != other.hash {
            return Err(MergeError::SeedDiffers);
        }
        Ok(())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.groups.fill([0; 3]);
    }

    /// Whether nothing was inserted.
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|group| *group == [0; 3])
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many registers there are: `4 * N`.
    pub const fn num_registers(&self) -> usize {
        self.groups.len() * REGISTERS
    }

    /// The binary logarithm of the number of registers, from 4 to 14.
    pub const fn precision(&self) -> u32 {
        self.num_registers().trailing_zeros()
    }

    /// One of the registers; 0 where there is none.
    pub(crate) fn register(&self, index: usize) -> u32 {
        let registers = self.groups.get(index / REGISTERS).map_or(0, unpack);
        registers >> ((index % REGISTERS) as u32 * REGISTER_BITS) & REGISTER_MASK
    }

    /// The registers in order.
    pub fn registers(&self) -> impl Iterator<Item = u8> {
        let groups = self.groups.iter().map(unpack);
        groups.flat_map(|group| split(group).map(|register| register as u8))
    }

    /// The bytes as they lie in memory: register `i` is bits `6 i` to `6 i + 5`, where bit `b` is bit `b % 8` of
    /// byte `b / 8`.
    pub const fn as_bytes(&self) -> &[u8] {
        self.groups.as_flattened()
    }
}

/// Its registers. To absorb is to take the higher.
impl<H: HashFunction> Parts for HyperLogLogView<H> {
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        Header::new(
            Kind::HYPER_LOG_LOG,
            &self.hash,
            REGISTER_BITS,
            self.num_registers(),
            1,
        )
    }

    fn num_words(&self) -> usize {
        // 16 registers are 3 words.
        self.groups.len() * 3 / 4
    }

    fn word(&self, index: usize) -> u32 {
        let (words, _) = self.as_bytes().as_chunks();
        words.get(index).map_or(0, |word| u32::from_le_bytes(*word))
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        }
    }

    fn set_word(&mut self, index: usize, word: u32) {
        let (words, _) = self.groups.as_flattened_mut().as_chunks_mut();
        if let Some(to) = words.get_mut(index) {
            *to = word.to_le_bytes();
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        let bytes = words.map(u32::to_le_bytes);
        let (others, _) = bytes.as_flattened().as_chunks();
        let groups = self.groups.iter_mut().skip(first / 3 * 4);
        for (group, other) in groups.zip(others) {
            merge_group(group, other);
        }
    }

    fn conclude(&mut self, _: &Header, _: bool) {}
}

/// Raises the register of a hash to the rank of the hash, if it is lower.
#[inline]
pub(crate) fn raise<V: HashValue>(groups: &mut [Group], hash: V) -> Option<Change> {
    let (index, new) = hash.register_and_rank(groups.len() * REGISTERS);
    raise_in(groups.get_mut(index / REGISTERS)?, index, new)
}

/// Raises register number `index`, which is in this group, if it is lower.
#[inline]
fn raise_in(group: &mut Group, index: usize, new: u32) -> Option<Change> {
    let registers = unpack(group);
    let shift = (index % REGISTERS) as u32 * REGISTER_BITS;
    let old = registers >> shift & REGISTER_MASK;
    if new <= old {
        return None;
    }
    *group = pack(registers + ((new - old) << shift));
    Some(Change { old, new })
}

/// The estimate from groups of registers, each group as one number.
fn estimate_groups(groups: impl Iterator<Item = u32>, registers: u32, hash_bits: u32) -> u64 {
    let mut counts = [0_u16; COUNTS];
    for group in groups {
        for register in split(group) {
            // In bounds: a register has six bits.
            if let Some(count) = counts.get_mut(register as usize) {
                *count += 1;
            }
        }
    }
    estimate(&counts, registers, alpha(registers), hash_bits)
}

/// Each register the higher of two.
fn merge_group(group: &mut Group, other: &Group) {
    *group = pack(highest(unpack(group), unpack(other)));
}

#[inline]
fn unpack(group: &Group) -> u32 {
    let [low, middle, high] = *group;
    u32::from_le_bytes([low, middle, high, 0])
}

#[inline]
fn pack(registers: u32) -> Group {
    let [low, middle, high, _] = registers.to_le_bytes();
    [low, middle, high]
}

/// The four registers of a group.
#[inline]
fn split(registers: u32) -> [u32; REGISTERS] {
    [0, 1, 2, 3].map(|i| registers >> (i * REGISTER_BITS) & REGISTER_MASK)
}

/// Each register the higher of two.
fn highest(registers: u32, others: u32) -> u32 {
    let mut united = 0;
    for i in 0..REGISTERS as u32 {
        // Compared where they are, without a shift.
        let mask = REGISTER_MASK << (i * REGISTER_BITS);
        united |= (registers & mask).max(others & mask);
    }
    united
}

/// How many values six bits have; no register is above 61.
const COUNTS: usize = 1 << REGISTER_BITS;

/// Flajolet's factor `0.7213 / (1 + 1.079 / m)` for `m` registers, in units of 2^-32.
pub(crate) const fn alpha(registers: u32) -> u64 {
    /// `1 / (2 ln 2)`.
    const MOST: u64 = 3_098_164_009;
    let m = 1000 * registers as u64;
    fraction(MOST * m, (m + 1079) << 32) >> 32
}

/// The number of keys from how many registers have which value: `alpha m^2 / sum(2^-register)` for `m` registers,
/// with the sum corrected at both ends.
pub(crate) fn estimate(counts: &[u16; COUNTS], registers: u32, alpha: u64, hash_bits: u32) -> u64 {
    let Some(least) = counts.iter().position(|count| *count > 0) else {
        return 0;
    };
    let precision = registers.ilog2();
    // One more than the bits that are left of the hash: the register of a hash whose rest is all 0.
    let most = (hash_bits - precision + 1) as usize;

    // The sum in units of 2^-32, and of 2^-least, so that no bit is lost however many keys there are. A register
    // at the maximum counts for what it would be on average if the hash were longer: two thirds.
    let count_of = |value: usize| u64::from(counts.get(value).copied().unwrap_or(0)) << 32;
    let saturated = counts.get(most).copied().map_or(0, u32::from);
    // Two thirds of 2^32, and what is left of it.
    let mut sum =
        u64::from(saturated) * (u64::from(u32::MAX) * 2 / 3) + u64::from(saturated * 2 / 3);
    for value in (least.max(1)..most).rev() {
        sum = sum / 2 + count_of(value);
    }
    if least == 0 {
        let empty = u32::from(counts.first().copied().unwrap_or(0));
        if empty >= registers {
            return 0;
        }
        sum = sum / 2 + (sigma(empty << (32 - precision)) << precision);
    }

    // The numerator is below 2^32, and the sum above. What is free up to 63 bits are fractional bits of the quotient,
    // 3 for the largest sketch.
    let fraction_bits = 31 - 2 * precision;
    let quotient = ((fraction(alpha, sum) >> 32) as u32).div_ceil(2);

    // Of a hash of 32 bits, no register that an insert wrote is higher.
    let (quotient, least) = (u64::from(quotient), (least as u32).min(hash_bits));
    if least <= 32 {
        return ((quotient << least) + (1 << (fraction_bits - 1))) >> fraction_bits;
    }
    let shift = least - fraction_bits;
    if shift > quotient.leading_zeros() {
        return u64::MAX;
    }
    quotient << shift
}

/// Ertl's `x + sum(x^(2^k) 2^(k - 1))` over all `k` from 1, for `x` below 1 in units of 2^-32: what the empty
/// registers stand for.
fn sigma(mut x: u32) -> u64 {
    let mut sum = u64::from(x);
    let mut weight = 1;
    // Squaring comes to 0 after 6 steps for a half, after 19 for the largest number, 1 - 2^-14.
    while x > 0 {
        x = ((u64::from(x) * u64::from(x)) >> 32) as u32;
        sum += u64::from(x) * u64::from(weight);
        weight *= 2_u32;
    }
    sum
}

impl<const N: usize, H: HashFunction> Default for HyperLogLog<N, H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, H> Deref for HyperLogLog<N, H> {
    type Target = HyperLogLogView<H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const N: usize, H> DerefMut for HyperLogLog<N, H> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the registers.
impl<H> fmt::Debug for HyperLogLogView<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperLogLog")
            .field("registers", &(self.groups.len() * REGISTERS))
            .finish_non_exhaustive()
    }
}

impl<const N: usize, H> fmt::Debug for HyperLogLog<N, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        HyperLogLogView::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same in floating point, with the whole of Ertl's series.
    fn estimate_f64(counts: &[u16; COUNTS], registers: u32, hash_bits: u32) -> f64 {
        let m = f64::from(registers);
        let most = (hash_bits - registers.ilog2() + 1) as usize;
        let mut sum = f64::from(counts[most]) * 2.0 / 3.0;
        for value in (1..most).rev() {
            sum = sum / 2.0 + f64::from(counts[value]);
        }
        let mut x = f64::from(counts[0]) / m;
        let (mut sigma, mut weight) = (x, 1.0);
        while x > 1e-30 {
            x *= x;
            sigma += x * weight;
            weight *= 2.0;
        }
        0.721_347_520_444_481_7 / (1.0 + 1.079 / m) * m * m / (sum / 2.0 + m * sigma)
    }

    #[test]
    fn estimates_are_those_of_floating_point() {
        // The largest take Miri a minute.
        let precisions = 4..=if cfg!(miri) { 8 } else { 14 };
        for (hash_bits, precision) in precisions.flat_map(|p| [(32, p), (64, p)]) {
            let registers = 1_u32 << precision;
            let most = hash_bits - precision + 1;
            let mut state = 1_u32;
            let trials = if cfg!(miri) { 3 } else { 300 };
            for trial in 0..trials {
                // Registers around a value that goes through the whole range, and some empty or full ones.
                let centre = most * trial / trials;
                let mut counts = [0_u16; COUNTS];
                for _ in 0..registers {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let value = match state >> 24 {
                        0 if trial % 3 == 0 => most,
                        1..20 if trial % 2 == 0 => 0,
                        _ => (centre + (state >> 16 & 0xFF).leading_zeros() - 24).min(most),
                    };
                    counts[value as usize] += 1;
                }
                let exact = estimate_f64(&counts, registers, hash_bits);
                let found = estimate(&counts, registers, alpha(registers), hash_bits) as f64;
                if exact < 1e19 {
                    let allowed = 0.51 + exact * 1e-4;
                    assert!((found - exact).abs() <= allowed, "{found}, not {exact}");
                }
            }
        }
    }

    #[test]
    fn extremes_are_estimated_without_overflow() {
        for (hash_bits, precision) in (4..=14).flat_map(|p| [(32, p), (64, p)]) {
            let registers = 1_u32 << precision;
            let estimate = |counts: &_| estimate(counts, registers, alpha(registers), hash_bits);
            let most = (hash_bits - precision + 1) as usize;
            let mut empty = [0; COUNTS];
            empty[0] = registers as u16;
            assert_eq!(estimate(&empty), 0);
            let mut one = empty;
            one[0] -= 1;
            for value in 1..=most {
                let mut one = one;
                one[value] += 1;
                assert_eq!(estimate(&one), 1, "rank {value}");
            }
            let mut full = [0; COUNTS];
            full[most] = registers as u16;
            let limit = 1_u64 << (hash_bits - 1);
            assert!(estimate(&full) > limit);
            // What no insert leads to is no reason to panic.
            estimate(&[u16::MAX; COUNTS]);
            estimate(&[0; COUNTS]);
            full = [0; COUNTS];
            full[63] = registers as u16;
            estimate(&full);
        }
    }

    #[test]
    fn registers_are_packed_and_unpacked() {
        let registers = [1, 63, 0, 42];
        let packed = registers.iter().rev().fold(0, |sum, r| sum << 6 | r);
        assert_eq!(split(unpack(&pack(packed))), registers);
        assert_eq!(split(highest(packed, 5 << 12)), [1, 63, 5, 42]);
    }
}
