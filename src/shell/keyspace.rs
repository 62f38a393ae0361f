//! The named filters of a device: fixed ones, which are statics of the firmware, and those in the arena.

use super::arena::{ArenaView, Header, MAX_NAME, UNIT_BYTES, Unit};
use crate::block::{Block512, has_bits, set_bits};
use crate::blocked_bloom::BlockedBloomView;
use crate::hash::{HashFunction, Xxh32, Xxh32Stream, block_index};
use crate::sizing::{Layout, Plan, Rate, blocked_rate};
use crate::stats::Stats;

/// A filter of the firmware, under a name. It can be emptied, not removed.
#[derive(Debug)]
pub struct Fixed<'a> {
    name: &'static str,
    capacity: u32,
    items: u32,
    k: u32,
    hash: Xxh32,
    blocks: &'a mut [Block512],
}

impl<'a> Fixed<'a> {
    /// A blocked filter that is to take `capacity` keys.
    pub fn blocked<const K: usize>(
        name: &'static str,
        capacity: u32,
        filter: &'a mut BlockedBloomView<K>,
    ) -> Self {
        let (hash, blocks) = filter.parts_mut();
        Self {
            name,
            capacity,
            items: 0,
            k: K as u32,
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
}

/// Where a key is. Valid until the next key is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyRef {
    Fixed(usize),
    /// The run of the first stage.
    Arena(usize),
}

/// Why a key could not be made or grow; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyError {
    Exists,
    NameTooLong,
    /// It takes so many bytes, and there are not as many.
    TooLarge(u32),
    /// It has its keys and may not grow.
    Full,
}

/// What a filter is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    pub capacity: u32,
    pub rate: Rate,
    /// 0 when it is not to grow.
    pub expansion: u32,
}

impl Wish {
    /// What RedisBloom makes of a key that is not there.
    pub const DEFAULT: Self = Self {
        capacity: 100,
        rate: Rate::percent(1),
        expansion: 2,
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

/// One stage of a key.
pub(super) struct Stage<'k> {
    blocks: Blocks<'k>,
    pub k: u32,
    pub capacity: u32,
    pub items: u32,
}

enum Blocks<'k> {
    Fixed(&'k [Block512]),
    Arena(&'k [Unit]),
}

impl Stage<'_> {
    pub fn num_blocks(&self) -> u32 {
        match self.blocks {
            Blocks::Fixed(blocks) => blocks.len() as u32,
            Blocks::Arena(units) => units.len() as u32,
        }
    }

    /// How many bits are set in block number `i`.
    pub fn ones(&self, i: u32) -> u32 {
        let words = self.block(i as usize).map_or(&[][..], |block| block);
        words.iter().map(|word| word.count_ones()).sum()
    }

    fn block(&self, i: usize) -> Option<&Unit> {
        match self.blocks {
            Blocks::Fixed(blocks) => blocks.get(i).map(Block512::words),
            Blocks::Arena(units) => units.get(i),
        }
    }

    fn contains(&self, hash: u32) -> bool {
        let index = block_index(hash, self.num_blocks() as usize);
        self.block(index)
            .is_none_or(|block| has_bits(block, hash, self.k))
    }

    pub fn stats(&self) -> Stats {
        Stats::of_blocks((0..self.num_blocks()).map(|i| self.ones(i)), 512, self.k)
    }

    /// The rate to expect once the stage holds its keys.
    pub fn rate_at_capacity(&self) -> Rate {
        blocked_rate(
            u64::from(self.capacity),
            self.num_blocks(),
            self.k,
            Layout::DEFAULT,
        )
    }
}

impl<'a> Keyspace<'a> {
    /// The keys of these statics, and an arena for more.
    pub const fn new(fixed: &'a mut [Fixed<'a>], arena: &'a mut ArenaView) -> Self {
        Self { fixed, arena }
    }

    pub(super) fn arena(&self) -> &ArenaView {
        self.arena
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<KeyRef> {
        let fixed = self
            .fixed
            .iter()
            .position(|fixed| fixed.name.as_bytes() == name);
        fixed
            .map(KeyRef::Fixed)
            .or_else(|| self.arena.find(name).map(KeyRef::Arena))
    }

    /// All keys, in an order that only making and removing keys changes.
    pub(super) fn keys(&self) -> impl Iterator<Item = KeyRef> {
        let fixed = (0..self.fixed.len()).map(KeyRef::Fixed);
        let runs = self
            .arena
            .runs()
            .filter(|at| self.arena.header(*at).stage == 0);
        fixed.chain(runs.map(KeyRef::Arena))
    }

    pub(super) fn name(&self, key: KeyRef) -> &[u8] {
        match key {
            KeyRef::Fixed(i) => self.fixed.get(i).map_or(&[], |fixed| fixed.name.as_bytes()),
            KeyRef::Arena(at) => self.arena.name(at),
        }
    }

    /// Starts to hash an item for this key.
    pub(super) fn stream(&self, key: KeyRef) -> Xxh32Stream {
        match key {
            KeyRef::Fixed(i) => self
                .fixed
                .get(i)
                .map_or(Xxh32::UNSEEDED, |fixed| fixed.hash),
            KeyRef::Arena(_) => Xxh32::UNSEEDED,
        }
        .stream()
    }

    /// The stages of a key, the first first.
    pub(super) fn stages(&self, key: KeyRef) -> impl Iterator<Item = Stage<'_>> {
        let mut next = Some(key);
        core::iter::from_fn(move || {
            let here = next?;
            next = self.next_stage(here);
            Some(self.stage(here))
        })
    }

    fn next_stage(&self, stage: KeyRef) -> Option<KeyRef> {
        match stage {
            KeyRef::Fixed(_) => None,
            KeyRef::Arena(at) => self.arena.next_stage(at).map(KeyRef::Arena),
        }
    }

    fn stage(&self, stage: KeyRef) -> Stage<'_> {
        match stage {
            KeyRef::Fixed(i) => {
                let fixed = self.fixed.get(i);
                Stage {
                    blocks: Blocks::Fixed(fixed.map_or(&[], |fixed| fixed.blocks)),
                    k: fixed.map_or(0, |fixed| fixed.k),
                    capacity: fixed.map_or(0, |fixed| fixed.capacity),
                    items: fixed.map_or(0, |fixed| fixed.items),
                }
            }
            KeyRef::Arena(at) => {
                let header = self.arena.header(at);
                Stage {
                    blocks: Blocks::Arena(self.arena.body(at)),
                    k: u32::from(header.k),
                    capacity: header.capacity,
                    items: header.items,
                }
            }
        }
    }

    pub(super) fn summary(&self, key: KeyRef) -> Summary {
        let expansion = match key {
            KeyRef::Fixed(_) => 0,
            KeyRef::Arena(at) => self.arena.header(at).expansion,
        };
        self.stages(key).fold(
            Summary {
                expansion,
                ..Summary::default()
            },
            |sum, stage| Summary {
                capacity: sum.capacity.saturating_add(stage.capacity),
                bytes: sum.bytes + (stage.num_blocks() + 1) * UNIT_BYTES,
                stages: sum.stages + 1,
                items: sum.items.saturating_add(stage.items),
                ..sum
            },
        )
    }

    /// Whether a key holds 90 % of what it is made for, its last stage at least.
    pub(super) fn is_near_capacity(&self, key: KeyRef) -> bool {
        let Summary {
            capacity, items, ..
        } = self.summary(key);
        items >= capacity - capacity / 10
    }

    pub(super) fn contains(&self, key: KeyRef, hash: u32) -> bool {
        self.stages(key).any(|stage| stage.contains(hash))
    }

    /// Adds an item; false when it was there or looks like it.
    pub(super) fn insert(&mut self, key: KeyRef, hash: u32) -> Result<bool, KeyError> {
        let mut newest = key;
        loop {
            if self.stage(newest).contains(hash) {
                return Ok(false);
            }
            match self.next_stage(newest) {
                Some(next) => newest = next,
                None => break,
            }
        }
        let stage = self.stage(newest);
        if stage.items >= stage.capacity {
            newest = self.grow(newest)?;
        }
        match newest {
            KeyRef::Fixed(i) => {
                if let Some(fixed) = self.fixed.get_mut(i) {
                    let index = block_index(hash, fixed.blocks.len());
                    if let Some(block) = fixed.blocks.get_mut(index) {
                        set_bits(block.words_mut(), hash, fixed.k);
                    }
                    fixed.items += 1;
                }
            }
            KeyRef::Arena(at) => {
                let Header { k, items, .. } = self.arena.header(at);
                let units = self.arena.body_mut(at);
                if let Some(block) = units.get_mut(block_index(hash, units.len())) {
                    set_bits(block, hash, u32::from(k));
                }
                self.arena.set_items(at, items + 1);
            }
        }
        Ok(true)
    }

    /// Makes the next stage of a key whose last one, at `stage`, holds its keys.
    fn grow(&mut self, stage: KeyRef) -> Result<KeyRef, KeyError> {
        let KeyRef::Arena(at) = stage else {
            return Err(KeyError::Full);
        };
        let last = self.arena.header(at);
        if last.expansion == 0 {
            return Err(KeyError::Full);
        }
        let wish = Wish {
            capacity: last.capacity.saturating_mul(last.expansion),
            rate: Rate::from_parts_per_billion((last.rate / 2).max(1)),
            expansion: last.expansion,
        };
        let (header, bytes) = plan(wish).ok_or(KeyError::TooLarge(u32::MAX))?;
        let header = Header {
            stage: last.stage.saturating_add(1),
            ..header
        };
        let at = self.arena.append_stage(at, header);
        at.map(KeyRef::Arena).ok_or(KeyError::TooLarge(bytes))
    }

    /// Makes a filter. One that grows starts at half the rate and halves it with every stage, so that all
    /// together keep it.
    pub(super) fn create(&mut self, name: &[u8], wish: Wish) -> Result<KeyRef, KeyError> {
        if self.find(name).is_some() {
            return Err(KeyError::Exists);
        }
        if name.len() > MAX_NAME {
            return Err(KeyError::NameTooLong);
        }
        let mut rate = wish.rate;
        if wish.expansion > 0 {
            rate = Rate::from_parts_per_billion((rate.parts_per_billion() / 2).max(1));
        }
        let (header, bytes) = plan(Wish { rate, ..wish }).ok_or(KeyError::TooLarge(u32::MAX))?;
        let at = self.arena.append(header, name);
        at.map(KeyRef::Arena).ok_or(KeyError::TooLarge(bytes))
    }

    /// Removes a key, or empties it when it is fixed; false when there is none of this name.
    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        match self.find(name) {
            Some(KeyRef::Fixed(i)) => {
                if let Some(fixed) = self.fixed.get_mut(i) {
                    fixed.clear();
                }
                true
            }
            Some(KeyRef::Arena(_)) => self.arena.remove(name),
            None => false,
        }
    }

    /// Empties a key and keeps its first stage.
    pub(super) fn empty(&mut self, key: KeyRef) {
        match key {
            KeyRef::Fixed(i) => {
                if let Some(fixed) = self.fixed.get_mut(i) {
                    fixed.clear();
                }
            }
            KeyRef::Arena(at) => {
                self.arena.remove_further_stages(at);
                self.arena.body_mut(at).as_flattened_mut().fill(0);
                self.arena.set_items(at, 0);
            }
        }
    }

    /// Removes all keys, and empties the fixed ones.
    pub(super) fn remove_all(&mut self) {
        self.fixed.iter_mut().for_each(Fixed::clear);
        self.arena.clear();
    }
}

impl Fixed<'_> {
    fn clear(&mut self) {
        self.blocks.fill(Block512::EMPTY);
        self.items = 0;
    }
}

/// The run for a filter, and its bytes; `None` when there is no such filter at all.
fn plan(wish: Wish) -> Option<(Header, u32)> {
    let plan = Plan::try_for_keys_in(u64::from(wish.capacity), wish.rate, Layout::DEFAULT).ok()?;
    let units = plan.blocks() as u32 + 1;
    let header = Header {
        units,
        stage: 0,
        k: plan.k() as u8,
        name_length: 0,
        capacity: wish.capacity,
        items: 0,
        rate: wish.rate.parts_per_billion(),
        expansion: wish.expansion,
    };
    Some((header, units * UNIT_BYTES))
}
