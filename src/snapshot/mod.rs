//! Snapshots: a structure as bytes, to keep it over a reset, to send it, to build it elsewhere.
//!
//! [`Snapshot`] has the methods, for every structure of the crate. The bytes are those of the
//! [format's page](crate::snapshot_format), the same on every target.
//!
//! | I have | I want | use |
//! |---|---|---|
//! | a structure | bytes, a few at a time | [`snapshot`](Snapshot::snapshot) |
//! | a structure with few bits set | as few bytes as possible | [`snapshot_compressed`](Snapshot::snapshot_compressed) |
//! | all bytes in memory | the content replaced, or untouched when they are damaged | [`restore`](Snapshot::restore) |
//! | all bytes in memory | what they hold besides what is there | [`absorb`](Snapshot::absorb) |
//! | a source that can be read twice | the same, without RAM for the bytes | [`check`](Snapshot::check), then [`restore_checked`](Snapshot::restore_checked) or [`absorb_checked`](Snapshot::absorb_checked) |
//! | a source that can be read once | the content replaced, or empty when the bytes are damaged | [`restore_or_clear`](Snapshot::restore_or_clear) |
//! | a snapshot that comes in commands of their own | to let go of the structure in between | [`SnapshotReader::pause`] |
//! | a structure that changes while it is saved | its bytes from any place on, the header last | [`read_payload`](Snapshot::read_payload), [`header_for`](Snapshot::header_for) |
//! | a snapshot in flash | answers, without RAM | [`BlockedBloomRef`], [`ClassicBloomRef`], [`CuckooFilterRef`] |
//!
//! # Examples
//!
//! ```
//! use sundew::BlockedBloom;
//! use sundew::snapshot::{Snapshot, SnapshotError};
//!
//! let mut seen: BlockedBloom<16, 7> = BlockedBloom::new();
//! seen.insert("a");
//! let mut saved = [0; 64 + 16 * 64];
//! seen.snapshot().pull(&mut saved);
//!
//! let mut after_reset: BlockedBloom<16, 7> = BlockedBloom::new();
//! after_reset.restore(&saved)?;
//! assert!(after_reset.contains("a"));
//!
//! // A damaged snapshot is refused, and changes nothing.
//! saved[100] ^= 1;
//! assert_eq!(after_reset.restore(&saved), Err(SnapshotError::PayloadChecksum));
//! assert!(after_reset.contains("a"));
//! # Ok::<(), SnapshotError>(())
//! ```

mod aligned;
mod blocked_bloom_ref;
mod classic_bloom_ref;
mod crc32;
mod cuckoo_filter_ref;
mod error;
pub(crate) mod header;
mod in_place;
pub(crate) mod parts;
mod reader;
mod rice;
mod writer;

pub use aligned::Aligned;
pub use blocked_bloom_ref::BlockedBloomRef;
pub use classic_bloom_ref::ClassicBloomRef;
pub use crc32::Crc32;
pub use cuckoo_filter_ref::CuckooFilterRef;
pub use error::SnapshotError;
pub use header::{Encoding, Header, Kind};
pub use reader::{CheckedSnapshot, PausedReader, SnapshotChecker, SnapshotReader};
pub use writer::SnapshotWriter;

use parts::Parts;

/// A structure that can be saved and restored: all of this crate, and no others.
///
/// It is the view that has the methods; a structure derefs to it. Of an `AtomicBloom`, which is shared, it is a
/// reference to the view: `FILTER.as_view().restore(&bytes)`.
///
/// What [`absorb`](Self::absorb) does depends on the structure. In no case can it make a filter forget a key:
///
/// | structure | `absorb` |
/// |---|---|
/// | `BlockedBloom`, `ClassicBloom`, `AtomicBloom` | the union |
/// | `CountingBloom` | adds the counters, up to 15, like `union` |
/// | `RotatingBloom` | unites generations of the same age |
/// | `CountMinSketch` | adds the counters, up to their maximum, like `merge` |
/// | `HyperLogLog` | counts the different keys of both, like `merge` |
/// | `ScalableBloom`, `CuckooFilter`, `StreamingHyperLogLog` | [`CannotAbsorb`](SnapshotError::CannotAbsorb): a union would break the rate, may not have room, or has no count |
pub trait Snapshot: Parts {
    /// The structure as bytes: 64 of the header, and then its content as it lies in memory.
    ///
    /// The clock of a `RotatingBloom` is not part of it, because after a reset time starts anew. Of an
    /// `AtomicBloom`, keep others from inserting until the last byte is pulled, or [copy](crate::AtomicBloomView::copy_to)
    /// it first: otherwise the checksum, which comes first, may be wrong, and the snapshot is refused when it is
    /// read.
    ///
    /// # Cost
    ///
    /// Reads the whole structure, for the checksum.
    fn snapshot(&self) -> SnapshotWriter<'_, Self> {
        SnapshotWriter::plain(self)
    }

    /// The structure as bytes, fewer when few of its bits are set: at 1 in 100, a twelfth.
    ///
    /// When that would not be fewer, it is [`snapshot`](Self::snapshot). Both are read by the same methods, but for
    /// what is read in place.
    ///
    /// # Cost
    ///
    /// Reads the whole structure twice, for the length and the checksum.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    /// use sundew::snapshot::Snapshot;
    ///
    /// let mut seen: BlockedBloom<512, 7> = BlockedBloom::new(); // 32 KB
    /// for key in 0..100_u32 {
    ///     seen.insert(&key);
    /// }
    /// assert!(seen.snapshot_compressed().header().snapshot_len() < 1_100);
    /// ```
    fn snapshot_compressed(&self) -> SnapshotWriter<'_, Self> {
        SnapshotWriter::compressed(self)
    }

    /// Fills `out` with bytes of the plain payload from `offset` on, and returns how many there were: for whoever
    /// cannot keep the structure from changing between two pieces, and writes the [header](Self::header_for) last.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    /// use sundew::snapshot::{Crc32, Header, Snapshot};
    ///
    /// let mut seen: BlockedBloom<16, 7> = BlockedBloom::new();
    /// let mut slot = [0; 64 + 16 * 64];
    /// let (header, payload) = slot.split_at_mut(Header::LEN);
    /// let mut crc = Crc32::new();
    /// for (number, page) in payload.chunks_mut(256).enumerate() {
    ///     seen.read_payload(number as u64 * 256, page);
    ///     crc.write(page);
    ///     seen.insert(&(number as u32)); // in this snapshot, or in part
    /// }
    /// header.copy_from_slice(&seen.header_for(crc.finish()).to_bytes());
    /// assert!(seen.restore(&slot).is_ok());
    /// ```
    fn read_payload(&self, offset: u64, out: &mut [u8]) -> usize {
        SnapshotWriter::read_payload(self, offset, out)
    }

    /// The header of a plain snapshot whose payload has this [`Crc32`], with the counts of now.
    ///
    /// Of filters that only set bits, a payload that was read while keys were inserted has every key from before
    /// the first piece. Others must not change meanwhile: a cuckoo filter moves fingerprints from pieces that are
    /// not yet read to such as are.
    fn header_for(&self, payload_crc: u32) -> Header {
        writer::plain_header(self, payload_crc)
    }

    /// Replaces the content by that of a snapshot that lies in memory.
    ///
    /// An `AtomicBloom` forgets keys that others insert while this runs.
    ///
    /// # Cost
    ///
    /// Reads the bytes twice.
    ///
    /// # Errors
    ///
    /// When the snapshot is damaged, incomplete, followed by other bytes, or of another structure; this one is as
    /// it was.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let checked = checked(self, bytes)?;
        load(self.restore_checked(checked), bytes)
    }

    /// Adds the content of a snapshot that lies in memory: nothing is forgotten. See [the trait](Snapshot) for what
    /// that means.
    ///
    /// # Cost
    ///
    /// Reads the bytes twice.
    ///
    /// # Errors
    ///
    /// As for [`restore`](Self::restore), and for structures that cannot be united; this one is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    /// use sundew::snapshot::Snapshot;
    ///
    /// let mut here: BlockedBloom<16, 7> = BlockedBloom::new();
    /// let mut there: BlockedBloom<16, 7> = BlockedBloom::new();
    /// here.insert("a");
    /// there.insert("b");
    /// let mut bytes = [0; 64 + 16 * 64];
    /// there.snapshot().pull(&mut bytes);
    /// here.absorb(&bytes)?;
    /// assert!(here.contains("a") && here.contains("b"));
    /// # Ok::<(), sundew::snapshot::SnapshotError>(())
    /// ```
    fn absorb(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let checked = checked(self, bytes)?;
        load(self.absorb_checked(checked), bytes)
    }

    /// Begins the first of two passes over a snapshot that comes in pieces: is it whole, and does it fit? The
    /// structure can be used meanwhile.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    /// use sundew::snapshot::Snapshot;
    /// # let mut file = [0; 64 + 16 * 64];
    /// # BlockedBloom::<16, 7>::new().snapshot().pull(&mut file);
    ///
    /// let mut seen: BlockedBloom<16, 7> = BlockedBloom::new();
    /// let mut checker = seen.check();
    /// for packet in file.chunks(100) {
    ///     checker.push(packet)?;
    /// }
    /// let checked = checker.finish()?;
    ///
    /// let mut reader = seen.restore_checked(checked);
    /// for packet in file.chunks(100) {
    ///     reader.push(packet)?;
    /// }
    /// reader.finish()?;
    /// # Ok::<(), sundew::snapshot::SnapshotError>(())
    /// ```
    fn check(&self) -> SnapshotChecker {
        SnapshotChecker::new(self)
    }

    /// Begins the second pass: replaces the content.
    ///
    /// When the bytes are not those of the first pass, the reader gives an error:
    /// [`Changed`](SnapshotError::Changed) when it is the header that differs, and the structure is as it was; when
    /// the payload does, the structure is empty.
    fn restore_checked(&mut self, checked: CheckedSnapshot) -> SnapshotReader<'_, Self> {
        SnapshotReader::new(self, Some(checked), false)
    }

    /// Begins the second pass: adds the content. See [the trait](Snapshot) for what that means.
    ///
    /// When the bytes are not those of the first pass, the reader gives an error:
    /// [`Changed`](SnapshotError::Changed) when it is the header that differs, and the structure is as it was; when
    /// the payload does, part of it was added, and nothing is forgotten.
    fn absorb_checked(&mut self, checked: CheckedSnapshot) -> SnapshotReader<'_, Self> {
        SnapshotReader::new(self, Some(checked), true)
    }

    /// Replaces the content in one pass, and leaves the structure *empty* when the snapshot turns out to be damaged.
    ///
    /// For a source that can be read only once. As long as the header is not complete, or when it does not fit, the
    /// structure is as it was. From the first byte of the payload on the old content is gone, and until
    /// [`finish`](SnapshotReader::finish) has returned `Ok`, the end is empty.
    fn restore_or_clear(&mut self) -> SnapshotReader<'_, Self> {
        SnapshotReader::new(self, None, false)
    }

    /// Adds the content in one pass, and leaves what was added when the snapshot turns out to be damaged.
    ///
    /// For a source that can be read only once. Nothing is forgotten, but bits that are none of any key raise the
    /// rate, and counts; how many, nobody knows. As long as the header is not complete, or when it does not fit, the
    /// structure is as it was.
    fn absorb_unchecked(&mut self) -> SnapshotReader<'_, Self> {
        SnapshotReader::new(self, None, true)
    }
}

impl<T: Parts + ?Sized> Snapshot for T {}

fn checked<T: Parts + ?Sized>(target: &T, bytes: &[u8]) -> Result<CheckedSnapshot, SnapshotError> {
    let mut checker = SnapshotChecker::new(target);
    checker.push(bytes)?;
    checker.finish()
}

fn load<T: Parts + ?Sized>(
    mut reader: SnapshotReader<'_, T>,
    bytes: &[u8],
) -> Result<(), SnapshotError> {
    reader.push(bytes)?;
    reader.finish()
}
