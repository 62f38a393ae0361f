//! Have I seen this before? Fixed-size probabilistic sets in static RAM, for machines with almost no memory.
//!
//! No heap, no `unsafe`, no floating point at run time, no panic on any input. Sizes are const generics, so a
//! filter is a `static` whose RAM the linker counts, and a bad size does not compile. On x86-64 hosts the feature
//! `std` adds a path for AVX2, the one place with `unsafe`, which [`BlockedBloom`] takes where the processor has it.
//!
//! ```
//! use sundew::BlockedBloom;
//! use sundew::sizing::{Plan, Rate};
//!
//! // 10,000 advertisements at 1 % false positives: the compiler works out the size.
//! const PLAN: Plan = Plan::for_keys(10_000, Rate::percent(1));
//! let mut seen: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
//!
//! let address: [u8; 6] = [0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC];
//! assert!(seen.insert(&address)); // true: certainly new
//! assert!(!seen.insert(&address)); // false: seen before (or, at 1 %, looks like it)
//! ```
//!
//! | I want | use |
//! |---|---|
//! | the fastest answer to "seen before?" | [`BlockedBloom`] |
//! | fewer false positives on a core without a data cache, at the same speed | [`BlockedBloom`] with [`Block4096`] |
//! | the lowest false-positive rate for the RAM | [`ClassicBloom`] |
//! | to remove keys again, or to count them up to 15 | [`CountingBloom`] |
//! | an error instead of a higher rate when more keys come than planned | [`ScalableBloom`] |
//! | to forget: seen in the last minute, or among the last thousand | [`RotatingBloom`] |
//! | to insert from interrupts and threads, without a lock | [`AtomicBloom`] |
//! | a fixed deny list in flash, without RAM | [`BlockedBloom::with_keys`] |
//! | a set from which keys are removed again | [`CuckooFilter`] |
//! | how often a key came | [`CountMinSketch`]; the most frequent ones: `TopKeys` (feature `heapless`) |
//! | how many different keys came | [`HyperLogLog`]; of one stream, with less error: [`StreamingHyperLogLog`] |
//! | to read or write a filter of Guava's | [`GuavaBloom`] |
//! | to keep it over a reset, to send it, to read one in flash without RAM | [`snapshot`] |
//! | certain answers, and a slow or large exact store asked only when it may have the key | [`TwoLayer`] |
//! | to find it again after the power fails | `persist` (feature `embedded-storage`) |
//! | to know how large | [`sizing`], [`profile`] |
//! | to know how full | [`Stats`] |
//!
//! Which bytes a key becomes is on [`Key`], which hash to choose in [`hash`], and how a hash becomes bits, for
//! whoever builds filters in another language, in [`hashing`].

#![cfg_attr(not(test), no_std)]
// Everywhere else it is denied (Cargo.toml), and allowed in `simd` alone.
#![cfg_attr(not(all(feature = "std", target_arch = "x86_64")), forbid(unsafe_code))]

#[cfg(all(feature = "std", target_arch = "x86_64"))]
extern crate std;

#[cfg(any(target_has_atomic = "32", feature = "portable-atomic"))]
mod atomic_bloom;
mod block;
mod blocked_bloom;
mod classic_bloom;
mod copy;
mod core_kind;
mod count_min_sketch;
mod counting_bloom;
mod cuckoo_filter;
mod exact_store;
mod front_filter;
pub mod guava;
pub mod hash;
mod hyper_log_log;
mod key;
mod merge_error;
#[cfg(feature = "embedded-storage")]
pub mod persist;
pub mod profile;
mod rotating_bloom;
mod scalable_bloom;
pub mod shell;
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[allow(unsafe_code)]
mod simd;
pub mod sizing;
pub mod snapshot;
mod sorted_list;
mod stats;
mod streaming_hyper_log_log;
#[cfg(feature = "heapless")]
mod top_keys;
mod two_layer;

#[doc = include_str!("../docs/hashing.md")]
pub mod hashing {}

#[doc = include_str!("../docs/snapshot-format.md")]
pub mod snapshot_format {}

#[cfg(any(target_has_atomic = "32", feature = "portable-atomic"))]
pub use atomic_bloom::{AtomicBlock, AtomicBloom, AtomicBloomInner, AtomicBloomView};
pub use block::{Block, Block512, Block1024, Block2048, Block4096, Block8192};
pub use blocked_bloom::{BlockedBloom, BlockedBloomInner, BlockedBloomView};
pub use classic_bloom::{ClassicBloom, ClassicBloomInner, ClassicBloomView};
pub use count_min_sketch::{CountMinSketch, CountMinSketchInner, CountMinSketchView, Counter};
pub use counting_bloom::{CounterBlock, CountingBloom, CountingBloomInner, CountingBloomView};
pub use cuckoo_filter::{
    CuckooFilter, CuckooFilterFull, CuckooFilterInner, CuckooFilterView, Fingerprint,
};
#[cfg(feature = "heapless")]
pub use exact_store::StoreFullError;
pub use exact_store::{ExactStore, StoreCall, StoreFn};
pub use front_filter::{FilterFullError, FrontFilter, FrontFilterMut};
pub use guava::{GuavaBloom, GuavaBloomInner, GuavaBloomView};
pub use hyper_log_log::{
    HyperLogLog, HyperLogLog4, HyperLogLog5, HyperLogLog6, HyperLogLog7, HyperLogLog8,
    HyperLogLog9, HyperLogLog10, HyperLogLog11, HyperLogLog12, HyperLogLog13, HyperLogLog14,
    HyperLogLogInner, HyperLogLogView,
};
pub use key::{Key, Sink};
pub use merge_error::MergeError;
pub use rotating_bloom::{RotatingBloom, RotatingBloomInner, RotatingBloomView};
pub use scalable_bloom::{ScalableBloom, ScalableBloomInner, ScalableBloomView, StagesFullError};
pub use sorted_list::{ReadOnlyError, SortedList};
pub use stats::Stats;
pub use streaming_hyper_log_log::{
    StreamingHyperLogLog, StreamingHyperLogLogInner, StreamingHyperLogLogView,
};
#[cfg(feature = "heapless")]
pub use top_keys::TopKeys;
pub use two_layer::{Lookups, TwoLayer, TwoLayerError};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
