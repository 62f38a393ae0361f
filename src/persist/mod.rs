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

use core::ops::Range;

use embedded_storage::nor_flash::NorFlash;

use crate::snapshot::{Crc32, Header, Kind, Snapshot};
pub use error::StoreError;
pub use heads::Name;
use heads::{ChangeIndex, PIECE, SlotHead};

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

#[derive(Clone, Debug)]
struct Saving {
    slot: u32,
    sequence: u64,
    stamp: u64,
    /// Bytes of the slot that are erased.
    erased: u32,
    /// Bytes of the slot that are written, but for its head.
    used: u32,
    num_records: u32,
    current: Option<Current>,
    changes: Option<Changes>,
}

/// What changed since the save before.
#[derive(Clone, Debug)]
struct Changes {
    since: LastSave,
    /// Where the index that is being filled will be.
    start: u32,
    index: ChangeIndex,
    num_indices: u32,
}

/// The structure that is being written.
#[derive(Clone, Debug)]
struct Current {
    /// To notice when the caller goes on with another.
    name_crc: u32,
    payload_len: u32,
    /// Bytes of the payload that are written.
    written: u32,
    crc: Crc32,
    is_header_written: bool,
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

    fn find_newest(&mut self) {
        // Without a list of the slots, which would have no bound: from the newest down until one is whole.
        let mut before = u64::MAX;
        loop {
            let mut newest = None;
            for slot in 0..self.num_slots {
                let Some(head) = self.slot_head(slot) else {
                    continue;
                };
                let last = self.follow_changes(LastSave::new(slot, &head)).sequence;
                self.next_sequence = self.next_sequence.max(last.saturating_add(1));
                let is_newer =
                    newest.is_none_or(|(_, other): (u32, SlotHead)| head.sequence > other.sequence);
                if head.sequence < before && is_newer {
                    newest = Some((slot, head));
                }
            }
            let Some((slot, head)) = newest else {
                return;
            };
            let full = LastSave::new(slot, &head);
            for save in [self.follow_changes(full), full] {
                if self.is_whole(&save) {
                    self.newest = Some(save);
                    self.next_slot = self.slot_after(slot);
                    return;
                }
            }
            before = head.sequence;
        }
    }

    /// The last state of a slot, with the changes that were committed after its full save.
    fn follow_changes(&mut self, mut save: LastSave) -> LastSave {
        let (mut at, mut search_len) = (save.bytes, 0);
        while at < self.slot_len && search_len < MAX_SEARCH {
            let Ok(piece) = self.read(self.slot_start(save.slot) + at) else {
                break;
            };
            search_len += 1;
            // What a slot held in an earlier life has a lower sequence.
            let sequence = save.sequence.saturating_add(1);
            let head = SlotHead::parse(&piece).filter(|head| head.sequence == sequence);
            if let Some(index) = ChangeIndex::parse(&piece) {
                at += index.len();
            } else if let Some(head) = head {
                at += PIECE_LEN;
                save = save.followed_by(&head, at, search_len);
            } else {
                break;
            }
        }
        save
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

    /// Begins a save; one that is running is given up. `stamp` comes back in [`last_save`](Self::last_save): the
    /// time, if the device knows it.
    ///
    /// Then [`step`](Self::step) for each structure until it is done, and [`commit`](Self::commit). The flash is not
    /// touched yet.
    pub fn begin(&mut self, stamp: u64) {
        // With two slots, one that has failed gets another chance.
        if self.newest.is_some_and(|save| save.slot == self.next_slot) {
            self.next_slot = self.slot_after(self.next_slot);
        }
        self.saving = Some(Saving {
            slot: self.next_slot,
            sequence: self.next_sequence,
            stamp,
            erased: 0,
            used: PIECE_LEN,
            num_records: 0,
            current: None,
            changes: None,
        });
    }

    /// Begins a save that writes only what changed since the one before, where that is possible: when there is room in
    /// the slot behind the last full save, and that was not before the last boot. Otherwise, a full one.
    ///
    /// It goes on like a save that was [begun](Self::begin) in full, with the same structures in the same order. That
    /// it pays is a matter of how many keys come between two saves: see `docs/persistence.md`. A slot should have room
    /// for a full save and as much again.
    ///
    /// # Cost
    ///
    /// A [`step`](Self::step) may read up to 128 pieces of 64 bytes to find out whether one has changed. So may
    /// [`restore`](Self::restore), for each 64 bytes.
    ///
    /// # Errors
    ///
    /// None here; a step or the commit may give [`ChangesFull`](StoreError::ChangesFull). Then begin again with the
    /// first structure, and it will be a full save.
    pub fn begin_changes(&mut self, stamp: u64) {
        self.begin(stamp);
        // Taken: when it comes to no end, nobody knows any more what is blank.
        if let (Some(erased), Some(since), Some(saving)) =
            (self.erased.take(), self.newest, &mut self.saving)
        {
            saving.slot = since.slot;
            saving.erased = erased;
            saving.changes = Some(Changes {
                since,
                start: since.bytes,
                index: ChangeIndex {
                    count: 0,
                    offsets: [0; ChangeIndex::CAPACITY],
                },
                num_indices: 0,
            });
        }
    }

    /// Gives up the save that is running, if one is. The one before counts.
    pub fn cancel(&mut self) {
        self.saving = None;
    }

    /// Writes a little more of a structure into the save that was begun. The next structure comes when this one is
    /// [`Done`](Progress::Done).
    ///
    /// Keys may be inserted between two calls; see [the module](self) for what of that is in the save.
    ///
    /// # Cost
    ///
    /// One operation of the flash at most: an erase of one page, or a write of 64 bytes, which are read back. One
    /// step of a cuckoo filter, near the end, reads all of the filter. How many instructions that is, and how long an
    /// operation takes, is in `docs/persistence.md`.
    ///
    /// # Errors
    ///
    /// All end the save, but for [`NotSaving`](StoreError::NotSaving): the one before counts, and the next to be
    /// begun tries another slot if there are three.
    pub fn step<T: Snapshot + ?Sized>(
        &mut self,
        name: &[u8],
        structure: &T,
    ) -> Result<Progress, StoreError> {
        let mut saving = self.saving.take().ok_or(StoreError::NotSaving)?;
        let result = self.advance(&mut saving, name, structure);
        self.conclude_step(saving, result)
    }

    fn conclude_step<R>(
        &mut self,
        saving: Saving,
        result: Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        match result {
            Ok(_) => self.saving = Some(saving),
            Err(StoreError::ChangesFull) => {}
            Err(error) => {
                self.failure = Some(error);
                self.next_slot = self.slot_after(saving.slot);
            }
        }
        result
    }

    fn advance<T: Snapshot + ?Sized>(
        &mut self,
        saving: &mut Saving,
        name: &[u8],
        structure: &T,
    ) -> Result<Progress, StoreError> {
        let start = saving.used;
        let payload_len = payload_len(structure)?;
        let name_crc = Crc32::of(name);
        let end = record_end(start, payload_len)
            .filter(|end| *end <= self.slot_len)
            .ok_or(StoreError::Full)?;
        let record = Name::new(name).ok_or(StoreError::NameTooLong)?;
        let current = saving.current.get_or_insert(Current {
            name_crc,
            payload_len,
            written: 0,
            crc: Crc32::new(),
            is_header_written: false,
        });
        if (current.name_crc, current.payload_len) != (name_crc, payload_len) {
            return Err(StoreError::Changed);
        }

        // The payload first, because keys may come until it is written; only then its checksum is known.
        if current.written < payload_len {
            let mut piece = [u8::MAX; PIECE];
            let length = structure.read_payload(current.written.into(), &mut piece);
            let place = start + HEADS_LEN + current.written;
            if self.put(saving, place, &piece)?
                && let Some(current) = &mut saving.current
            {
                current.crc.write(piece.get(..length).unwrap_or_default());
                current.written += length as u32;
            }
            return Ok(Progress::Working);
        }
        if !current.is_header_written {
            let payload_crc = current.crc.finish();
            let header = structure.header_for(payload_crc);
            if header.kind == Kind::CUCKOO
                && structure.snapshot().header().payload_crc != payload_crc
            {
                return Err(StoreError::Changed);
            }
            let is_put = self.put(saving, start + PIECE_LEN, &header.to_bytes())?;
            if let Some(current) = &mut saving.current {
                current.is_header_written = is_put;
            }
            return Ok(Progress::Working);
        }
        if !self.put(saving, start, &record.to_bytes())? {
            return Ok(Progress::Working);
        }
        saving.used = end;
        saving.num_records += 1;
        saving.current = None;
        Ok(Progress::Done)
    }

    /// Brings a piece to its place in the slot, or behind it if it has changed. False: something else had to be done
    /// first, and this comes again.
    fn put(
        &mut self,
        saving: &mut Saving,
        place: u32,
        piece: &[u8; PIECE],
    ) -> Result<bool, StoreError> {
        let base = self.slot_start(saving.slot);
        let Some(changes) = &mut saving.changes else {
            // The page with the head of the slot is the first: what the slot held is gone before any of it changes.
            if saving.erased < place + PIECE_LEN {
                self.erase_next(saving)?;
                return Ok(false);
            }
            self.write(base + place, piece)?;
            return Ok(true);
        };
        if self.read_saved(&changes.since, place)? == *piece {
            return Ok(true);
        }
        let index = &mut changes.index;
        let Some(offset) = index.offsets.get_mut(index.count as usize) else {
            self.write(base + changes.start, &index.to_bytes())?;
            changes.start += index.len();
            changes.num_indices += 1;
            index.count = 0;
            return Ok(false);
        };
        let at = changes.start + PIECE_LEN * (1 + index.count);
        // One more index, and the head that ends it.
        let search_len = changes.since.search_len + changes.num_indices + 2;
        if at + 2 * PIECE_LEN > self.slot_len || search_len > MAX_SEARCH {
            return Err(StoreError::ChangesFull);
        }
        if saving.erased < at + PIECE_LEN {
            self.erase_next(saving)?;
            return Ok(false);
        }
        *offset = place;
        index.count += 1;
        self.write(base + at, piece)?;
        Ok(true)
    }

    /// Makes the save the newest.
    ///
    /// # Cost
    ///
    /// A write of 64 bytes. When the save holds no structure, an erase of one page before it; when it is one of
    /// [changes](Self::begin_changes), perhaps an erase and a write.
    ///
    /// # Errors
    ///
    /// All end the save: the one before counts. After a failed write it may turn out at the next boot that the new
    /// one is whole after all.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        let mut saving = self.saving.take().ok_or(StoreError::NotSaving)?;
        let result = self.seal(&mut saving);
        let erased = saving.erased;
        let save = self.conclude_step(saving, result)?;
        self.next_slot = self.slot_after(save.slot);
        self.newest = Some(save);
        self.erased = Some(erased);
        self.saving = None;
        self.failure = None;
        Ok(())
    }

    fn seal(&mut self, saving: &mut Saving) -> Result<LastSave, StoreError> {
        if saving.current.is_some() {
            return Err(StoreError::Unfinished);
        }
        let head = SlotHead {
            sequence: saving.sequence,
            stamp: saving.stamp,
            used: saving.used,
            num_records: saving.num_records,
        };
        let base = self.slot_start(saving.slot);
        let (at, save) = match &mut saving.changes {
            None => (0, LastSave::new(saving.slot, &head)),
            Some(changes) => {
                if saving.used != changes.since.image_len {
                    return Err(StoreError::ChangesFull);
                }
                if changes.index.count > 0 {
                    self.write(base + changes.start, &changes.index.to_bytes())?;
                    changes.start += changes.index.len();
                    changes.num_indices += 1;
                }
                let end = changes.start + PIECE_LEN;
                let search_len = changes.since.search_len + changes.num_indices + 1;
                if end > self.slot_len || search_len > MAX_SEARCH {
                    return Err(StoreError::ChangesFull);
                }
                let save = changes.since.followed_by(&head, end, search_len);
                (changes.start, save)
            }
        };
        if saving.erased < at + PIECE_LEN {
            self.erase_next(saving)?;
        }
        // Whatever becomes of the write, the number is used: no two slots have the same.
        self.next_sequence = saving.sequence.saturating_add(1);
        self.write(base + at, &head.to_bytes())?;
        Ok(save)
    }

    /// Saves one structure, all at once.
    ///
    /// # Cost
    ///
    /// An erase for each page, a write for each 64 bytes.
    ///
    /// # Errors
    ///
    /// As for [`step`](Self::step) and [`commit`](Self::commit).
    pub fn save<T: Snapshot + ?Sized>(
        &mut self,
        name: &[u8],
        structure: &T,
        stamp: u64,
    ) -> Result<(), StoreError> {
        self.begin(stamp);
        while self.step(name, structure)? == Progress::Working {}
        self.commit()
    }

    /// Replaces the content of a structure by what the newest save has under this name. False: it has nothing, and
    /// the structure is as it was.
    ///
    /// # Cost
    ///
    /// Reads the saved structure twice: no slices here.
    ///
    /// # Errors
    ///
    /// [`Snapshot`](StoreError::Snapshot), when it is of another kind, size, hash or seed: the structure is as it
    /// was. When the flash cannot be read, or gives other bytes the second time, the structure may be empty.
    pub fn restore<T: Snapshot + ?Sized>(
        &mut self,
        name: &[u8],
        structure: &mut T,
    ) -> Result<bool, StoreError> {
        let mut place = Place::FIRST;
        while let Some(record) = self.next_record(&mut place)? {
            if record.name.as_bytes() == name {
                self.restore_record(&record, structure)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// [`restore`](Self::restore) of a record of [`next_record`](Self::next_record).
    ///
    /// # Errors
    ///
    /// As for [`restore`](Self::restore).
    pub fn restore_record<T: Snapshot + ?Sized>(
        &mut self,
        record: &Record,
        structure: &mut T,
    ) -> Result<(), StoreError> {
        let header = record.header.to_bytes();
        let mut checker = structure.check();
        checker.push(&header)?;
        self.read_payload(record, |piece| Ok(checker.push(piece)?))?;
        let mut reader = structure.restore_checked(checker.finish()?);
        reader.push(&header)?;
        self.read_payload(record, |piece| Ok(reader.push(piece)?))?;
        Ok(reader.finish()?)
    }

    /// One structure of the newest save after the other, in the order in which they were written: for a device that
    /// does not know beforehand what it saved. None after the last.
    ///
    /// # Errors
    ///
    /// When the flash cannot be read, or not as it was when the store was [opened](Self::open).
    ///
    /// # Examples
    ///
    /// ```
    /// # use embedded_storage::nor_flash::NorFlash;
    /// # use sundew::persist::{Store, StoreError};
    /// use sundew::persist::Place;
    ///
    /// fn names<F: NorFlash>(store: &mut Store<F>, mut each: impl FnMut(&[u8])) -> Result<(), StoreError> {
    ///     let mut place = Place::FIRST;
    ///     while let Some(record) = store.next_record(&mut place)? {
    ///         each(record.name.as_bytes());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn next_record(&mut self, place: &mut Place) -> Result<Option<Record>, StoreError> {
        let Some(save) = self.newest else {
            return Ok(None);
        };
        if place.0 >= save.image_len {
            return Ok(None);
        }
        let at = self.slot_start(save.slot) + place.0;
        let (record, end) = self.record(&save, place.0).ok_or(StoreError::Read(at))?;
        place.0 = end;
        Ok(Some(record))
    }

    /// The record at a place in a slot, and where it ends.
    fn record(&mut self, save: &LastSave, start: u32) -> Option<(Record, u32)> {
        let name = Name::parse(&self.read_saved(save, start).ok()?)?;
        let header = self.read_saved(save, start + PIECE_LEN).ok()?;
        let header = Header::parse(&header).ok()?;
        let payload_len = u32::try_from(header.payload_len).ok()?;
        let end = record_end(start, payload_len).filter(|end| *end <= save.image_len)?;
        let record = Record {
            name,
            header,
            offset: self.slot_start(save.slot) + start + PIECE_LEN,
            save: *save,
            start,
        };
        Some((record, end))
    }

    fn slot_head(&mut self, slot: u32) -> Option<SlotHead> {
        let bytes = self.read(self.slot_start(slot)).ok()?;
        SlotHead::parse(&bytes)
            .filter(|head| head.used <= self.slot_len && head.used.is_multiple_of(PIECE_LEN))
    }

    fn is_whole(&mut self, save: &LastSave) -> bool {
        let mut start = PIECE_LEN;
        for _ in 0..save.num_records {
            let Some((record, end)) = self.record(save, start) else {
                return false;
            };
            let mut crc = Crc32::new();
            let result = self.read_payload(&record, |piece| {
                crc.write(piece);
                Ok(())
            });
            if result.is_err() || crc.finish() != record.header.payload_crc {
                return false;
            }
            start = end;
        }
        start == save.image_len
    }

    /// The payload of a snapshot, piece by piece.
    fn read_payload(
        &mut self,
        record: &Record,
        mut sink: impl FnMut(&[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut missing = record.header.payload_len;
        let mut place = record.start + HEADS_LEN;
        while missing > 0 {
            let piece = self.read_saved(&record.save, place)?;
            place += PIECE_LEN;
            let length = missing.min(PIECE as u64);
            sink(piece.get(..length as usize).unwrap_or_default())?;
            missing -= length;
        }
        Ok(())
    }

    /// The piece that stands for that at `place` of the slot after the last change.
    fn read_saved(&mut self, save: &LastSave, place: u32) -> Result<[u8; PIECE], StoreError> {
        let base = self.slot_start(save.slot);
        let mut newest = place;
        let mut at = save.image_len;
        while at < save.bytes {
            let index = ChangeIndex::parse_unchecked(&self.read(base + at)?);
            if let Some(distance) = index.and_then(|index| index.find(place)) {
                newest = at + distance;
            }
            // What is no index is the end of a save.
            at += index.map_or(PIECE_LEN, |index| index.len());
        }
        self.read(base + newest)
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

    /// Writes, and reads back: flash that wears out does not always say so.
    fn write(&mut self, offset: u32, piece: &[u8; PIECE]) -> Result<(), StoreError> {
        if self.flash.write(offset, piece).is_err() {
            return Err(StoreError::Write(offset));
        }
        if self.read(offset)? != *piece {
            return Err(StoreError::Worn(offset));
        }
        Ok(())
    }

    /// Erases one page more of a slot.
    fn erase_next(&mut self, saving: &mut Saving) -> Result<(), StoreError> {
        let from = self.slot_start(saving.slot) + saving.erased;
        let erased = self.flash.erase(from, from + F::ERASE_SIZE as u32);
        erased.map_err(|_| StoreError::Erase(from))?;
        saving.erased += F::ERASE_SIZE as u32;
        Ok(())
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

/// How far [`Store::next_record`] has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Place {
    /// Before the first record.
    pub const FIRST: Self = Self(PIECE_LEN);
}

fn payload_len<T: Snapshot + ?Sized>(structure: &T) -> Result<u32, StoreError> {
    let length = structure.header_for(0).payload_len;
    u32::try_from(length).map_err(|_| StoreError::Full)
}

/// Where a record ends that begins at `start`.
fn record_end(start: u32, payload_len: u32) -> Option<u32> {
    let payload = payload_len.checked_next_multiple_of(PIECE_LEN)?;
    start.checked_add(HEADS_LEN)?.checked_add(payload)
}
