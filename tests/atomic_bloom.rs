//! The atomic filter against the blocked one, whose bits it has, and under several threads at once.

use std::collections::HashSet;
use std::sync::Barrier;

use proptest::prelude::*;
use sundew::hash::{HashFunction, Xxh3};
use sundew::{AtomicBloom, AtomicBloomView, BlockedBloom, BlockedBloomView, MergeError};

fn words_of<const K: usize, H: HashFunction>(filter: &BlockedBloomView<K, H>) -> Vec<u32> {
    filter
        .blocks()
        .flat_map(|block| block.words())
        .copied()
        .collect()
}

fn assert_same<const K: usize, H: HashFunction>(
    shared: &AtomicBloomView<K, H>,
    filter: &BlockedBloomView<K, H>,
) {
    assert!(shared.words().eq(words_of(filter)));
    assert_eq!(shared.stats(), filter.stats());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bits_and_answers_are_those_of_the_blocked_filter(
        keys in prop::collection::vec(prop::collection::vec(0..4_u8, 0..20), 0..200),
    ) {
        let shared: AtomicBloom<3, 7> = AtomicBloom::new();
        let long: AtomicBloom<5, 32, Xxh3> = AtomicBloom::new();
        let mut filter: BlockedBloom<3, 7> = BlockedBloom::new();
        let mut long_filter: BlockedBloom<5, 32, Xxh3> = BlockedBloom::new();
        let mut set = HashSet::new();
        for key in &keys {
            let key = &key[..];
            prop_assert_eq!(shared.contains(key), filter.contains(key));
            prop_assert_eq!(shared.insert(key), filter.insert(key));
            prop_assert_eq!(long.insert(key), long_filter.insert(key));
            set.insert(key);
            prop_assert!(set.iter().all(|key| shared.contains(*key) && long.contains(*key)));
        }
        assert_same(&shared, &filter);
        assert_same(&long, &long_filter);
        prop_assert_eq!(shared.rate_at(77), filter.rate_at(77));

        // There and back.
        prop_assert!(BlockedBloom::from(&shared) == filter);
        assert_same(&AtomicBloom::from(&filter), &filter);
        shared.clear();
        assert_same(&shared, &BlockedBloom::<3, 7>::new());
        shared.union_blocked(&filter).unwrap();
        assert_same(&shared, &filter);
    }

    #[test]
    fn union_is_what_inserting_both_gives(
        here in prop::collection::vec(any::<u32>(), 0..50),
        there in prop::collection::vec(any::<u32>(), 0..50),
    ) {
        let one: AtomicBloom<4, 7> = AtomicBloom::with_seed(3);
        let other: AtomicBloom<4, 7> = AtomicBloom::with_seed(3);
        let mut both: BlockedBloom<4, 7> = BlockedBloom::with_seed(3);
        for key in &here { one.insert(key); both.insert(key); }
        for key in &there { other.insert(key); both.insert(key); }
        one.union(&other).unwrap();
        assert_same(&one, &both);
    }
}

#[test]
fn filters_that_do_not_match_are_left_alone() {
    let shared: AtomicBloom<4, 7> = AtomicBloom::new();
    shared.insert("kept");
    let before: Vec<u32> = shared.words().collect();
    let smaller: AtomicBloom<3, 7> = AtomicBloom::new();
    let seeded: AtomicBloom<4, 7> = AtomicBloom::with_seed(1);
    assert_eq!(
        shared.union(smaller.as_view()),
        Err(MergeError::SizeDiffers)
    );
    assert_eq!(shared.union(&seeded), Err(MergeError::SeedDiffers));
    let mut smaller: BlockedBloom<3, 7> = BlockedBloom::new();
    let mut seeded: BlockedBloom<4, 7> = BlockedBloom::with_seed(1);
    assert_eq!(shared.union_blocked(&smaller), Err(MergeError::SizeDiffers));
    assert_eq!(shared.union_blocked(&seeded), Err(MergeError::SeedDiffers));
    assert_eq!(shared.copy_to(&mut smaller), Err(MergeError::SizeDiffers));
    assert_eq!(shared.copy_to(&mut seeded), Err(MergeError::SeedDiffers));
    assert!(shared.words().eq(before));
    assert!(smaller == BlockedBloom::new() && seeded == BlockedBloom::with_seed(1));
    assert_eq!((shared.num_blocks(), shared.num_bits()), (4, 2_048));
    assert_eq!((align_of_val(&shared), size_of_val(&shared)), (64, 5 * 64));
}

/// Four threads insert the same keys and keys of their own into a filter of two blocks, so that they meet at every
/// word; the rounds are many because a lost bit would be rare.
#[test]
fn no_key_is_lost_between_threads() {
    const THREADS: u32 = 4;
    let rounds = if cfg!(miri) { 2 } else { 2_000 };
    let shared: AtomicBloom<2, 7> = AtomicBloom::new();
    let start = Barrier::new(THREADS as usize + 1);
    let end = Barrier::new(THREADS as usize + 1);
    // The keys of a round: two of each thread, and four that all insert.
    let own = |round: u32, thread: u32| [0, 1].map(|i| (round, thread, i));
    let common = |round: u32| [0, 1, 2, 3].map(|i| (round, u32::MAX, i));
    std::thread::scope(|scope| {
        let (shared, start, end) = (&shared, &start, &end);
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    let mut told_new = HashSet::new();
                    for round in 0..rounds {
                        start.wait();
                        for key in own(round, thread).into_iter().chain(common(round)) {
                            if shared.insert(&key) {
                                told_new.insert(key);
                            }
                            assert!(shared.contains(&key), "inserted, and not found");
                            assert!(!shared.insert(&key), "inserted, and called new");
                        }
                        end.wait();
                    }
                    told_new
                })
            })
            .collect();
        let mut lookalikes = HashSet::new();
        for round in 0..rounds {
            shared.clear();
            start.wait();
            end.wait();
            let mut expected: BlockedBloom<2, 7> = BlockedBloom::new();
            let keys: Vec<_> = (0..THREADS)
                .flat_map(|thread| own(round, thread))
                .chain(common(round))
                .collect();
            keys.iter().for_each(|key| {
                expected.insert(key);
            });
            assert!(
                BlockedBloom::from(shared) == expected,
                "a bit was lost in round {round}"
            );
            // Keys all of whose bits others may have set first.
            for key in &keys {
                let mut others: BlockedBloom<2, 7> = BlockedBloom::new();
                keys.iter().filter(|other| *other != key).for_each(|other| {
                    others.insert(other);
                });
                if others.contains(key) {
                    lookalikes.insert(*key);
                }
            }
        }
        let told_new: HashSet<_> = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect();
        for round in 0..rounds {
            let keys = (0..THREADS)
                .flat_map(|thread| own(round, thread))
                .chain(common(round));
            for key in keys {
                assert!(
                    told_new.contains(&key) || lookalikes.contains(&key),
                    "new to nobody"
                );
            }
        }
    });
}
