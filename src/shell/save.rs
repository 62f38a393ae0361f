//! All keys into flash and back: `SUNDEW.SAVE`, `SUNDEW.RESTORE`, `SUNDEW.LASTSAVE`.
//!
//! A save goes on in slices, one operation of the flash with each call of the shell. Every stage of a key is a record
//! of its own, under the key's name; further stages have a byte 0 and their number behind it.

use core::fmt::Write;

use embedded_storage::nor_flash::NorFlash;

use super::arena::word;
use super::call::{Call, Outcome};
use super::dump::{Words, payload_len};
use super::keyspace::{KeyRef, Keyspace};
use super::kind::Kind;
use super::server::{Server, StoreRef};
use super::text::Text;
use super::texts;
use crate::block::clear;
use crate::hash::{HashFunction, Xxh32};
use crate::persist::{Name, Place, Progress, Record, Store, StoreError};
use crate::snapshot::parts::{GROUP, Parts};
use crate::snapshot::{Header, Kind as SnapshotKind};

/// Where a shell saves its keys: a [`Store`] in whatever flash.
pub trait KeyStore: sealed::KeyStore {}

impl<F: NorFlash> KeyStore for Store<F> {}

/// What the shell asks of a store, without its type.
pub(super) mod sealed {
    use super::{LastSave, Place, Progress, Record, Stage, StoreError};

    pub trait KeyStore {
        fn begin(&mut self, stamp: u64);
        fn step(&mut self, name: &[u8], stage: &Stage) -> Result<Progress, StoreError>;
        fn commit(&mut self) -> Result<(), StoreError>;
        fn cancel(&mut self);
        fn next_record(&mut self, place: &mut Place) -> Result<Option<Record>, StoreError>;
        fn restore_record(&mut self, record: &Record, stage: &mut Stage) -> Result<(), StoreError>;
        fn last_save(&self) -> Option<LastSave>;
    }
}

/// What to tell of the newest save.
#[derive(Clone, Copy, Debug)]
pub struct LastSave {
    /// Counts saves over the life of the flash.
    sequence: u32,
    stamp: u32,
    records: u32,
    bytes: u32,
}

impl<F: NorFlash> sealed::KeyStore for Store<F> {
    fn begin(&mut self, stamp: u64) {
        self.begin_changes(stamp);
    }

    fn step(&mut self, name: &[u8], stage: &Stage) -> Result<Progress, StoreError> {
        self.step(name, stage)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.commit()
    }

    fn cancel(&mut self) {
        self.cancel();
    }

    fn next_record(&mut self, place: &mut Place) -> Result<Option<Record>, StoreError> {
        self.next_record(place)
    }

    fn restore_record(&mut self, record: &Record, stage: &mut Stage) -> Result<(), StoreError> {
        self.restore_record(record, stage)
    }

    fn last_save(&self) -> Option<LastSave> {
        let save = self.last_save()?;
        Some(LastSave {
            sequence: save.sequence as u32,
            stamp: save.stamp as u32,
            records: save.num_records,
            bytes: save.bytes,
        })
    }
}

/// A stage of a key, as something that can be saved and restored.
#[derive(Debug)]
pub struct Stage<'k, 'a> {
    keyspace: &'k mut Keyspace<'a>,
    stage: KeyRef,
    /// Which one it is, from 0, and of how many.
    number: u32,
    stages: u32,
}

impl Parts for Stage<'_, '_> {
    const CAN_ABSORB: bool = false;

    fn header(&self) -> Header {
        let parts = if self.stages > 1 { self.stages } else { 0 };
        let words = self.keyspace.stage_words(self.stage, self.number, parts);
        // It has nothing that cannot be read.
        Header::from_words(&words).unwrap_or(Header::new(
            SnapshotKind::BLOCKED,
            &Xxh32::UNSEEDED,
            0,
            0,
            0,
        ))
    }

    fn num_words(&self) -> usize {
        payload_len(self.keyspace.header(self.stage)) as usize / 4
    }

    fn word(&self, index: usize) -> u32 {
        self.keyspace.payload_word(self.stage, index)
    }

    fn prepare(&mut self, _: bool) {
        clear(self.keyspace.run_mut(self.stage).1);
        self.keyspace.set_word(self.stage, word::ITEMS, 0);
    }

    fn set_word(&mut self, index: usize, word: u32) {
        self.keyspace.or_payload_word(self.stage, index, word);
    }

    fn absorb_words(&mut self, _: usize, _: [u32; GROUP]) {}

    fn conclude(&mut self, header: &Header, _: bool) {
        self.keyspace.close_stage(self.stage, &words_of(header));
    }
}

/// A save that is running.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saving {
    /// How many stages of all keys are written.
    done: u32,
    stamp: u32,
    /// [`Keyspace::changes`] when it began.
    changes: u32,
    /// How often it began anew since.
    restarts: u8,
}

/// A save that keys do not let come to its end is given up, before it wears the flash out.
const MOST_RESTARTS: u8 = 8;

/// What became of the save before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Saves {
    pub running: Option<Saving>,
    pub error: Option<StoreError>,
}

impl Saves {
    pub const NONE: Self = Self {
        running: None,
        error: None,
    };
}

/// The words of a header that was read.
fn words_of(header: &Header) -> Words {
    let mut words = [0; 16];
    for (place, word) in words.iter_mut().zip(header.to_words()) {
        *place = word;
    }
    words
}

/// The stage that is written after so many: its key, itself, its number and of how many.
fn nth_stage(keyspace: &Keyspace, mut skip: u32) -> Option<(KeyRef, KeyRef, u32, u32)> {
    for key in keyspace.keys() {
        let stages = keyspace.stages(key).count() as u32;
        if skip < stages {
            let stage = keyspace.stages(key).nth(skip as usize)?;
            return Some((key, stage, skip, stages));
        }
        skip -= stages;
    }
    None
}

/// The name of a record.
struct RecordName {
    bytes: [u8; Name::MAX_LEN],
    length: usize,
}

impl RecordName {
    fn new(name: &[u8], number: u32) -> Self {
        let mut bytes = [0; Name::MAX_LEN];
        let mut length = crate::copy::copy(name, &mut bytes);
        if number > 0 {
            // Behind a 0, which is there.
            length += 2;
            if let Some(place) = bytes.get_mut(length - 1) {
                *place = number as u8;
            }
        }
        Self { bytes, length }
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&[])
    }
}

impl Server<'_> {
    /// One slice of the save that is running.
    #[cold]
    #[inline(never)]
    pub fn save_slice(&mut self, mut saving: Saving) {
        let Some(StoreRef(store)) = &mut self.store else {
            return;
        };
        let keyspace = &mut self.keyspace;
        if saving.changes != keyspace.changes() {
            // Keys came, went, rotated or were cleared: from the beginning.
            saving.done = 0;
            saving.changes = keyspace.changes();
            saving.restarts += 1;
            if saving.restarts > MOST_RESTARTS {
                store.cancel();
                self.saves = Saves {
                    running: None,
                    error: Some(StoreError::Changed),
                };
                return;
            }
            store.begin(saving.stamp.into());
        }
        let result = match nth_stage(keyspace, saving.done) {
            None => match store.commit() {
                Ok(()) => {
                    self.saves = Saves::NONE;
                    return;
                }
                Err(error) => Err(error),
            },
            Some((key, stage, number, stages)) => {
                let name = RecordName::new(keyspace.name(key), number);
                let stage = Stage {
                    keyspace,
                    stage,
                    number,
                    stages,
                };
                store.step(name.as_bytes(), &stage)
            }
        };
        match result {
            Ok(progress) => {
                saving.done += u32::from(progress == Progress::Done);
                self.saves.running = Some(saving);
            }
            // What changed since the last full save has no room behind it: a full one, then.
            Err(StoreError::ChangesFull) => {
                saving.done = 0;
                store.begin(saving.stamp.into());
                self.saves.running = Some(saving);
            }
            Err(error) => {
                self.saves = Saves {
                    running: None,
                    error: Some(error),
                };
            }
        }
    }

    /// Makes the keys what they were in the newest save; how many records it had.
    pub fn restore_saved(&mut self) -> Result<u32, RestoreError> {
        self.load.abandon(&mut self.keyspace);
        let restored = self.restore_records();
        // Of a key that is restored in part nothing stays.
        self.keyspace.remove_loading();
        restored
    }

    fn restore_records(&mut self) -> Result<u32, RestoreError> {
        let Some(StoreRef(store)) = &mut self.store else {
            return Ok(0);
        };
        if self.saves.running.take().is_some() {
            store.cancel();
        }
        let mut place = Place::FIRST;
        let mut records = 0;
        while let Some(record) = store.next_record(&mut place)? {
            let (number, stages) = (record.header.stage, record.header.parts);
            let name = record.name.as_bytes();
            let name = match name {
                [name @ .., 0, _] if number > 0 => name,
                name => name,
            };
            let words = words_of(&record.header);
            let stage = self.keyspace.open_stage(name, &words)?;
            let mut target = Stage {
                keyspace: &mut self.keyspace,
                stage,
                number: number.into(),
                stages: u32::from(stages).max(1),
            };
            store.restore_record(&record, &mut target)?;
            let is_bloom = self.keyspace.kind(stage) == Kind::Bloom;
            if !is_bloom || number + 1 >= stages.max(1) {
                self.keyspace.adopt_loaded(name);
                self.keyspace.start_period(name, self.uptime.seconds);
            }
            records += 1;
        }
        Ok(records)
    }
}

/// Why keys were not restored.
#[derive(Clone, Copy, Debug)]
pub struct RestoreError(Why);

#[derive(Clone, Copy, Debug)]
enum Why {
    Store(StoreError),
    Load(Text),
}

impl core::fmt::Display for RestoreError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            Why::Store(error) => error.fmt(f),
            Why::Load(texts::TOO_LARGE) => f.write_str("a saved key does not fit the arena"),
            Why::Load(text) => text.bytes().try_for_each(|byte| f.write_char(byte.into())),
        }
    }
}

impl core::error::Error for RestoreError {}

impl From<StoreError> for RestoreError {
    fn from(error: StoreError) -> Self {
        Self(Why::Store(error))
    }
}

impl From<Text> for RestoreError {
    fn from(error: Text) -> Self {
        Self(Why::Load(error))
    }
}

/// SUNDEW.SAVE [stamp]: begins; `SUNDEW.LASTSAVE` tells when it is done.
pub(super) fn save(call: &mut Call) -> Outcome {
    let mut stamp = Some(call.server.uptime.seconds);
    if call.num_arguments() > 1 {
        stamp = call.number(1);
    }
    let server = &mut *call.server;
    let StoreRef(store) = server.store.as_mut().ok_or(texts::NO_STORE)?;
    let stamp = stamp.ok_or(texts::NOT_A_NUMBER)?;
    if server.saves.running.is_some() {
        return Err(texts::SAVE_RUNS);
    }
    // What is forgotten by now is not to come back.
    let keyspace = &mut server.keyspace;
    let mut last = None;
    while let Some(key) = keyspace.next_key(last) {
        keyspace.rotate_if_due(key, server.uptime.seconds);
        last = Some(key);
    }
    store.begin(stamp.into());
    server.saves = Saves {
        running: Some(Saving {
            done: 0,
            stamp,
            changes: server.keyspace.changes(),
            restarts: 0,
        }),
        error: None,
    };
    call.simple(texts::SAVE_STARTED);
    Ok(())
}

/// SUNDEW.RESTORE: all keys as they were saved last.
pub(super) fn restore(call: &mut Call) -> Outcome {
    if call.server.store.is_none() {
        return Err(texts::NO_STORE);
    }
    match call.server.restore_saved() {
        Ok(records) => call.integer(records),
        Err(RestoreError(Why::Load(error))) => return Err(error),
        Err(RestoreError(Why::Store(error))) => {
            let (text, address) = of_store_error(error);
            call.error_of(text, &[address]);
        }
    }
    Ok(())
}

/// SUNDEW.LASTSAVE: what is in flash, and what becomes of the save that is running.
pub(super) fn last_save(call: &mut Call) -> Outcome {
    let server = &*call.server;
    let StoreRef(store) = server.store.as_ref().ok_or(texts::NO_STORE)?;
    let save = store.last_save();
    let values = [
        save.map_or(0, |save| save.sequence),
        save.map_or(0, |save| save.stamp),
        save.map_or(0, |save| save.records),
        save.map_or(0, |save| save.bytes),
        u32::from(server.saves.running.is_some()),
    ];
    call.map(values.len() as u32 + 1);
    for (i, value) in values.into_iter().enumerate() {
        call.field_name(texts::SAVE_FIELDS, i);
        call.integer(value);
    }
    call.field_name(texts::SAVE_FIELDS, values.len());
    let (text, address) = failure(call);
    call.text(text, &[address]);
    Ok(())
}

/// For `INFO`.
pub(super) fn tell(call: &mut Call) {
    let server = &*call.server;
    if let Some(StoreRef(store)) = &server.store {
        let sequence = store.last_save().map_or(0, |save| save.sequence);
        let is_running = u32::from(server.saves.running.is_some());
        let (text, address) = failure(call);
        let numbers = [sequence, is_running, text.start(), address];
        call.fill_in(texts::INFO_SAVES, &numbers);
    }
}

/// Why the last save failed, which is empty when it did not, and at what address.
fn failure(call: &Call) -> (Text, u32) {
    let error = call.server.saves.error;
    error.map_or((texts::NOTHING, 0), of_store_error)
}

/// As `Display`, whose machinery takes more flash than all of this.
fn of_store_error(error: StoreError) -> (Text, u32) {
    match error {
        StoreError::Read(address) => (texts::FLASH_READ, address),
        StoreError::Write(address) => (texts::FLASH_WRITE, address),
        StoreError::Erase(address) => (texts::FLASH_ERASE, address),
        StoreError::Worn(address) => (texts::FLASH_WORN, address),
        StoreError::Full => (texts::FLASH_FULL, 0),
        StoreError::Changed => (texts::FLASH_CHANGED, 0),
        StoreError::Snapshot(error) => (texts::of_snapshot_error(error), 0),
        _ => (texts::FLASH_NOT_READY, 0),
    }
}
