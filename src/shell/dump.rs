//! Keys as snapshots, and back: what `BF.SCANDUMP` hands out and `BF.LOADCHUNK` takes.
//!
//! A dump is one snapshot of the [documented format](crate::snapshot_format), or, of a key that has grown, one for
//! each stage, behind each other. Both its header and its payload are taken as words of 32 bits.

use core::num::NonZero;

use super::DUMPS;
use super::arena::{self, Header as Run, UNIT_BYTES, num_probes, word as run_word};
use super::call::Outcome;
use super::families::{
    NUM_REGISTERS, REGISTER_UNITS, count_min_units, newest, num_generations, slot,
};
use super::keyspace::{KeyRef, Keyspace, set_name};
use super::kind::Kind;
use super::text::Text;
use super::texts;
use crate::hash::{HashFunction, Xxh32};
use crate::sizing::{Layout, blocked_rate};
use crate::snapshot::header::{MAGIC, VERSION};
use crate::snapshot::{Crc32, Header, Kind as SnapshotKind};

/// Bytes of a snapshot's header.
pub(super) const HEADER: u32 = Header::LEN as u32;

/// A snapshot's header.
pub(super) type Words = [u32; 16];

/// Where in a snapshot's header which word is, or the lower half of a number of 64 bits.
pub(super) mod word {
    /// From the lowest byte: version, kind, hash, encoding.
    pub const KIND: usize = 1;
    pub const UNIT_BITS: usize = 2;
    pub const UNITS: usize = 3;
    /// From the lowest byte: probes, parts, stage, parameter of the encoding.
    pub const PARAMETERS: usize = 4;
    pub const SEED: usize = 6;
    pub const COUNT: usize = 8;
    pub const STATE: usize = 10;
    pub const PAYLOAD_LEN: usize = 12;
    pub const PAYLOAD_CRC: usize = 14;
    pub const HEADER_CRC: usize = 15;
}

/// What a snapshot says of a kind.
pub(super) struct InSnapshot {
    /// What it calls it.
    pub number: u8,
    unit_bits: u16,
    /// How many units there may be at most: 2 to this power. All arithmetic relies on it.
    most_units: u8,
}

impl Kind {
    pub(super) fn in_snapshot(self) -> &'static InSnapshot {
        const fn row(number: SnapshotKind, unit_bits: u16, most_units: u8) -> InSnapshot {
            InSnapshot {
                number: number.0,
                unit_bits,
                most_units,
            }
        }
        const ROWS: [InSnapshot; 6] = [
            row(SnapshotKind::BLOCKED, 512, 24),
            row(SnapshotKind::CUCKOO, 16, 24),
            row(SnapshotKind::COUNT_MIN, 32, 16),
            row(SnapshotKind::HYPER_LOG_LOG, 6, 24),
            row(SnapshotKind::COUNTING, 128, 24),
            row(SnapshotKind::ROTATING, 512, 19),
        ];
        &ROWS[self as usize]
    }
}

/// Adds a word to a checksum.
#[inline(never)]
pub(super) fn write_word(crc: &mut Crc32, word: u32) {
    crc.write(&word.to_le_bytes());
}

/// The bytes of a run's payload, by what its header says.
#[inline(never)]
pub(super) fn payload_len(run: &Run) -> u32 {
    match arena::kind(run) {
        Kind::CountMin => run[run_word::CAPACITY] * num_probes(run) * 4,
        Kind::HyperLogLog => NUM_REGISTERS as u32 / 4 * 3,
        _ => (run[run_word::UNITS] - 1) * UNIT_BYTES,
    }
}

/// The header of a run's snapshot, without checksums; of a Bloom filter with these parts.
#[inline(never)]
fn words_of_run(run: &Run, seed: u32, stage: u32, parts: u32) -> Words {
    let kind = arena::kind(run);
    let in_snapshot = kind.in_snapshot();
    let mut words = [0; 16];
    let mut units = run[run_word::UNITS] - 1;
    let mut own_parts = 0;
    words[word::STATE] = run[run_word::CAPACITY];
    words[word::COUNT] = run[run_word::ITEMS];
    match kind {
        Kind::Bloom => {
            own_parts = parts;
            words[word::STATE + 1] = run[run_word::EXPANSION];
        }
        Kind::Cuckoo => {
            units *= 8;
            words[word::STATE + 1] = run[run_word::RATE];
        }
        Kind::CountMin => {
            units = run[run_word::CAPACITY];
            words[word::STATE] = 0;
        }
        Kind::HyperLogLog => {
            units = NUM_REGISTERS as u32;
            words[word::STATE] = 0;
            words[word::COUNT] = u32::MAX;
            words[word::COUNT + 1] = u32::MAX;
        }
        Kind::Counting => {}
        Kind::Rotating => {
            own_parts = num_generations(run) as u32;
            units /= own_parts.max(1);
            words[word::STATE + 1] = run[run_word::RATE];
        }
    }
    words[0] = MAGIC;
    words[word::SEED] = seed;
    words[word::KIND] = u32::from_le_bytes([VERSION, in_snapshot.number, Xxh32::ID.0, 0]);
    words[word::UNIT_BITS] = in_snapshot.unit_bits.into();
    words[word::UNITS] = units;
    words[word::PARAMETERS] = stage << 16 | own_parts << 8 | num_probes(run);
    words[word::PAYLOAD_LEN] = payload_len(run);
    words
}

/// The count that a snapshot's header tells, if it does.
fn count_of(header: &Words) -> Option<u32> {
    match (header[word::COUNT], header[word::COUNT + 1]) {
        (u32::MAX, u32::MAX) => None,
        (count, 0) => Some(count),
        _ => Some(u32::MAX),
    }
}

/// Bits of a register of a HyperLogLog, of which its payload has no spare ones. They are taken one by one, because a
/// register may lie in two words.
const REGISTER: usize = 6;

/// Which word of a run's units is this one of the payload.
fn place_of_word(run: &Run, index: usize) -> usize {
    if arena::kind(run) != Kind::Rotating {
        return index;
    }
    // Generation after generation, the newest first; they lie side by side.
    let generations = num_generations(run);
    let blocks = ((run[run_word::UNITS] as usize - 1) / generations).max(1);
    let block = index / 16;
    let slot = (newest(run) + generations - block / blocks) % generations;
    (block % blocks * generations + slot) * 16 + index % 16
}

impl Keyspace<'_> {
    /// A word of a stage's payload.
    #[inline(never)]
    pub(super) fn payload_word(&self, stage: KeyRef, index: usize) -> u32 {
        let (run, blocks) = self.run(stage);
        let kind = arena::kind(run);
        if kind == Kind::HyperLogLog {
            let mut word = 0;
            for i in (index * 32..index * 32 + 32).rev() {
                let register = slot(blocks, kind.slots_per_word(), i / REGISTER);
                word = word << 1 | register >> (i % REGISTER) & 1;
            }
            return word;
        }
        slot(blocks, NonZero::<usize>::MIN, place_of_word(run, index))
    }

    /// Adds words of a stage's payload to a checksum.
    #[inline(never)]
    pub(super) fn check_payload(&self, stage: KeyRef, from: usize, to: usize, crc: &mut Crc32) {
        let (run, blocks) = self.run(stage);
        // As most lie: at 50 instructions a byte a large key would take seconds.
        let is_plain = !matches!(arena::kind(run), Kind::HyperLogLog | Kind::Rotating);
        for index in from..to {
            let word = match blocks.get(index / 16) {
                Some(block) if is_plain => block.words()[index % 16],
                _ => self.payload_word(stage, index),
            };
            write_word(crc, word);
        }
    }

    /// The header of a stage's snapshot, without checksums; its parts if it is a Bloom filter.
    pub(super) fn stage_words(&self, stage: KeyRef, number: u32, parts: u32) -> Words {
        let seed = self.hash(stage).seed_check() as u32;
        words_of_run(self.header(stage), seed, number, parts)
    }

    /// Sets bits of a word of a stage's payload.
    pub(super) fn or_payload_word(&mut self, stage: KeyRef, index: usize, word: u32) {
        let run = self.header(stage);
        if arena::kind(run) == Kind::HyperLogLog {
            let mut slots = self.slots(stage);
            for i in 0..32 {
                let bit = index * 32 + i;
                slots.add(bit / REGISTER, (word >> i & 1) << (bit % REGISTER));
            }
            return;
        }
        let place = place_of_word(run, index);
        if let Some(block) = self.run_mut(stage).1.get_mut(place / 16) {
            block.words_mut()[place % 16] |= word;
        }
    }

    /// Begins a stage: in RAM of its own, or, of a fixed key, on top of what is there.
    pub(super) fn open_stage(&mut self, name: &[u8], header: &Words) -> Outcome<KeyRef> {
        let [_, kind, hash, encoding] = header[word::KIND].to_le_bytes();
        let [probes, parts, stage, parameter] = header[word::PARAMETERS].to_le_bytes();
        let kind = (0..6)
            .map(Kind::of_number)
            .find(|own| own.in_snapshot().number == kind)
            .ok_or(texts::SNAPSHOT_KIND)?;
        if hash != Xxh32::ID.0 {
            return Err(texts::SNAPSHOT_HASH);
        }
        if encoding | parameter > 0 {
            return Err(texts::SNAPSHOT_ENCODING);
        }
        let fixed = self.find(name).filter(|key| self.is_fixed(*key));
        let mut run = [0; 16];
        set_name(&mut run, name)?;
        let own;
        if let Some(key) = fixed {
            own = self.stage_words(key, 0, 0);
        } else {
            let units = header[word::UNITS];
            let most_units = 1 << kind.in_snapshot().most_units;
            let is_possible = units.wrapping_sub(1) < most_units
                && (1..=32).contains(&probes)
                && (kind != Kind::Rotating || (2..=32).contains(&parts));
            if !is_possible {
                return Err(texts::SNAPSHOT_GEOMETRY);
            }
            fill_run(&mut run, kind, header);
            own = words_of_run(&run, 0, stage.into(), parts.into());
        }
        // What is made of a header has the same.
        for (i, word) in own.iter().enumerate() {
            if Some(word) != header.get(i) {
                return Err(match i {
                    ..word::SEED => texts::SNAPSHOT_GEOMETRY,
                    word::SEED..word::COUNT => texts::SNAPSHOT_SEED,
                    word::PAYLOAD_LEN..word::PAYLOAD_CRC => texts::SNAPSHOT_LENGTH,
                    _ => continue,
                });
            }
        }
        let Some(key) = fixed else {
            return self.append_run(&run);
        };
        self.load_fixed(key);
        Ok(key)
    }

    /// All of a stage is there and whole.
    pub(super) fn close_stage(&mut self, stage: KeyRef, header: &Words) {
        let count = count_of(header);
        let mut items = count.unwrap_or(0);
        if self.kind(stage) == Kind::Cuckoo {
            // Counted, not believed.
            let blocks = self.blocks(stage);
            let per_word = Kind::Cuckoo.slots_per_word();
            let slots = 0..blocks.len() * 32;
            items = slots.filter(|i| slot(blocks, per_word, *i) > 0).count() as u32;
        } else if self.kind(stage) == Kind::Bloom
            && (count.is_none() || self.header(stage)[run_word::ITEMS] > 0)
        {
            // Nobody knows how many, nor which are in both.
            let estimate = self.stats(stage).estimated_keys();
            items = u32::try_from(estimate).unwrap_or(u32::MAX);
        }
        self.set_word(stage, run_word::ITEMS, items);
    }
}

/// Makes the header of a run, with its name, that of the run which a snapshot's header asks for.
fn fill_run(run: &mut Run, kind: Kind, header: &Words) {
    let [probes, parts, stage, _] = header[word::PARAMETERS].to_le_bytes();
    let (probes, parts, stage) = (probes.into(), u32::from(parts), stage.into());
    let units = header[word::UNITS];
    let mut blocks = units;
    let (mut capacity, high) = (header[word::STATE], header[word::STATE + 1]);
    match kind {
        Kind::Bloom => {
            if capacity == 0 {
                // From a program that does not say; ten bits for a key is what most take.
                capacity = count_of(header).unwrap_or(0).max(units * 51);
            }
            run[run_word::EXPANSION] = high;
            let rate = blocked_rate(capacity.into(), units, probes, Layout::DEFAULT);
            run[run_word::RATE] = rate.parts_per_billion().max(1);
            arena::set_stage(run, stage);
            arena::set_followed(run, stage + 1 < parts);
        }
        Kind::Cuckoo => {
            run[run_word::RATE] = high;
            blocks /= 8;
        }
        Kind::CountMin => {
            capacity = units;
            blocks = count_min_units(units, probes);
        }
        Kind::HyperLogLog => blocks = REGISTER_UNITS,
        Kind::Counting => {}
        Kind::Rotating => {
            run[run_word::RATE] = high;
            run[run_word::EXPANSION] = parts;
            blocks *= parts;
        }
    }
    run[run_word::CAPACITY] = capacity;
    run[run_word::UNITS] = blocks + 1;
    arena::set_kind(run, kind);
    arena::set_num_probes(run, probes);
    arena::set_loading(run, true);
}

/// A dump that is being loaded.
#[derive(Debug)]
pub(super) struct Load {
    /// Bytes of the dump so far; 0 when there is none.
    position: u32,
    /// How many of them belong to stages that are complete.
    stage_start: u32,
    /// The last four of them.
    word: u32,
    /// How many stages are complete.
    stages: u8,
    /// Whether all is loaded.
    is_done: bool,
    /// What is left to tell when the chunk ends.
    error: Option<Text>,
    /// Of the header, then of the payload.
    crc: Crc32,
    /// Where the current stage lies, while a chunk comes.
    stage: Option<KeyRef>,
    header: Words,
}

impl Load {
    pub const fn new() -> Self {
        Self {
            position: 0,
            stage_start: 0,
            word: 0,
            stages: 0,
            is_done: false,
            error: None,
            crc: Crc32::new(),
            stage: None,
            header: [0; 16],
        }
    }

    /// Whether the last chunk was the last of the dump.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// A chunk begins: the first of a dump, or one that continues.
    pub fn begin_chunk(&mut self, name: &[u8], is_first: bool, keyspace: &mut Keyspace) {
        if is_first {
            self.abandon(keyspace);
            *self = Self::new();
            return;
        }
        self.error = None;
        // Other commands may have moved, removed or emptied it.
        let stage = keyspace.find_loading();
        self.stage = stage.filter(|stage| keyspace.name(*stage) == name);
        if self.position == 0 || self.stage.is_none() {
            self.fail(texts::BAD_CHUNK, keyspace);
        }
    }

    pub fn push(&mut self, name: &[u8], kind: Option<Kind>, bytes: &[u8], keyspace: &mut Keyspace) {
        for byte in bytes {
            if self.error.is_some() {
                return;
            }
            self.position += 1;
            self.word = self.word >> 8 | u32::from(*byte) << 24;
            let outcome = if self.is_done {
                Err(texts::SNAPSHOT_TOO_LONG)
            } else if self.position.is_multiple_of(4) {
                self.push_word(name, kind, keyspace)
            } else {
                Ok(())
            };
            if let Err(error) = outcome {
                self.fail(error, keyspace);
            }
        }
    }

    fn push_word(&mut self, name: &[u8], kind: Option<Kind>, keyspace: &mut Keyspace) -> Outcome {
        let offset = self.position - self.stage_start;
        let index = offset as usize / 4 - 1;
        if let Some(place) = self.header.get_mut(index) {
            *place = self.word;
            if offset == HEADER {
                self.open_stage(name, kind, keyspace)?;
                self.crc = Crc32::new();
                return Ok(());
            }
        }
        write_word(&mut self.crc, self.word);
        if offset <= HEADER {
            return Ok(());
        }
        let stage = self.stage.ok_or(texts::BAD_CHUNK)?;
        keyspace.or_payload_word(stage, index - 16, self.word);
        if offset - HEADER < self.header[word::PAYLOAD_LEN] {
            return Ok(());
        }
        if self.crc.finish() != self.header[word::PAYLOAD_CRC] {
            return Err(texts::SNAPSHOT_PAYLOAD);
        }
        keyspace.close_stage(stage, &self.header);
        self.crc = Crc32::new();
        self.stage_start = self.position;
        self.stages += 1;
        let [_, parts, ..] = self.header[word::PARAMETERS].to_le_bytes();
        // Parts of a key of another kind are not stages.
        self.is_done = self.stages >= parts || keyspace.kind(stage) != Kind::Bloom;
        Ok(())
    }

    /// All of a header is there.
    fn open_stage(&mut self, name: &[u8], kind: Option<Kind>, keyspace: &mut Keyspace) -> Outcome {
        let header = &self.header;
        let [version, number, ..] = header[word::KIND].to_le_bytes();
        if header[0] != MAGIC {
            return Err(texts::SNAPSHOT_MAGIC);
        }
        if version != VERSION {
            return Err(texts::SNAPSHOT_VERSION);
        }
        if self.crc.finish() != header[word::HEADER_CRC] {
            return Err(texts::SNAPSHOT_HEADER);
        }
        if kind.is_some_and(|kind| kind.in_snapshot().number != number) {
            return Err(texts::WRONG_TYPE);
        }
        let [_, parts, stage, _] = header[word::PARAMETERS].to_le_bytes();
        let may_follow = stage < parts && number == SnapshotKind::BLOCKED.0;
        if stage != self.stages || stage > 0 && !may_follow {
            return Err(texts::SNAPSHOT_STATE);
        }
        self.stage = Some(keyspace.open_stage(name, header)?);
        Ok(())
    }

    /// The chunk ends, at this byte of the dump if `end` tells; what to answer.
    pub fn end_chunk(
        &mut self,
        name: &[u8],
        kind: Option<Kind>,
        end: Option<u32>,
        keyspace: &mut Keyspace,
    ) -> Outcome {
        if self.error.is_none() {
            let own = keyspace.find(name).map(|key| keyspace.kind(key));
            if own.is_some() && kind.is_some() && own != kind {
                // It is not replaced.
                self.fail(texts::WRONG_TYPE, keyspace);
            } else if self.position < HEADER {
                self.fail(texts::SNAPSHOT_TRUNCATED, keyspace);
            } else if end.is_some_and(|end| end != self.position) {
                self.fail(texts::BAD_CHUNK, keyspace);
            }
        }
        match self.error {
            None => {
                if self.is_done {
                    keyspace.adopt_loaded(name);
                }
                Ok(())
            }
            Some(error) => {
                self.position = 0;
                Err(error)
            }
        }
    }

    fn fail(&mut self, mut error: Text, keyspace: &mut Keyspace) {
        let is_fixed = self.stage.is_some_and(|stage| keyspace.is_fixed(stage));
        if is_fixed && error == texts::SNAPSHOT_PAYLOAD {
            error = texts::FIXED_DAMAGED;
        }
        self.abandon(keyspace);
        self.error = Some(error);
    }

    /// Gives the RAM of a load that is not complete back.
    pub fn abandon(&mut self, keyspace: &mut Keyspace) {
        if !DUMPS {
            return;
        }
        keyspace.remove_loading();
        self.stage = None;
        self.position = 0;
    }
}
