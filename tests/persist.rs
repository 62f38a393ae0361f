//! What is saved is found again, wherever the power fails.

#[path = "support/nor.rs"]
mod nor;

use nor::{Cut, Nor, Operation, Random};
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

const NAMES: [&[u8]; 3] = [b"seen", b"", b"a name with as many bytes as a name can have: 48"];

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
            store.restore(NAMES[1], found.members.as_mut_view()).unwrap(),
            store.restore(NAMES[2], found.distinct.as_mut_view()).unwrap(),
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
        Content::new(version).save(&mut store, version.into()).unwrap();
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
