//! Have I seen this before? Fixed-size probabilistic sets in static RAM, for machines with almost no memory.
//!
//! No heap, no `unsafe`, no floating point at run time, no panic on any input. Sizes are const generics, so a
//! filter is a `static` whose RAM the linker counts, and a bad size does not compile.
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
//! | a fixed deny list in flash, without RAM | [`BlockedBloom::with_keys`] |
//! | to know how large | [`sizing`], [`profile`] |
//! | to know how full | [`Stats`] |
//!
//! Which bytes a key becomes is on [`Key`], which hash to choose in [`hash`], and how a hash becomes bits, for
//! whoever builds filters in another language, in [`hashing`].

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod block;
mod blocked_bloom;
mod classic_bloom;
mod copy;
mod core_kind;
pub mod hash;
mod key;
mod merge_error;
pub mod profile;
pub mod shell;
pub mod sizing;
mod stats;

#[doc = include_str!("../docs/hashing.md")]
pub mod hashing {}

pub use block::{Block, Block512, Block1024, Block2048, Block4096, Block8192};
pub use blocked_bloom::{BlockedBloom, BlockedBloomInner, BlockedBloomView};
pub use classic_bloom::{ClassicBloom, ClassicBloomInner, ClassicBloomView};
pub use key::{Key, Sink};
pub use merge_error::MergeError;
pub use stats::Stats;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
