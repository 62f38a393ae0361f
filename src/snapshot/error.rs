//! Why a snapshot was refused.

use core::fmt;

/// Why a snapshot was refused. What became of the filter is on the method that gives the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum SnapshotError {
    /// It ends before its header or its payload does.
    Truncated,
    /// It goes on after its payload.
    TooLong,
    /// It does not begin as a snapshot does.
    Magic,
    /// It has another version of the format than this crate knows.
    Version,
    /// Its header was damaged.
    HeaderChecksum,
    /// It is of another structure: of a cuckoo filter, say, when this is a Bloom filter.
    Kind,
    /// Its structure hashes with another function.
    Hash,
    /// Its structure has another size, block, number of bits per key, of stages, of generations or rate.
    Geometry,
    /// Its structure hashes with another seed or key.
    Seed,
    /// Its payload is coded in a way that is not known, or not one that can be read here: in place only what is
    /// not compressed can.
    Encoding,
    /// Its payload has not the length that the geometry asks for.
    Length,
    /// It says of its structure what cannot be.
    State,
    /// Its payload was damaged.
    PayloadChecksum,
    /// Its compressed payload does not make sense, although the checksum is right.
    Payload,
    /// Structures of this kind cannot be united; `restore` replaces one.
    CannotAbsorb,
    /// It is not the snapshot that was checked before.
    Changed,
    /// It is to be read in place, but does not begin at a multiple of four bytes.
    Unaligned,
}

impl SnapshotError {
    /// What [`Display`](fmt::Display) writes, without its machinery.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Truncated => "the snapshot ends too early",
            Self::TooLong => "there are bytes after the end of the snapshot",
            Self::Magic => "this is not a snapshot",
            Self::Version => "the snapshot has a version that is not known here",
            Self::HeaderChecksum => "the snapshot's header is damaged",
            Self::Kind => "the snapshot is of another structure",
            Self::Hash => "the snapshot is of another hash function",
            Self::Geometry => "the snapshot is of another size, or of other parameters",
            Self::Seed => "the snapshot is of another seed or key",
            Self::Encoding => "the snapshot is coded in a way that cannot be read here",
            Self::Length => "the snapshot's length is not that of its structure",
            Self::State => "the snapshot's header says what cannot be",
            Self::PayloadChecksum => "the snapshot's payload is damaged",
            Self::Payload => "the snapshot's compressed payload makes no sense",
            Self::CannotAbsorb => "structures of this kind cannot be united: restore replaces one",
            Self::Changed => "this is not the snapshot that was checked",
            Self::Unaligned => {
                "the snapshot must begin at a multiple of 4 bytes: wrap it in Aligned"
            }
        }
    }
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::error::Error for SnapshotError {}
