//! From a slot to RAM: which is the newest, and what is in it.

use embedded_storage::nor_flash::NorFlash;

use super::heads::{ChangeIndex, Name, PIECE, SlotHead};
use super::{HEADS_LEN, LastSave, MAX_SEARCH, PIECE_LEN, Record, Store, StoreError, record_end};
use crate::snapshot::{Crc32, Header, Snapshot};

/// How far [`Store::next_record`] has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u32);

impl Place {
    /// Before the first record.
    pub const FIRST: Self = Self(PIECE_LEN);
}

impl<F: NorFlash> Store<F> {
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
    pub(super) fn read_saved(
        &mut self,
        save: &LastSave,
        place: u32,
    ) -> Result<[u8; PIECE], StoreError> {
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

    pub(super) fn find_newest(&mut self) {
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
}
