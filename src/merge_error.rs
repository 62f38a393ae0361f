//! Why two filters or sketches cannot be combined.

use core::fmt;

/// Why [`union`](crate::BlockedBloomView::union), [`intersect`](crate::BlockedBloomView::intersect) or `merge`
/// ([of counts](crate::CountMinSketchView::merge), [of different keys](crate::HyperLogLogView::merge)) refused; the
/// filter or sketch is as it was.
///
/// Those that differ in bits per key, block size, counter or hash function have different types, and do not
/// compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum MergeError {
    /// They have different sizes.
    SizeDiffers,
    /// They hash with different seeds or keys.
    SeedDiffers,
    /// They differ in bits per key or strategy, where these are not in the type
    /// ([`GuavaBloom`](crate::GuavaBloom)).
    ShapeDiffers,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SizeDiffers => "the sizes differ: build both with the same one",
            Self::SeedDiffers => "the hash seeds differ: build both with the same one",
            Self::ShapeDiffers => {
                "the bits per key or the strategies differ: build both with the same ones"
            }
        })
    }
}

impl core::error::Error for MergeError {}
