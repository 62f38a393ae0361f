//! What items do to keys that are not Bloom filters, and the RAM behind them.
//!
//! That is slots of equal size for each kind, as many in a word as fit, and 16 words in a unit: bits, the fingerprints
//! of a cuckoo filter, the counters of a sketch and of a counting filter, the registers of a HyperLogLog. One way to
//! read a slot and one to add to it serve all.

use core::num::NonZero;

use super::arena::{self, Header, num_probes, word};
use super::keyspace::{KeyRef, Keyspace};
use super::kind::Kind;
use crate::block::{Block512, clear};
use crate::copy::copy;
use crate::cuckoo_filter::BucketStore;
use crate::hash::{GOLDEN, HashValue, block_index};
use crate::hyper_log_log;

/// The registers of a HyperLogLog: a standard error of 2.3 %.
pub(super) const NUM_REGISTERS: usize = 2048;
/// The units for them, five in a word.
pub(super) const REGISTER_UNITS: u32 = (NUM_REGISTERS as u32).div_ceil(5 * 16);

/// How many of the most frequent items a sketch knows by name, one in a unit behind its counters.
const TOP: usize = 8;
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

/// One of the most frequent items, in its unit.
pub(super) type TopItem = [u32; 16];

/// How often it came, and its name.
pub(super) fn count_and_name(item: &TopItem) -> (u32, &[u8]) {
    let bytes: &[u8] = bytemuck::cast_slice(item.split_at(top::NAME).1);
    let name = bytes.get(..item[top::LENGTH] as usize).unwrap_or(&[]);
    (item[top::COUNT], name)
}

/// The units of a sketch of so many counters in a row, and rows.
pub(super) fn count_min_units(width: u32, depth: u32) -> u32 {
    let counters = width.saturating_mul(depth).div_ceil(16);
    counters.saturating_add(TOP as u32)
}

/// Generations of a key that rotates; 1 of any other.
pub(super) fn num_generations(header: &Header) -> usize {
    (header[word::EXPANSION] & 0xFF).max(1) as usize
}

/// Which generation is the newest.
pub(super) fn newest(header: &Header) -> usize {
    (header[word::EXPANSION] >> 8) as usize
}

/// Reads a slot, of which there are so many in a word; 0 when there is none.
#[inline(never)]
pub(super) fn slot(blocks: &[Block512], per_word: NonZero<usize>, index: usize) -> u32 {
    let bits = 32 / per_word;
    let word = index / per_word;
    let word = blocks.get(word / 16).map_or(0, |b| b.words()[word % 16]);
    word >> (index % per_word * bits) & (u32::MAX >> (32 - bits))
}

/// A key that is not fixed, to change it.
pub(super) struct Slots<'r> {
    pub header: &'r mut Header,
    blocks: &'r mut [Block512],
    per_word: NonZero<usize>,
}

impl Slots<'_> {
    fn get(&self, index: usize) -> u32 {
        slot(self.blocks, self.per_word, index)
    }

    /// Adds to a slot, modulo 2^32; the sum must fit, or the slots above change.
    #[inline(never)]
    pub fn add(&mut self, index: usize, more: u32) {
        let bits = 32 / self.per_word;
        let word = index / self.per_word;
        if let Some(block) = self.blocks.get_mut(word / 16) {
            let word = &mut block.words_mut()[word % 16];
            *word = word.wrapping_add(more << (index % self.per_word * bits));
        }
    }

    /// The least of an item's slots: one in each row of a sketch, or all in one block, that of this generation. Then
    /// adds `step` to each, up to the most that fits, where a slot stays; `u32::MAX` takes 1 off a counting filter.
    #[inline(never)]
    fn probe(&mut self, hash: u32, generation: usize, step: u32) -> u32 {
        let number = num_generations(self.header);
        let row = block_index(hash, self.blocks.len() / number) * number + generation;
        let mut width = 16 * self.per_word.get();
        let mut first = row * width;
        // From one probe to the next.
        let mut stride = 0;
        if self.per_word.get() == 1 {
            width = self.header[word::CAPACITY] as usize;
            first = 0;
            stride = width;
        }
        let most = u32::MAX >> (32 - 32 / self.per_word);
        let mut least = most;
        let mut probe = hash;
        for i in 0..num_probes(self.header) {
            probe = probe.wrapping_mul(GOLDEN);
            let slot = block_index(probe, width);
            let index = first + slot;
            let value = self.get(index);
            least = least.min(value);
            let mut more = step;
            if stride > 0 {
                more = step.min(most - value);
            } else {
                // Where two probes meet, only the first counts.
                let mut earlier = hash;
                for _ in 0..i {
                    earlier = earlier.wrapping_mul(GOLDEN);
                    if block_index(earlier, width) == slot {
                        more = 0;
                    }
                }
                if value == most {
                    more = 0;
                }
            }
            if more > 0 {
                self.add(index, more);
            }
            first += stride;
        }
        least
    }
}

impl Slots<'_> {
    /// Writes `new` into the first slot of two buckets that holds `old`, or into all when they are the same; how many.
    #[inline(never)]
    fn exchange(&mut self, first: usize, second: usize, old: u16, new: u16) -> u32 {
        let mut count = 0;
        // Both may be the same.
        let number = if first == second { 4 } else { 8 };
        for i in 0..number {
            let bucket = if i < 4 { first } else { second };
            let slot = bucket * 4 + i % 4;
            if self.get(slot) == u32::from(old) {
                count += 1;
                if old != new {
                    self.add(slot, u32::from(new).wrapping_sub(old.into()));
                    break;
                }
            }
        }
        count
    }
}

/// Buckets of four fingerprints.
impl BucketStore<u16> for Slots<'_> {
    fn num_buckets(&self) -> usize {
        self.blocks.len() * 8
    }

    #[inline]
    fn replace(&mut self, index: usize, old: u16, new: u16) -> bool {
        self.exchange(index, index, old, new) > 0
    }

    #[inline(never)]
    fn swap(&mut self, index: usize, turn: u32, fingerprint: &mut u16) {
        let slot = index * 4 + (turn >> 30) as usize;
        let old = self.get(slot) as u16;
        self.add(slot, u32::from(*fingerprint).wrapping_sub(old.into()));
        *fingerprint = old;
    }
}

/// A key that is merged with others, and how often it counts, if it is a sketch.
pub(super) type Part = Option<(KeyRef, u32)>;

/// In place of how often to add an item: take it off, once.
pub(super) const REMOVE: u32 = u32::MAX;

impl Keyspace<'_> {
    /// A key that is not fixed, to change it.
    #[inline(never)]
    pub(super) fn slots(&mut self, key: KeyRef) -> Slots<'_> {
        let (header, blocks) = self.run_mut(key);
        Slots {
            per_word: arena::kind(header).slots_per_word(),
            header,
            blocks,
        }
    }

    /// Adds an item, so often when it is a sketch, or takes it off with [`REMOVE`], or with 0 only asks; how often it
    /// may have been there before. What changes a cuckoo filter or a HyperLogLog answers 1 if it did.
    #[inline(never)]
    pub(super) fn change_slots(&mut self, key: KeyRef, hash: u32, step: u32) -> u32 {
        let mut slots = self.slots(key);
        let kind = arena::kind(slots.header);
        let mut count = 0;
        match kind {
            Kind::Cuckoo => {
                let place = slots.place(hash);
                let (old, new) = match step {
                    0 => (place.fingerprint, place.fingerprint),
                    REMOVE => (place.fingerprint, 0),
                    _ => (0, place.fingerprint),
                };
                count = slots.exchange(place.first, place.second, old, new);
                if count == 0 && old == 0 {
                    count = slots.kick(&place).into();
                }
                if count == 0 || step == 0 {
                    return count;
                }
                if step == REMOVE {
                    // The items that were removed.
                    let removed = &mut slots.header[word::RATE];
                    *removed = removed.saturating_add(1);
                }
            }
            Kind::HyperLogLog => {
                let (index, rank) = hash.register_and_rank(NUM_REGISTERS);
                let old = slots.get(index);
                if old < rank {
                    slots.add(index, rank - old);
                    count = 1;
                }
                return count;
            }
            _ => {
                for generation in 0..num_generations(slots.header) {
                    count = slots.probe(hash, generation, 0).max(count);
                }
                let is_in_vain = kind == Kind::Counting && step == REMOVE && count == 0;
                if step == 0 || is_in_vain {
                    return count;
                }
                let least = slots.probe(hash, newest(slots.header), step);
                if kind == Kind::Rotating && least > 0 {
                    // Nothing has changed.
                    return count;
                }
            }
        }
        let items = &mut slots.header[word::ITEMS];
        *items = match step {
            // Of a sketch it is a number as any.
            REMOVE if kind != Kind::CountMin => items.saturating_sub(1),
            _ => items.saturating_add(step),
        };
        count
    }

    /// The units that name a sketch's most frequent items, the most frequent first; of two that are as frequent, the
    /// one that was first so.
    fn top_mut(&mut self, key: KeyRef) -> Option<&mut [Block512; TOP]> {
        self.run_mut(key).1.last_chunk_mut()
    }

    /// The most frequent item but so many.
    #[inline(never)]
    pub(super) fn top_item(&self, key: KeyRef, more_frequent: usize) -> Option<&TopItem> {
        let units = self.blocks(key).last_chunk::<TOP>()?;
        let item = units.get(more_frequent)?.words();
        (item[top::COUNT] > 0).then_some(item)
    }

    /// An item has come so often: it takes the place of the least frequent, if that came less often.
    #[inline(never)]
    pub(super) fn offer_to_top(&mut self, key: KeyRef, hash: u32, name: &[u8], count: u32) {
        let Some(units) = self.top_mut(key) else {
            return;
        };
        let mut place = 0;
        while place < TOP - 1 && units[place].words()[top::HASH] != hash {
            place += 1;
        }
        let words = units[place].words_mut();
        if words[top::HASH] != hash && words[top::COUNT] >= count {
            return;
        }
        let (head, bytes) = words.split_at_mut(top::NAME);
        let length = copy(name, bytemuck::cast_slice_mut(bytes));
        head.copy_from_slice(&[hash, count, length as u32]);
        while let ([.., before], [unit, ..]) = units.split_at_mut(place)
            && before.words()[top::COUNT] < count
        {
            before.words_mut().swap_with_slice(unit.words_mut());
            place -= 1;
        }
    }

    /// Counts the most frequent items of `from` anew in `to`, into which it was merged.
    #[inline(never)]
    fn merge_top(&mut self, to: KeyRef, from: KeyRef) {
        for i in 0..TOP {
            if let Some(&item) = self.top_item(from, i) {
                let hash = item[top::HASH];
                let count = self.change_slots(to, hash, 0);
                self.offer_to_top(to, hash, count_and_name(&item).1, count);
            }
        }
    }

    /// What the slots of this number come to in all of these keys: the sum of counters, each as often as its key counts,
    /// or the highest of registers.
    #[inline(never)]
    fn merged_slot(&self, parts: &[Part], index: usize) -> u32 {
        let mut merged = 0;
        for (key, weight) in parts.iter().flatten() {
            let kind = self.kind(*key);
            let slot = slot(self.blocks(*key), kind.slots_per_word(), index);
            merged = match kind {
                Kind::CountMin => sum(merged, slot, *weight),
                _ => slot.max(merged),
            };
        }
        merged
    }

    /// Makes each of so many slots of a key what it comes to in all of these, which may be that key, too.
    #[inline(never)]
    pub(super) fn merge(&mut self, to: KeyRef, parts: &[Part], slots: usize) {
        for i in 0..slots {
            let new = self.merged_slot(parts, i);
            let mut slots = self.slots(to);
            slots.add(i, new.wrapping_sub(slots.get(i)));
        }
    }

    /// The most frequent items of a sketch that is merged from these.
    pub(super) fn merge_tops(&mut self, to: KeyRef, parts: &[Part]) {
        self.merge_top(to, to);
        for (key, _) in parts.iter().flatten() {
            self.merge_top(to, *key);
        }
    }

    /// How many different items are in these HyperLogLogs together.
    #[inline(never)]
    pub(super) fn estimate_union(&self, parts: &[Part]) -> u32 {
        let mut counts = [0_u16; 64];
        for i in 0..NUM_REGISTERS {
            let highest = self.merged_slot(parts, i);
            counts[highest as usize % 64] += 1;
        }
        const REGISTERS: u32 = NUM_REGISTERS as u32;
        const ALPHA: u64 = hyper_log_log::alpha(REGISTERS);
        let estimate = hyper_log_log::estimate(&counts, REGISTERS, ALPHA, 32);
        u32::try_from(estimate).unwrap_or(u32::MAX)
    }

    /// Rotates a key that does as often as seconds or items ask for it.
    #[inline(never)]
    pub(super) fn rotate_if_due(&mut self, key: KeyRef, now: u32) {
        let (header, _) = self.run_mut(key);
        if arena::kind(header) != Kind::Rotating {
            return;
        }
        let seconds = header[word::RATE];
        let since = &mut header[word::EXTRA];
        let due = match now.wrapping_sub(*since).checked_div(seconds) {
            Some(due) => {
                // Not `now`: generations begin in step with the period, however late an item comes.
                *since = since.wrapping_add(due * seconds);
                due
            }
            None => {
                let period = header[word::CAPACITY];
                (period > 0 && header[word::ITEMS] >= period).into()
            }
        };
        for _ in 0..due.min(num_generations(header) as u32) {
            self.rotate(key);
        }
    }

    /// Forgets the oldest generation and begins a new one.
    #[inline(never)]
    pub(super) fn rotate(&mut self, key: KeyRef) {
        self.note_change();
        let (header, blocks) = self.run_mut(key);
        let number = num_generations(header);
        let mut oldest = newest(header) + 1;
        if oldest >= number {
            oldest = 0;
        }
        header[word::EXPANSION] = (oldest << 8 | number) as u32;
        header[word::ITEMS] = 0;
        let mut i = oldest;
        while let Some(block) = blocks.get_mut(i) {
            clear(core::slice::from_mut(block));
            i += number;
        }
    }
}

/// `own + more * weight`, or the most that fits.
#[inline(never)]
pub(super) fn sum(own: u32, more: u32, weight: u32) -> u32 {
    more.saturating_mul(weight).saturating_add(own)
}
