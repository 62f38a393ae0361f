//! Why nothing was saved, or restored.

use core::fmt;

use crate::snapshot::SnapshotError;

/// Why a save ended, or a structure was not restored.
///
/// No error harms the save before: the next boot finds it. The structures in RAM go on serving. Addresses are
/// offsets in the flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum StoreError {
    /// The region is not made of whole erase pages of this flash, or too small for two slots.
    Region,
    /// A slot has no room for so much.
    Full,
    /// A name has more than [`Name::MAX_LEN`](super::Name::MAX_LEN) bytes.
    NameTooLong,
    /// [`Store::begin`](super::Store::begin) comes first; after an error, again.
    NotSaving,
    /// [`Store::commit`](super::Store::commit) came before the last structure was written.
    Unfinished,
    /// While it was written, a structure was replaced by another, or one that does not allow it was changed.
    Changed,
    /// There is no more room, or no sense, in writing what changed since the last full save.
    /// [Begin](super::Store::begin_changes) again; it will be a full one.
    ChangesFull,
    /// The flash could not read here.
    Read(u32),
    /// The flash could not write here.
    Write(u32),
    /// The flash could not erase the page here.
    Erase(u32),
    /// The flash does not hold here what was written: it is worn out, or not erased.
    Worn(u32),
    /// What was saved does not fit the structure that is to be restored.
    Snapshot(SnapshotError),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, address) = match self {
            Self::Region => {
                return f.write_str("the flash region must be whole pages, enough for two slots");
            }
            Self::Full => {
                return f.write_str("a slot has no room for so much: make the region larger");
            }
            Self::NameTooLong => return f.write_str("the name is too long to be saved"),
            Self::NotSaving => return f.write_str("no save is running: begin one"),
            Self::Unfinished => return f.write_str("a structure is not yet written to its end"),
            Self::Changed => {
                return f.write_str("a structure changed while it was saved: save again");
            }
            Self::ChangesFull => {
                return f.write_str("no room for changes behind the last full save: begin again");
            }
            Self::Read(address) => ("cannot be read", address),
            Self::Write(address) => ("cannot be written", address),
            Self::Erase(address) => ("cannot be erased", address),
            Self::Worn(address) => ("does not hold what was written", address),
            Self::Snapshot(error) => return error.fmt(f),
        };
        write!(f, "flash {what} at {address:#x}")
    }
}

impl core::error::Error for StoreError {}

impl From<SnapshotError> for StoreError {
    fn from(error: SnapshotError) -> Self {
        Self::Snapshot(error)
    }
}
