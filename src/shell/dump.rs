//! Keys as snapshots, and back: what `BF.SCANDUMP` hands out and `BF.LOADCHUNK` takes.
//!
//! A dump is one snapshot of the [documented format](crate::snapshot_format), or, of a key that has grown, one for
//! each stage, behind each other.

use super::arena::{self, Header as Run, UNIT_BYTES, num_probes, word};
use super::call::Outcome;
use super::families::{NUM_REGISTERS, REGISTER_UNITS};
use super::keyspace::{KeyRef, Keyspace, header_of};
use super::kind::Kind;
use super::text::Text;
use super::texts;
use crate::block::Block512;
use crate::hash::{HashFunction, Xxh32};
use crate::sizing::{Layout, blocked_rate};
use crate::snapshot::{Crc32, Encoding, Header, Kind as SnapshotKind};

/// Bytes of a snapshot's header.
pub(super) const HEADER: u32 = Header::LEN as u32;

/// A part of a dump: a header, or a payload from some word on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub stage: KeyRef,
    /// Which one, from 0.
    pub number: u32,
    /// Where in the dump the stage begins.
    pub start: u32,
    /// Bytes of the stage, header and all.
    pub length: u32,
}

impl Kind {
    /// What a snapshot calls it, and the bits of its unit.
    fn in_snapshot(self) -> (SnapshotKind, u32) {
        match self {
            Self::Bloom => (SnapshotKind::BLOCKED, 512),
            Self::Cuckoo => (SnapshotKind::CUCKOO, 16),
            Self::CountMin => (SnapshotKind::COUNT_MIN, 32),
            Self::HyperLogLog => (SnapshotKind::HYPER_LOG_LOG, 6),
            Self::Counting => (SnapshotKind::COUNTING, 128),
            Self::Rotating => (SnapshotKind::ROTATING, 512),
        }
    }
}

/// The bytes of a run's payload, by what its header says.
pub(super) fn payload_len(run: &Run) -> u32 {
    match arena::kind(run) {
        Kind::CountMin => run[word::CAPACITY] * run[word::EXPANSION] * 4,
        Kind::HyperLogLog => NUM_REGISTERS as u32 / 4 * 3,
        _ => (run[word::UNITS] - 1) * UNIT_BYTES,
    }
}

/// Where a word of the payload lies: in which block, and there.
fn place_of_word(run: &Run, index: usize) -> (usize, usize) {
    match arena::kind(run) {
        // The last word of each block is not used.
        Kind::HyperLogLog => (index / 15, index % 15),
        Kind::Rotating => {
            // Generation after generation, the newest first; they lie side by side.
            let generations = (run[word::EXPANSION] & 0xFF).max(1) as usize;
            let newest = (run[word::EXPANSION] >> 8) as usize;
            let blocks = (run[word::UNITS] as usize - 1) / generations;
            let (block, word) = (index / 16, index % 16);
            let age = block / blocks.max(1);
            let slot = (newest + generations - age) % generations;
            (block % blocks.max(1) * generations + slot, word)
        }
        _ => (index / 16, index % 16),
    }
}

impl Keyspace<'_> {
    /// The stage of a key that the byte at `position` of its dump belongs to.
    pub(super) fn segment(&self, key: KeyRef, position: u32) -> Option<Segment> {
        let mut start = 0;
        for (stage, number) in self.stages(key).zip(0..) {
            let length = HEADER + payload_len(self.header(stage));
            if position - start < length {
                return Some(Segment {
                    stage,
                    number,
                    start,
                    length,
                });
            }
            start += length;
        }
        None
    }

    /// A word of a stage's payload.
    pub(super) fn payload_word(&self, stage: KeyRef, index: usize) -> u32 {
        let run = self.header(stage);
        let (block, at) = place_of_word(run, index);
        let words = self.blocks(stage).get(block).map(Block512::words);
        let word = words.and_then(|words| words.get(at)).copied().unwrap_or(0);
        if arena::kind(run) == Kind::HyperLogLog {
            // Its registers are bytes, not words.
            word.to_le()
        } else {
            word
        }
    }

    /// Hands out bytes of a stage's payload; both ends are multiples of 4.
    #[inline(never)]
    pub(super) fn payload(&self, stage: KeyRef, from: u32, to: u32, take: &mut dyn FnMut(&[u8])) {
        for index in from / 4..to / 4 {
            take(&self.payload_word(stage, index as usize).to_le_bytes());
        }
    }

    /// What the snapshot of a stage says about itself; reads all of its payload.
    pub(super) fn snapshot_header(&self, key: KeyRef, segment: &Segment) -> Header {
        let stages = self.stages(key).count() as u32;
        let mut header = self.stage_header(segment.stage, segment.number, stages);
        header.payload_len = u64::from(segment.length - HEADER);
        let mut crc = Crc32::new();
        let mut take = |bytes: &[u8]| crc.write(bytes);
        self.payload(segment.stage, 0, segment.length - HEADER, &mut take);
        header.payload_crc = crc.finish();
        header
    }

    /// The same without what it says about the payload.
    pub(super) fn stage_header(&self, stage: KeyRef, number: u32, stages: u32) -> Header {
        let run = self.header(stage);
        let kind = arena::kind(run);
        let blocks = run[word::UNITS] - 1;
        let generations = run[word::EXPANSION] & 0xFF;
        let (snapshot_kind, unit_bits) = kind.in_snapshot();
        let (units, probes) = match kind {
            Kind::Cuckoo => (blocks * 8, 2),
            Kind::CountMin => (run[word::CAPACITY], run[word::EXPANSION]),
            Kind::HyperLogLog => (NUM_REGISTERS as u32, 1),
            Kind::Rotating => (blocks / generations.max(1), num_probes(run)),
            Kind::Bloom | Kind::Counting => (blocks, num_probes(run)),
        };
        let hash = self.hash(stage);
        let mut header = Header::new(
            snapshot_kind,
            &hash,
            unit_bits,
            units as usize,
            probes as usize,
        );
        let (parts, low, high) = match kind {
            Kind::Bloom => {
                let parts = if stages > 1 { stages } else { 0 };
                (parts, run[word::CAPACITY], run[word::EXPANSION])
            }
            Kind::Cuckoo => (0, run[word::CAPACITY], run[word::RATE]),
            Kind::Rotating => (generations, run[word::CAPACITY], run[word::RATE]),
            Kind::Counting => (0, run[word::CAPACITY], 0),
            Kind::CountMin | Kind::HyperLogLog => (0, 0, 0),
        };
        header.parts = parts as u8;
        header.stage = number as u8;
        header.state = u64::from(high) << 32 | u64::from(low);
        if kind != Kind::HyperLogLog {
            header.count = Some(run[word::ITEMS].into());
        }
        header
    }

    /// Sets bits of a byte of a stage's payload.
    fn or_payload(&mut self, stage: KeyRef, at: u32, byte: u8) {
        let bits = u32::from(byte) << (at % 4 * 8);
        self.or_payload_word(stage, at as usize / 4, bits);
    }

    /// Sets bits of a word of a stage's payload.
    pub(super) fn or_payload_word(&mut self, stage: KeyRef, index: usize, mut bits: u32) {
        let run = self.header(stage);
        if arena::kind(run) == Kind::HyperLogLog {
            bits = bits.to_le();
        }
        let (block, at) = place_of_word(run, index);
        let block = self.blocks_mut(stage).get_mut(block);
        if let Some(word) = block.and_then(|block| block.words_mut().get_mut(at)) {
            *word |= bits;
        }
    }

    /// The run that a snapshot's header asks for, without what only all of its payload tells.
    fn run_for(&self, name: &[u8], header: &Header) -> Outcome<Run> {
        let kind = Kind::of_snapshot(header.kind).ok_or(texts::SNAPSHOT_KIND)?;
        let (_, unit_bits) = kind.in_snapshot();
        if header.hash != Xxh32::ID {
            return Err(texts::SNAPSHOT_HASH);
        }
        if header.encoding != Encoding::Plain {
            return Err(texts::SNAPSHOT_ENCODING);
        }
        let (units, probes, parts) = (
            header.units,
            u32::from(header.probes),
            u32::from(header.parts),
        );
        // All that arithmetic below and hashing later rely on.
        let is_possible = header.unit_bits == unit_bits
            && (1..=1 << 24).contains(&units)
            && match kind {
                Kind::Bloom => (1..=32).contains(&probes),
                Kind::Counting => (1..=32).contains(&probes) && parts == 0,
                Kind::Rotating => {
                    (1..=32).contains(&probes) && (2..=32).contains(&parts) && units <= 1 << 19
                }
                Kind::Cuckoo => units % 8 == 0 && parts == 0,
                Kind::CountMin => units <= 65_536 && (1..=32).contains(&probes) && parts == 0,
                Kind::HyperLogLog => units as usize == NUM_REGISTERS && parts == 0,
            };
        if !is_possible {
            return Err(texts::SNAPSHOT_GEOMETRY);
        }
        let (low, high) = (header.state as u32, (header.state >> 32) as u32);
        let items = header.count.unwrap_or(0).min(u32::MAX.into()) as u32;
        let mut run = header_of(name)?;
        arena::set_kind(&mut run, kind);
        arena::set_num_probes(&mut run, probes);
        run[word::ITEMS] = items;
        run[word::CAPACITY] = low;
        let blocks = match kind {
            Kind::Cuckoo => {
                run[word::RATE] = high;
                units / 8
            }
            Kind::CountMin => {
                run[word::CAPACITY] = units;
                run[word::EXPANSION] = probes;
                super::families::count_min_units(units, probes)
            }
            Kind::HyperLogLog => REGISTER_UNITS,
            Kind::Counting => units,
            Kind::Rotating => {
                run[word::EXPANSION] = parts;
                run[word::RATE] = high;
                if low == 0 {
                    run[word::CAPACITY] = u32::MAX;
                }
                units * parts
            }
            Kind::Bloom => {
                if low == 0 {
                    // From a program that does not say; ten bits for a key is what most take.
                    run[word::CAPACITY] = items.max(units * 51);
                }
                run[word::EXPANSION] = high;
                let rate = blocked_rate(run[word::CAPACITY].into(), units, probes, Layout::DEFAULT);
                run[word::RATE] = rate.parts_per_billion().max(1);
                arena::set_stage(&mut run, header.stage.into());
                units
            }
        };
        run[word::UNITS] = blocks.saturating_add(1);
        if header.payload_len != u64::from(payload_len(&run)) {
            return Err(texts::SNAPSHOT_LENGTH);
        }
        Ok(run)
    }

    /// Begins a stage: in RAM of its own, or, of a fixed key, on top of what is there.
    pub(super) fn open_stage(&mut self, name: &[u8], header: &Header) -> Outcome<KeyRef> {
        let mut run = self.run_for(name, header)?;
        if let Some(key) = self.find(name)
            && self.is_fixed(key)
        {
            let own = self.header(key);
            let is_same = arena::kind(&run) == Kind::Bloom
                && own[word::UNITS] == run[word::UNITS]
                && num_probes(own) == num_probes(&run)
                && header.parts == 0;
            if !is_same {
                return Err(texts::SNAPSHOT_GEOMETRY);
            }
            if self.hash(key).seed_check() != header.seed_check {
                return Err(texts::SNAPSHOT_SEED);
            }
            return Ok(key);
        }
        if header.seed_check != Xxh32::UNSEEDED.seed_check() {
            return Err(texts::SNAPSHOT_SEED);
        }
        arena::set_loading(&mut run, true);
        self.append_run(&run)
    }

    /// All of a stage is there and whole.
    pub(super) fn close_stage(&mut self, stage: KeyRef, header: &Header) {
        let mut items = header.count.unwrap_or(0).min(u32::MAX.into()) as u32;
        if self.is_fixed(stage) {
            items = self.header(stage)[word::ITEMS].saturating_add(items);
        } else if self.kind(stage) == Kind::Cuckoo {
            let words = self.blocks(stage).iter().flat_map(|block| *block.words());
            items = words
                .map(|word| u32::from(word & 0xFFFF != 0) + u32::from(word >> 16 != 0))
                .sum();
        } else if header.count.is_none() && self.kind(stage) == Kind::Bloom {
            let estimate = self.stats(stage).estimated_keys();
            items = u32::try_from(estimate).unwrap_or(u32::MAX);
        }
        self.set_word(stage, word::ITEMS, items);
    }
}

impl Kind {
    fn of_snapshot(kind: SnapshotKind) -> Option<Self> {
        (0..6)
            .map(Self::of_number)
            .find(|own| own.in_snapshot().0 == kind)
    }
}

/// A dump that is being loaded.
#[derive(Debug)]
pub(super) struct Load {
    /// Bytes of the dump so far; 0 when there is none.
    position: u32,
    /// How many of them belong to stages that are complete.
    stage_start: u32,
    /// How many stages are complete.
    stages: u8,
    /// What is left to tell when the chunk ends.
    error: Option<Text>,
    /// Whether all is loaded.
    is_done: bool,
    crc: Crc32,
    payload_len: u32,
    /// Where the current stage lies, while a chunk comes.
    stage: Option<KeyRef>,
    header: [u8; Header::LEN],
}

impl Load {
    pub const fn new() -> Self {
        Self {
            position: 0,
            stage_start: 0,
            stages: 0,
            error: None,
            is_done: false,
            crc: Crc32::new(),
            payload_len: 0,
            stage: None,
            header: [0; Header::LEN],
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
        // Other commands may have moved it, or removed it; a fixed one stays where it is.
        let fixed = self.stage.filter(|stage| keyspace.is_fixed(*stage));
        let stage = fixed.or_else(|| keyspace.find_loading());
        self.stage = stage.filter(|stage| keyspace.name(*stage) == name);
        if self.position == 0 || self.stage.is_none() {
            self.error = Some(texts::BAD_CHUNK);
        }
    }

    pub fn push(&mut self, name: &[u8], kind: Option<Kind>, bytes: &[u8], keyspace: &mut Keyspace) {
        for byte in bytes {
            if self.error.is_some() {
                return;
            }
            if let Err(error) = self.push_byte(name, kind, *byte, keyspace) {
                self.fail(error, keyspace);
            }
        }
    }

    fn push_byte(
        &mut self,
        name: &[u8],
        kind: Option<Kind>,
        byte: u8,
        keyspace: &mut Keyspace,
    ) -> Outcome {
        if self.is_done {
            return Err(texts::SNAPSHOT_TOO_LONG);
        }
        let offset = self.position - self.stage_start;
        self.position += 1;
        if offset < HEADER {
            if let Some(place) = self.header.get_mut(offset as usize) {
                *place = byte;
            }
            if offset + 1 == HEADER {
                let header = Header::parse(&self.header).map_err(texts::of_snapshot_error)?;
                if kind.is_some_and(|kind| kind.in_snapshot().0 != header.kind) {
                    return Err(texts::WRONG_TYPE);
                }
                if header.stage != self.stages || header.stage > 0 && header.stage >= header.parts {
                    return Err(texts::SNAPSHOT_STATE);
                }
                self.stage = Some(keyspace.open_stage(name, &header)?);
                // It fits in RAM.
                self.payload_len = header.payload_len as u32;
                self.crc = Crc32::new();
            }
            return Ok(());
        }
        let Some(stage) = self.stage else {
            return Err(texts::BAD_CHUNK);
        };
        self.crc.write(&[byte]);
        keyspace.or_payload(stage, offset - HEADER, byte);
        if offset + 1 - HEADER < self.payload_len {
            return Ok(());
        }
        let header = Header::parse(&self.header).map_err(texts::of_snapshot_error)?;
        if self.crc.finish() != header.payload_crc {
            return Err(texts::SNAPSHOT_PAYLOAD);
        }
        keyspace.close_stage(stage, &header);
        self.stages += 1;
        self.stage_start = self.position;
        let is_bloom = header.kind == SnapshotKind::BLOCKED;
        if !is_bloom || self.stages >= header.parts.max(1) {
            self.is_done = true;
        }
        Ok(())
    }

    /// The chunk ends, at this byte of the dump if `end` tells; what to answer.
    pub fn end_chunk(&mut self, name: &[u8], end: Option<u32>, keyspace: &mut Keyspace) -> Outcome {
        if self.error.is_none() {
            if self.position < HEADER {
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
        keyspace.remove_loading();
        self.stage = None;
        self.position = 0;
    }
}
