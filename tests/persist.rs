//! What is saved is found again, wherever the power fails.

#[path = "support/nor.rs"]
mod nor;

use nor::{Cut, Nor, Operation};
use proptest::prelude::*;
use sundew::persist::{Place, Progress, Store, StoreError};
use sundew::snapshot::{BlockedBloomRef, Snapshot, SnapshotError};
use sundew::{
    AtomicBloom, BlockedBloom, ClassicBloom, CountMinSketch, CountingBloom, CuckooFilter,
    HyperLogLog10, RotatingBloom, ScalableBloom, StreamingHyperLogLog,
};

/// Three structures that a device saves together.
#[derive(Clone, Debug, PartialEq)]
struct Content {
    seen: BlockedBloom<20, 7>,
    members: CuckooFilter<32, u8>,
    distinct: HyperLogLog10,
}

const NAMES: [&[u8]; 3] = [
    b"seen",
    b"",
    b"a name with as many bytes as a name can have: 48",
];

impl Content {
    fn new(version: u32) -> Self {
        let mut content = Self {
            seen: BlockedBloom::new(),
            members: CuckooFilter::new(),
            distinct: HyperLogLog10::new(),
        };
        for key in 0..40 * version {
            content.seen.insert(&key);
            content.distinct.insert(&key);
            if content.members.len() < 100 {
                content.members.insert(&key).unwrap();
            }
        }
        // No version holds all that an earlier one does.
        content.members.remove(&(version - 1));
        content
    }
}

impl Content {
    /// Saves in slices; fails when the flash does.
    fn save<const W: usize, const E: usize>(
        &self,
        store: &mut Store<&mut Nor<W, E>>,
        stamp: u64,
    ) -> Result<(), StoreError> {
        store.begin(stamp);
        self.write(store)
    }

    /// Saves what changed, or all where that is not possible.
    fn save_changes<const W: usize, const E: usize>(
        &self,
        store: &mut Store<&mut Nor<W, E>>,
    ) -> Result<(), StoreError> {
        store.begin_changes(0);
        match self.write(store) {
            Err(StoreError::ChangesFull) => {
                store.begin_changes(0);
                self.write(store)
            }
            result => result,
        }
    }

    fn write<const W: usize, const E: usize>(
        &self,
        store: &mut Store<&mut Nor<W, E>>,
    ) -> Result<(), StoreError> {
        while store.step(NAMES[0], self.seen.as_view())? == Progress::Working {}
        while store.step(NAMES[1], self.members.as_view())? == Progress::Working {}
        while store.step(NAMES[2], self.distinct.as_view())? == Progress::Working {}
        store.commit()
    }

    /// What a boot finds.
    fn boot<const W: usize, const E: usize>(flash: &mut Nor<W, E>, slots: u32) -> Option<Self> {
        flash.power_on();
        let mut store = open(flash, slots);
        let mut found = Self::new(1);
        let has = [
            store.restore(NAMES[0], found.seen.as_mut_view()).unwrap(),
            store
                .restore(NAMES[1], found.members.as_mut_view())
                .unwrap(),
            store
                .restore(NAMES[2], found.distinct.as_mut_view())
                .unwrap(),
        ];
        assert!(
            has == [store.last_save().is_some(); 3],
            "a part is missing: {has:?}"
        );
        has[0].then_some(found)
    }
}

fn open<const W: usize, const E: usize>(
    flash: &mut Nor<W, E>,
    slots: u32,
) -> Store<&mut Nor<W, E>> {
    let end = flash.bytes.len() as u32;
    Store::open(flash, 0..end, slots).unwrap()
}

/// Flash with so many slots, each large enough for the content and not larger.
fn flash_for<const W: usize, const E: usize>(slots: u32) -> Nor<W, E> {
    const LENGTH: usize = 64 + (128 + 1280) + (128 + 128) + (128 + 768);
    Nor::new(LENGTH.div_ceil(E) * slots as usize)
}

/// Saves `new` over `old`, with the power cut in every operation and in many ways.
fn cut_everywhere<const W: usize, const E: usize>(slots: u32, saves_before: u32, seeds: u64) {
    let mut before = flash_for::<W, E>(slots);
    for version in 1..=saves_before {
        let mut store = open(&mut before, slots);
        Content::new(version)
            .save(&mut store, version.into())
            .unwrap();
    }
    let old = (saves_before > 0).then(|| Content::new(saves_before));
    let new = Content::new(saves_before + 1);

    let mut whole = before.clone();
    whole.operations.clear();
    new.save(&mut open(&mut whole, slots), 0).unwrap();
    let num_operations = whole.operations.len();
    assert!(num_operations > 30, "{num_operations}");
    assert_eq!(Content::boot(&mut whole, slots).as_ref(), Some(&new));

    let mut committed = 0;
    for operation in 0..num_operations {
        for seed in 0..seeds {
            let mut flash = before.clone();
            let seed = seed * 1000 + operation as u64;
            flash.cut(Cut { operation, seed });
            let outcome = new.save(&mut open(&mut flash, slots), 0);
            assert!(outcome.is_err() && flash.is_off(), "the power was not cut");
            let found = Content::boot(&mut flash, slots);
            // Before the last operation nothing can be new.
            let is_new = found.as_ref() == Some(&new) && operation + 1 == num_operations;
            assert!(
                is_new || found == old,
                "neither old nor new after a cut in operation {operation}, seed {seed}"
            );
            committed += u64::from(is_new);

            // The next save finds its way, wherever the last one ended.
            let next = Content::new(saves_before + 2);
            next.save(&mut open(&mut flash, slots), 0).unwrap();
            assert_eq!(Content::boot(&mut flash, slots), Some(next));
        }
    }
    // Half a last write has no right to count, but a whole one whose end nobody waited for does.
    assert!(committed < seeds, "{committed}");
}

#[test]
fn a_cut_in_any_operation_leaves_the_old_save_or_the_new() {
    // Word and page of the nRF51, of a QSPI chip as some drivers have it, of STM32G0, of STM32H7 (its page is
    // larger), and the least that there can be.
    cut_everywhere::<4, 1024>(2, 2, 60);
    cut_everywhere::<1, 256>(2, 3, 30);
    cut_everywhere::<8, 2048>(3, 4, 30);
    cut_everywhere::<32, 4096>(2, 1, 30);
    cut_everywhere::<64, 64>(2, 2, 10);
}

#[test]
fn a_cut_in_the_first_save_ever_leaves_nothing_or_the_save() {
    cut_everywhere::<4, 1024>(2, 0, 30);
}

/// The second cut comes in the save that follows the first, before anything else could be saved.
#[test]
fn a_second_cut_leaves_the_old_save_too() {
    let mut before = flash_for::<4, 1024>(2);
    let (old, new) = (Content::new(2), Content::new(3));
    for content in [Content::new(1), old.clone()] {
        content.save(&mut open(&mut before, 2), 0).unwrap();
    }
    let mut whole = before.clone();
    whole.operations.clear();
    new.save(&mut open(&mut whole, 2), 0).unwrap();
    let last = whole.operations.len() - 1;
    for first in 0..last {
        for second in 0..last {
            let mut flash = before.clone();
            for operation in [first, second] {
                let seed = (first * last + second) as u64;
                flash.cut(Cut { operation, seed });
                assert!(new.save(&mut open(&mut flash, 2), 0).is_err());
                flash.power_on();
            }
            assert!(
                Content::boot(&mut flash, 2) == Some(old.clone()),
                "after cuts in {first} and {second}"
            );
        }
    }
}

#[test]
fn a_step_is_one_operation_of_the_flash_at_most() {
    let mut flash = flash_for::<4, 1024>(2);
    let content = Content::new(3);
    let mut store = open(&mut flash, 2);
    store.begin(0);
    let mut steps = 0;
    while store.step(b"seen", content.seen.as_view()).unwrap() == Progress::Working {
        steps += 1;
    }
    store.commit().unwrap();
    // Two pages, 20 pieces of payload and two heads; the last step is the one that is done.
    assert_eq!(steps, 2 + 20 + 2 - 1);
    let operations = &flash.operations;
    assert_eq!(operations.len(), steps + 2);
    for operation in operations {
        match operation {
            Operation::Erase(page) => assert_eq!(page.len(), 1024),
            Operation::Write(piece) => assert_eq!(piece.len(), 64),
        }
    }
    // The page with the slot's head goes first, the head comes last.
    assert_eq!(operations.first(), Some(&Operation::Erase(0..1024)));
    assert_eq!(operations.last(), Some(&Operation::Write(0..64)));
}

#[test]
fn slots_take_turns_and_all_pages_wear_alike() {
    let mut flash = flash_for::<4, 256>(5);
    for version in 1..=50 {
        // Half of the saves after a boot.
        let mut store = open(&mut flash, 5);
        Content::new(version).save(&mut store, 0).unwrap();
        assert_eq!(store.last_save().unwrap().slot, (2 * version - 2) % 5);
        Content::new(version + 1).save(&mut store, 7).unwrap();
        let save = *store.last_save().unwrap();
        assert_eq!((save.slot, save.stamp), ((2 * version - 1) % 5, 7));
        assert_eq!(
            (save.sequence, save.num_records),
            (u64::from(2 * version), 3)
        );
    }
    assert_eq!(flash.erases, vec![20; flash.erases.len()]);
}

/// Inserts between all steps, into any structure; gives what a boot finds.
fn saved_while<T: Clone, V: Snapshot + ?Sized>(
    structure: &mut T,
    empty: &T,
    view: impl Fn(&T) -> &V,
    mut_view: impl Fn(&mut T) -> &mut V,
    mut insert: impl FnMut(&mut T, u32),
) -> Result<T, StoreError> {
    let mut flash: Nor<4, 1024> = Nor::new(20);
    let mut store = open(&mut flash, 2);
    store.begin(0);
    let mut key = 1_000_000;
    while store.step(b"", view(structure))? == Progress::Working {
        for _ in 0..3 {
            insert(structure, key);
            key += 1;
        }
    }
    store.commit()?;
    let mut found = empty.clone();
    assert!(
        open(&mut flash, 2)
            .restore(b"", mut_view(&mut found))
            .unwrap()
    );
    Ok(found)
}

/// Saves while keys come, and expects to find those from before.
macro_rules! keys_from_before_are_found {
    ($name:ident, $new:expr, $insert:expr, $contains:expr) => {
        #[test]
        fn $name() {
            let empty = $new;
            let mut structure = empty.clone();
            (0..200_u32).for_each(|key| $insert(&mut structure, key));
            let found = saved_while(
                &mut structure,
                &empty,
                |structure| &**structure,
                |structure| &mut **structure,
                $insert,
            );
            let found = found.unwrap();
            for key in 0..200_u32 {
                assert!($contains(&found, key), "{key} is lost");
            }
            // And the test means something: the bytes did change on the way.
            let mut last = vec![0; 8192];
            let length = structure.snapshot().pull(&mut last);
            let mut saved = vec![0; 8192];
            assert_eq!(found.snapshot().pull(&mut saved), length);
            assert!(saved != last, "nothing came after it was written");
        }
    };
}

keys_from_before_are_found!(
    a_blocked_filter_keeps_its_keys_while_others_come,
    <BlockedBloom<100, 7>>::new(),
    |filter: &mut BlockedBloom<100, 7>, key| _ = filter.insert(&key),
    |filter: &BlockedBloom<100, 7>, key| filter.contains(&key)
);
keys_from_before_are_found!(
    a_classic_filter_keeps_its_keys_while_others_come,
    <ClassicBloom<1000, 7>>::new(),
    |filter: &mut ClassicBloom<1000, 7>, key| _ = filter.insert(&key),
    |filter: &ClassicBloom<1000, 7>, key| filter.contains(&key)
);
keys_from_before_are_found!(
    a_counting_filter_keeps_its_keys_while_others_come,
    <CountingBloom<100, 4>>::new(),
    |filter: &mut CountingBloom<100, 4>, key| _ = filter.insert(&key),
    |filter: &CountingBloom<100, 4>, key| filter.contains(&key)
);
keys_from_before_are_found!(
    a_scalable_filter_keeps_its_keys_while_others_come,
    <ScalableBloom<100, 7, 3>>::new(),
    |filter: &mut ScalableBloom<100, 7, 3>, key| _ = filter.insert(&key).unwrap(),
    |filter: &ScalableBloom<100, 7, 3>, key| filter.contains(&key)
);
keys_from_before_are_found!(
    a_rotating_filter_keeps_its_keys_while_others_come_and_it_rotates,
    <RotatingBloom<30, 7, 4>>::new(),
    |filter: &mut RotatingBloom<30, 7, 4>, key| {
        filter.insert(&key);
        // Once before all is written, in the middle of a generation.
        if key == 1_000_150 {
            filter.rotate();
        }
    },
    |filter: &RotatingBloom<30, 7, 4>, key| filter.contains(&key)
);
keys_from_before_are_found!(
    a_count_min_sketch_keeps_its_counts_while_others_come,
    <CountMinSketch<300, 4>>::new(),
    |sketch: &mut CountMinSketch<300, 4>, key| _ = sketch.add(&key, 2),
    |sketch: &CountMinSketch<300, 4>, key| sketch.estimate(&key) >= 2
);

#[test]
fn an_atomic_filter_keeps_its_keys_while_others_come() {
    let filter: AtomicBloom<100, 7> = AtomicBloom::new();
    let found: AtomicBloom<100, 7> = AtomicBloom::new();
    (0..200_u32).for_each(|key| _ = filter.insert(&key));
    let mut flash: Nor<4, 1024> = Nor::new(20);
    let mut store = open(&mut flash, 2);
    store.begin(0);
    let mut key = 1_000_000_u32;
    while store.step(b"", &filter.as_view()).unwrap() == Progress::Working {
        filter.insert(&key);
        key += 1;
    }
    store.commit().unwrap();
    assert!(
        open(&mut flash, 2)
            .restore(b"", &mut found.as_view())
            .unwrap()
    );
    assert!((0..200_u32).all(|key| found.contains(&key)));
    assert!(!found.contains(&1_000_000_u32) || !found.contains(&1_000_099_u32));
}

#[test]
fn the_counts_of_hyper_log_log_are_between_those_of_begin_and_end() {
    let mut plain: HyperLogLog10 = HyperLogLog10::new();
    let mut streaming: StreamingHyperLogLog<256> = StreamingHyperLogLog::new();
    for key in 0..5_000_u32 {
        plain.insert(&key);
        streaming.insert(&key);
    }
    let (plain_before, streaming_before) = (plain.estimate(), streaming.estimate());
    let found = saved_while(
        &mut plain,
        &HyperLogLog10::new(),
        |sketch| sketch.as_view(),
        |sketch| sketch.as_mut_view(),
        |sketch, key| _ = sketch.insert(&key),
    );
    assert!((plain_before..=plain.estimate()).contains(&found.unwrap().estimate()));
    let found = saved_while(
        &mut streaming,
        &StreamingHyperLogLog::new(),
        |sketch| sketch.as_view(),
        |sketch| sketch.as_mut_view(),
        |sketch, key| _ = sketch.insert(&key),
    );
    assert!((streaming_before..=streaming.estimate()).contains(&found.unwrap().estimate()));
}

#[test]
fn a_cuckoo_filter_that_changes_is_not_saved() {
    let mut filter: CuckooFilter<256, u16> = CuckooFilter::new();
    (0..900_u32).for_each(|key| filter.insert(&key).unwrap());
    let mut inserted = 0;
    let result = saved_while(
        &mut filter,
        &CuckooFilter::new(),
        |filter| filter.as_view(),
        |filter| filter.as_mut_view(),
        |filter, key| {
            // One key, at the beginning.
            if key == 1_000_000 {
                filter.insert(&key).unwrap();
                inserted += 1;
            }
        },
    );
    assert_eq!(inserted, 1);
    // Found out only when it came to a part that was written; with the first step it was not.
    assert!(result.is_ok_and(|found| found.contains(&1_000_000_u32)));

    let result = saved_while(
        &mut filter,
        &CuckooFilter::new(),
        |filter| filter.as_view(),
        |filter| filter.as_mut_view(),
        |filter, key| {
            if key < 1_000_060 {
                filter.remove(&(key - 1_000_000));
            }
        },
    );
    assert_eq!(result.map(|_| ()), Err(StoreError::Changed));
}

/// Flash with two saves, and its store.
fn saved_twice() -> Nor<4, 1024> {
    let mut flash = flash_for::<4, 1024>(2);
    for version in [1, 2] {
        Content::new(version)
            .save(&mut open(&mut flash, 2), 0)
            .unwrap();
    }
    flash
}

/// Lets the flash fail in the third save, into the first slot.
fn fails_with(error: StoreError, fault: impl Fn(&mut Nor<4, 1024>)) {
    let mut flash = saved_twice();
    fault(&mut flash);
    let new = Content::new(3);
    let mut store = open(&mut flash, 2);
    assert_eq!(new.save(&mut store, 0), Err(error));
    assert_eq!(store.failure(), Some(error));
    assert!(!store.is_saving());
    assert_eq!(store.last_save().unwrap().sequence, 2);
    assert_eq!(
        store.step(NAMES[0], new.seen.as_view()),
        Err(StoreError::NotSaving)
    );
    // It goes on as it did, and once the flash is better, so does the store.
    assert_eq!(new.save(&mut store, 0), Err(error));
    assert_eq!(Content::boot(&mut flash, 2), Some(Content::new(2)));
    let healthy = saved_twice();
    flash.refuses_writes = healthy.refuses_writes;
    flash.refuses_erases = healthy.refuses_erases;
    flash.stuck = healthy.stuck;
    let mut store = open(&mut flash, 2);
    new.save(&mut store, 0).unwrap();
    assert_eq!(store.failure(), None);
    assert_eq!(Content::boot(&mut flash, 2), Some(new));
}

#[test]
fn a_flash_that_fails_is_an_error_and_the_old_save_stays() {
    fails_with(StoreError::Erase(0), |flash| {
        flash.refuses_erases.insert(0);
    });
    fails_with(StoreError::Erase(1024), |flash| {
        flash.refuses_erases.insert(1);
    });
    // The first piece of the payload comes behind three heads.
    fails_with(StoreError::Write(192), |flash| {
        flash.refuses_writes.insert(0);
    });
    fails_with(StoreError::Write(1024), |flash| {
        flash.refuses_writes.insert(1);
    });
    // A bit that does not come back: of the payload, of a header, of the slot's head.
    fails_with(StoreError::Worn(192), |flash| {
        let seen = Content::new(3).seen;
        let mut payload = [0; 64];
        seen.read_payload(0, &mut payload);
        let byte = payload.iter().position(|byte| *byte != 0).unwrap();
        let lowest = payload[byte] & payload[byte].wrapping_neg();
        flash.stuck.push((192 + byte, lowest));
    });
    fails_with(StoreError::Worn(128), |flash| flash.stuck.push((128, 1)));
    fails_with(StoreError::Worn(0), |flash| flash.stuck.push((0, 1)));
}

#[test]
fn with_three_slots_a_bad_one_is_passed_over() {
    let mut flash = flash_for::<4, 1024>(3);
    for version in [1, 2] {
        Content::new(version)
            .save(&mut open(&mut flash, 3), 0)
            .unwrap();
    }
    // In the third slot.
    let page = flash.erases.len() - 1;
    flash.refuses_erases.insert(page);
    let mut store = open(&mut flash, 3);
    let offset = (page * 1024) as u32;
    assert_eq!(
        Content::new(3).save(&mut store, 0),
        Err(StoreError::Erase(offset))
    );
    Content::new(3).save(&mut store, 0).unwrap();
    assert_eq!(store.last_save().unwrap().slot, 0);
    Content::new(4).save(&mut store, 0).unwrap();
    assert_eq!(store.last_save().unwrap().slot, 1);
    assert_eq!(Content::boot(&mut flash, 3), Some(Content::new(4)));
}

#[test]
fn a_slot_that_rots_or_cannot_be_read_counts_as_none() {
    let two = saved_twice();
    let half = two.bytes.len() / 2;
    let used = 64 + (128 + 1280) + (128 + 128) + (128 + 768);
    // Every bit of the newer save, which is in the second slot.
    for bit in 0..used * 8 {
        let mut flash = two.clone();
        flash.bytes[half + bit / 8] ^= 1 << (bit % 8);
        let found = Content::boot(&mut flash, 2);
        assert!(found == Some(Content::new(1)), "bit {bit}");
    }
    let mut flash = two.clone();
    flash.refuses_reads.insert(half / 1024);
    assert_eq!(Content::boot(&mut flash, 2), Some(Content::new(1)));
    // The next save takes the place of the bad one, not of the last that is left.
    flash.refuses_reads.clear();
    flash.bytes[half + 500] ^= 1;
    let mut store = open(&mut flash, 2);
    Content::new(3).save(&mut store, 0).unwrap();
    let save = store.last_save().unwrap();
    assert_eq!((save.slot, save.sequence), (1, 3));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let mut flash = saved_twice();
    let large: BlockedBloom<100, 7> = BlockedBloom::new();
    let mut store = open(&mut flash, 2);
    assert_eq!(store.save(b"", large.as_view(), 0), Err(StoreError::Full));
    let content = Content::new(3);
    let seen = content.seen.as_view();
    assert_eq!(
        store.save(&[b'x'; 49], seen, 0),
        Err(StoreError::NameTooLong)
    );
    assert_eq!(store.commit(), Err(StoreError::NotSaving));
    // Each fits, all together do not.
    store.begin(0);
    let mut result = Ok(Progress::Done);
    for _ in 0..3 {
        while let Ok(Progress::Working) = result {
            result = store.step(b"", seen);
        }
        result = result.and_then(|_| store.step(b"", seen));
    }
    assert_eq!(result, Err(StoreError::Full));
    // Another structure in the middle of one, and an end before the end.
    store.begin(0);
    assert_eq!(store.step(b"a", seen), Ok(Progress::Working));
    assert_eq!(store.step(b"b", seen), Err(StoreError::Changed));
    store.begin(0);
    assert_eq!(store.step(b"a", seen), Ok(Progress::Working));
    let members = content.members.as_view();
    assert_eq!(store.step(b"a", members), Err(StoreError::Changed));
    store.begin(0);
    assert_eq!(store.step(b"a", seen), Ok(Progress::Working));
    assert_eq!(store.commit(), Err(StoreError::Unfinished));
    assert_eq!(Content::boot(&mut flash, 2), Some(Content::new(2)));

    let mut other: BlockedBloom<21, 7> = BlockedBloom::new();
    other.insert("a");
    let before = other.clone();
    let geometry = StoreError::Snapshot(SnapshotError::Geometry);
    let mut store = open(&mut flash, 2);
    assert_eq!(store.restore(NAMES[0], other.as_mut_view()), Err(geometry));
    assert_eq!(store.restore(b"nobody", other.as_mut_view()), Ok(false));
    assert_eq!(other, before);
}

#[test]
fn a_save_may_hold_nothing_and_may_be_given_up() {
    let mut flash = saved_twice();
    let mut store = open(&mut flash, 2);
    store.begin(0);
    let seen = Content::new(3).seen;
    assert_eq!(store.step(NAMES[0], seen.as_view()), Ok(Progress::Working));
    assert!(store.is_saving());
    store.cancel();
    assert_eq!(store.commit(), Err(StoreError::NotSaving));
    assert_eq!(store.failure(), None);
    store.begin(9);
    store.commit().unwrap();
    let mut store = open(&mut flash, 2);
    let save = store.last_save().unwrap();
    assert_eq!((save.num_records, save.bytes, save.stamp), (0, 64, 9));
    let mut seen = seen.clone();
    assert_eq!(store.restore(NAMES[0], seen.as_mut_view()), Ok(false));
}

#[test]
fn a_region_must_be_pages_for_two_slots_at_least() {
    let mut flash: Nor<4, 1024> = Nor::new(8);
    for (region, slots) in [
        (0..8192, 1),
        (0..8192, 0),
        (0..8192, 9),
        (0..9216, 2),
        (512..8192, 2),
        (0..8000, 2),
        (1024..1024, 2),
    ] {
        let store = Store::open(&mut flash, region.clone(), slots);
        assert_eq!(store.map(|_| ()), Err(StoreError::Region), "{region:?}");
    }
    // Nothing outside of the region is touched.
    let before = flash.bytes.clone();
    let mut store = Store::open(&mut flash, 2048..7168, 2).unwrap();
    assert_eq!(store.slot_len(), 2048);
    for version in 1..=3 {
        let seen = Content::new(version).seen;
        store.save(b"", seen.as_view(), 0).unwrap();
    }
    assert_eq!(flash.bytes[..2048], before[..2048]);
    assert_eq!(flash.bytes[6144..], before[6144..]);
}

/// From one boot to the next.
#[derive(Clone, Debug)]
struct Session {
    /// Operations until the power fails, and how.
    cut: Option<(usize, u64)>,
    /// A page that refuses writes, or erases.
    fault: Option<(usize, bool)>,
    actions: Vec<Action>,
}

/// What a device may do, in any order.
#[derive(Clone, Debug)]
enum Action {
    Insert(u8),
    Begin,
    BeginChanges,
    /// So many steps, with an insert after each, and a commit if they lead to the end.
    Steps(u8),
}

fn session() -> impl Strategy<Value = Session> {
    let action = prop_oneof![
        any::<u8>().prop_map(Action::Insert),
        Just(Action::Begin),
        Just(Action::BeginChanges),
        Just(Action::BeginChanges),
        (0..50_u8).prop_map(Action::Steps),
        (0..50_u8).prop_map(Action::Steps),
    ];
    (
        proptest::option::of((0..80_usize, any::<u64>())),
        proptest::option::weighted(0.2, (any::<usize>(), any::<bool>())),
        proptest::collection::vec(action, 0..15),
    )
        .prop_map(|(cut, fault, actions)| Session {
            cut,
            fault,
            actions,
        })
}

type Filter = BlockedBloom<20, 7>;

fn is_subset(part: &Filter, whole: &Filter) -> bool {
    let words = |filter: &Filter| filter.blocks().flat_map(|block| *block.words()).collect();
    let (part, whole): (Vec<u32>, Vec<u32>) = (words(part), words(whole));
    part.iter()
        .zip(whole)
        .all(|(part, whole)| part & !whole == 0)
}

fn play<const W: usize, const E: usize>(sessions: &[Session], slots: u32) {
    let mut flash: Nor<W, E> = Nor::new((2 * (64_usize + 128 + 1280)).div_ceil(E) * slots as usize);
    let mut next_key = 0_u32;
    // What a boot must find at least, and at most: of the save that counts, and of one whose end is in doubt.
    let mut saved = (Filter::new(), Filter::new());
    let mut doubtful = None;
    for session in sessions {
        flash.power_on();
        if let Some((operation, seed)) = session.cut {
            flash.cut(Cut { operation, seed });
        }
        flash.refuses_writes.clear();
        flash.refuses_erases.clear();
        match session.fault {
            Some((page, true)) => _ = flash.refuses_writes.insert(page % flash.erases.len()),
            Some((page, false)) => _ = flash.refuses_erases.insert(page % flash.erases.len()),
            None => {}
        }
        let mut store = open(&mut flash, slots);
        let mut filter = Filter::new();
        store.restore(b"", filter.as_mut_view()).unwrap();
        let fits = |(least, most): &(Filter, Filter)| {
            is_subset(least, &filter) && is_subset(&filter, most)
        };
        assert!(fits(&saved) || doubtful.as_ref().is_some_and(fits));
        saved = (filter.clone(), filter.clone());
        doubtful = None;

        let mut begun = filter.clone();
        for action in &session.actions {
            let steps = match action {
                Action::Insert(count) => {
                    (0..u32::from(*count)).for_each(|i| _ = filter.insert(&(next_key + i)));
                    next_key += u32::from(*count);
                    0
                }
                Action::Begin => {
                    store.begin(0);
                    begun = filter.clone();
                    0
                }
                Action::BeginChanges => {
                    store.begin_changes(0);
                    begun = filter.clone();
                    0
                }
                Action::Steps(count) => *count,
            };
            for _ in 0..steps {
                match store.step(b"", filter.as_view()) {
                    Ok(Progress::Working) => {
                        filter.insert(&next_key);
                        next_key += 1;
                    }
                    Ok(Progress::Done) => {
                        let bounds = (begun.clone(), filter.clone());
                        match store.commit() {
                            Ok(()) => (saved, doubtful) = (bounds, None),
                            Err(_) => doubtful = Some(bounds),
                        }
                        break;
                    }
                    Err(_) => break,
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn whatever_happens_a_boot_finds_the_last_save(
        sessions in proptest::collection::vec(session(), 1..12)
    ) {
        play::<4, 256>(&sessions, 2);
        play::<8, 512>(&sessions, 3);
        play::<16, 2048>(&sessions, 2);
    }
}

#[test]
fn what_is_saved_can_be_read_in_place() {
    let mut flash = flash_for::<4, 1024>(2);
    let content = Content::new(5);
    content.save(&mut open(&mut flash, 2), 0).unwrap();
    let mut store = open(&mut flash, 2);
    let mut place = Place::FIRST;
    let mut names = Vec::new();
    let mut offset = 0;
    while let Some(record) = store.next_record(&mut place).unwrap() {
        if record.name.as_bytes() == b"seen" {
            offset = record.offset as usize;
            assert_eq!(record.header.snapshot_len(), 64 + 1280);
        }
        names.push(record.name.as_bytes().to_vec());
    }
    assert_eq!(names, NAMES);
    assert_eq!(offset % 64, 0);
    // The model's bytes lie where a vector has them.
    let mut words = vec![0_u32; (64 + 1280) / 4];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    bytes.copy_from_slice(&flash.bytes[offset..][..64 + 1280]);
    let seen: BlockedBloomRef = BlockedBloomRef::new(bytemuck::cast_slice(&words)).unwrap();
    assert!((0..200_u32).all(|key| seen.contains(&key)));
}

/// Flash in which everything was written before, changes and all, with room for changes.
fn used_flash<const W: usize, const E: usize>() -> Nor<W, E> {
    let mut flash: Nor<W, E> = Nor::new(flash_for::<W, E>(2).erases.len() * 3);
    for version in [1, 2, 1, 2] {
        let mut store = open(&mut flash, 2);
        Content::new(version).save(&mut store, 0).unwrap();
        Content::new(version + 1).save_changes(&mut store).unwrap();
        assert_eq!(store.last_save().unwrap().num_changes, 1);
    }
    flash
}

/// A full save, changes, and more changes, in one go: how many saves were committed.
fn save_thrice<const W: usize, const E: usize>(flash: &mut Nor<W, E>) -> u32 {
    let mut store = open(flash, 2);
    let results = [
        Content::new(3).save(&mut store, 0),
        Content::new(4).save_changes(&mut store),
        Content::new(5).save_changes(&mut store),
    ];
    results.iter().filter(|result| result.is_ok()).count() as u32
}

fn cut_changes_everywhere<const W: usize, const E: usize>(seeds: u64) {
    let before = used_flash::<W, E>();
    let mut whole = before.clone();
    whole.operations.clear();
    assert_eq!(save_thrice(&mut whole), 3);
    assert_eq!(Content::boot(&mut whole, 2), Some(Content::new(5)));
    assert_eq!(open(&mut whole, 2).last_save().unwrap().num_changes, 2);
    let num_operations = whole.operations.len();

    for operation in 0..num_operations {
        for seed in 0..seeds {
            let mut flash = before.clone();
            let seed = seed * 1000 + operation as u64;
            flash.cut(Cut { operation, seed });
            // A cut ends all that comes after it.
            let version = 2 + save_thrice(&mut flash);
            let found = Content::boot(&mut flash, 2);
            // Version 3 is what was there before, too.
            assert!(
                found == Some(Content::new(version.max(3)))
                    || found == Some(Content::new(version + 1)),
                "not version {version} or the next after a cut in operation {operation}, seed {seed}"
            );
            let mut store = open(&mut flash, 2);
            Content::new(6).save_changes(&mut store).unwrap();
            assert_eq!(store.last_save().unwrap().num_changes, 0, "not in full");
            Content::new(7).save_changes(&mut store).unwrap();
            assert_eq!(Content::boot(&mut flash, 2), Some(Content::new(7)));
        }
    }
}

#[test]
fn a_cut_while_changes_are_written_leaves_the_old_save_or_the_new() {
    cut_changes_everywhere::<4, 1024>(30);
    cut_changes_everywhere::<1, 256>(10);
    cut_changes_everywhere::<8, 2048>(10);
    cut_changes_everywhere::<64, 64>(4);
}

#[test]
fn changes_that_rot_leave_an_earlier_save() {
    let mut flash = used_flash::<4, 256>();
    save_thrice(&mut flash);
    let save = *open(&mut flash, 2).last_save().unwrap();
    let slot = flash.bytes.len() / 2 * save.slot as usize;
    let image = 64 + (128 + 1280) + (128 + 128) + (128 + 768);
    for bit in (image * 8..save.bytes as usize * 8).step_by(3) {
        let mut flash = flash.clone();
        flash.bytes[slot + bit / 8] ^= 1 << (bit % 8);
        let found = Content::boot(&mut flash, 2).unwrap();
        let slot_found = open(&mut flash, 2).last_save().unwrap().slot;
        assert_eq!(slot_found, save.slot, "bit {bit}");
        // The last, where the bit is of a piece that was replaced again.
        assert!([3, 4, 5].map(Content::new).contains(&found), "bit {bit}");
    }
}

/// The slot has the changes of an earlier life where its own would be, of a full save that was the same.
#[test]
fn changes_of_an_earlier_life_do_not_count() {
    // A page is a piece, so that nothing is erased beyond the full save.
    let mut flash: Nor<64, 64> = Nor::new(6 * 41 * 2);
    let mut sequence = 0;
    for version in [1, 2, 3, 4] {
        let old = Content::new(1);
        let mut store = open(&mut flash, 2);
        old.save(&mut store, 0).unwrap();
        sequence += 1;
        assert_eq!(store.last_save().unwrap().sequence, sequence);
        let save = *open(&mut flash, 2).last_save().unwrap();
        assert_eq!(save.num_changes, 0, "{version}");
        assert_eq!(Content::boot(&mut flash, 2), Some(old.clone()));

        let mut store = open(&mut flash, 2);
        old.save(&mut store, 0).unwrap();
        for version in 2..2 + version {
            Content::new(version).save_changes(&mut store).unwrap();
        }
        sequence += 1 + u64::from(version);
        let save = *open(&mut flash, 2).last_save().unwrap();
        assert_eq!((save.sequence, save.num_changes), (sequence, version));
        // The next turn begins with the other slot, which has changes of two turns ago.
        open(&mut flash, 2)
            .save(b"", old.seen.as_view(), 0)
            .unwrap();
        sequence += 1;
    }
}

/// Small changes until there is no room for more, several times over.
#[test]
fn changes_and_full_saves_take_turns() {
    let mut flash: Nor<4, 1024> = Nor::new(12);
    let mut filter = Filter::new();
    let mut fulls = 0;
    let mut restored = 0;
    {
        let mut store = open(&mut flash, 2);
        for key in 0..400_u32 {
            filter.insert(&(key / 2));
            store.begin_changes(u64::from(key));
            let mut result = Ok(Progress::Working);
            while result == Ok(Progress::Working) {
                result = store.step(b"", filter.as_view());
            }
            let result = result.and_then(|_| store.commit());
            if result.is_err() {
                assert_eq!(result, Err(StoreError::ChangesFull));
                assert_eq!(store.failure(), None);
                store.begin_changes(u64::from(key));
                while store.step(b"", filter.as_view()).unwrap() == Progress::Working {}
                store.commit().unwrap();
            }
            let save = *store.last_save().unwrap();
            assert_eq!(save.stamp, u64::from(key));
            fulls += u32::from(save.num_changes == 0);
            let mut found = Filter::new();
            assert!(store.restore(b"", found.as_mut_view()).unwrap());
            assert!(found == filter, "{key}");
            restored += 1;
        }
    }
    assert_eq!(restored, 400);
    // A slot of 6 KB has room for 22 saves of some 200 bytes behind the full one.
    assert!((10..40).contains(&fulls), "{fulls}");
    let mut found = Filter::new();
    assert!(
        open(&mut flash, 2)
            .restore(b"", found.as_mut_view())
            .unwrap()
    );
    assert_eq!(found, filter);
}

#[test]
fn changes_of_other_structures_than_before_are_no_changes() {
    let mut flash = used_flash::<4, 1024>();
    let content = Content::new(4);
    let mut store = open(&mut flash, 2);
    content.save(&mut store, 0).unwrap();
    // One fewer, one more.
    for count in [1, 4] {
        store.begin_changes(0);
        let mut result = Ok(Progress::Done);
        for _ in 0..count {
            while result.is_ok() {
                result = store.step(b"seen", content.seen.as_view());
                if result == Ok(Progress::Done) {
                    break;
                }
            }
        }
        let result = result.and_then(|_| store.commit());
        assert_eq!(result, Err(StoreError::ChangesFull));
        content.save(&mut store, 0).unwrap();
    }
    assert_eq!(Content::boot(&mut flash, 2), Some(content));
}

#[test]
fn a_step_of_changes_reads_a_bounded_number_of_pieces() {
    let mut flash: Nor<4, 1024> = Nor::new(400);
    let reads = flash.reads.clone();
    let mut filter = Filter::new();
    let mut store = open(&mut flash, 2);
    store.save(b"", filter.as_view(), 0).unwrap();
    let mut most = 0;
    for key in 0..u32::MAX {
        filter.insert(&key);
        store.begin_changes(0);
        let result = loop {
            let before = reads.get();
            let result = store.step(b"", filter.as_view());
            most = most.max(reads.get() - before);
            if result != Ok(Progress::Working) {
                break result;
            }
        };
        if result == Err(StoreError::ChangesFull) {
            break;
        }
        store.commit().unwrap();
    }
    // And the piece itself.
    assert_eq!(most, 128 + 1);
    assert_eq!(store.last_save().unwrap().num_changes, 64);
}

/// What saves of a filter of 32 KB cost a flash of 132 pages of 1 KB, with so many inserts between two: bytes written
/// and pages erased for a save, in the mean.
fn cost_of_saves(inserts: u32, slots: u32, writes_changes: bool) -> (f64, f64) {
    let mut flash: Nor<4, 1024> = Nor::new(132);
    let mut filter = sundew::profile::Kb32::new();
    // From half full to full: in a fuller one, fewer pieces change.
    let mut keys = 0..26_000_u32;
    keys.by_ref()
        .take(13_000)
        .for_each(|key| _ = filter.insert(&key));
    let mut store = open(&mut flash, slots);
    // No more than a day.
    let num_saves = (13_000 / inserts).clamp(1, 1_440);
    for _ in 0..num_saves {
        let more = keys.by_ref().take(inserts as usize);
        more.for_each(|key| _ = filter.insert(&key));
        loop {
            if writes_changes {
                store.begin_changes(0);
            } else {
                store.begin(0);
            }
            let result = loop {
                match store.step(b"urls", filter.as_view()) {
                    Ok(Progress::Working) => {}
                    Ok(Progress::Done) => break store.commit(),
                    Err(error) => break Err(error),
                }
            };
            match result {
                Ok(()) => break,
                Err(error) => assert_eq!(error, StoreError::ChangesFull),
            }
        }
    }
    let mean = |sum: u64| sum as f64 / f64::from(num_saves);
    let erases: u32 = flash.erases.iter().sum();
    (mean(flash.bytes_written), mean(erases.into()))
}

#[test]
fn the_page_says_what_saving_costs() {
    let page = include_str!("../docs/persistence.md");
    let mut missing = String::new();
    for inserts in [1, 10, 100, 1_000, 10_000] {
        let mut row = format!("| {inserts} |");
        for (slots, writes_changes) in [(4, false), (2, true)] {
            let (bytes, erases) = cost_of_saves(inserts, slots, writes_changes);
            let per_thousand = bytes / f64::from(inserts);
            let erases_a_day = erases * 1_440.0;
            row += &format!(
                " {bytes:.0} | {per_thousand:.0} | {erases_a_day:.0} | {:.0} |",
                erases_a_day / 132.0
            );
        }
        if !page.contains(&format!("{row}\n")) {
            missing += &format!("{row}\n");
        }
    }
    assert!(
        missing.is_empty(),
        "docs/persistence.md should have:\n{missing}"
    );
}

#[test]
fn a_store_takes_as_much_ram_as_its_page_says() {
    // The numbers of 64 bits are aligned as they are on a Cortex-M.
    assert_eq!(size_of::<Store<()>>(), 256);
}

#[test]
fn the_page_says_what_a_step_takes() {
    let page = include_str!("../docs/persistence.md");
    let counted = include_str!("expected/persist_cost.txt");
    for line in counted.lines() {
        let (_, instructions) = line.rsplit_once(' ').unwrap();
        let (thousands, rest) = instructions.split_at(instructions.len() - 3);
        let number = match thousands.len() {
            0..=3 => format!("{thousands},{rest}"),
            length => {
                let (millions, thousands) = thousands.split_at(length - 3);
                format!("{millions},{thousands},{rest}")
            }
        };
        assert!(page.contains(&format!("| {number}")), "{line}: {number}");
    }
}
