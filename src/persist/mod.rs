//! Snapshots in flash that outlive a power failure at any moment, over embedded-storage's [`NorFlash`].
//!
//! A [`Store`] divides a region of flash into slots. A save writes one slot, never the newest, and becomes valid
//! with the very last write; at boot the newest slot that is valid counts. So a save that breaks off, wherever it
//! does, leaves the one before. Slots take turns, which spreads the wear. What is in a slot is the
//! [snapshot format](crate::snapshot_format), plain and aligned, so that it can also be read
//! [in place](crate::snapshot::BlockedBloomRef); what is around it, and what it costs the flash, is in
//! `docs/persistence.md`.
//!
//! # Saving while the device works
//!
//! Everything is in RAM and stays in use. A call of [`Store::step`] does one operation of the flash at most, an erase
//! of one page or a write of 64 bytes, and in between the device answers. What is inserted between the first step
//! of a structure and its last may be in the save or not; every key from before is in it. That holds for every
//! structure to which keys are only added, because they only set bits or raise counters, and the checksum is that
//! of the bytes as they were written, not of the structure at any one moment. Two remarks:
//!
//! - A cuckoo filter moves fingerprints when it inserts, and one that moves from a part that is yet to be written to
//!   one that is written would be lost. So the last step of a cuckoo filter compares all of it, and gives
//!   [`StoreError::Changed`] when something was inserted or removed meanwhile. Where keys come all the time, save
//!   it at once with [`Store::save`].
//! - Who removes keys, clears or replaces a structure that is being saved gets a save with something of both;
//!   [begin](Store::begin) anew.
//!
//! # Only what changed
//!
//! [`Store::begin_changes`] writes, behind the last full save, only the pieces of 64 bytes that changed. With ten inserts
//! between two saves of a filter of 32 KB that is a twentieth of the bytes and erases; with a thousand it is no gain.
//! `docs/persistence.md` has the numbers.
//!
//! # Why not sequential-storage or ekv
//!
//! Both were examined, sequential-storage 8.0 and ekv 1.0, and both are good at what they are for, many small
//! items:
//!
//! - sequential-storage wants an item to fit a page, and a buffer in RAM of the size of the item. A filter of many
//!   pages would be many items, and nothing makes them valid together: a power failure between two leaves a mixture
//!   of old and new. Its operations are futures that must not be dropped, and one may erase and move a whole page.
//! - ekv has transactions over many keys, but copies values as it merges its tree, so that a slice of a save has no
//!   bound and a byte is written several times; it writes words of 4 bytes at most (STM32L4, G0 and others have 8),
//!   needs its own flash trait, futures and a random number at boot, and its values cannot be read in place.
//!
//! # Examples
//!
//! ```
//! use sundew::BlockedBloom;
//! use sundew::persist::{Progress, Store, StoreError};
//! # use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};
//! # struct Flash([u8; 8192]);
//! # impl ErrorType for Flash { type Error = NorFlashErrorKind; }
//! # impl ReadNorFlash for Flash {
//! #     const READ_SIZE: usize = 1;
//! #     fn read(&mut self, at: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
//! #         bytes.copy_from_slice(&self.0[at as usize..][..bytes.len()]);
//! #         Ok(())
//! #     }
//! #     fn capacity(&self) -> usize { self.0.len() }
//! # }
//! # impl NorFlash for Flash {
//! #     const WRITE_SIZE: usize = 4;
//! #     const ERASE_SIZE: usize = 1024;
//! #     fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
//! #         self.0[from as usize..to as usize].fill(0xFF);
//! #         Ok(())
//! #     }
//! #     fn write(&mut self, at: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
//! #         for (old, new) in self.0[at as usize..].iter_mut().zip(bytes) { *old &= new; }
//! #         Ok(())
//! #     }
//! # }
//! # let mut flash = Flash([0xFF; 8192]);
//! let mut seen: BlockedBloom<16, 7> = BlockedBloom::new();
//! let mut store = Store::open(&mut flash, 0..8192, 2)?;
//! // At boot. False: nothing was ever saved.
//! assert!(!store.restore(b"seen", seen.as_mut_view())?);
//! seen.insert("a");
//!
//! // A save, in slices. The stamp is whatever the device calls the time.
//! store.begin(1_700_000_000);
//! while store.step(b"seen", seen.as_view())? == Progress::Working {
//!     // Answer the console.
//! }
//! store.commit()?;
//! assert_eq!(store.last_save().map(|save| save.stamp), Some(1_700_000_000));
//!
//! // The next boot.
//! let mut after_reset: BlockedBloom<16, 7> = BlockedBloom::new();
//! let mut store = Store::open(&mut flash, 0..8192, 2)?;
//! assert!(store.restore(b"seen", after_reset.as_mut_view())?);
//! assert!(after_reset.contains("a"));
//! # Ok::<(), StoreError>(())
//! ```

mod error;
mod heads;
mod restoring;
mod saving;

use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use crate::snapshot::Header;
pub use error::StoreError;
pub use heads::Name;
use heads::{PIECE, SlotHead};
pub use restoring::Place;
use saving::Saving;

const PIECE_LEN: u32 = PIECE as u32;
/// Bytes in front of a payload: the record's head with the name, and the snapshot's header.
const HEADS_LEN: u32 = 2 * PIECE_LEN;
/// The most pieces that are looked at to find one that may have changed: a bound of the work in a step.
const MAX_SEARCH: u32 = 128;

/// Slots in a region of flash, each for one save of one structure or several.
///
/// It owns the flash, or a `&mut` to it, and takes 256 bytes of RAM besides.
///
/// A word whose programming was cut off is taken to read the same from then on. Where a flash does not promise that,
/// have three slots: the save after next is the first that overwrites what such a word may have decided.
#[derive(Debug)]
pub struct Store<F> {
    flash: F,
    /// The first slot; the others follow.
    start: u32,
    slot_len: u32,
    num_slots: u32,
    newest: Option<LastSave>,
    /// More than that of any slot, valid or not.
    next_sequence: u64,
    next_slot: u32,
    saving: Option<Saving>,
    /// Bytes of the newest slot that are erased, where changes can be written. Not known after a boot, when there may
    /// be half a piece.
    erased: Option<u32>,
    failure: Option<StoreError>,
}

/// Whether there is more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "until it is done there is nothing"]
pub enum Progress {
    /// Call again.
    Working,
    /// The structure is written. It counts once the save is [committed](Store::commit).
    Done,
}

/// What is known of the newest save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub struct LastSave {
    /// Counts saves over the life of the flash, from 1.
    pub sequence: u64,
    /// What [`Store::begin`] was given.
    pub stamp: u64,
    /// How many structures it holds.
    pub num_records: u32,
    /// How many times what changed was written behind a full save.
    pub num_changes: u32,
    /// How many bytes of the slot it takes.
    pub bytes: u32,
    /// Which slot it is in, from 0.
    pub slot: u32,
    /// Bytes of the slot head and the records; changes follow.
    image_len: u32,
    /// Pieces that are looked at to find one that may have changed.
    search_len: u32,
}

/// A structure in the newest save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// What it was saved under.
    pub name: Name,
    /// What its snapshot says about itself: which structure, of which size.
    pub header: Header,
    /// Where its snapshot begins, as an offset in the flash: for flash that is mapped into memory, to read it
    /// [in place](crate::snapshot::BlockedBloomRef), as it was in the last full save. Stays there until the next
    /// full save but one, or more with more slots.
    pub offset: u32,
    save: LastSave,
    /// Where in the slot it begins.
    start: u32,
}

impl<F: NorFlash> Store<F> {
    /// Finds the newest valid save in a region of flash, a range of offsets, that is divided into so many slots.
    ///
    /// Region and number of slots must be the same at every boot. A slot, which is of whole pages, needs
    /// 64 bytes, and for each structure 128 and its payload, rounded up to 64; for
    /// [changes](Self::begin_changes), as much again.
    ///
    /// # Cost
    ///
    /// Reads the head of every slot, and all of the newest; of older ones when that is damaged. Nothing is written.
    ///
    /// # Errors
    ///
    /// [`Region`](StoreError::Region), when it does not fit the flash. A slot that cannot be read counts as damaged.
    pub fn open(flash: F, region: Range<u32>, num_slots: u32) -> Result<Self, StoreError> {
        const {
            assert!(
                F::WRITE_SIZE > 0 && PIECE.is_multiple_of(F::WRITE_SIZE),
                "Store: 64 bytes, which are written at a time, must be whole words of the flash"
            );
            assert!(
                F::READ_SIZE > 0 && PIECE.is_multiple_of(F::READ_SIZE),
                "Store: 64 bytes, which are read at a time, must be whole words of the flash"
            );
            assert!(
                F::ERASE_SIZE > 0 && F::ERASE_SIZE.is_multiple_of(PIECE),
                "Store: a page of the flash must be a multiple of 64 bytes"
            );
        }
        let page = F::ERASE_SIZE as u32;
        let region_len = region.end.saturating_sub(region.start);
        if num_slots < 2
            || region.end as usize > flash.capacity()
            || !region.start.is_multiple_of(page)
            || !region.end.is_multiple_of(page)
        {
            return Err(StoreError::Region);
        }
        let slot_len = region_len / num_slots / page * page;
        if slot_len == 0 {
            return Err(StoreError::Region);
        }
        let mut store = Self {
            flash,
            start: region.start,
            slot_len,
            num_slots,
            newest: None,
            next_sequence: 1,
            next_slot: 0,
            saving: None,
            erased: None,
            failure: None,
        };
        store.find_newest();
        Ok(store)
    }

    /// The newest save, if there is one.
    pub const fn last_save(&self) -> Option<&LastSave> {
        self.newest.as_ref()
    }

    /// Why the last save failed; none when none did since the last one that did not.
    pub const fn failure(&self) -> Option<StoreError> {
        self.failure
    }

    /// Whether a save was begun and neither committed nor given up.
    pub const fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// How many bytes of structures and heads one save can take.
    pub const fn slot_len(&self) -> u32 {
        self.slot_len
    }

    /// The flash, to be used for something else.
    pub fn into_flash(self) -> F {
        self.flash
    }

    fn slot_start(&self, slot: u32) -> u32 {
        self.start + slot * self.slot_len
    }

    fn slot_after(&self, slot: u32) -> u32 {
        if slot + 1 < self.num_slots {
            slot + 1
        } else {
            0
        }
    }

    fn read(&mut self, offset: u32) -> Result<[u8; PIECE], StoreError> {
        let mut piece = [0; PIECE];
        match self.flash.read(offset, &mut piece) {
            Ok(()) => Ok(piece),
            Err(_) => Err(StoreError::Read(offset)),
        }
    }
}

impl LastSave {
    /// A full save.
    fn new(slot: u32, head: &SlotHead) -> Self {
        Self {
            sequence: head.sequence,
            stamp: head.stamp,
            num_records: head.num_records,
            num_changes: 0,
            bytes: head.used,
            slot,
            image_len: head.used,
            search_len: 0,
        }
    }

    /// With the changes that a head ends.
    fn followed_by(self, head: &SlotHead, bytes: u32, search_len: u32) -> Self {
        Self {
            sequence: head.sequence,
            stamp: head.stamp,
            num_records: head.num_records,
            num_changes: self.num_changes + 1,
            bytes,
            search_len,
            ..self
        }
    }
}

/// Where a record ends that begins at `start`.
fn record_end(start: u32, payload_len: u32) -> Option<u32> {
    let payload = payload_len.checked_next_multiple_of(PIECE_LEN)?;
    start.checked_add(HEADS_LEN)?.checked_add(payload)
}
