//! Why two filters cannot be combined.

use core::fmt;

/// Why [`union`](crate::BlockedBloomView::union) or [`intersect`](crate::BlockedBloomView::intersect) refused;
/// the filter is as it was.
///
/// Filters that differ in bits per key, block size or hash function have different types, and do not compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum MergeError {
    /// The filters have different sizes.
    SizeDiffers,
    /// The filters hash with different seeds or keys.
    SeedDiffers,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SizeDiffers => "the filters have different sizes: build both with the same N",
            Self::SeedDiffers => {
                "the filters have different hash seeds: build both with the same one"
            }
        })
    }
}

impl core::error::Error for MergeError {}
