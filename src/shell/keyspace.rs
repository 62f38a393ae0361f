//! The named filters of a device: fixed ones, which are statics of the firmware, and those in the arena.

use core::num::NonZero;

use super::DUMPS;
use super::arena::{self, ArenaView, Header, MAX_NAME, UNIT_BYTES, num_probes, word};
use super::call::Outcome;
use super::families::{REGISTER_UNITS, count_min_units};
use super::kind::Kind;
use super::texts;
use crate::block::{Block512, clear, has_bits, set_bits};
use crate::blocked_bloom::BlockedBloomView;
use crate::hash::{HashFunction, Xxh32, block_index};
use crate::sizing::{Layout, Plan, Rate, blocked_rate, cuckoo_buckets};
use crate::stats::Stats;

/// A filter of the firmware, under a name. It can be emptied, not removed.
#[derive(Debug)]
pub struct Fixed<'a> {
    /// As in front of a run in the arena.
    header: Header,
    hash: Xxh32,
    blocks: &'a mut [Block512],
}

impl<'a> Fixed<'a> {
    /// A blocked filter that is to take `capacity` keys.
    ///
    /// # Panics
    ///
    /// If the name has more than 36 bytes.
    pub fn blocked<const K: usize>(
        name: &'static str,
        capacity: u32,
        filter: &'a mut BlockedBloomView<K>,
    ) -> Self {
        assert!(
            name.len() <= MAX_NAME,
            "the name of a key has at most 36 bytes"
        );
        let (hash, blocks) = filter.parts_mut();
        let mut header = [0; 16];
        header[word::UNITS] = blocks.len() as u32 + 1;
        header[word::CAPACITY] = capacity;
        header[word::SMALL] = K as u32;
        arena::set_name(&mut header, name.as_bytes());
        Self {
            header,
            hash,
            blocks,
        }
    }
}

/// All keys of a device.
///
/// # Examples
///
/// ```
/// use sundew::profile::Kb4;
/// use sundew::shell::{Arena, Fixed, Keyspace};
///
/// let mut seen = Kb4::new();
/// let mut fixed = [Fixed::blocked("seen", 3_303, &mut seen)];
/// let mut arena = Arena::<128>::new();
/// let keyspace = Keyspace::new(&mut fixed, arena.as_mut_view());
/// # let _ = keyspace;
/// ```
#[derive(Debug)]
pub struct Keyspace<'a> {
    fixed: &'a mut [Fixed<'a>],
    arena: &'a mut ArenaView,
    /// How often keys were made, removed, emptied or rotated.
    changes: u32,
    /// The bytes of the last key that did not fit.
    bytes_needed: u32,
    /// The fixed key that is being loaded, on top of what is there, until it is emptied.
    fixed_loading: Option<KeyRef>,
}

/// Where a stage of a key is; where its first is stands for the key. Valid until the next key is removed.
///
/// The fixed keys come first, then the units of the arena, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyRef(NonZero<usize>);

impl KeyRef {
    /// A number that stands for it.
    pub fn number(self) -> u32 {
        self.0.get() as u32
    }

    pub fn of_number(number: u32) -> Option<Self> {
        NonZero::new(number as usize).map(Self)
    }
}

/// What a filter is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub capacity: u32,
    pub rate: Rate,
    /// 0 when it is not to grow.
    pub expansion: u32,
    /// Whether a key that is missing is to be made.
    pub may_create: bool,
}

impl Wish {
    /// What RedisBloom makes of a key that is not there.
    pub const DEFAULT: Self = Self {
        capacity: 100,
        rate: Rate::percent(1),
        expansion: 2,
        may_create: true,
    };
}

/// What there is to say about a key; the sums over its stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Summary {
    pub capacity: u32,
    pub bytes: u32,
    pub stages: u32,
    pub items: u32,
    pub expansion: u32,
}

impl Summary {
    /// Whether a key holds 90 % of what it is made for.
    pub fn is_near_capacity(&self) -> bool {
        is_near(self.items, self.capacity)
    }
}

fn is_near(items: u32, capacity: u32) -> bool {
    // Not all that is loaded says what it is made for.
    capacity > 0 && items >= capacity - capacity / 10
}

impl<'a> Keyspace<'a> {
    /// The keys of these statics, and an arena for more.
    pub const fn new(fixed: &'a mut [Fixed<'a>], arena: &'a mut ArenaView) -> Self {
        Self {
            fixed,
            arena,
            changes: 0,
            bytes_needed: 0,
            fixed_loading: None,
        }
    }

    /// A number that changes when more than items of a key does.
    #[cfg(feature = "shell-saves")]
    pub(super) fn changes(&self) -> u32 {
        self.changes
    }

    /// Notes such a change.
    pub(super) fn note_change(&mut self) {
        self.changes = self.changes.wrapping_add(1);
    }

    pub(super) fn arena(&self) -> &ArenaView {
        self.arena
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<KeyRef> {
        self.next_of_name(name, None)
    }

    /// The next run of this name that is not being loaded.
    #[inline(never)]
    fn next_of_name(&self, name: &[u8], last: Option<KeyRef>) -> Option<KeyRef> {
        let mut last = last;
        loop {
            let run = self.next_run(last)?;
            if self.name(run) == name && !arena::is_loading(self.header(run)) {
                return Some(run);
            }
            last = Some(run);
        }
    }

    fn in_arena(&self, at: usize) -> Option<KeyRef> {
        NonZero::new(self.fixed.len() + at + 1).map(KeyRef)
    }

    /// The fixed key or, with its place in the arena, none.
    fn locate(&self, stage: KeyRef) -> (Option<&Fixed<'a>>, usize) {
        let i = stage.0.get() - 1;
        (self.fixed.get(i), i.wrapping_sub(self.fixed.len()))
    }

    /// All keys, in an order that only making and removing keys changes.
    pub(super) fn keys(&self) -> impl Iterator<Item = KeyRef> {
        let mut last = None;
        core::iter::from_fn(move || {
            last = self.next_key(last);
            last
        })
    }

    #[inline(never)]
    pub(super) fn next_key(&self, last: Option<KeyRef>) -> Option<KeyRef> {
        let mut run = last;
        loop {
            run = Some(self.next_run(run)?);
            if arena::is_key(self.header(run?)) {
                return run;
            }
        }
    }

    /// The run behind this one: the fixed keys, then what is in the arena.
    #[inline(never)]
    fn next_run(&self, last: Option<KeyRef>) -> Option<KeyRef> {
        let fixed = self.fixed.len();
        let last_number = last.map_or(0, |last| last.0.get());
        let mut at = last_number.wrapping_sub(fixed);
        if let Some(last) = last
            && last_number > fixed
        {
            at += self.header(last)[word::UNITS] as usize - 1;
        }
        if last_number >= fixed && self.arena.units_at(at) == 0 {
            return None;
        }
        NonZero::new(fixed.wrapping_add(at) + 1).map(KeyRef)
    }

    #[inline(never)]
    pub(super) fn num_keys(&self) -> u32 {
        self.keys().count() as u32
    }

    #[inline(never)]
    pub(super) fn name(&self, key: KeyRef) -> &[u8] {
        arena::name_of(self.header(key))
    }

    pub(super) fn hash(&self, key: KeyRef) -> Xxh32 {
        let (fixed, _) = self.locate(key);
        fixed.map_or(Xxh32::UNSEEDED, |fixed| fixed.hash)
    }

    pub(super) fn is_fixed(&self, key: KeyRef) -> bool {
        self.locate(key).0.is_some()
    }

    /// The stages of a key, the first first.
    pub(super) fn stages(&self, key: KeyRef) -> impl Iterator<Item = KeyRef> {
        let mut next = Some(key);
        core::iter::from_fn(move || {
            let here = next?;
            next = self.next_stage(here);
            Some(here)
        })
    }

    #[inline(never)]
    pub(super) fn next_stage(&self, stage: KeyRef) -> Option<KeyRef> {
        if !arena::is_followed(self.header(stage)) {
            return None;
        }
        self.next_of_name(self.name(stage), Some(stage))
    }

    /// What a stage is.
    #[inline(never)]
    pub(super) fn header(&self, stage: KeyRef) -> &Header {
        match self.locate(stage) {
            (Some(fixed), _) => &fixed.header,
            (None, at) => self.arena.header(at),
        }
    }

    /// What a stage is, and what it holds.
    #[inline(never)]
    pub(super) fn run(&self, stage: KeyRef) -> (&Header, &[Block512]) {
        match self.locate(stage) {
            (Some(fixed), _) => (&fixed.header, fixed.blocks),
            (None, at) => self.arena.run(at),
        }
    }

    /// The same, to change it.
    #[inline(never)]
    pub(super) fn run_mut(&mut self, stage: KeyRef) -> (&mut Header, &mut [Block512]) {
        let (_, at) = self.locate(stage);
        match self.fixed.get_mut(stage.0.get() - 1) {
            Some(fixed) => (&mut fixed.header, fixed.blocks),
            None => self.arena.run_mut(at),
        }
    }

    #[inline(never)]
    pub(super) fn blocks(&self, stage: KeyRef) -> &[Block512] {
        self.run(stage).1
    }

    #[inline(never)]
    pub(super) fn set_word(&mut self, stage: KeyRef, word: usize, value: u32) {
        if let Some(place) = self.run_mut(stage).0.get_mut(word) {
            *place = value;
        }
    }

    #[inline(never)]
    pub(super) fn kind(&self, key: KeyRef) -> Kind {
        arena::kind(self.header(key))
    }

    #[inline(never)]
    pub(super) fn summary(&self, key: KeyRef) -> Summary {
        let mut sum = Summary::default();
        for stage in self.stages(key) {
            let header = self.header(stage);
            sum.capacity = sum.capacity.saturating_add(header[word::CAPACITY]);
            sum.bytes += header[word::UNITS] * UNIT_BYTES;
            sum.stages += 1;
            sum.items = sum.items.saturating_add(header[word::ITEMS]);
            sum.expansion = header[word::EXPANSION];
        }
        if self.kind(key) == Kind::HyperLogLog {
            sum.items = self.estimate_union(&[Some((key, 1))]);
        }
        sum
    }

    /// Whether a key cannot grow and holds 90 % of what it is made for. From its header alone: this is asked all the
    /// time, and there may be a thousand keys.
    pub(super) fn needs_room(&self, key: KeyRef) -> bool {
        let header = self.header(key);
        arena::kind(header).has_capacity()
            && header[word::EXPANSION] == 0
            && is_near(header[word::ITEMS], header[word::CAPACITY])
    }

    pub(super) fn stats(&self, stage: KeyRef) -> Stats {
        let (header, blocks) = self.run(stage);
        let ones = blocks.iter().map(count_ones);
        Stats::of_blocks(ones, 512, num_probes(header))
    }

    /// The rate to expect of a key whose stages hold what this word of their headers says: a little too high,
    /// by the products of their rates.
    #[inline(never)]
    pub(super) fn rate_with(&self, key: KeyRef, items: usize) -> u32 {
        let mut sum = 0_u32;
        for stage in self.stages(key) {
            let header = self.header(stage);
            let rate = blocked_rate(
                u64::from(header.get(items).copied().unwrap_or(0)),
                header[word::UNITS] - 1,
                num_probes(header),
                Layout::DEFAULT,
            );
            sum = sum.saturating_add(rate.parts_per_billion());
        }
        sum
    }

    fn stage_contains(&self, stage: KeyRef, hash: u32) -> bool {
        let (header, blocks) = self.run(stage);
        blocks
            .get(block_index(hash, blocks.len()))
            .is_none_or(|block| has_bits(block.words(), hash, num_probes(header)))
    }

    pub(super) fn contains(&self, key: KeyRef, hash: u32) -> bool {
        self.last_stage_without(key, hash).is_none()
    }

    /// The last stage, when none has the item.
    #[inline(never)]
    fn last_stage_without(&self, key: KeyRef, hash: u32) -> Option<KeyRef> {
        let mut stage = key;
        loop {
            if self.stage_contains(stage, hash) {
                return None;
            }
            match self.next_stage(stage) {
                Some(next) => stage = next,
                None => return Some(stage),
            }
        }
    }

    /// Adds an item; false when it was there or looks like it.
    pub(super) fn insert(&mut self, key: KeyRef, hash: u32) -> Outcome<bool> {
        let Some(mut stage) = self.last_stage_without(key, hash) else {
            return Ok(false);
        };
        loop {
            let (header, blocks) = self.run_mut(stage);
            if header[word::ITEMS] < header[word::CAPACITY] {
                header[word::ITEMS] += 1;
                if let Some(block) = blocks.get_mut(block_index(hash, blocks.len())) {
                    set_bits(block.words_mut(), hash, num_probes(header));
                }
                return Ok(true);
            }
            stage = self.grow(stage)?;
        }
    }

    /// Makes the next stage of a key whose last one, at `stage`, holds its keys.
    #[cold]
    fn grow(&mut self, stage: KeyRef) -> Outcome<KeyRef> {
        // A fixed key has none.
        let last = self.header(stage);
        let expansion = last[word::EXPANSION];
        if expansion == 0 {
            return Err(texts::FULL);
        }
        let mut next = arena::next_stage(last).ok_or(texts::FULL)?;
        next[word::CAPACITY] = next[word::CAPACITY].saturating_mul(expansion);
        let next = self.append(&mut next)?;
        arena::set_followed(self.run_mut(stage).0, true);
        Ok(next)
    }

    /// Makes a key of this kind.
    pub(super) fn create(&mut self, name: &[u8], kind: Kind, wish: &Wish) -> Outcome<KeyRef> {
        if self.find(name).is_some() {
            return Err(match kind {
                Kind::CountMin => texts::CMS_EXISTS,
                _ => texts::ITEM_EXISTS,
            });
        }
        let mut header = [0; 16];
        set_name(&mut header, name)?;
        arena::set_kind(&mut header, kind);
        header[word::CAPACITY] = wish.capacity;
        header[word::RATE] = wish.rate.parts_per_billion();
        header[word::EXPANSION] = wish.expansion;
        self.append(&mut header)
    }

    pub(super) fn append_run(&mut self, header: &Header) -> Outcome<KeyRef> {
        self.bytes_needed = header[word::UNITS].saturating_mul(UNIT_BYTES);
        let at = self.arena.append(header).ok_or(texts::TOO_LARGE)?;
        self.note_change();
        self.in_arena(at).ok_or(texts::TOO_LARGE)
    }

    /// The bytes of the last key that did not fit.
    pub(super) fn bytes_needed(&self) -> u32 {
        self.bytes_needed
    }

    /// Appends a run to the arena, for the capacity, the rate and the expansion that the header says.
    #[inline(never)]
    fn append(&mut self, header: &mut Header) -> Outcome<KeyRef> {
        let kind = arena::kind(header);
        let capacity = header[word::CAPACITY];
        header[word::ITEMS] = 0;
        // Not all kinds have these.
        let rate = core::mem::take(&mut header[word::RATE]);
        let expansion = core::mem::take(&mut header[word::EXPANSION]);
        let (probes, units) = match kind {
            Kind::Cuckoo => {
                let buckets = cuckoo_buckets(capacity as usize);
                (2, buckets.div_ceil(8) as u32)
            }
            Kind::CountMin => (expansion, count_min_units(capacity, expansion)),
            Kind::HyperLogLog => (1, REGISTER_UNITS),
            Kind::Bloom | Kind::Counting | Kind::Rotating => {
                // A filter that grows starts at half the rate and halves it with every stage, so that all together
                // keep it; of generations, which are all asked, each has its share.
                let (mut parts, mut generations, mut layout) = (1, 1, Layout::DEFAULT);
                match kind {
                    Kind::Counting => layout = Layout::COUNTING,
                    Kind::Rotating => (parts, generations) = (expansion, expansion),
                    _ => parts = expansion.min(1) * 2,
                }
                if kind != Kind::Counting {
                    header[word::EXPANSION] = expansion;
                }
                let rate = rate / parts.max(1);
                let rate = Rate::from_parts_per_billion(rate.max(1));
                let Ok(plan) = Plan::try_for_keys_in(capacity.into(), rate, layout) else {
                    self.bytes_needed = u32::MAX;
                    return Err(texts::TOO_LARGE);
                };
                header[word::RATE] = rate.parts_per_billion();
                let units = (plan.blocks() as u32).saturating_mul(generations);
                (plan.k() as u32, units)
            }
        };
        arena::set_num_probes(header, probes);
        header[word::UNITS] = units.saturating_add(1);
        self.append_run(header)
    }

    /// Removes a key, or empties it when it is fixed; false when there is none of this name.
    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        let Some(key) = self.find(name) else {
            return false;
        };
        self.empty(key);
        self.remove_run(key);
        true
    }

    /// Empties a key and keeps its first stage.
    #[inline(never)]
    pub(super) fn empty(&mut self, key: KeyRef) {
        self.note_change();
        while let Some(stage) = self.next_stage(key) {
            self.remove_run(stage);
        }
        let (header, blocks) = self.run_mut(key);
        clear(blocks);
        arena::set_followed(header, false);
        header[word::ITEMS] = 0;
        if arena::kind(header) == Kind::Cuckoo {
            // The items that were removed.
            header[word::RATE] = 0;
        }
        if DUMPS && self.fixed_loading == Some(key) {
            self.fixed_loading = None;
        }
    }

    /// Removes a run, if it is in the arena.
    #[inline(never)]
    fn remove_run(&mut self, run: KeyRef) {
        if let (None, at) = self.locate(run) {
            self.arena.remove_run(at);
        }
    }

    /// The stage that is being loaded, the last if there are several.
    #[inline(never)]
    pub(super) fn find_loading(&self) -> Option<KeyRef> {
        let (mut run, mut found) = (None, self.fixed_loading);
        loop {
            run = self.next_run(run);
            match run {
                None => return found,
                Some(loading) if arena::is_loading(self.header(loading)) => found = run,
                Some(_) => {}
            }
        }
    }

    /// A fixed key is being loaded, on top of what is there.
    pub(super) fn load_fixed(&mut self, key: KeyRef) {
        self.fixed_loading = Some(key);
    }

    /// Removes what is being loaded.
    pub(super) fn remove_loading(&mut self) {
        self.fixed_loading = None;
        while let Some(run) = self.find_loading() {
            self.remove_run(run);
        }
    }

    /// What was loaded becomes the key of this name, in place of that which had it.
    pub(super) fn adopt_loaded(&mut self, name: &[u8]) {
        self.note_change();
        self.fixed_loading = None;
        if self.find_loading().is_some() {
            self.remove(name);
        }
        while let Some(run) = self.find_loading() {
            arena::set_loading(self.run_mut(run).0, false);
        }
    }

    /// Time is not part of what was saved or dumped: a key of this name that rotates by the clock starts a period.
    pub(super) fn start_period(&mut self, name: &[u8], now: u32) {
        if let Some(key) = self.find(name)
            && self.kind(key) == Kind::Rotating
        {
            self.set_word(key, word::EXTRA, now);
        }
    }

    /// Removes all keys, and empties the fixed ones.
    pub(super) fn remove_all(&mut self) {
        self.note_change();
        self.arena.clear();
        let mut last = None;
        while let Some(key) = self.next_key(last) {
            self.empty(key);
            last = Some(key);
        }
    }
}

/// The bits of a block that are set. Not in line: each place would take 56 bytes of flash.
#[inline(never)]
pub(super) fn count_ones(block: &Block512) -> u32 {
    block.count_ones()
}

/// Gives a run this name.
#[inline(never)]
pub(super) fn set_name(header: &mut Header, name: &[u8]) -> Outcome {
    if name.len() > MAX_NAME {
        return Err(texts::NAME_TOO_LONG);
    }
    arena::set_name(header, name);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::arena::Arena;
    use super::*;

    #[test]
    fn stages_share_a_name_and_go_together() {
        let mut arena = Arena::<40>::new();
        let mut keyspace = Keyspace::new(&mut [], arena.as_mut_view());
        let mut header = [0; 16];
        set_name(&mut header, b"grows").unwrap();
        header[word::UNITS] = 3;
        let first = keyspace.append_run(&header).unwrap();
        let other = keyspace
            .create(b"other", Kind::Bloom, &Wish::DEFAULT)
            .unwrap();
        let second = arena::next_stage(&header).unwrap();
        assert!(!arena::is_key(&second));
        let second = keyspace.append_run(&second).unwrap();
        arena::set_followed(keyspace.run_mut(first).0, true);
        assert_eq!(keyspace.find(b"grows"), Some(first));
        assert_eq!(keyspace.next_stage(first), Some(second));
        assert_eq!(keyspace.next_stage(second), None);
        assert_eq!(keyspace.keys().collect::<Vec<_>>(), [first, other]);
        assert!(keyspace.remove(b"grows"));
        let units = keyspace.header(first)[word::UNITS];
        assert_eq!(keyspace.arena().bytes_free(), (40 - units) * 64);
        assert_eq!(keyspace.find(b"other"), Some(first));
        assert_eq!(keyspace.find(b"grows"), None);
    }

    #[test]
    fn names_have_a_longest() {
        let mut arena = Arena::<40>::new();
        let mut keyspace = Keyspace::new(&mut [], arena.as_mut_view());
        let mut create = |name: &[u8]| keyspace.create(name, Kind::Bloom, &Wish::DEFAULT);
        let longer = [b'x'; MAX_NAME + 1];
        let error = create(&longer);
        let (name, _) = longer.split_at(MAX_NAME);
        let key = create(name).unwrap();
        assert_eq!(keyspace.name(key), name);
        assert_eq!(error, Err(texts::NAME_TOO_LONG));
    }
}
