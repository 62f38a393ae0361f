//! Every structure of the library in 8 KB, filled until it is wrong for one key in a hundred, and two baselines.

use core::hint::black_box;

use heapless::index_set::FnvIndexSet;
use sundew::profile::{self, KB8};
use sundew::sizing::{Layout, Plan, Rate, classic_k, classic_rate, cuckoo_buckets};
use sundew::{
    AtomicBloom, Block4096, BlockedBloom, ClassicBloom, CountMinSketch, CountingBloom,
    CuckooFilter, ExactStore, Fingerprint, GuavaBloom, HyperLogLog13, RotatingBloom, ScalableBloom,
    StoreFullError, StreamingHyperLogLog, TwoLayer,
};

use crate::baselines;

/// For bits, counters or slots; a seed or a count besides is not included.
pub const BYTES: usize = 8 * 1024;
const RATE: Rate = Rate::percent(1);
const BITS: usize = 8 * BYTES;

/// A structure that is asked about keys.
pub trait Member {
    const NAME: &str;
    const HASH: &str = "xxh32";
    /// Bytes in a key.
    const KEY_LEN: usize = 6;
    /// Keys that are inserted: as many as it takes without being wrong for more than 1 %.
    const KEYS: usize;
    /// Of those, the ones that it promises to know at any time.
    const CAPACITY: usize = Self::KEYS;
    const EMPTY: Self;

    /// Its own answer, whether the key is new. A key that is refused is missed later on.
    fn insert(&mut self, key: &[u8]) -> bool;
    fn contains(&mut self, key: &[u8]) -> bool;
}

/// A [`Member`] from which keys can be removed.
pub trait Removes: Member {
    fn remove(&mut self, key: &[u8]) -> bool;
}

/// A structure that is asked about all keys together.
pub trait Estimates {
    const NAME: &str;
    const EMPTY: Self;

    fn insert(&mut self, key: &[u8]) -> bool;
    fn estimate(&self) -> u64;
}

/// Calls a macro with every member and what it is.
#[macro_export]
macro_rules! for_each_member {
    ($call:ident) => {
        $call!(member $crate::family::Blocked);
        $call!(member $crate::family::LargeBlocks);
        $call!(member $crate::family::Classic);
        $call!(member $crate::family::Guava);
        $call!(member $crate::family::Atomic);
        $call!(member $crate::family::Scalable);
        $call!(member $crate::family::Rotating);
        $call!(removes $crate::family::Counting);
        $call!(removes $crate::family::Cuckoo8);
        $call!(removes $crate::family::Cuckoo16);
        $call!(removes $crate::family::Layers);
        $call!(member $crate::family::CountMin);
        $call!(estimates $crate::family::Distinct);
        $call!(estimates $crate::family::StreamDistinct);
        $call!(removes $crate::family::ExactSet<6, 1337, 42>);
        $call!(removes $crate::family::ExactSet<80, 102, 4>);
        $call!(member $crate::family::Bitmap);
    };
}

/// Filters whose `insert` tells new keys from old ones.
macro_rules! filter {
    ($member:ident = $filter:ty, $name:literal, $keys:expr) => {
        pub struct $member($filter);

        impl Member for $member {
            const NAME: &str = $name;
            const KEYS: usize = $keys;
            const EMPTY: Self = Self(<$filter>::new());

            fn insert(&mut self, key: &[u8]) -> bool {
                self.0.insert(key)
            }
            fn contains(&mut self, key: &[u8]) -> bool {
                self.0.contains(key)
            }
        }
    };
}

filter!(
    Blocked = profile::Kb8,
    "BlockedBloom",
    KB8.capacity as usize
);

const LARGE: Plan = Plan::for_ram_in(BYTES as u64, RATE, Layout::new(4096, 32));
filter!(
    LargeBlocks = BlockedBloom<{ LARGE.blocks() }, { LARGE.k() }, sundew::hash::Xxh32, Block4096>,
    "BlockedBloom 4096",
    LARGE.keys() as usize
);

const CLASSIC_K: usize = classic_k(RATE) as usize;
filter!(
    Classic = ClassicBloom<{ BITS / 32 }, CLASSIC_K>,
    "ClassicBloom",
    classic_keys(CLASSIC_K)
);

filter!(
    Atomic = AtomicBloom<{ KB8.blocks }, { KB8.k }>,
    "AtomicBloom",
    KB8.capacity as usize
);

const COUNTING: Plan = Plan::for_ram_in(BYTES as u64, RATE, Layout::COUNTING);
filter!(
    Counting = CountingBloom<{ COUNTING.blocks() }, { COUNTING.k() }>,
    "CountingBloom",
    COUNTING.keys() as usize
);

impl Removes for Counting {
    fn remove(&mut self, key: &[u8]) -> bool {
        self.0.remove(key)
    }
}

filter!(
    Bitmap = baselines::Bitmap<{ BITS / 32 }>,
    "bitmap of one hash",
    classic_keys(1)
);

/// Keys in a flat array of bits at 1 %.
const fn classic_keys(k: usize) -> usize {
    let mut keys = 0;
    while classic_rate(keys + 1, BITS as u64, k as u32).parts_per_billion()
        <= RATE.parts_per_billion()
    {
        keys += 1;
    }
    keys as usize
}

/// The only one whose hash is not ours to choose.
pub struct Guava(GuavaBloom<{ BITS / 64 }, CLASSIC_K>);

impl Member for Guava {
    const NAME: &str = "GuavaBloom";
    const HASH: &str = "murmur3";
    const KEYS: usize = classic_keys(CLASSIC_K);
    const EMPTY: Self = Self(GuavaBloom::new());

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key)
    }
    fn contains(&mut self, key: &[u8]) -> bool {
        self.0.contains(key)
    }
}

pub struct Scalable(ScalableBloom<{ BYTES / 64 }, 8, 4>);

impl Member for Scalable {
    const NAME: &str = "ScalableBloom";
    const KEYS: usize = Self::EMPTY.0.as_view().expected_keys() as usize;
    const EMPTY: Self = Self(ScalableBloom::new());

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key) == Ok(true)
    }
    fn contains(&mut self, key: &[u8]) -> bool {
        self.0.contains(key)
    }
}

const GENERATIONS: usize = 4;
/// One generation, which may be wrong for its share of the rate.
const GENERATION: Plan = Plan::for_ram(
    (BYTES / GENERATIONS) as u64,
    Rate::ppm(RATE.parts_per_million() / GENERATIONS as u32),
);

/// Rotates by count.
pub struct Rotating(RotatingBloom<{ GENERATION.blocks() }, { GENERATION.k() }, GENERATIONS>);

impl Member for Rotating {
    const NAME: &str = "RotatingBloom";
    const KEYS: usize = GENERATIONS * GENERATION.keys() as usize;
    // The oldest generation is forgotten when a new one begins.
    const CAPACITY: usize = (GENERATIONS - 1) * GENERATION.keys() as usize;
    const EMPTY: Self = Self(RotatingBloom::new());

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.rotate_if_full(GENERATION.keys() as u32);
        self.0.insert(key)
    }
    fn contains(&mut self, key: &[u8]) -> bool {
        self.0.contains(key)
    }
}

pub struct Cuckoo<const BUCKETS: usize, F: Fingerprint>(CuckooFilter<BUCKETS, F>);
pub type Cuckoo8 = Cuckoo<{ BYTES / 4 }, u8>;
pub type Cuckoo16 = Cuckoo<{ BYTES / 8 }, u16>;

macro_rules! cuckoo {
    ($cuckoo:ty, $name:literal, $keys:expr) => {
        impl Member for $cuckoo {
            const NAME: &str = $name;
            const KEYS: usize = $keys;
            const EMPTY: Self = Cuckoo(CuckooFilter::new());

            fn insert(&mut self, key: &[u8]) -> bool {
                self.0.insert(key).is_ok()
            }
            fn contains(&mut self, key: &[u8]) -> bool {
                self.0.contains(key)
            }
        }

        impl Removes for $cuckoo {
            fn remove(&mut self, key: &[u8]) -> bool {
                self.0.remove(key)
            }
        }
    };
}

// A third full: `1 - (1 - 1 / 255)^s` is 1 % with `s = 2.558` fingerprints in two buckets.
cuckoo!(Cuckoo8, "CuckooFilter u8", BYTES / 4 * 2558 / 2000);
// As full as can be, and wrong far less often than 1 %.
cuckoo!(Cuckoo16, "CuckooFilter u16", keys_in_buckets(BYTES / 8));

const fn keys_in_buckets(buckets: usize) -> usize {
    let mut keys = 0;
    while cuckoo_buckets(keys + 1) <= buckets {
        keys += 1;
    }
    keys
}

/// A set in RAM for slices, as a program has it that reads keys from a line.
pub struct Addresses(FnvIndexSet<[u8; 6], 512>);

impl ExactStore<[u8]> for Addresses {
    type Error = StoreFullError;

    fn contains(&mut self, key: &[u8]) -> Result<bool, StoreFullError> {
        key.try_into()
            .map_or(Ok(false), |key| ExactStore::contains(&mut self.0, key))
    }
    fn insert(&mut self, key: &[u8]) -> Result<bool, StoreFullError> {
        key.try_into()
            .map_or(Ok(false), |key| ExactStore::insert(&mut self.0, key))
    }
    fn remove(&mut self, key: &[u8]) -> Result<bool, StoreFullError> {
        key.try_into()
            .map_or(Ok(false), |key| ExactStore::remove(&mut self.0, key))
    }
}

/// What the set leaves of the 8 KB is the filter's.
const LAYERS_BLOCKS: usize = (BYTES - size_of::<Addresses>()) / 64 - 2;
pub struct Layers(TwoLayer<BlockedBloom<LAYERS_BLOCKS, 7>, Addresses>);
const _: () = assert!(size_of::<Layers>() <= BYTES);

impl Member for Layers {
    const NAME: &str = "TwoLayer";
    const KEYS: usize = 512;
    const EMPTY: Self = Self(TwoLayer::new(
        BlockedBloom::new(),
        Addresses(FnvIndexSet::new()),
    ));

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key) == Ok(true)
    }
    fn contains(&mut self, key: &[u8]) -> bool {
        self.0.contains(key).unwrap_or(false)
    }
}

impl Removes for Layers {
    fn remove(&mut self, key: &[u8]) -> bool {
        self.0.remove(key).unwrap_or(false)
    }
}

/// Counts with counters of 16 bits in seven rows: off by more than it promises for one key in 2^7 at most.
pub struct CountMin(CountMinSketch<{ BYTES / 2 / 7 }, 7, u16>);

impl Member for CountMin {
    const NAME: &str = "CountMinSketch";
    // It has no capacity; so many are counted here.
    const KEYS: usize = 4096;
    const CAPACITY: usize = 0;
    const EMPTY: Self = Self(CountMinSketch::new());

    fn insert(&mut self, key: &[u8]) -> bool {
        black_box(self.0.add(key, 1)) == 1
    }
    fn contains(&mut self, key: &[u8]) -> bool {
        black_box(self.0.estimate(key)) > 0
    }
}

/// The largest that fits: 6 KB.
pub struct Distinct(HyperLogLog13);

impl Estimates for Distinct {
    const NAME: &str = "HyperLogLog";
    const EMPTY: Self = Self(HyperLogLog13::new());

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key)
    }
    fn estimate(&self) -> u64 {
        self.0.estimate()
    }
}

pub struct StreamDistinct(StreamingHyperLogLog<2048>);

impl Estimates for StreamDistinct {
    const NAME: &str = "StreamingHyperLogLog";
    const EMPTY: Self = Self(StreamingHyperLogLog::new());

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key)
    }
    fn estimate(&self) -> u64 {
        self.0.estimate()
    }
}

pub struct ExactSet<const L: usize, const N: usize, const WORDS: usize>(
    baselines::ExactSet<L, N, WORDS>,
);

impl<const L: usize, const N: usize, const WORDS: usize> Member for ExactSet<L, N, WORDS> {
    const NAME: &str = if L == 6 {
        "exact set of 6 B keys"
    } else {
        "exact set of 80 B keys"
    };
    const KEY_LEN: usize = L;
    const KEYS: usize = baselines::ExactSet::<L, N, WORDS>::CAPACITY;
    const EMPTY: Self = {
        // One slot more would not fit.
        assert!(N * L + WORDS * 4 <= BYTES && (N + 1) * L + WORDS * 4 > BYTES);
        Self(baselines::ExactSet::new())
    };

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key) == Some(true)
    }
    fn contains(&mut self, key: &[u8]) -> bool {
        self.0.contains(key)
    }
}

impl<const L: usize, const N: usize, const WORDS: usize> Removes for ExactSet<L, N, WORDS> {
    fn remove(&mut self, key: &[u8]) -> bool {
        self.0.remove(key)
    }
}
