//! Filters of round sizes, by name.
//!
//! A profile fixes blocks and probes, and says how many keys it holds at 1 %.
//!
//! # Examples
//!
//! ```
//! use sundew::profile;
//!
//! static SEEN: profile::Kb8 = profile::Kb8::new();
//!
//! assert_eq!(profile::KB8.bytes(), 8 * 1024);
//! assert!(profile::KB8.capacity > 6_500);
//! # assert!(!SEEN.contains(b"key"));
//! ```

use crate::blocked_bloom::BlockedBloom;
use crate::sizing::{Layout, Plan, Rate, blocked_rate};

/// A size of filter: 512-bit blocks, 32-bit hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// What to call it, in lower case.
    pub name: &'static str,
    /// Blocks of 64 bytes.
    pub blocks: usize,
    /// Probes per key.
    pub k: usize,
    /// Keys that it holds at 1 %.
    pub capacity: u64,
}

impl Profile {
    const fn for_kibibytes(name: &'static str, kibibytes: u64) -> Self {
        let plan = Plan::for_ram(kibibytes * 1024, Rate::percent(1));
        Self {
            name,
            blocks: plan.blocks(),
            k: plan.k(),
            capacity: plan.keys(),
        }
    }

    /// Bytes of all blocks. A filter has its hash besides, and is a multiple of 64 bytes.
    pub const fn bytes(&self) -> usize {
        self.blocks * (Layout::DEFAULT.block_bits / 8) as usize
    }

    /// The rate to expect with so many keys in.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::profile::DOCUMENT;
    ///
    /// assert_eq!(DOCUMENT.rate(DOCUMENT.capacity).to_string(), "0.99 %");
    /// assert_eq!(DOCUMENT.rate(2 * DOCUMENT.capacity).to_string(), "14.24 %");
    /// ```
    pub const fn rate(&self, keys: u64) -> Rate {
        blocked_rate(keys, self.blocks as u32, self.k as u32, Layout::DEFAULT)
    }
}

/// A million keys at 10 bits each, in 1.25 MB.
///
/// The rate is 0.97 % for the bits and 0.02 % for keys with the same 32-bit hash.
pub const DOCUMENT: Profile = Profile {
    name: "document",
    blocks: 19_532,
    k: 7,
    capacity: 1_000_000,
};
/// 4 KiB.
pub const KB4: Profile = Profile::for_kibibytes("kb4", 4);
/// 8 KiB.
pub const KB8: Profile = Profile::for_kibibytes("kb8", 8);
/// 32 KiB.
pub const KB32: Profile = Profile::for_kibibytes("kb32", 32);
/// 128 KiB.
pub const KB128: Profile = Profile::for_kibibytes("kb128", 128);
/// 192 KiB.
pub const KB192: Profile = Profile::for_kibibytes("kb192", 192);

/// All profiles, the smallest first.
pub const ALL: [Profile; 6] = [KB4, KB8, KB32, KB128, KB192, DOCUMENT];

/// The filter of [`DOCUMENT`].
pub type Document = BlockedBloom<{ DOCUMENT.blocks }, { DOCUMENT.k }>;
/// The filter of [`KB4`].
pub type Kb4 = BlockedBloom<{ KB4.blocks }, { KB4.k }>;
/// The filter of [`KB8`].
pub type Kb8 = BlockedBloom<{ KB8.blocks }, { KB8.k }>;
/// The filter of [`KB32`].
pub type Kb32 = BlockedBloom<{ KB32.blocks }, { KB32.k }>;
/// The filter of [`KB128`].
pub type Kb128 = BlockedBloom<{ KB128.blocks }, { KB128.k }>;
/// The filter of [`KB192`].
pub type Kb192 = BlockedBloom<{ KB192.blocks }, { KB192.k }>;
