//! The count-min sketch: how often a key came, in RAM that does not depend on the number of keys.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::hash::{DefaultHash, GOLDEN, HashFunction, HashValue, Xxh32, block_index};
use crate::key::Key;
use crate::merge_error::MergeError;
use crate::sizing::Rate;
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind};

/// Shared body of [`CountMinSketch`] and [`CountMinSketchView`]. Name the aliases, not this.
#[derive(Clone, PartialEq, Eq)]
pub struct CountMinSketchInner<H, R: ?Sized> {
    hash: H,
    total: u64,
    // Last, so that an array of rows coerces to a slice.
    rows: R,
}

/// A count-min sketch of `DEPTH` rows of `WIDTH` counters of type `C`, `u16` or `u32`: how often did this key
/// come?
///
/// [`estimate`](CountMinSketchView::estimate) is never below the truth. It is above it by more than `2 / WIDTH` of
/// all that was counted for at most one key in `2^DEPTH`, and by less for most: a sketch is good at the keys that
/// make up a share of everything, and says little about rare ones. [`CountMinPlan`] goes from the error to the
/// size; [`add_conservative`](CountMinSketchView::add_conservative) errs less in the same RAM, and
/// `TopKeys` (feature `heapless`) remembers which keys were the most frequent.
///
/// A counter that reaches the maximum of `C` stays there. An estimate of `C::MAX` means "so many or more", and
/// only then can it be below the truth.
///
/// Cormode and Muthukrishnan, "An Improved Data Stream Summary: The Count-Min Sketch and its Applications", 2005.
/// One deviation: the position in each row comes from one hash of the key, multiplied once more for each row as in
/// a [`BlockedBloom`](crate::BlockedBloom), instead of from a hash function per row. Double hashing, the usual
/// short cut, would let two keys that meet in two rows meet in all, once in about `WIDTH^2` pairs; products meet
/// in all rows as rarely as independent hashes do, down to equal hashes, one pair in 2^32. The
/// [hashing page](crate::hashing) has the formula.
///
/// # Examples
///
/// Which senders talk most, off by at most 1 % of all messages for 99 in 100 senders, in 2,800 bytes:
///
/// ```
/// use sundew::CountMinSketch;
/// use sundew::sizing::{CountMinPlan, Rate};
///
/// const PLAN: CountMinPlan = CountMinPlan::for_error(Rate::percent(1), Rate::percent(1));
/// let mut messages: CountMinSketch<{ PLAN.width() }, { PLAN.depth() }, u16> = CountMinSketch::new();
///
/// messages.add("sensor 1", 1);
/// messages.add("sensor 2", 10);
/// assert_eq!(messages.add("sensor 1", 1), 2);
/// assert_eq!(messages.estimate("sensor 2"), 10);
/// assert_eq!(messages.estimate("sensor 3"), 0);
/// assert_eq!(messages.total(), 12);
/// ```
pub type CountMinSketch<const WIDTH: usize, const DEPTH: usize, C = u32, H = DefaultHash> =
    CountMinSketchInner<H, [[C; WIDTH]; DEPTH]>;

/// A [`CountMinSketch`] behind a reference, without its depth in the type; it has all the operations.
///
/// The width stays, because only the outer of two array lengths can be left out of a type. The code behind the
/// operations is the same for all sizes.
pub type CountMinSketchView<const WIDTH: usize, C = u32, H = DefaultHash> =
    CountMinSketchInner<H, [[C; WIDTH]]>;

/// The counter of a [`CountMinSketch`]: `u16` or `u32`, no other type.
pub trait Counter: Copy + Eq + fmt::Debug + sealed::Sealed {
    /// Nothing counted.
    #[doc(hidden)]
    const ZERO: Self;
    /// Where the counter stays.
    #[doc(hidden)]
    const LIMIT: u32;

    /// The number, or the limit if that is less.
    #[doc(hidden)]
    fn saturating_from(count: u32) -> Self;

    /// The same number.
    #[doc(hidden)]
    fn to_u32(self) -> u32;
}

macro_rules! counter {
    ($($type:ty),+) => {$(
        impl Counter for $type {
            const ZERO: Self = 0;
            const LIMIT: u32 = Self::MAX as u32;

            #[inline]
            fn saturating_from(count: u32) -> Self {
                count.min(Self::LIMIT) as Self
            }

            #[inline]
            fn to_u32(self) -> u32 {
                self.into()
            }
        }

        impl sealed::Sealed for $type {}
    )+};
}

counter!(u16, u32);

impl<const WIDTH: usize, const DEPTH: usize, C: Counter, H: HashFunction>
    CountMinSketch<WIDTH, DEPTH, C, H>
{
    /// An empty sketch with the unseeded hash: all bytes 0, so a static one lies in `.bss` and costs no
    /// flash.
    pub const fn new() -> Self {
        Self::with_hash(H::UNSEEDED)
    }

    /// An empty sketch with a seed or key of your own.
    pub const fn with_hash(hash: H) -> Self {
        const {
            assert!(
                WIDTH >= 1 && WIDTH <= MAX_WIDTH,
                "CountMinSketch: WIDTH (counters per row) must be from 1 to 65536; sizing::CountMinPlan finds it"
            );
            assert!(
                DEPTH >= 1 && DEPTH <= MAX_DEPTH,
                "CountMinSketch: DEPTH (rows) must be from 1 to 32; 7 suits a confidence of 99 %"
            );
        }
        Self {
            hash,
            total: 0,
            rows: [[C::ZERO; WIDTH]; DEPTH],
        }
    }

    /// The sketch without its depth in the type.
    pub const fn as_view(&self) -> &CountMinSketchView<WIDTH, C, H> {
        self
    }

    /// The sketch without its depth in the type, to change it.
    pub const fn as_mut_view(&mut self) -> &mut CountMinSketchView<WIDTH, C, H> {
        self
    }
}

impl<const WIDTH: usize, const DEPTH: usize, C: Counter> CountMinSketch<WIDTH, DEPTH, C, Xxh32> {
    /// An empty sketch whose hash has this seed.
    pub const fn with_seed(seed: u32) -> Self {
        Self::with_hash(Xxh32::with_seed(seed))
    }
}

impl<const WIDTH: usize, C: Counter, H: HashFunction> CountMinSketchView<WIDTH, C, H> {
    /// Counts a key so many times; returns the new estimate.
    ///
    /// # Cost
    ///
    /// One hash, and in each row one multiplication and one counter.
    #[inline]
    pub fn add<Q: Key + ?Sized>(&mut self, key: &Q, count: u32) -> u32 {
        self.add_hash(key.digest(&self.hash), count)
    }

    /// Counts a key so many times, but raises only the counters that must rise; returns the new estimate.
    ///
    /// This is conservative update (Estan and Varghese, "New Directions in Traffic Measurement and Accounting",
    /// 2002): a counter that is above the new estimate already holds other keys too, and need not grow. No
    /// estimate is below the truth, and none above what [`add`](Self::add) alone would have led to; in the streams
    /// of the tests the mean error is less than half.
    ///
    /// A method, not a type: both may be used on one sketch, and merging stays valid. What is lost is that the
    /// order of the keys leaves no trace, and that two merged sketches equal the sketch of both streams.
    ///
    /// # Cost
    ///
    /// One hash, and in each row twice one multiplication and one counter.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::CountMinSketch;
    ///
    /// let mut plain: CountMinSketch<16, 2, u16> = CountMinSketch::new();
    /// let mut conservative = plain.clone();
    /// for key in 0..100_u32 {
    ///     plain.add(&key, 1);
    ///     conservative.add_conservative(&key, 1);
    /// }
    /// let sum = |sketch: &CountMinSketch<16, 2, u16>| (0..100_u32).map(|key| sketch.estimate(&key)).sum::<u32>();
    /// assert!(sum(&conservative) < sum(&plain));
    /// assert!(sum(&conservative) >= 100);
    /// ```
    #[inline]
    pub fn add_conservative<Q: Key + ?Sized>(&mut self, key: &Q, count: u32) -> u32 {
        self.add_conservative_hash(key.digest(&self.hash), count)
    }

    /// How often a key was counted: never below the truth, and seldom far above it. The maximum of `C` means "so
    /// many or more".
    ///
    /// # Cost
    ///
    /// One hash, and in each row one multiplication and one counter.
    #[inline]
    pub fn estimate<Q: Key + ?Sized>(&self, key: &Q) -> u32 {
        self.estimate_hash(key.digest(&self.hash))
    }

    /// [`add`](Self::add) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn add_hash(&mut self, hash: H::Value, count: u32) -> u32 {
        self.total = self.total.saturating_add(count.into());
        let counters = self.rows.as_flattened_mut();
        update(counters, WIDTH, hash.probe_seed(), |counter| {
            counter.saturating_add(count)
        })
    }

    /// [`add_conservative`](Self::add_conservative) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn add_conservative_hash(&mut self, hash: H::Value, count: u32) -> u32 {
        self.total = self.total.saturating_add(count.into());
        let new = self.estimate_hash(hash).saturating_add(count);
        let counters = self.rows.as_flattened_mut();
        update(counters, WIDTH, hash.probe_seed(), |counter| {
            counter.max(new)
        })
    }

    /// [`estimate`](Self::estimate) of a key that is hashed already, by [`hash`](Self::hash).
    pub fn estimate_hash(&self, hash: H::Value) -> u32 {
        estimate(self.rows.as_flattened(), WIDTH, hash.probe_seed())
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.rows.as_flattened_mut().fill(C::ZERO);
        self.total = 0;
    }

    /// Adds all that another sketch counted, as if it had been counted here.
    ///
    /// # Errors
    ///
    /// When the sketches differ in depth or seed; this one is as it was. Another width does not compile.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::{CountMinSketch, MergeError};
    ///
    /// let mut today: CountMinSketch<100, 4> = CountMinSketch::new();
    /// let mut week: CountMinSketch<100, 4> = CountMinSketch::new();
    /// today.add("a", 2);
    /// week.add("a", 10);
    /// week.merge(&today)?;
    /// assert_eq!((week.estimate("a"), week.total()), (12, 12));
    /// # Ok::<(), MergeError>(())
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        if self.rows.len() != other.rows.len() {
            return Err(MergeError::SizeDiffers);
        }
        if self.hash != other.hash {
            return Err(MergeError::SeedDiffers);
        }
        let others = other.rows.as_flattened();
        for (counter, other) in self.rows.as_flattened_mut().iter_mut().zip(others) {
            *counter = C::saturating_from(counter.to_u32().saturating_add(other.to_u32()));
        }
        self.total = self.total.saturating_add(other.total);
        Ok(())
    }

    /// All that was counted, over all keys.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// By how much an estimate may be above the truth: `2 * total / WIDTH`, which it exceeds for at most one key
    /// in `2^DEPTH`.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::CountMinSketch;
    ///
    /// let mut sketch: CountMinSketch<200, 7> = CountMinSketch::new();
    /// for key in 0..10_000_u32 {
    ///     sketch.add(&key, 1);
    /// }
    /// assert_eq!(sketch.error_bound(), 100);
    /// ```
    pub const fn error_bound(&self) -> u64 {
        match self.total.saturating_mul(2).checked_div(WIDTH as u64) {
            Some(bound) => bound,
            None => u64::MAX,
        }
    }

    /// The hash function with its seed.
    pub const fn hash(&self) -> &H {
        &self.hash
    }

    /// How many counters a row has: `WIDTH`.
    pub const fn width(&self) -> usize {
        WIDTH
    }

    /// How many rows there are: `DEPTH`.
    pub const fn depth(&self) -> usize {
        self.rows.len()
    }

    /// The rows in order.
    pub fn rows(&self) -> core::slice::Iter<'_, [C; WIDTH]> {
        self.rows.iter()
    }
}

/// Its counters, and the total. To absorb is to add.
impl<const WIDTH: usize, C: Counter, H: HashFunction> CountMinSketchView<WIDTH, C, H> {
    /// How many counters are in a word of a snapshot: two of 16 bits.
    const PER_WORD: usize = if C::LIMIT == u32::MAX { 1 } else { 2 };
    const BITS: u32 = u32::BITS / Self::PER_WORD as u32;

    fn counters_of_word(&mut self, index: usize) -> impl Iterator<Item = &mut C> {
        let counters = self.rows.as_flattened_mut().iter_mut();
        counters.skip(index * Self::PER_WORD).take(Self::PER_WORD)
    }
}

impl<const WIDTH: usize, C: Counter, H: HashFunction> Parts for CountMinSketchView<WIDTH, C, H> {
    const CAN_ABSORB: bool = true;

    fn header(&self) -> Header {
        let depth = self.rows.len();
        Header {
            count: Some(self.total),
            ..Header::new(Kind::COUNT_MIN, &self.hash, Self::BITS, WIDTH, depth)
        }
    }

    fn num_words(&self) -> usize {
        (self.rows.len() * WIDTH).div_ceil(Self::PER_WORD)
    }

    fn word(&self, index: usize) -> u32 {
        let counters = self.rows.as_flattened().iter();
        let counters = counters.skip(index * Self::PER_WORD).take(Self::PER_WORD);
        counters.rev().fold(0, |word, counter| {
            word.wrapping_shl(Self::BITS) | counter.to_u32()
        })
    }

    fn prepare(&mut self, is_absorbing: bool) {
        if !is_absorbing {
            self.clear();
        }
    }

    fn set_word(&mut self, index: usize, mut word: u32) {
        for counter in self.counters_of_word(index) {
            *counter = C::saturating_from(word & C::LIMIT);
            word = word.wrapping_shr(Self::BITS);
        }
    }

    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]) {
        for (index, mut word) in (first..).zip(words) {
            for counter in self.counters_of_word(index) {
                let sum = counter.to_u32().saturating_add(word & C::LIMIT);
                *counter = C::saturating_from(sum);
                word = word.wrapping_shr(Self::BITS);
            }
        }
    }

    fn conclude(&mut self, header: &Header, is_absorbing: bool) {
        let before = if is_absorbing { self.total } else { 0 };
        self.total = before.saturating_add(header.count.unwrap_or(0));
    }
}

/// The least of a key's counters. One function for all sizes.
pub(crate) fn estimate<C: Counter>(mut counters: &[C], width: usize, mut probe: u32) -> u32 {
    let mut least = C::LIMIT;
    while let Some((row, rest)) = counters.split_at_checked(width.max(1)) {
        probe = probe.wrapping_mul(GOLDEN);
        if let Some(counter) = row.get(block_index(probe, width)) {
            least = least.min(counter.to_u32());
        }
        counters = rest;
    }
    least
}

/// Changes all of a key's counters; returns the least. Inlined: there are two changes, and each method has one.
#[inline(always)]
pub(crate) fn update<C: Counter>(
    mut counters: &mut [C],
    width: usize,
    mut probe: u32,
    change: impl Fn(u32) -> u32,
) -> u32 {
    let mut least = C::LIMIT;
    while let Some((row, rest)) = counters.split_at_mut_checked(width.max(1)) {
        probe = probe.wrapping_mul(GOLDEN);
        if let Some(counter) = row.get_mut(block_index(probe, width)) {
            *counter = C::saturating_from(change(counter.to_u32()));
            least = least.min(counter.to_u32());
        }
        counters = rest;
    }
    least
}

/// Up to here a Cortex-M0 finds the position in a row without a library call; see `block_index`.
const MAX_WIDTH: usize = 1 << 16;
/// Beyond that, the share of keys with equal 32-bit hashes is larger than what another row saves.
const MAX_DEPTH: usize = 32;

/// The size of a [`CountMinSketch`] for an error and a confidence.
///
/// The width is `2 / error`, the depth `log2(1 / failure)`, both rounded up: what RedisBloom's `CMS.INITBYPROB`
/// takes. In each row the expected error is half of the accepted one, so the accepted one is exceeded at most half
/// of the time (Markov's inequality), and in all rows at once at most once in `2^depth`.
///
/// # Examples
///
/// ```
/// use sundew::sizing::{CountMinPlan, Rate};
///
/// const PLAN: CountMinPlan = CountMinPlan::for_error(Rate::percent(1), Rate::percent(1));
/// assert_eq!((PLAN.width(), PLAN.depth()), (200, 7));
/// ```
///
/// What cannot be is a compile error that says what to do:
///
/// ```compile_fail
/// # use sundew::sizing::{CountMinPlan, Rate};
/// const PLAN: CountMinPlan = CountMinPlan::for_error(Rate::ZERO, Rate::percent(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountMinPlan {
    width: usize,
    depth: usize,
}

impl CountMinPlan {
    /// The sketch whose estimates are above the truth by more than `error`, as a share of all that was counted,
    /// for at most the share `failure` of keys.
    ///
    /// # Panics
    ///
    /// Where [`try_for_error`](Self::try_for_error) gives an error; in a constant, that stops the build.
    pub const fn for_error(error: Rate, failure: Rate) -> Self {
        match Self::try_for_error(error, failure) {
            Ok(plan) => plan,
            Err(CountMinPlanError::ZeroRate) => {
                panic!("CountMinPlan: no sketch is without error; ask for rates above 0")
            }
            Err(CountMinPlanError::TooWide) => {
                panic!(
                    "CountMinPlan: a row has at most 65536 counters; ask for an error of at least Rate::ppm(31)"
                )
            }
        }
    }

    /// [`for_error`](Self::for_error) without a panic.
    ///
    /// # Errors
    ///
    /// When one of the rates is 0, or the error is so small that a row would be wider than any can be.
    pub const fn try_for_error(error: Rate, failure: Rate) -> Result<Self, CountMinPlanError> {
        const BILLION: u32 = 1_000_000_000;
        let error = error.parts_per_billion();
        let mut failure = failure.parts_per_billion();
        if error == 0 || failure == 0 {
            return Err(CountMinPlanError::ZeroRate);
        }
        let width = (2 * BILLION).div_ceil(error) as usize;
        if width > MAX_WIDTH {
            return Err(CountMinPlanError::TooWide);
        }
        // At most 30 rows: 2^30 is above a billion. No rate is above it, so that twice as much fits.
        let mut depth = 1;
        failure *= 2;
        while failure < BILLION {
            failure *= 2;
            depth += 1;
        }
        Ok(Self { width, depth })
    }

    /// Counters per row.
    pub const fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub const fn depth(&self) -> usize {
        self.depth
    }
}

/// Why there is no plan. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CountMinPlanError {
    /// The error or the share of failures is 0, which only exact counters can promise.
    ZeroRate,
    /// The error is so small that a row would have more than 65,536 counters.
    TooWide,
}

impl fmt::Display for CountMinPlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZeroRate => "a sketch cannot promise an error of 0",
            Self::TooWide => "the error is too small for rows of at most 65536 counters",
        })
    }
}

impl core::error::Error for CountMinPlanError {}

impl<const WIDTH: usize, const DEPTH: usize, C: Counter, H: HashFunction> Default
    for CountMinSketch<WIDTH, DEPTH, C, H>
{
    fn default() -> Self {
        Self::new()
    }
}

impl<const WIDTH: usize, const DEPTH: usize, C, H> Deref for CountMinSketch<WIDTH, DEPTH, C, H> {
    type Target = CountMinSketchView<WIDTH, C, H>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl<const WIDTH: usize, const DEPTH: usize, C, H> DerefMut for CountMinSketch<WIDTH, DEPTH, C, H> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}

/// Shows the shape, not the counters.
impl<const WIDTH: usize, C, H> fmt::Debug for CountMinSketchView<WIDTH, C, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountMinSketch")
            .field("width", &WIDTH)
            .field("depth", &self.rows.len())
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

impl<const WIDTH: usize, const DEPTH: usize, C, H> fmt::Debug
    for CountMinSketch<WIDTH, DEPTH, C, H>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CountMinSketchView::fmt(self, f)
    }
}

mod sealed {
    pub trait Sealed {}
}
