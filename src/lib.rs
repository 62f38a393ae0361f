//! x
#![cfg_attr(not(test), no_std)]
mod block;
mod blocked_bloom;
pub mod hash;
mod core_kind;
mod key;
mod merge_error;
/// doc
pub mod hashing {}

pub use block::*;
pub use blocked_bloom::*;
pub use key::*;
