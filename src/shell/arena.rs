//! Static RAM from which keys are carved at run time.
//!
//! Keys lie one behind the other, each a header and its storage, so there is no table whose size could run out.
//! Removing one moves all behind it down: the free RAM is always one piece, and whatever fits in the total fits.

/// What the arena is counted in: 64 bytes, the size of a block.
pub(super) type Unit = [u32; 16];

/// Bytes in a unit.
pub(super) const UNIT_BYTES: u32 = 64;

/// Shared body of [`Arena`] and [`ArenaView`]. Name the aliases, not this.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct ArenaInner<U: ?Sized> {
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
pub type Arena<const UNITS: usize> = ArenaInner<[Unit; UNITS]>;

/// An [`Arena`] behind a reference, without its size in the type.
pub type ArenaView = ArenaInner<[Unit]>;

impl<const UNITS: usize> Arena<UNITS> {
    /// An empty arena: all bytes 0, so a static one lies in `.bss`.
    pub const fn new() -> Self {
        Self {
            units: [[0; 16]; UNITS],
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

/// What a run of units is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Units of the run, with the header's own.
    pub units: u32,
    /// Which stage of a key that grows: 0 is the first.
    pub stage: u8,
    pub k: u8,
    pub name_length: u8,
    /// Keys that the run is made for.
    pub capacity: u32,
    /// Keys that it got.
    pub items: u32,
    /// False-positive rate that it is made for, in parts per billion.
    pub rate: u32,
    /// How many times as large the next stage is; 0 when there is none.
    pub expansion: u32,
}

/// Words of a header before the name.
const NAME: usize = 6;
/// The longest name of a key, in bytes.
pub(super) const MAX_NAME: usize = (16 - NAME) * 4;

impl Header {
    fn read(unit: &Unit) -> Self {
        let [units, small, capacity, items, rate, expansion, ..] = *unit;
        let [stage, k, name_length, _] = small.to_le_bytes();
        Self {
            units,
            stage,
            k,
            name_length,
            capacity,
            items,
            rate,
            expansion,
        }
    }

    fn write(&self, unit: &mut Unit) {
        let small = u32::from_le_bytes([self.stage, self.k, self.name_length, 0]);
        let words = [
            self.units,
            small,
            self.capacity,
            self.items,
            self.rate,
            self.expansion,
        ];
        for (to, from) in unit.iter_mut().zip(words) {
            *to = from;
        }
    }
}

fn name_of(unit: &Unit) -> &[u8] {
    let bytes: &[u8] = bytemuck::cast_slice(unit.get(NAME..).unwrap_or(&[]));
    bytes
        .get(..usize::from(Header::read(unit).name_length))
        .unwrap_or(&[])
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

    /// Where the runs are, in order.
    pub(super) fn runs(&self) -> impl Iterator<Item = usize> {
        let mut at = 0;
        core::iter::from_fn(move || {
            let here = at;
            let units = self.units.get(here)?[0];
            at += units as usize;
            (units > 0).then_some(here)
        })
    }

    /// The first unit behind all runs.
    fn end(&self) -> usize {
        self.runs()
            .last()
            .map_or(0, |at| at + self.header(at).units as usize)
    }

    pub(super) fn header(&self, at: usize) -> Header {
        self.units
            .get(at)
            .map_or(Header::read(&[0; 16]), Header::read)
    }

    pub(super) fn set_items(&mut self, at: usize, items: u32) {
        if let Some(unit) = self.units.get_mut(at) {
            Header {
                items,
                ..Header::read(unit)
            }
            .write(unit);
        }
    }

    pub(super) fn name(&self, at: usize) -> &[u8] {
        self.units.get(at).map_or(&[], name_of)
    }

    /// What lies behind the header.
    pub(super) fn body(&self, at: usize) -> &[Unit] {
        let units = self.header(at).units as usize;
        self.units.get(at + 1..at + units).unwrap_or(&[])
    }

    pub(super) fn body_mut(&mut self, at: usize) -> &mut [Unit] {
        let units = self.header(at).units as usize;
        self.units.get_mut(at + 1..at + units).unwrap_or(&mut [])
    }

    /// The first run of this name.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        self.runs().find(|at| self.name(*at) == name)
    }

    /// The next stage of the key whose run is at `at`.
    pub(super) fn next_stage(&self, at: usize) -> Option<usize> {
        self.runs()
            .find(|other| *other > at && self.name(*other) == self.name(at))
    }

    /// Appends an empty run; `None`, and nothing changed, when it does not fit or the name is too long.
    pub(super) fn append(&mut self, header: Header, name: &[u8]) -> Option<usize> {
        let at = self.end();
        let [first, body @ ..] = self.units.get_mut(at..)?.get_mut(..header.units as usize)? else {
            return None;
        };
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(first.get_mut(NAME..)?);
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        let name_length = name.len() as u8;
        Header {
            name_length,
            ..header
        }
        .write(first);
        body.as_flattened_mut().fill(0);
        Some(at)
    }

    /// Appends a further stage to the key whose run is at `at`.
    pub(super) fn append_stage(&mut self, at: usize, header: Header) -> Option<usize> {
        let name = *self.units.get(at)?;
        self.append(header, name_of(&name))
    }

    /// Removes all stages of a key and closes the gaps; false when there is none of this name.
    pub(super) fn remove(&mut self, name: &[u8]) -> bool {
        let Some(at) = self.find(name) else {
            return false;
        };
        self.remove_further_stages(at);
        self.remove_run(at);
        true
    }

    /// Removes all stages of a key but the first, which is at `at`.
    pub(super) fn remove_further_stages(&mut self, at: usize) {
        while let Some(stage) = self.next_stage(at) {
            self.remove_run(stage);
        }
    }

    fn remove_run(&mut self, at: usize) {
        let end = self.end();
        let behind = at + self.header(at).units as usize;
        if behind > end {
            return;
        }
        self.units.copy_within(behind..end, at);
        if let Some(freed) = self.units.get_mut(end - (behind - at)..end) {
            freed.as_flattened_mut().fill(0);
        }
    }

    /// Removes every key.
    pub(super) fn clear(&mut self) {
        self.units.as_flattened_mut().fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Header = Header {
        units: 3,
        stage: 0,
        k: 7,
        name_length: 0,
        capacity: 9,
        items: 0,
        rate: 1,
        expansion: 2,
    };

    #[test]
    fn removing_closes_the_gap_and_keeps_the_rest() {
        let mut arena = Arena::<10>::new();
        let arena = arena.as_mut_view();
        for name in [b"a", b"b", b"c"] {
            let at = arena.append(RUN, name).unwrap();
            arena.body_mut(at)[1][5] = u32::from(name[0]);
        }
        assert_eq!(arena.append(RUN, b"d"), None);
        assert_eq!(arena.bytes_free(), 64);
        assert!(arena.remove(b"b"));
        assert!(!arena.remove(b"b"));
        assert_eq!(arena.bytes_free(), 4 * 64);
        for name in [b"a", b"c"] {
            let at = arena.find(name).unwrap();
            assert_eq!(arena.body(at)[1][5], u32::from(name[0]));
        }
        // Freed RAM is empty when it is taken again.
        let at = arena.append(RUN, b"d").unwrap();
        assert!(arena.body(at).as_flattened().iter().all(|word| *word == 0));
    }

    #[test]
    fn stages_share_a_name_and_go_together() {
        let mut arena = Arena::<20>::new();
        let arena = arena.as_mut_view();
        let first = arena.append(RUN, b"grows").unwrap();
        arena.append(RUN, b"other").unwrap();
        let second = arena
            .append_stage(first, Header { stage: 1, ..RUN })
            .unwrap();
        assert_eq!(arena.next_stage(first), Some(second));
        assert_eq!(arena.next_stage(second), None);
        assert_eq!(arena.header(second).stage, 1);
        assert!(arena.remove(b"grows"));
        assert_eq!(arena.runs().count(), 1);
        assert_eq!(arena.name(0), b"other");
    }

    #[test]
    fn names_have_a_longest() {
        let mut arena = Arena::<4>::new();
        let arena = arena.as_mut_view();
        assert_eq!(arena.append(RUN, &[b'x'; MAX_NAME + 1]), None);
        assert_eq!(arena.bytes_free(), 4 * 64);
        assert!(arena.append(RUN, &[b'x'; MAX_NAME]).is_some());
        assert_eq!(arena.name(0), [b'x'; MAX_NAME]);
    }
}
