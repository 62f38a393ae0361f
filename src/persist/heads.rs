//! The 64 bytes in front of a slot, and those in front of each structure in it.

use core::fmt;

use crate::snapshot::Crc32;

/// Bytes of a head: one block, so that blocks in flash are aligned. What is written and read at a time.
pub(super) const PIECE: usize = 64;

const SLOT_MAGIC: u32 = u32::from_le_bytes(*b"SNDS");
const RECORD_MAGIC: u32 = u32::from_le_bytes(*b"SNDR");
const CHANGES_MAGIC: u32 = u32::from_le_bytes(*b"SNDC");
const VERSION: u32 = 1;
const WORDS: usize = PIECE / 4;
/// Words 2 to 13.
const NAME_WORDS: usize = 12;

/// What stands at the beginning of a slot whose save was finished; written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotHead {
    pub sequence: u64,
    pub stamp: u64,
    /// Bytes of the slot that are in use, this head and all.
    pub used: u32,
    pub num_records: u32,
}

impl SlotHead {
    pub fn to_bytes(self) -> [u8; PIECE] {
        let mut words = [0; WORDS];
        words[0] = SLOT_MAGIC;
        words[1] = VERSION;
        words[2] = self.sequence as u32;
        words[3] = (self.sequence >> 32) as u32;
        words[4] = self.stamp as u32;
        words[5] = (self.stamp >> 32) as u32;
        words[6] = self.used;
        words[7] = self.num_records;
        sealed(&words)
    }

    pub fn parse(bytes: &[u8; PIECE]) -> Option<Self> {
        let words = opened(bytes, SLOT_MAGIC)?;
        (words[1] == VERSION).then_some(Self {
            sequence: u64::from(words[3]) << 32 | u64::from(words[2]),
            stamp: u64::from(words[5]) << 32 | u64::from(words[4]),
            used: words[6],
            num_records: words[7],
        })
    }
}

/// What stands in front of pieces that replace earlier ones of the slot; written after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChangeIndex {
    pub count: u32,
    /// Which pieces are replaced, as offsets in the slot; so many as the count says.
    pub offsets: [u32; Self::CAPACITY],
}

impl ChangeIndex {
    pub const CAPACITY: usize = 13;

    pub fn to_bytes(self) -> [u8; PIECE] {
        let mut words = [0; WORDS];
        words[0] = CHANGES_MAGIC;
        words[1] = self.count;
        for (word, offset) in words.iter_mut().skip(2).zip(self.offsets) {
            *word = offset;
        }
        sealed(&words)
    }

    pub fn parse(bytes: &[u8; PIECE]) -> Option<Self> {
        opened(bytes, CHANGES_MAGIC)?;
        Self::parse_unchecked(bytes)
    }

    /// [`parse`](Self::parse) of a piece whose checksum was found right before: the search for a piece reads many.
    pub fn parse_unchecked(bytes: &[u8; PIECE]) -> Option<Self> {
        let words = words(bytes);
        let mut offsets = [0; Self::CAPACITY];
        for (offset, word) in offsets.iter_mut().zip(words.iter().skip(2)) {
            *offset = *word;
        }
        (words[0] == CHANGES_MAGIC && words[1] as usize <= Self::CAPACITY).then_some(Self {
            count: words[1],
            offsets,
        })
    }

    /// Bytes of the index and the pieces behind it.
    pub const fn len(&self) -> u32 {
        (1 + self.count) * PIECE as u32
    }

    /// How far behind the beginning of the index the piece is that replaces that at `offset`.
    pub fn find(&self, offset: u32) -> Option<u32> {
        let offsets = self.offsets.iter().take(self.count as usize);
        let place = offsets.zip(1..).find(|(other, _)| **other == offset);
        place.map(|(_, pieces)| pieces * PIECE as u32)
    }
}

/// The name that a structure was saved under: any bytes, up to 48 of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    length: u8,
    bytes: [u8; Self::MAX_LEN],
}

impl Name {
    /// The most bytes of a name.
    pub const MAX_LEN: usize = NAME_WORDS * 4;

    pub(super) fn new(name: &[u8]) -> Option<Self> {
        let mut bytes = [0; Self::MAX_LEN];
        bytes.get_mut(..name.len())?.copy_from_slice(name);
        Some(Self {
            length: name.len() as u8,
            bytes,
        })
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length.into()).unwrap_or_default()
    }

    /// The head of a structure's record.
    pub(super) fn to_bytes(self) -> [u8; PIECE] {
        let mut words = [0; WORDS];
        words[0] = RECORD_MAGIC;
        words[1] = self.length.into();
        let (chunks, _) = self.bytes.as_chunks::<4>();
        for (word, chunk) in words.iter_mut().skip(2).zip(chunks) {
            *word = u32::from_le_bytes(*chunk);
        }
        sealed(&words)
    }

    pub(super) fn parse(bytes: &[u8; PIECE]) -> Option<Self> {
        let words = opened(bytes, RECORD_MAGIC)?;
        let name = bytes.get(8..)?.get(..words[1] as usize)?;
        Self::new(name)
    }
}

/// As text, where it is text.
impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

/// Puts a checksum in place of the last word.
fn sealed(words: &[u32; WORDS]) -> [u8; PIECE] {
    let mut bytes = [0; PIECE];
    let (chunks, _) = bytes.as_chunks_mut::<4>();
    for (chunk, word) in chunks.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    let (content, checksum) = bytes.split_at_mut(PIECE - 4);
    checksum.copy_from_slice(&Crc32::of(content).to_le_bytes());
    bytes
}

/// The words, if they begin so and the checksum is right.
fn opened(bytes: &[u8; PIECE], magic: u32) -> Option<[u32; WORDS]> {
    let words = words(bytes);
    let (content, _) = bytes.split_at(PIECE - 4);
    (words[0] == magic && words[WORDS - 1] == Crc32::of(content)).then_some(words)
}

fn words(bytes: &[u8; PIECE]) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    let (chunks, _) = bytes.as_chunks::<4>();
    for (word, chunk) in words.iter_mut().zip(chunks) {
        *word = u32::from_le_bytes(*chunk);
    }
    words
}
