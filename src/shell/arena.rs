//! Static RAM from which keys are carved at run time.
//!
//! Keys lie one behind the other, each a header and its storage, so there is no table whose size could run out.
//! Removing one moves all behind it down: the free RAM is always one piece, and whatever fits in the total fits.

use crate::block::{Block512, clear};
use crate::copy::copy;

use super::DUMPS;
use super::kind::Kind;

/// Bytes in a unit, what the arena is counted in: a block.
pub(super) const UNIT_BYTES: u32 = 64;

/// Shared body of [`Arena`] and [`ArenaView`]. Name the aliases, not this.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ArenaInner<U: ?Sized> {
    /// What stands for the header of a run that is not there: all 0. Here and not a constant, which would take as many
    /// bytes of flash.
    no_header: Block512,
    units: U,
}

/// `UNITS` times 64 bytes of static RAM for the keys that are made at run time.
///
/// # Examples
///
/// ```
/// use sundew::shell::Arena;
///
/// let mut arena = Arena::<4096>::new(); // 256 KiB
/// assert_eq!(arena.as_mut_view().bytes_free(), 256 * 1024);
/// ```
pub type Arena<const UNITS: usize> = ArenaInner<[Block512; UNITS]>;

/// An [`Arena`] behind a reference, without its size in the type.
pub type ArenaView = ArenaInner<[Block512]>;

impl<const UNITS: usize> Arena<UNITS> {
    /// An empty arena: all bytes 0, so a static one lies in `.bss`.
    pub const fn new() -> Self {
        Self {
            no_header: Block512::EMPTY,
            units: [Block512::EMPTY; UNITS],
        }
    }

    /// The arena without its size in the type.
    pub const fn as_mut_view(&mut self) -> &mut ArenaView {
        self
    }
}

impl<const UNITS: usize> Default for Arena<UNITS> {
    fn default() -> Self {
        Self::new()
    }
}

/// The unit before the blocks of a run, which says what it is. Its words are in [`word`], then comes the name.
pub(super) type Header = [u32; 16];

/// Where in a [`Header`] which word is.
pub(super) mod word {
    /// Units of the run, with the header's own; 0 behind the last run.
    pub const UNITS: usize = 0;
    /// Keys that the run is made for.
    pub const CAPACITY: usize = 1;
    /// Keys that it got.
    pub const ITEMS: usize = 2;
    /// False-positive rate that it is made for, in parts per billion.
    pub const RATE: usize = 3;
    /// How many times as large the next stage is; 0 when there is none.
    pub const EXPANSION: usize = 4;
    /// From the lowest byte: probes per key, length of the name, which stage of a key that grows, [`Kind`]. In the last,
    /// the highest bit is set while the run is being loaded, and the next one when another stage follows.
    ///
    /// [`Kind`]: super::Kind
    pub const SMALL: usize = 5;
    /// The first of the name.
    pub(super) const NAME: usize = 6;
    /// What else a kind of key needs.
    pub const EXTRA: usize = 15;
}

/// The longest name of a key, in bytes.
pub(super) const MAX_NAME: usize = (word::EXTRA - word::NAME) * 4;

/// Units of a run without the header's.
pub(super) fn num_blocks(header: &Header) -> usize {
    (header[word::UNITS] as usize).wrapping_sub(1)
}

/// Probes per key.
pub(super) fn num_probes(header: &Header) -> u32 {
    header[word::SMALL] & 0xFF
}

/// Whether a run is the first stage of a key, and not being loaded.
pub(super) fn is_key(header: &Header) -> bool {
    header[word::SMALL] & (0xFF << 16 | LOADING) == 0
}

#[inline(never)]
pub(super) fn kind(header: &Header) -> Kind {
    Kind::of_number(header[word::SMALL] >> 24 & 7)
}

/// The bit of a run that is not a key yet.
const LOADING: u32 = 1 << 31;

/// Whether a run is being loaded, and not a key yet.
pub(super) fn is_loading(header: &Header) -> bool {
    DUMPS && header[word::SMALL] & LOADING != 0
}

pub(super) fn set_loading(header: &mut Header, is_loading: bool) {
    header[word::SMALL] = header[word::SMALL] & !LOADING | u32::from(is_loading) << 31;
}

/// The bit of a stage behind which another follows.
const IS_FOLLOWED: u32 = 1 << 30;

/// Whether another stage follows. Without this, asking each key of many for its stages would take the square of their
/// number: 20 seconds for 2,000 keys.
pub(super) fn is_followed(header: &Header) -> bool {
    header[word::SMALL] & IS_FOLLOWED != 0
}

pub(super) fn set_followed(header: &mut Header, is_followed: bool) {
    header[word::SMALL] = header[word::SMALL] & !IS_FOLLOWED | u32::from(is_followed) << 30;
}

/// Says which stage of a key a run is.
pub(super) fn set_stage(header: &mut Header, stage: u32) {
    header[word::SMALL] = header[word::SMALL] & !0xFF_0000 | (stage & 0xFF) << 16;
}

pub(super) fn set_kind(header: &mut Header, kind: Kind) {
    header[word::SMALL] |= kind.number() << 24;
}

/// The same header for the next stage; `None` behind the last that can be told: a dump says in a byte how many there
/// are, so there are 255.
pub(super) fn next_stage(header: &Header) -> Option<Header> {
    const LAST: u32 = 254 << 16;
    let mut next = *header;
    if next[word::SMALL] & 0xFF_0000 >= LAST {
        return None;
    }
    next[word::SMALL] += 1 << 16;
    Some(next)
}

#[inline(never)]
pub(super) fn set_num_probes(header: &mut Header, k: u32) {
    header[word::SMALL] = header[word::SMALL] & !0xFF | k;
}

/// A name that is longer than [`MAX_NAME`] is cut.
pub(super) fn set_name(header: &mut Header, name: &[u8]) {
    let (front, _) = header.split_at_mut(word::EXTRA);
    let bytes = bytemuck::cast_slice_mut(front.split_at_mut(word::NAME).1);
    let length = copy(name, bytes);
    header[word::SMALL] |= (length as u32) << 8;
}

#[inline(never)]
pub(super) fn name_of(header: &Header) -> &[u8] {
    let bytes: &[u8] = bytemuck::cast_slice(header.split_at(word::NAME).1);
    let length = header[word::SMALL] >> 8 & 0xFF;
    bytes.get(..length as usize).unwrap_or(&[])
}

impl ArenaView {
    /// Bytes that no key has taken.
    pub fn bytes_free(&self) -> u32 {
        (self.units.len() - self.end()) as u32 * UNIT_BYTES
    }

    /// Bytes in all.
    pub const fn bytes(&self) -> u32 {
        self.units.len() as u32 * UNIT_BYTES
    }

    /// The first unit behind all runs.
    #[inline(never)]
    fn end(&self) -> usize {
        let mut at = 0;
        while self.units_at(at) > 0 {
            at += self.units_at(at);
        }
        at
    }

    /// Units of the run at `at`; 0 when there is none.
    pub(super) fn units_at(&self, at: usize) -> usize {
        self.header(at)[word::UNITS] as usize
    }

    #[inline(never)]
    pub(super) fn header(&self, at: usize) -> &Header {
        self.units.get(at).unwrap_or(&self.no_header).words()
    }

    /// The header of a run, and what lies behind it.
    pub(super) fn run(&self, at: usize) -> (&Header, &[Block512]) {
        match self.units.split_at_checked(at) {
            Some((_, [header, rest @ ..])) => {
                let header = header.words();
                let blocks = rest.get(..num_blocks(header));
                (header, blocks.unwrap_or(&[]))
            }
            _ => (self.no_header.words(), &[]),
        }
    }

    pub(super) fn run_mut(&mut self, at: usize) -> (&mut Header, &mut [Block512]) {
        match self.units.split_at_mut_checked(at) {
            Some((_, [header, rest @ ..])) => {
                let header = header.words_mut();
                let blocks = rest.get_mut(..num_blocks(header));
                (header, blocks.unwrap_or(&mut []))
            }
            _ => (self.no_header.words_mut(), &mut []),
        }
    }

    /// Appends an empty run; `None`, and nothing changed, when it does not fit.
    pub(super) fn append(&mut self, header: &Header) -> Option<usize> {
        let at = self.end();
        let run = self
            .units
            .get_mut(at..)?
            .get_mut(..header[word::UNITS] as usize)?;
        // Whatever is behind the last run is 0.
        *run.first_mut()?.words_mut() = *header;
        Some(at)
    }

    /// Removes a run and closes the gap.
    pub(super) fn remove_run(&mut self, at: usize) {
        let units = self.units_at(at);
        let end = self.end();
        let Some(runs) = self.units.get_mut(at..end) else {
            return;
        };
        clear(runs.get_mut(..units).unwrap_or(&mut []));
        let mut to = 0;
        // Swapped, because a copy becomes a call of memmove, which takes 1.5 KB of flash. So the gap goes to the end.
        while let Some([place, .., unit]) = runs.get_mut(to..=to + units) {
            core::mem::swap(place, unit);
            to += 1;
        }
    }

    /// Removes every key.
    pub(super) fn clear(&mut self) {
        clear(&mut self.units);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &[u8]) -> Header {
        let mut header = [0; 16];
        header[word::UNITS] = 3;
        set_name(&mut header, name);
        header
    }

    #[test]
    fn removing_closes_the_gap_and_keeps_the_rest() {
        let mut arena = Arena::<10>::new();
        let arena = arena.as_mut_view();
        for name in [b"a", b"b", b"c"] {
            let at = arena.append(&run(name)).unwrap();
            arena.run_mut(at).1[1].words_mut()[5] = u32::from(name[0]);
        }
        assert_eq!(arena.append(&run(b"d")), None);
        assert_eq!(arena.bytes_free(), 64);
        arena.remove_run(3);
        assert_eq!(arena.bytes_free(), 4 * 64);
        for (at, name) in [(0, b"a"), (3, b"c")] {
            assert_eq!(name_of(arena.header(at)), name);
            assert_eq!(arena.run(at).1[1].words()[5], u32::from(name[0]));
        }
        // Freed RAM is empty when it is taken again.
        for last in [6, 6] {
            let at = arena.append(&run(b"d")).unwrap();
            assert_eq!(at, last);
            let (_, blocks) = arena.run_mut(at);
            assert!(blocks.iter().all(|block| *block == Block512::EMPTY));
            blocks.iter_mut().for_each(|block| block.words_mut()[5] = 1);
            arena.remove_run(at);
        }
    }
}
