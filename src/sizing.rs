//! How large a filter must be, and how often it will be wrong: in integers, at compile time or on the target.
//!
//! A [`Plan`] goes from the number of keys and the accepted [`Rate`] to blocks and probes, or from a budget
//! of RAM to the number of keys. The formulas behind it are here as well, so that firmware can tell what
//! rate to expect of the filter it has.
//!
//! # What blocking costs
//!
//! All bits of a key lie in one block. Some blocks get more keys than others, and the full ones answer
//! wrongly more often than the empty ones make up for. So a blocked filter needs more bits than the
//! textbook says for one large array (bits per key for many keys, 64-bit hash, `k` in parentheses):
//!
//! | rate | classic | 512-bit blocks | 4096-bit blocks |
//! |---|---|---|---|
//! | 10 % | 4.79 (4) | 4.84 (3), 0.9 % more | 4.81 (3), 0.4 % more |
//! | 1 % | 9.59 (7) | 9.92 (6), 3.5 % more | 9.65 (6), 0.7 % more |
//! | 0.1 % | 14.38 (10) | 15.55 (9), 8.1 % more | 14.56 (9), 1.3 % more |
//! | 0.01 % | 19.17 (14) | 22.07 (11), 15.1 % more | 19.58 (12), 2.1 % more |
//!
//! A counting filter has blocks of 128 counters; at the same rates it takes 4.92 (3), 10.85 (6), 19.01 (8) and
//! 31.11 (9) counters per key, up to 62 % more than the textbook says.
//!
//! A 32-bit hash adds about keys / 2^32 to the rate, because keys with the same hash look the same: 0.02 %
//! at a million keys.

use core::fmt::{self, Write};

pub use crate::count_min_sketch::{CountMinPlan, CountMinPlanError};
use crate::hash::HashValue;

const BILLION: u32 = 1_000_000_000;
const PARTS_PER_PERCENT: u32 = BILLION / 100;

/// More probes than any filter has; the filters check the same limit.
const MAX_K: u32 = 32;

/// Counters of 4 bits in a block of a counting filter.
const COUNTERS: u32 = 128;

/// A probability in parts per billion, from 0 to 100 %.
///
/// # Examples
///
/// ```
/// use sundew::sizing::Rate;
///
/// assert_eq!(Rate::percent(1), Rate::one_in(100));
/// assert!(Rate::ppm(500) < Rate::percent(1));
/// assert_eq!(Rate::ppm(9_690).to_string(), "0.97 %");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate {
    parts_per_billion: u32,
}

impl Rate {
    /// Never.
    pub const ZERO: Self = Self {
        parts_per_billion: 0,
    };
    /// Always: 100 %.
    pub const ONE: Self = Self {
        parts_per_billion: BILLION,
    };

    /// So many percent; more than 100 are 100.
    pub const fn percent(percent: u32) -> Self {
        Self::from_parts_per_billion(percent.saturating_mul(10_000_000))
    }

    /// So many parts per million; more than a million are 100 %.
    pub const fn ppm(parts: u32) -> Self {
        Self::from_parts_per_billion(parts.saturating_mul(1_000))
    }

    /// One in so many, rounded to parts per billion but never to 0; one in 0 is 100 %.
    pub const fn one_in(number: u32) -> Self {
        if number == 0 {
            return Self::ONE;
        }
        let parts = (BILLION as u64 + number as u64 / 2) / number as u64;
        Self::from_parts_per_billion(if parts == 0 { 1 } else { parts as u32 })
    }

    /// So many parts per billion; more than a billion are 100 %.
    #[inline(never)]
    pub const fn from_parts_per_billion(parts: u32) -> Self {
        Self {
            parts_per_billion: if parts > BILLION { BILLION } else { parts },
        }
    }

    /// The rate in parts per billion.
    pub const fn parts_per_billion(self) -> u32 {
        self.parts_per_billion
    }

    /// The rate in parts per million, rounded to the nearest.
    pub const fn parts_per_million(self) -> u32 {
        (self.parts_per_billion + 500) / 1_000
    }

    /// Whether this rate is at most the other; `<=` in constants.
    const fn is_within(self, limit: Self) -> bool {
        self.parts_per_billion <= limit.parts_per_billion
    }

    /// From a number of 64 fractional bits, rounded to the nearest part.
    #[inline(never)]
    const fn from_q64(fraction: u64) -> Self {
        let parts = product(fraction, BILLION as u64) + (1 << 63);
        Self::from_parts_per_billion((parts >> 64) as u32)
    }

    /// A part of a whole; 100 % if the part is not smaller.
    #[inline(never)]
    pub(crate) const fn of(part: u64, whole: u64) -> Self {
        Self::from_q64(fraction(part, whole))
    }
}

impl Rate {
    /// In parts per billion, rounded as it is shown: to hundredths of a percent, below 0.1 % to two significant digits.
    pub(crate) fn shown(self) -> u32 {
        let parts = self.parts_per_billion;
        let mut unit = 1;
        while unit < PARTS_PER_PERCENT / 100 && parts >= 100 * unit {
            unit *= 10;
        }
        (parts + unit / 2) / unit * unit
    }
}

/// In percent, with two decimals; below 0.1 % with two significant digits.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.shown();
        let mut rest = shown % PARTS_PER_PERCENT;
        write!(f, "{}", shown / PARTS_PER_PERCENT)?;
        if rest > 0 {
            f.write_char('.')?;
        }
        while rest > 0 {
            write!(f, "{}", rest * 10 / PARTS_PER_PERCENT)?;
            rest = rest * 10 % PARTS_PER_PERCENT;
        }
        f.write_str(" %")
    }
}

/// What a filter is made of: the size of its blocks and of its hash.
///
/// # Examples
///
/// ```
/// use sundew::sizing::Layout;
///
/// const WIDE_HASH: Layout = Layout { hash_bits: 64, ..Layout::DEFAULT };
/// assert_eq!(WIDE_HASH, Layout::new(512, 64));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Bits in a block: a power of two from 512 to 65536; or 128, which stands for the 128 counters in a block
    /// of a [`CountingBloom`](crate::CountingBloom).
    pub block_bits: u32,
    /// Bits of the hash: 32 or 64.
    pub hash_bits: u32,
}

impl Layout {
    /// Blocks of 512 bits and a 32-bit hash, the defaults of [`BlockedBloom`](crate::BlockedBloom).
    pub const DEFAULT: Self = Self::new(512, 32);
    /// Blocks of 128 counters and a 32-bit hash, the defaults of [`CountingBloom`](crate::CountingBloom).
    ///
    /// A block has 64 bytes, as that of 512 bits has. Among so few counters a crowded block errs more often
    /// still: at 1 % a key takes 10.85 counters, where one large array takes 9.59 bits.
    pub const COUNTING: Self = Self::new(COUNTERS, 32);

    /// Blocks of so many bits and a hash of so many; a [`Plan`] checks that there are such filters.
    pub const fn new(block_bits: u32, hash_bits: u32) -> Self {
        Self {
            block_bits,
            hash_bits,
        }
    }

    /// What a block takes of the RAM.
    const fn block_bytes(self) -> u32 {
        if self.block_bits == COUNTERS {
            64
        } else {
            self.block_bits / 8
        }
    }

    /// The most blocks a filter may have, or `None` when there is no filter of this layout.
    const fn max_blocks(self) -> Option<u32> {
        let is_block = self.block_bits == COUNTERS
            || self.block_bits.is_power_of_two()
                && self.block_bits >= 512
                && self.block_bits <= 65_536;
        let max_bits = match self.hash_bits {
            32 => <u32 as HashValue>::MAX_FILTER_BITS,
            64 => <u64 as HashValue>::MAX_FILTER_BITS,
            _ => return None,
        };
        if !is_block {
            return None;
        }
        // By size, not by counters: a 32-bit hash tells 2^16 blocks apart, of whatever they consist.
        let blocks = max_bits >> (self.block_bytes() * 8).ilog2();
        Some(if blocks > u32::MAX as u64 {
            u32::MAX
        } else {
            blocks as u32
        })
    }
}

impl Default for Layout {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The false-positive rate to expect of a blocked filter with so many keys in it.
///
/// This is the mean over blocks, whose numbers of keys follow a Poisson distribution, plus the chance that
/// another key has the same hash. With a handful of blocks the true rate is a little lower.
///
/// No key gives 0 %; no block, no such block (of fewer than 64 bits or more than 65536) or `k = 0` gives 100 %, which is
/// what a filter without bits answers. `k` above 32 counts as 32, the most a filter has.
///
/// # Cost
///
/// `O(k^2)`: about `1.5 k (k + 25)` products of 64 by 64 bits.
///
/// # Examples
///
/// ```
/// use sundew::sizing::{Layout, blocked_rate};
///
/// // A million keys at 10 bits each.
/// let rate = blocked_rate(1_000_000, 19_532, 7, Layout::DEFAULT);
/// assert_eq!(rate.to_string(), "0.99 %");
/// ```
pub const fn blocked_rate(keys: u64, blocks: u32, k: u32, layout: Layout) -> Rate {
    let plan = Plan {
        keys,
        blocks,
        k,
        layout,
    };
    plan.rate()
}

/// The most keys with which so many blocks keep the rate; 0 without blocks or probes.
pub(crate) const fn blocked_keys(blocks: u32, k: u32, rate: Rate, layout: Layout) -> u64 {
    let mut plan = Plan {
        keys: 0,
        blocks,
        k,
        layout,
    };
    if blocks > 0 && k > 0 {
        plan.find_keys(rate, true);
    }
    plan.keys
}

/// The textbook's rate of a classic filter, one array of bits: `(1 - e^(-k keys / bits))^k`.
///
/// No key gives 0 %; no bit or `k = 0` gives 100 %.
///
/// # Examples
///
/// ```
/// use sundew::sizing::classic_rate;
///
/// assert_eq!(classic_rate(1_000_000, 10_000_000, 7).to_string(), "0.82 %");
/// ```
pub const fn classic_rate(keys: u64, bits: u64, k: u32) -> Rate {
    if bits == 0 || k == 0 {
        return Rate::ONE;
    }
    // What is divided by is to be at most 2^63.
    let half = bits >> 63;
    let keys_per_bit = long_division(keys >> half, bits >> half, 58);
    let exponent = product(keys_per_bit, k as u64);
    let mut square = !exp_of_minus(from_wide(exponent), 6);
    let mut power = u64::MAX;
    let mut rest = k;
    while rest > 0 {
        if rest % 2 == 1 {
            power = high_product(power, square);
        }
        square = high_product(square, square);
        rest /= 2;
    }
    Rate::from_q64(power)
}

/// The bits that a classic filter needs: `keys ln(1 / rate) / (ln 2)^2`, rounded to the nearest.
///
/// A rate of 0 counts as one part per billion, the smallest a [`Rate`] tells from 0. A result that does not
/// fit is `u64::MAX`.
///
/// # Examples
///
/// ```
/// use sundew::sizing::{Rate, classic_bits};
///
/// assert_eq!(classic_bits(1_000_000, Rate::percent(1)), 9_585_058);
/// ```
pub const fn classic_bits(keys: u64, rate: Rate) -> u64 {
    product_q58(keys, bits_per_key_q58(rate))
}

/// Thousandths of a bit that a classic filter needs per key: `1.44 log2(1 / rate)`, rounded to the nearest.
///
/// # Examples
///
/// ```
/// use sundew::sizing::{Rate, classic_millibits_per_key};
///
/// assert_eq!(classic_millibits_per_key(Rate::percent(1)), 9_585);
/// ```
pub const fn classic_millibits_per_key(rate: Rate) -> u32 {
    classic_bits(1_000, rate) as u32
}

/// The probes per key of a classic filter of [`classic_bits`]: `log2(1 / rate)`, rounded up, at least 1.
///
/// # Examples
///
/// ```
/// use sundew::sizing::{Rate, classic_k};
///
/// assert_eq!(classic_k(Rate::percent(1)), 7);
/// ```
pub const fn classic_k(rate: Rate) -> u32 {
    // One in 2048 is not a whole number of parts per billion; that must not cost a twelfth probe.
    const ROUNDING: u64 = 1 << (58 - 10);
    let k = ((log2_of_inverse_q58(rate) + (1 << 58) - 1 - ROUNDING) >> 58) as u32;
    if k == 0 { 1 } else { k }
}

/// The buckets of a [`CuckooFilter`](crate::CuckooFilter) that holds so many keys, in 99 of 100 filters: 95 % of
/// the slots, and two buckets more for luck, which small filters need.
///
/// # Examples
///
/// ```
/// use sundew::CuckooFilter;
/// use sundew::sizing::cuckoo_buckets;
///
/// let present: CuckooFilter<{ cuckoo_buckets(1_000) }, u8> = CuckooFilter::new();
/// assert_eq!(present.num_buckets(), 266); // 1,064 bytes
/// ```
pub const fn cuckoo_buckets(keys: usize) -> usize {
    // 4 * 0.95 = 19 / 5, and 5 / 19 = (1 + 1 / 19) / 4, in parts so that nothing overflows.
    let buckets = keys / 4 + (keys % 4 + keys.div_ceil(19)).div_ceil(4);
    buckets.saturating_add(2)
}

/// Why there is no plan. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum PlanError {
    /// No filter has such blocks or such a hash; see the fields of [`Layout`].
    NoSuchLayout,
    /// The rate is 0, which only an exact set can promise.
    ZeroRate,
    /// A 32-bit hash serves filters up to 4 MiB, and gives too many keys the same value: use a 64-bit one.
    NeedsWiderHash,
    /// The filter would be larger than any can be.
    TooLarge,
    /// The RAM does not hold one block, or not one key at this rate.
    TooLittleRam,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoSuchLayout => {
                "block bits must be a power of two from 512 to 65536, or 128 for counters, hash bits 32 or 64"
            }
            Self::ZeroRate => "a filter cannot promise a rate of 0",
            Self::NeedsWiderHash => "a 32-bit hash is too short for this filter, use a 64-bit one",
            Self::TooLarge => "the filter would be larger than any can be",
            Self::TooLittleRam => "the ram does not hold one key at this rate",
        })
    }
}

impl core::error::Error for PlanError {}

/// Blocks and probes for a number of keys and a rate, with the price of both.
///
/// Of all numbers of probes it takes the one that needs the least RAM; to save a probe it accepts 0.5 % more.
///
/// # Cost
///
/// Nothing in a constant. Computed on the target it takes up to 150 times as long as [`blocked_rate`].
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::sizing::{Plan, Rate};
///
/// const PLAN: Plan = Plan::for_keys(26_000, Rate::percent(1));
/// static SEEN: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
///
/// assert_eq!((PLAN.bytes(), PLAN.k()), (32_256, 6));
/// assert!(PLAN.rate() <= Rate::percent(1));
/// # assert!(!SEEN.contains(b"key"));
/// ```
///
/// What cannot be is a compile error that says what to do:
///
/// ```compile_fail
/// # use sundew::sizing::{Plan, Rate};
/// const PLAN: Plan = Plan::for_keys(100_000_000, Rate::percent(1)); // needs a 64-bit hash
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    keys: u64,
    blocks: u32,
    k: u32,
    layout: Layout,
}

impl Plan {
    /// The smallest filter of the default layout for so many keys.
    ///
    /// # Panics
    ///
    /// Where [`try_for_keys_in`](Self::try_for_keys_in) gives an error; in a constant, that stops the build.
    pub const fn for_keys(keys: u64, rate: Rate) -> Self {
        Self::for_keys_in(keys, rate, Layout::DEFAULT)
    }

    /// The smallest filter of this layout for so many keys.
    ///
    /// # Panics
    ///
    /// Where [`try_for_keys_in`](Self::try_for_keys_in) gives an error; in a constant, that stops the build.
    pub const fn for_keys_in(keys: u64, rate: Rate, layout: Layout) -> Self {
        Self::expect(Self::try_for_keys_in(keys, rate, layout))
    }

    /// The smallest filter of this layout for so many keys, without a panic.
    ///
    /// For no keys, and for any number at 100 %, that is one block.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoSuchLayout`], [`PlanError::ZeroRate`]; [`PlanError::NeedsWiderHash`] or, with a 64-bit
    /// hash, [`PlanError::TooLarge`] when no filter keeps the rate for so many keys.
    pub const fn try_for_keys_in(keys: u64, rate: Rate, layout: Layout) -> Result<Self, PlanError> {
        let Some(max_blocks) = layout.max_blocks() else {
            return Err(PlanError::NoSuchLayout);
        };
        if rate.parts_per_billion == 0 {
            return Err(PlanError::ZeroRate);
        }
        let mut plan = Self {
            keys,
            blocks: 0,
            k: 1,
            layout,
        };
        plan.find_blocks(rate, max_blocks, false);
        plan.blocks = smaller(accept_more(plan.blocks), max_blocks);
        plan.find_probes(rate);
        if plan.find_blocks(rate, max_blocks, true) {
            return Ok(plan);
        }
        Err(if layout.hash_bits == 32 {
            PlanError::NeedsWiderHash
        } else {
            PlanError::TooLarge
        })
    }

    /// The filter of the default layout that holds the most keys in so many bytes.
    ///
    /// # Panics
    ///
    /// Where [`try_for_ram_in`](Self::try_for_ram_in) gives an error; in a constant, that stops the build.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::sizing::{Plan, Rate};
    ///
    /// const PLAN: Plan = Plan::for_ram(8 * 1024, Rate::percent(1));
    /// assert_eq!(PLAN.blocks(), 128);
    /// assert!(PLAN.keys() > 6_500);
    /// ```
    pub const fn for_ram(bytes: u64, rate: Rate) -> Self {
        Self::for_ram_in(bytes, rate, Layout::DEFAULT)
    }

    /// The filter of this layout that holds the most keys in so many bytes.
    ///
    /// # Panics
    ///
    /// Where [`try_for_ram_in`](Self::try_for_ram_in) gives an error; in a constant, that stops the build.
    pub const fn for_ram_in(bytes: u64, rate: Rate, layout: Layout) -> Self {
        Self::expect(Self::try_for_ram_in(bytes, rate, layout))
    }

    /// The filter of this layout that holds the most keys in so many bytes, without a panic.
    ///
    /// It has as many blocks as the bytes hold, and to save a probe gives up 0.5 % of the keys. At 100 % any
    /// number of keys will do: `u64::MAX`.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoSuchLayout`], [`PlanError::ZeroRate`], [`PlanError::TooLittleRam`];
    /// [`PlanError::NeedsWiderHash`] or, with a 64-bit hash, [`PlanError::TooLarge`] when a filter cannot
    /// use all of the RAM.
    pub const fn try_for_ram_in(bytes: u64, rate: Rate, layout: Layout) -> Result<Self, PlanError> {
        let Some(max_blocks) = layout.max_blocks() else {
            return Err(PlanError::NoSuchLayout);
        };
        if rate.parts_per_billion == 0 {
            return Err(PlanError::ZeroRate);
        }
        let blocks = bytes / layout.block_bytes() as u64;
        if blocks > max_blocks as u64 {
            return Err(if layout.hash_bits == 32 {
                PlanError::NeedsWiderHash
            } else {
                PlanError::TooLarge
            });
        }
        let blocks = blocks as u32;
        if blocks == 0 {
            return Err(PlanError::TooLittleRam);
        }
        let mut plan = Self {
            keys: 0,
            blocks,
            k: 1,
            layout,
        };
        plan.find_keys(rate, false);
        if plan.keys == 0 {
            return Err(PlanError::TooLittleRam);
        }
        plan.keys = accept_fewer(plan.keys);
        plan.find_probes(rate);
        plan.find_keys(rate, true);
        Ok(plan)
    }

    /// Finds the fewest blocks that keep the rate, bit by bit: exactly for so many probes, or up to one in
    /// [`COARSE`] too many, for so many probes or more. False when so many as the limit do not keep it.
    const fn find_blocks(&mut self, rate: Rate, limit: u32, is_exact: bool) -> bool {
        let mut too_few = 0;
        let mut step = 1 << 31;
        while step > if is_exact { 0 } else { too_few / COARSE } {
            self.blocks = too_few + step;
            if self.blocks <= limit && !self.keeps(rate, is_exact) {
                too_few = self.blocks;
            }
            step /= 2;
        }
        if too_few == limit {
            return false;
        }
        self.blocks = too_few.saturating_add(1 + 2 * step);
        true
    }

    /// Finds the most keys with which the rate is kept, as [`find_blocks`](Self::find_blocks) does.
    const fn find_keys(&mut self, rate: Rate, is_exact: bool) {
        if rate.parts_per_billion == BILLION {
            self.keys = u64::MAX;
            return;
        }
        let mut fits = 0;
        // With 64 keys per bit all bits are set.
        let mut step = 1 << (self.bits().ilog2() + 6);
        while step > if is_exact { 0 } else { fits / COARSE as u64 } {
            self.keys = fits + step;
            if self.keeps(rate, is_exact) {
                fits = self.keys;
            }
            step /= 2;
        }
        self.keys = fits;
    }

    /// Finds the fewest probes that keep the rate.
    const fn find_probes(&mut self, rate: Rate) {
        self.k = 1;
        self.keeps(rate, false);
    }

    /// Whether the rate is kept with so many probes or, if they may be, with more, which are then taken.
    const fn keeps(&mut self, rate: Rate, is_exact: bool) -> bool {
        let k = self.k;
        let mut last = BILLION - 1;
        loop {
            let now = self.rate();
            if now.is_within(rate) {
                return true;
            }
            // Where more probes do worse, still more do, too.
            if is_exact || self.k == MAX_K || now.parts_per_billion > last {
                self.k = k;
                return false;
            }
            last = now.parts_per_billion;
            self.k += 1;
        }
    }

    /// Blocks: `N` of a [`BlockedBloom`](crate::BlockedBloom).
    pub const fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// Probes per key: `K` of a [`BlockedBloom`](crate::BlockedBloom).
    pub const fn k(&self) -> usize {
        self.k as usize
    }

    /// Bits, or counters, in all blocks.
    pub const fn bits(&self) -> u64 {
        self.blocks as u64 * self.layout.block_bits as u64
    }

    /// Bytes of all blocks.
    pub const fn bytes(&self) -> u64 {
        self.blocks as u64 * self.layout.block_bytes() as u64
    }

    /// The keys asked for, or those that the RAM holds.
    pub const fn keys(&self) -> u64 {
        self.keys
    }

    /// Thousandths of a bit, or of a counter, per key; 0 when there are no keys.
    pub const fn millibits_per_key(&self) -> u64 {
        match (self.bits() * 1_000).checked_div(self.keys) {
            Some(millibits) => millibits,
            None => 0,
        }
    }

    /// The rate to expect with all keys in, as [`blocked_rate`] computes it.
    #[inline(never)]
    pub const fn rate(&self) -> Rate {
        let block_bits = self.layout.block_bits;
        if self.blocks == 0 || self.k == 0 || block_bits < 64 || block_bits > 65_536 {
            return Rate::ONE;
        }
        let bits_set = self.all_bits_set();
        let same_hash = if self.layout.hash_bits > 32 {
            0
        } else {
            fraction(self.keys, 1 << 32)
        };
        Rate::from_q64(bits_set + high_product(!bits_set, same_hash))
    }

    /// The chance that all bits of another key are set, with 64 fractional bits.
    ///
    /// `i` given bits of a block are all clear after `j` keys with the chance `(1 - i/B)^(k j)`. When `j` is
    /// Poisson-distributed with mean `lambda`, the mean of that is `e^(-lambda (1 - (1 - i/B)^k))`: no sum over `j`
    /// is needed. That one more bit is *set*, whichever it is, is what is left when the chance is taken off that it
    /// is clear: with `i / B` because it is one of the `i` bits, and else because `i + 1` bits are. Unlike the usual
    /// `(1 - (1 - 1/B)^(k j))^k` this is exact: that one takes each block to have the mean number of ones, and is
    /// 1 % too low for 512 bits.
    const fn all_bits_set(&self) -> u64 {
        let block_bits = self.layout.block_bits;
        let k = smaller(self.k, MAX_K) as usize;
        // 64ths of a key per bit, doubled until they fill the number.
        let mut keys_per_bit = fraction(self.keys, self.bits() * 64);
        let mut doublings = 16;
        while doublings > 0 && keys_per_bit >> 63 == 0 {
            keys_per_bit <<= 1;
            doublings -= 1;
        }
        // One bit of a block, with 32 fractional bits.
        let one_bit = u32::MAX / block_bits + 1;
        // At `i`, the chance that `i` given bits are clear and that those of so many probes are set.
        let mut chance = [0; MAX_K as usize + 1];
        let mut i = 0;
        while i <= k {
            // B (1 - (1 - i/B)^k) with 54 fractional bits, as a geometric series: the differences below magnify each
            // lost bit, and in this form none is lost in large blocks.
            let mut part = i as u32 * one_bit;
            let mut touched = 0;
            let mut probe = 0;
            while probe < k {
                touched = ((i as u64) << 54) + high_product(touched, !((part as u64) << 32));
                probe += 1;
            }
            chance[i] = exp_of_minus(high_product(keys_per_bit, touched), doublings);
            let mut j = i;
            while j > 0 {
                j -= 1;
                part -= one_bit;
                let set = chance[j].saturating_sub(chance[j + 1]);
                chance[j] = high_product(set, !((part as u64) << 32));
            }
            i += 1;
        }
        chance[0]
    }

    /// The textbook's rate for the same bits, probes and keys in a classic filter.
    pub const fn classic_rate(&self) -> Rate {
        classic_rate(self.keys, self.bits(), self.k)
    }

    /// The bits that a classic filter needs for the same keys at the same [`rate`](Self::rate).
    pub const fn classic_bits(&self) -> u64 {
        classic_bits(self.keys, self.rate())
    }

    /// Blocks and hash.
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    const fn expect(result: Result<Self, PlanError>) -> Self {
        match result {
            Ok(plan) => plan,
            Err(PlanError::NoSuchLayout) => {
                panic!(
                    "Plan: block_bits must be a power of two from 512 to 65536, or 128 for counters, \
                     hash_bits 32 or 64"
                )
            }
            Err(PlanError::ZeroRate) => {
                panic!(
                    "Plan: no filter has a rate of 0; ask for at least Rate::from_parts_per_billion(1)"
                )
            }
            Err(PlanError::NeedsWiderHash) => panic!(
                "Plan: a 32-bit hash serves filters up to 4 MiB and adds keys / 2^32 to the rate; use a 64-bit \
                 hash: Plan::for_keys_in(keys, rate, Layout::new(512, 64))"
            ),
            Err(PlanError::TooLarge) => {
                panic!(
                    "Plan: the filter would be larger than any can be; ask for fewer keys or a higher rate"
                )
            }
            Err(PlanError::TooLittleRam) => {
                panic!(
                    "Plan: the RAM does not hold one key at this rate; give at least one block, or a higher rate"
                )
            }
        }
    }
}

/// Precise enough to choose the number of probes: one in a thousand. A constant may not take too many steps.
const COARSE: u32 = 1_024;

/// What a filter with one probe less may cost: 0.5 % more.
const fn accept_more(blocks: u32) -> u32 {
    blocks.saturating_add(blocks / 200)
}

/// What a filter with one probe less must hold: 0.5 % fewer.
const fn accept_fewer(keys: u64) -> u64 {
    keys - keys / 200
}

const fn smaller(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// The quotient of a number and a larger one below 2^63, with 64 fractional bits.
#[inline(never)]
pub(crate) const fn fraction(number: u64, divisor: u64) -> u64 {
    long_division(number, divisor, 64)
}

/// `number / divisor` with so many fractional bits; `u64::MAX` if too large. Nothing may be divided by 0. The division
/// of 64-bit numbers that the compiler brings is 900 bytes of code on a Cortex-M.
#[inline(never)]
const fn long_division(mut number: u64, divisor: u64, fraction_bits: u32) -> u64 {
    let mut quotient = 0;
    let mut rest = 0_u64;
    let mut bits = 64 + fraction_bits;
    while bits > 0 {
        if quotient >> 63 == 1 {
            return u64::MAX;
        }
        rest = rest << 1 | number >> 63;
        number <<= 1;
        quotient <<= 1;
        if rest >= divisor {
            rest -= divisor;
            quotient |= 1;
        }
        bits -= 1;
    }
    quotient
}

// Fixed-point numbers are `u64` with 64 or 58 fractional bits: probabilities below 1, and numbers up to 64.

/// All of a product.
pub(crate) const fn product(a: u64, b: u64) -> u128 {
    a as u128 * b as u128
}

/// A product with 58 fractional bits more than the result, rounded to the nearest; `u64::MAX` if too large.
#[inline(never)]
pub(crate) const fn product_q58(a: u64, b: u64) -> u64 {
    let (high, low) = (high_product(a, b), a.wrapping_mul(b));
    if high >> 58 > 0 {
        return u64::MAX;
    }
    (high << 6 | low >> 58).saturating_add(low >> 57 & 1)
}

/// `u64::MAX` if too large.
const fn from_wide(number: u128) -> u64 {
    if number >> 64 > 0 {
        u64::MAX
    } else {
        number as u64
    }
}

/// The upper half of a product.
#[inline(never)]
pub(crate) const fn high_product(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// `e^-x` from `x` divided by two so many times; both with 64 fractional bits.
///
/// `2^n (1 - e^(-y / 2^n))` is nearly `y` for a large `n`, and follows for `n - 1` from that for `n` by a square.
#[inline(never)]
const fn exp_of_minus(y: u64, doublings: u32) -> u64 {
    let mut below_one = y;
    let mut shift = 24;
    while shift > 1 {
        below_one -= high_product(below_one, below_one) >> shift;
        shift -= 1;
    }
    let mut power = !below_one;
    let mut left = doublings;
    while left > 0 {
        power = high_product(power, power);
        left -= 1;
    }
    power
}

/// `log2(1 / rate)` with 58 fractional bits; 0 counts as one part per billion.
#[inline(never)]
const fn log2_of_inverse_q58(rate: Rate) -> u64 {
    let parts = if rate.parts_per_billion == 0 {
        1
    } else {
        rate.parts_per_billion
    };
    const OF_BILLION: u64 = log2_q58(BILLION);
    OF_BILLION - log2_q58(parts)
}

/// The base-2 logarithm with 58 fractional bits, of a number above 0.
const fn log2_q58(number: u32) -> u64 {
    let mut result = number.ilog2() as u64;
    // From 1 to 2, with 63 fractional bits. Each squaring doubles the logarithm and so moves its next bit
    // to the left of the point.
    let mut mantissa = (number as u64) << (63 - number.ilog2());
    let mut bit = 0;
    while bit < 58 {
        mantissa = high_product(mantissa, mantissa);
        result <<= 1;
        if mantissa >> 63 == 1 {
            result |= 1;
        } else {
            mantissa <<= 1;
        }
        bit += 1;
    }
    result
}

/// Bits per key of a classic filter, with 58 fractional bits: the logarithm divided by ln 2.
const fn bits_per_key_q58(rate: Rate) -> u64 {
    /// `1 / ln 2 - 1` with 64 fractional bits.
    const INVERSE_LN_2_MINUS_1: u64 = 0x7154_7652_B82F_E177;
    let log2 = log2_of_inverse_q58(rate);
    log2 + high_product(log2, INVERSE_LN_2_MINUS_1)
}
