//! What items do to keys that are not Bloom filters, and the rows of RAM behind them.

use super::arena::{num_probes, word};
use super::keyspace::{KeyRef, Keyspace};
use super::kind::Kind;
use crate::block::{Block512, has_bits, set_bits};
use crate::copy::copy;
use crate::counting_bloom;
use crate::cuckoo_filter::BucketStore;
use crate::hash::{GOLDEN, HashValue, block_index};
use crate::hyper_log_log::{self, Group, REGISTERS};

/// Buckets of four 16-bit fingerprints, eight in a unit.
impl BucketStore<u16> for [Block512] {
    fn num_buckets(&self) -> usize {
        self.len() * 8
    }

    #[inline(never)]
    fn bucket(&self, index: usize) -> [u16; 4] {
        let words = self.get(index / 8).map(Block512::words);
        let at = index % 8 * 2;
        let [low, high] = match words.and_then(|words| words.get(at..)?.first_chunk()) {
            Some(words) => *words,
            None => [0; 2],
        };
        [
            low as u16,
            (low >> 16) as u16,
            high as u16,
            (high >> 16) as u16,
        ]
    }

    #[inline(never)]
    fn set_bucket(&mut self, index: usize, [a, b, c, d]: [u16; 4]) {
        let words = self.get_mut(index / 8).map(Block512::words_mut);
        if let Some([low, high]) =
            words.and_then(|words| words.get_mut(index % 8 * 2..)?.first_chunk_mut())
        {
            *low = u32::from(b) << 16 | u32::from(a);
            *high = u32::from(d) << 16 | u32::from(c);
        }
    }
}

/// Groups of four registers in a unit: as many as end with a word, so that they can be dumped by words.
const GROUPS: usize = 20;
/// The registers of a HyperLogLog: a standard error of 2.3 %.
pub(super) const NUM_REGISTERS: usize = 2048;
/// The units for them.
pub(super) const REGISTER_UNITS: u32 = (NUM_REGISTERS / REGISTERS).div_ceil(GROUPS) as u32;

/// How many of the most frequent items a sketch knows by name, one in a unit behind its counters.
const TOP: u32 = 8;
/// Bytes of a name that are kept there.
pub(super) const TOP_NAME: usize = 48;

/// Where in such a unit which word is.
mod top {
    pub const HASH: usize = 0;
    /// 0 when there is none.
    pub const COUNT: usize = 1;
    pub const LENGTH: usize = 2;
    /// The first of the name.
    pub const NAME: usize = 3;
}

/// One of the most frequent items.
pub(super) struct TopItem([u32; 16]);

impl TopItem {
    pub fn name(&self) -> &[u8] {
        let bytes: &[u8] = bytemuck::cast_slice(self.0.split_at(top::NAME).1);
        bytes.get(..self.0[top::LENGTH] as usize).unwrap_or(&[])
    }

    pub fn count(&self) -> u32 {
        self.0[top::COUNT]
    }
}

/// The units of a sketch of so many counters in a row, and rows.
pub(super) fn count_min_units(width: u32, depth: u32) -> u32 {
    width.saturating_mul(depth).div_ceil(16).saturating_add(TOP)
}

fn group(blocks: &[Block512], index: usize) -> Group {
    let bytes: &[u8] = match blocks.get(index / GROUPS) {
        Some(block) => bytemuck::cast_slice(block.words()),
        None => &[],
    };
    let group = bytes
        .get(index % GROUPS * 3..)
        .and_then(<[u8]>::first_chunk);
    group.copied().unwrap_or([0; 3])
}

#[inline(never)]
fn set_group(blocks: &mut [Block512], index: usize, group: Group) {
    let bytes: &mut [u8] = match blocks.get_mut(index / GROUPS) {
        Some(block) => bytemuck::cast_slice_mut(block.words_mut()),
        None => &mut [],
    };
    if let Some(place) = bytes
        .get_mut(index % GROUPS * 3..)
        .and_then(<[u8]>::first_chunk_mut)
    {
        *place = group;
    }
}

/// Counters of 32 bits, 16 in a unit, row after row.
#[inline(never)]
fn counter(blocks: &[Block512], index: usize) -> u32 {
    let block = blocks.get(index / 16);
    block.map_or(0, |block| block.words()[index % 16])
}

fn counter_mut(blocks: &mut [Block512], index: usize) -> Option<&mut u32> {
    let block = blocks.get_mut(index / 16)?;
    Some(&mut block.words_mut()[index % 16])
}

/// Where a key's counters are, one in each row.
fn positions(width: usize, depth: usize, mut probe: u32) -> impl Iterator<Item = usize> {
    (0..depth).map(move |row| {
        probe = probe.wrapping_mul(GOLDEN);
        row * width + block_index(probe, width)
    })
}

/// Which units of a rotating key belong together, and which of them is the newest.
struct Generations {
    number: usize,
    newest: usize,
}

impl Keyspace<'_> {
    /// Whether a key of any kind but a sketch or a HyperLogLog has an item, or may have it.
    #[inline(never)]
    pub(super) fn contains_item(&self, key: KeyRef, hash: u32) -> bool {
        match self.kind(key) {
            Kind::Bloom => self.contains(key, hash),
            Kind::Cuckoo => BucketStore::contains(self.blocks(key), hash),
            Kind::Rotating => {
                let k = num_probes(self.header(key));
                self.row(key, hash)
                    .iter()
                    .any(|block| has_bits(block.words(), hash, k))
            }
            _ => self.count_item(key, hash) > 0,
        }
    }

    /// How often an item may be there.
    #[inline(never)]
    pub(super) fn count_item(&self, key: KeyRef, hash: u32) -> u32 {
        let blocks = self.blocks(key);
        let header = self.header(key);
        match self.kind(key) {
            Kind::Cuckoo => blocks.count(hash) as u32,
            Kind::CountMin => {
                let (width, depth) = (header[word::CAPACITY], header[word::EXPANSION]);
                positions(width as usize, depth as usize, hash)
                    .map(|index| counter(blocks, index))
                    .min()
                    .unwrap_or(0)
            }
            _ => {
                let block = blocks.get(block_index(hash, blocks.len()));
                block.map_or(0, |block| {
                    counting_bloom::minimum(block.words(), hash, num_probes(header))
                })
            }
        }
    }

    /// Adds an item to a cuckoo filter; false when there is no room.
    pub(super) fn add_to_cuckoo(&mut self, key: KeyRef, hash: u32) -> bool {
        let is_added = self.blocks_mut(key).insert(hash);
        self.add_to_word(key, word::ITEMS, u32::from(is_added));
        is_added
    }

    pub(super) fn remove_from_cuckoo(&mut self, key: KeyRef, hash: u32) -> bool {
        let is_removed = self.blocks_mut(key).remove(hash);
        if is_removed {
            self.add_to_word(key, word::ITEMS, u32::MAX);
            // The items that were removed.
            self.add_to_word(key, word::RATE, 1);
        }
        is_removed
    }

    /// Adds an item to a counting filter, or takes it off; whether it was there before.
    pub(super) fn change_counting(&mut self, key: KeyRef, hash: u32, is_removal: bool) -> bool {
        let k = num_probes(self.header(key));
        let blocks = self.blocks_mut(key);
        let index = block_index(hash, blocks.len());
        let Some(block) = blocks.get_mut(index) else {
            return false;
        };
        let words = block.words_mut();
        let was_there = counting_bloom::minimum(words, hash, k) > 0;
        let step = if is_removal { u32::MAX } else { 1 };
        if was_there || !is_removal {
            counting_bloom::add(words, hash, k, step);
            self.add_to_word(key, word::ITEMS, step);
        }
        was_there
    }

    /// Counts an item; the new estimate, at most `u32::MAX`.
    pub(super) fn add_to_count_min(&mut self, key: KeyRef, hash: u32, count: u32) -> u32 {
        let header = self.header(key);
        let (width, depth) = (header[word::CAPACITY], header[word::EXPANSION]);
        let total = header[word::ITEMS].saturating_add(count);
        let blocks = self.blocks_mut(key);
        let mut least = u32::MAX;
        for index in positions(width as usize, depth as usize, hash) {
            if let Some(counter) = counter_mut(blocks, index) {
                *counter = counter.saturating_add(count);
                least = least.min(*counter);
            }
        }
        self.set_word(key, word::ITEMS, total);
        least
    }

    /// The units that name a sketch's most frequent items.
    #[inline(never)]
    fn top(&self, key: KeyRef) -> &[Block512] {
        let blocks = self.blocks(key);
        let counters = blocks.len().saturating_sub(TOP as usize);
        blocks.get(counters..).unwrap_or(&[])
    }

    fn top_mut(&mut self, key: KeyRef) -> &mut [Block512] {
        let blocks = self.blocks_mut(key);
        let counters = blocks.len().saturating_sub(TOP as usize);
        blocks.get_mut(counters..).unwrap_or(&mut [])
    }

    /// An item has come so often: it takes the place of the least frequent, if that came less often.
    #[inline(never)]
    pub(super) fn offer_to_top(&mut self, key: KeyRef, hash: u32, name: &[u8], count: u32) {
        let units = self.top_mut(key);
        let is_item = |words: &[u32; 16]| words[top::COUNT] > 0 && words[top::HASH] == hash;
        let known = units.iter().position(|unit| is_item(unit.words()));
        let least = || {
            let counts = units.iter().map(|unit| unit.words()[top::COUNT]);
            counts
                .enumerate()
                .min_by_key(|(_, count)| *count)
                .filter(|(_, least)| *least < count)
        };
        let place = known.or_else(|| Some(least()?.0));
        let Some(unit) = place.and_then(|place| units.get_mut(place)) else {
            return;
        };
        let words = unit.words_mut();
        words[top::HASH] = hash;
        words[top::COUNT] = count;
        if known.is_none() {
            let (head, bytes) = words.split_at_mut(top::NAME);
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(bytes);
            let length = copy(name, bytes.get_mut(..TOP_NAME).unwrap_or_default());
            if let Some(place) = head.get_mut(top::LENGTH) {
                *place = length as u32;
            }
        }
    }

    /// How many of the most frequent items are known.
    pub(super) fn num_top(&self, key: KeyRef) -> u32 {
        let is_item = |unit: &&Block512| unit.words()[top::COUNT] > 0;
        self.top(key).iter().filter(is_item).count() as u32
    }

    /// The most frequent item but so many; of two that are as frequent, the one that lies in front comes first.
    pub(super) fn top_item(&self, key: KeyRef, more_frequent: u32) -> Option<TopItem> {
        let units = self.top(key);
        let place = |i: usize| units.get(i).map(|unit| (unit.words()[top::COUNT], !i));
        let number = |i: &usize| (0..units.len()).filter(|j| place(*j) > place(*i)).count();
        let i = (0..units.len()).find(|i| number(i) == more_frequent as usize)?;
        Some(TopItem(*units.get(i)?.words()))
    }

    /// Counts the most frequent items of `from` anew in `to`, into which it was merged.
    fn merge_top(&mut self, to: KeyRef, from: KeyRef) {
        for i in 0..TOP as usize {
            let Some(unit) = self.top(from).get(i) else {
                return;
            };
            let item = TopItem(*unit.words());
            if item.count() > 0 {
                let hash = item.0[top::HASH];
                let count = self.count_item(to, hash);
                self.offer_to_top(to, hash, item.name(), count);
            }
        }
    }

    /// Adds `weight` times all counters of one sketch to another of the same size.
    pub(super) fn merge_count_min(&mut self, to: KeyRef, from: KeyRef, weight: u32) {
        let header = self.header(from);
        let counters = header[word::CAPACITY] * header[word::EXPANSION];
        for i in 0..counters as usize {
            let more = counter(self.blocks(from), i).saturating_mul(weight);
            if let Some(counter) = counter_mut(self.blocks_mut(to), i) {
                *counter = counter.saturating_add(more);
            }
        }
        let more = self.header(from)[word::ITEMS].saturating_mul(weight);
        let total = self.header(to)[word::ITEMS].saturating_add(more);
        self.set_word(to, word::ITEMS, total);
        self.merge_top(to, to);
        if weight > 0 {
            self.merge_top(to, from);
        }
    }

    /// Counts an item in a HyperLogLog; whether a register changed.
    pub(super) fn add_to_hyper_log_log(&mut self, key: KeyRef, hash: u32) -> bool {
        let (index, rank) = hash.register_and_rank(NUM_REGISTERS);
        let blocks = self.blocks_mut(key);
        let mut registers = group(blocks, index / REGISTERS);
        let is_changed = hyper_log_log::raise_in(&mut registers, index, rank).is_some();
        set_group(blocks, index / REGISTERS, registers);
        is_changed
    }

    /// How many different items are in these HyperLogLogs together.
    pub(super) fn estimate_union(&self, keys: impl Iterator<Item = KeyRef> + Clone) -> u32 {
        let groups = (0..NUM_REGISTERS / REGISTERS).map(|i| {
            keys.clone().fold(0, |united, key| {
                let registers = hyper_log_log::unpack(&group(self.blocks(key), i));
                hyper_log_log::highest(united, registers)
            })
        });
        let estimate = hyper_log_log::estimate_groups(groups, NUM_REGISTERS as u32, 32);
        u32::try_from(estimate).unwrap_or(u32::MAX)
    }

    pub(super) fn merge_hyper_log_log(&mut self, to: KeyRef, from: KeyRef) {
        for i in 0..NUM_REGISTERS / REGISTERS {
            let other = group(self.blocks(from), i);
            let mut registers = group(self.blocks(to), i);
            hyper_log_log::merge_group(&mut registers, &other);
            set_group(self.blocks_mut(to), i, registers);
        }
    }

    fn generations(&self, key: KeyRef) -> Generations {
        let word = self.header(key)[word::EXPANSION];
        Generations {
            number: (word & 0xFF).max(1) as usize,
            newest: (word >> 8) as usize,
        }
    }

    /// The units of an item in a rotating key, one for each generation.
    fn row(&self, key: KeyRef, hash: u32) -> &[Block512] {
        let Generations { number, .. } = self.generations(key);
        let blocks = self.blocks(key);
        let first = block_index(hash, blocks.len() / number) * number;
        blocks.get(first..first + number).unwrap_or(&[])
    }

    /// Adds an item to the newest generation; whether it was in none.
    pub(super) fn add_to_rotating(&mut self, key: KeyRef, hash: u32, now: u32) -> bool {
        self.rotate_if_due(key, now);
        let is_new = !self.contains_item(key, hash);
        let Generations { number, newest } = self.generations(key);
        let k = num_probes(self.header(key));
        let blocks = self.blocks_mut(key);
        let at = block_index(hash, blocks.len() / number) * number + newest;
        if let Some(block) = blocks.get_mut(at)
            && !has_bits(block.words(), hash, k)
        {
            set_bits(block.words_mut(), hash, k);
            self.add_to_word(key, word::ITEMS, 1);
        }
        is_new
    }

    /// Rotates as often as seconds or items ask for it.
    pub(super) fn rotate_if_due(&mut self, key: KeyRef, now: u32) {
        let header = self.header(key);
        let (seconds, since, after) = (
            header[word::RATE],
            header[word::EXTRA],
            header[word::CAPACITY],
        );
        if seconds == 0 {
            if header[word::ITEMS] >= after {
                self.rotate(key);
            }
            return;
        }
        let due = now.wrapping_sub(since) / seconds;
        if due > 0 {
            let Generations { number, .. } = self.generations(key);
            (0..due.min(number as u32)).for_each(|_| self.rotate(key));
            // Not `now`: generations begin in step with the period, however late an item comes.
            self.set_word(key, word::EXTRA, since.wrapping_add(due * seconds));
        }
    }

    /// Forgets the oldest generation and begins a new one.
    pub(super) fn rotate(&mut self, key: KeyRef) {
        self.note_change();
        let Generations { number, newest } = self.generations(key);
        let oldest = (newest + 1) % number;
        for block in self.blocks_mut(key).iter_mut().skip(oldest).step_by(number) {
            *block = Block512::EMPTY;
        }
        self.set_word(key, word::EXPANSION, number as u32 | (oldest as u32) << 8);
        self.set_word(key, word::ITEMS, 0);
    }
}
