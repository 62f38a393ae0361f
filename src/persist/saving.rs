//! From RAM to a slot, one operation of the flash at a time.

use embedded_storage::nor_flash::NorFlash;

use super::heads::{ChangeIndex, Name, PIECE, SlotHead};
use super::{HEADS_LEN, LastSave, MAX_SEARCH, PIECE_LEN, Progress, Store, StoreError, record_end};
use crate::snapshot::{Crc32, Kind, Snapshot};

/// A save that was begun.
#[derive(Clone, Debug)]
pub(super) struct Saving {
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
    /// Keys may be inserted between two calls; see [the module](crate::persist) for what of that is in the save.
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

    /// Erases one page more of a slot.
    fn erase_next(&mut self, saving: &mut Saving) -> Result<(), StoreError> {
        let from = self.slot_start(saving.slot) + saving.erased;
        let erased = self.flash.erase(from, from + F::ERASE_SIZE as u32);
        erased.map_err(|_| StoreError::Erase(from))?;
        saving.erased += F::ERASE_SIZE as u32;
        Ok(())
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
}

fn payload_len<T: Snapshot + ?Sized>(structure: &T) -> Result<u32, StoreError> {
    let length = structure.header_for(0).payload_len;
    u32::try_from(length).map_err(|_| StoreError::Full)
}
