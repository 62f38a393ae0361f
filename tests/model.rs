//! The filters against `HashSet`: whatever is done to them, no key is forgotten.

use std::collections::HashSet;

use proptest::prelude::*;
use sundew::hash::{HashFunction, Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::sizing::Rate;
use sundew::{
    Block, Block4096, Block8192, BlockedBloom, BlockedBloomView, ClassicBloom, Key, MergeError,
    Sink,
};

/// One thing a user does to one of two filters.
#[derive(Clone, Debug)]
enum Step {
    Insert(bool, Vec<u8>),
    Clear(bool),
    /// The other filter's keys come in.
    Union(bool),
    /// Only what the other filter has as well stays.
    Intersect(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = prop::collection::vec(0..4_u8, 0..20);
    let step = prop_oneof![
        20 => (any::<bool>(), key).prop_map(|(which, key)| Step::Insert(which, key)),
        1 => any::<bool>().prop_map(Step::Clear),
        1 => any::<bool>().prop_map(Step::Union),
        1 => any::<bool>().prop_map(Step::Intersect),
    ];
    prop::collection::vec(step, 0..200)
}

/// Two filters and what they must remember.
macro_rules! check {
    ($steps:expr, $filter:ty, $new:expr) => {{
        let mut filters: [$filter; 2] = [$new, $new];
        let mut sets: [HashSet<Vec<u8>>; 2] = Default::default();
        for step in $steps {
            match step.clone() {
                Step::Insert(which, key) => {
                    let which = usize::from(which);
                    let looked_known = filters[which].contains(&key[..]);
                    let is_new = filters[which].insert(&key[..]);
                    prop_assert_eq!(is_new, !looked_known);
                    prop_assert!(
                        !is_new || !sets[which].contains(&key),
                        "known, but called new"
                    );
                    sets[which].insert(key);
                }
                Step::Clear(which) => {
                    filters[usize::from(which)].clear();
                    sets[usize::from(which)].clear();
                    prop_assert_eq!(&filters[usize::from(which)], &$new);
                }
                Step::Union(which) => {
                    let [to, from] = [usize::from(which), usize::from(!which)];
                    let other = filters[from].clone();
                    filters[to].union(&other).unwrap();
                    let other = sets[from].clone();
                    sets[to].extend(other);
                }
                Step::Intersect(which) => {
                    let [to, from] = [usize::from(which), usize::from(!which)];
                    let other = filters[from].clone();
                    filters[to].intersect(&other).unwrap();
                    let other = sets[from].clone();
                    sets[to].retain(|key| other.contains(key));
                }
            }
            for (filter, set) in filters.iter().zip(&sets) {
                prop_assert!(
                    set.iter().all(|key| filter.contains(&key[..])),
                    "forgot a key"
                );
            }
        }
    }};
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_filter_forgets(steps in steps()) {
        check!(&steps, BlockedBloom<3, 7>, BlockedBloom::new());
        check!(&steps, BlockedBloom<1, 1>, BlockedBloom::with_seed(7));
        check!(&steps, BlockedBloom<5, 32, Xxh3>, BlockedBloom::new());
        check!(&steps, BlockedBloom<5, 7, SipHash13>, BlockedBloom::with_hash(SipHash13::with_key([1; 16])));
        check!(&steps, BlockedBloom<2, 8, Murmur3, Block8192>, BlockedBloom::new());
        check!(&steps, BlockedBloom<2, 7, Xxh32, Block4096>, BlockedBloom::new());
        check!(&steps, ClassicBloom<50, 7>, ClassicBloom::new());
        check!(&steps, ClassicBloom<1, 32, Xxh3>, ClassicBloom::new());
    }

    #[test]
    fn order_and_repetition_leave_no_trace(
        keys in prop::collection::vec(any::<u64>(), 0..50),
    ) {
        let mut once: BlockedBloom<7, 7> = BlockedBloom::new();
        let mut again: BlockedBloom<7, 7> = BlockedBloom::new();
        keys.iter().for_each(|key| { once.insert(key); });
        for key in keys.iter().rev().chain(&keys) {
            again.insert(key);
        }
        prop_assert!(once == again);
    }

    #[test]
    fn union_is_what_inserting_both_gives(
        here in prop::collection::vec(any::<u32>(), 0..50),
        there in prop::collection::vec(any::<u32>(), 0..50),
    ) {
        let mut one: BlockedBloom<4, 7> = BlockedBloom::new();
        let mut other: BlockedBloom<4, 7> = BlockedBloom::new();
        let mut both: BlockedBloom<4, 7> = BlockedBloom::new();
        for key in &here { one.insert(key); both.insert(key); }
        for key in &there { other.insert(key); both.insert(key); }
        one.union(&other).unwrap();
        prop_assert!(one == both);
    }

    #[test]
    fn compiled_and_run_time_inserts_agree(keys in prop::collection::vec(".{0,40}", 0..20)) {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let built = BlockedBloom::<3, 7>::with_keys(&keys);
        let mut filled: BlockedBloom<3, 7> = BlockedBloom::new();
        for key in &keys {
            filled.insert(*key);
            prop_assert!(built.contains_bytes(key.as_bytes()));
        }
        prop_assert!(built == filled);
    }

    #[test]
    fn hashed_apart_is_inserted_alike(key in prop::collection::vec(any::<u8>(), 0..90)) {
        let mut whole: BlockedBloom<9, 7, Xxh3> = BlockedBloom::new();
        let mut hashed: BlockedBloom<9, 7, Xxh3> = BlockedBloom::new();
        whole.insert(&key[..]);
        let hash = hashed.hash().hash(&key);
        hashed.insert_hash(hash);
        prop_assert!(whole == hashed && whole.contains_hash(whole.hash().hash(&key)));
    }
}

#[test]
fn filters_that_do_not_match_are_left_alone() {
    let mut filter: BlockedBloom<4, 7> = BlockedBloom::new();
    filter.insert("kept");
    let before = filter.clone();
    let smaller: BlockedBloom<3, 7> = BlockedBloom::new();
    let seeded: BlockedBloom<4, 7> = BlockedBloom::with_seed(1);
    let smaller: &BlockedBloomView<7> = &smaller;
    assert_eq!(filter.union(smaller), Err(MergeError::SizeDiffers));
    assert_eq!(filter.intersect(smaller), Err(MergeError::SizeDiffers));
    assert_eq!(filter.union(&seeded), Err(MergeError::SeedDiffers));
    assert_eq!(filter.intersect(&seeded), Err(MergeError::SeedDiffers));
    assert!(filter == before);
    assert!(filter != BlockedBloom::new());
    assert!(BlockedBloom::<4, 7>::new() != seeded);
}

#[test]
fn blocks_can_be_read_one_by_one() {
    let mut filter: BlockedBloom<6, 7> = BlockedBloom::new();
    assert_eq!(filter.num_blocks(), 6);
    assert_eq!(filter.num_bits(), 6 * 512);
    filter.insert("key");
    let ones: Vec<u32> = filter.blocks().map(Block::count_ones).collect();
    // All bits of one key in one block.
    assert_eq!(ones.iter().filter(|ones| **ones > 0).count(), 1);
    assert!((1..=7).contains(&ones.iter().sum::<u32>()));
    assert_eq!(align_of_val(&filter), 64);
}

/// Keeps what a key writes.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

#[track_caller]
fn assert_key<K: Key + ?Sized>(key: &K, expected: &[u8]) {
    let mut bytes = Bytes::default();
    key.feed(&mut bytes);
    assert_eq!(bytes.0, expected);
    // Fed piece by piece or hashed at once, it is the same key.
    assert_eq!(key.digest(&Xxh32::UNSEEDED), Xxh32::UNSEEDED.hash(expected));
    assert_eq!(key.digest(&Xxh3::UNSEEDED), Xxh3::UNSEEDED.hash(expected));
}

#[test]
fn keys_are_the_documented_bytes() {
    assert_key("ab", b"ab");
    assert_key(b"ab", b"ab");
    assert_key(&b"ab"[..], b"ab");
    assert_key(&"ab", b"ab");
    assert_key(&0x0102_u16, &[2, 1]);
    assert_key(&-2_i32, &[0xFE, 0xFF, 0xFF, 0xFF]);
    assert_key(&1_u64, &[1, 0, 0, 0, 0, 0, 0, 0]);
    assert_key(&1_u128, &1_u128.to_le_bytes());
    assert_key(&true, &[1]);
    assert_key(&'a', &[0x61, 0, 0, 0]);
    assert_key(&[1_u16, 2], &[1, 0, 2, 0]);
    assert_key(&[1_i32, -1][..], &[1, 0, 0, 0, 255, 255, 255, 255]);
    assert_key(&(1_u8,), &[1]);
    assert_key(&([1_u8, 2], 3_u16), &[1, 2, 3, 0]);
    assert_key(&("ab", 'c'), &[2, 0, 0, 0, b'a', b'b', b'c', 0, 0, 0]);
    assert_key(&("ab", "c"), b"\x02\0\0\0ab\x01\0\0\0c");
    assert_key(&("a", "bc"), b"\x01\0\0\0a\x02\0\0\0bc");
    assert_key(
        &(1_u8, 2_u8, 3_u8, 4_u8, 5_u8, &[6_u16][..]),
        &[1, 2, 3, 4, 5, 2, 0, 0, 0, 6, 0],
    );
}

#[test]
fn statistics_follow_the_keys() {
    let mut filter: BlockedBloom<512, 7> = BlockedBloom::new();
    let mut inserted = 0_u64;
    for limit in [100, 1_000, 10_000, 25_000, 40_000] {
        while inserted < limit {
            filter.insert(&inserted);
            inserted += 1;
        }
        let stats = filter.stats();
        let error = stats.estimated_keys().abs_diff(limit) as f64 / limit as f64;
        assert!(
            error < 0.02,
            "{limit} keys look like {}",
            stats.estimated_keys()
        );
        let ones: u64 = filter
            .blocks()
            .map(|block| u64::from(block.count_ones()))
            .sum();
        assert_eq!(stats.num_ones(), ones);
        assert_eq!(stats.num_bits(), 512 * 512);

        // The rate is the mean over blocks of (ones / 512)^7, to a part per million.
        let mean: f64 = filter
            .blocks()
            .map(|block| (f64::from(block.count_ones()) / 512.0).powi(7))
            .sum::<f64>()
            / 512.0;
        let rate = f64::from(stats.rate().parts_per_billion()) / 1e9;
        assert!((rate - mean).abs() < 1e-6, "{rate} for {mean}");
        assert_eq!(stats.is_near_capacity(26_000), limit >= 25_000);

        let histogram = filter.fill_histogram::<16>();
        assert_eq!(histogram.iter().sum::<u32>(), 512);
        let mut expected = [0_u32; 16];
        filter
            .blocks()
            .for_each(|block| expected[block.count_ones() as usize / 32] += 1);
        assert_eq!(histogram, expected);
    }
    assert!(filter.rate_at(25_000) < Rate::percent(1));
    assert!(filter.rate_at(40_000) > Rate::percent(3));
}
