//! What a key in the arena is.

use core::num::NonZero;

use super::FAMILIES;
use super::text::Text;
use super::texts;

/// The structures that keys are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bloom,
    Cuckoo,
    CountMin,
    HyperLogLog,
    Counting,
    Rotating,
}

impl Kind {
    /// The number in a run's header.
    pub fn number(self) -> u32 {
        self as u32
    }

    /// The kind of that number.
    pub fn of_number(number: u32) -> Self {
        if !FAMILIES {
            return Self::Bloom;
        }
        match number {
            1 => Self::Cuckoo,
            2 => Self::CountMin,
            3 => Self::HyperLogLog,
            4 => Self::Counting,
            5 => Self::Rotating,
            _ => Self::Bloom,
        }
    }

    /// Whether a key is made for a number of items, and gets worse or refuses them beyond it.
    pub fn has_capacity(self) -> bool {
        matches!(self, Self::Bloom | Self::Cuckoo | Self::Counting)
    }

    /// How many of the numbers that a key is made of are in a word: bits, fingerprints, counters, registers.
    pub fn slots_per_word(self) -> NonZero<usize> {
        const fn number(number: u8) -> NonZero<u8> {
            NonZero::new(number).expect("above 0")
        }
        const EACH: [NonZero<u8>; 6] = [
            number(32),
            number(2),
            number(1),
            number(5),
            number(8),
            number(32),
        ];
        EACH[self as usize].into()
    }

    /// What `TYPE` says: for the structures of Redis and RedisBloom, what those say.
    #[inline(never)]
    pub fn type_name(self) -> Text {
        match self {
            Self::Bloom => texts::BLOOM_TYPE,
            Self::Cuckoo => texts::CUCKOO_TYPE,
            Self::CountMin => texts::COUNT_MIN_TYPE,
            Self::HyperLogLog => texts::HYPER_LOG_LOG_TYPE,
            Self::Counting => texts::COUNTING_TYPE,
            Self::Rotating => texts::ROTATING_TYPE,
        }
    }
}
