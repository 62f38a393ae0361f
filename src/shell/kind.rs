//! What a key in the arena is.

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

    /// What `TYPE` says: for the structures of Redis and RedisBloom, what those say.
    #[inline(never)]
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Bloom => "MBbloom--",
            Self::Cuckoo => "MBbloomCF",
            Self::CountMin => "CMSk-TYPE",
            Self::HyperLogLog => "string",
            Self::Counting => "sundewCBF",
            Self::Rotating => "sundewRBF",
        }
    }
}
