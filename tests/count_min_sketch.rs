//! The count-min sketch against a `HashMap` of counts, and its errors against theory.

use std::collections::HashMap;

use proptest::prelude::*;
use sundew::hash::{HashFunction, Xxh3, Xxh32};
use sundew::sizing::{CountMinPlan, CountMinPlanError, Rate};
use sundew::{CountMinSketch, CountMinSketchView, Counter, MergeError, TopKeys};

/// One thing a user does to one of two sketches.
#[derive(Clone, Debug)]
enum Step {
    Add(bool, u8, u32),
    AddConservative(bool, u8, u32),
    /// The other sketch's counts come in.
    Merge(bool),
    Clear(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Mostly small, sometimes near the limits of the counters.
    let count =
        || prop_oneof![20 => 0..10_u32, 2 => 60_000..70_000_u32, 1 => u32::MAX - 10..=u32::MAX];
    let add = (any::<bool>(), any::<u8>(), count());
    let add_conservative = (any::<bool>(), any::<u8>(), count());
    let step = prop_oneof![
        20 => add.prop_map(|(which, key, count)| Step::Add(which, key, count)),
        20 => add_conservative.prop_map(|(which, key, count)| Step::AddConservative(which, key, count)),
        1 => any::<bool>().prop_map(Step::Merge),
        1 => any::<bool>().prop_map(Step::Clear),
    ];
    prop::collection::vec(step, 0..100)
}

fn check<const WIDTH: usize, const DEPTH: usize, C: Counter, H: HashFunction>(
    steps: &[Step],
    empty: CountMinSketch<WIDTH, DEPTH, C, H>,
    limit: u32,
) -> Result<(), TestCaseError> {
    let mut sketches = [empty.clone(), empty.clone()];
    let mut models: [HashMap<u8, u64>; 2] = Default::default();
    for step in steps {
        match *step {
            Step::Add(which, key, count) => {
                let which = usize::from(which);
                let returned = sketches[which].add(&key, count);
                prop_assert_eq!(returned, sketches[which].estimate(&key));
                *models[which].entry(key).or_default() += u64::from(count);
            }
            Step::AddConservative(which, key, count) => {
                let which = usize::from(which);
                let before = sketches[which].estimate(&key);
                let returned = sketches[which].add_conservative(&key, count);
                prop_assert_eq!(returned, sketches[which].estimate(&key));
                prop_assert_eq!(returned, before.saturating_add(count).min(limit));
                *models[which].entry(key).or_default() += u64::from(count);
            }
            Step::Merge(which) => {
                let [to, from] = [usize::from(which), usize::from(!which)];
                let other = sketches[from].clone();
                sketches[to].merge(&other).unwrap();
                for (key, count) in models[from].clone() {
                    *models[to].entry(key).or_default() += count;
                }
            }
            Step::Clear(which) => {
                sketches[usize::from(which)].clear();
                models[usize::from(which)].clear();
                prop_assert!(sketches[usize::from(which)] == empty);
            }
        }
        for (sketch, model) in sketches.iter().zip(&models) {
            prop_assert_eq!(sketch.total(), model.values().sum::<u64>());
            for key in 0..=255_u8 {
                let truth = model.get(&key).copied().unwrap_or(0);
                let estimate = u64::from(sketch.estimate(&key));
                prop_assert!(
                    estimate >= truth.min(limit.into()),
                    "{estimate} for {truth}"
                );
                prop_assert!(estimate <= sketch.total());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_estimate_is_below_the_truth(steps in steps()) {
        check(&steps, CountMinSketch::<20, 3, u16>::new(), 0xFFFF)?;
        check(&steps, CountMinSketch::<20, 3, u32>::with_seed(7), u32::MAX)?;
        check(&steps, CountMinSketch::<1, 1, u16>::new(), 0xFFFF)?;
        check(&steps, CountMinSketch::<300, 32, u32, Xxh3>::new(), u32::MAX)?;
    }

    #[test]
    fn order_leaves_no_trace_and_merging_is_counting_both(
        here in prop::collection::vec((any::<u32>(), 0..5_u32), 0..50),
        there in prop::collection::vec((any::<u32>(), 0..5_u32), 0..50),
    ) {
        let mut one: CountMinSketch<30, 4, u16> = CountMinSketch::new();
        let mut other: CountMinSketch<30, 4, u16> = CountMinSketch::new();
        let mut both: CountMinSketch<30, 4, u16> = CountMinSketch::new();
        for (key, count) in &here { one.add(key, *count); }
        for (key, count) in &there { other.add(key, *count); }
        for (key, count) in there.iter().rev().chain(&here) { both.add(key, *count); }
        one.merge(&other).unwrap();
        prop_assert!(one == both);
    }

    #[test]
    fn the_top_keys_are_those_of_a_sorted_list(
        counts in prop::collection::vec((0..20_u8, 1..100_u32), 0..60),
    ) {
        let mut top: TopKeys<u8, 5> = TopKeys::new();
        let mut model: HashMap<u8, u32> = HashMap::new();
        for (key, count) in counts {
            let total = model.entry(key).or_default();
            *total += count;
            let fallen = top.offer(key, *total);
            prop_assert!(fallen.is_none_or(|fallen| top.iter().all(|(other, _)| *other != fallen)));
            let mut sorted: Vec<u32> = model.values().copied().collect();
            sorted.sort_by_key(|count| std::cmp::Reverse(*count));
            sorted.truncate(5);
            // The counts are exact here, so they grow and the list is complete.
            prop_assert!(top.iter().map(|(_, count)| count).eq(sorted.iter().copied()));
            prop_assert!(top.iter().all(|(key, count)| model[key] == count));
            let heavy = top.heavy_hitters(50).count();
            prop_assert_eq!(heavy, sorted.iter().filter(|count| **count >= 50).count());
            prop_assert_eq!(top.len(), sorted.len());
        }
        top.clear();
        prop_assert!(top.is_empty());
    }
}

#[test]
fn sketches_that_do_not_match_are_left_alone() {
    let mut sketch: CountMinSketch<10, 4> = CountMinSketch::new();
    sketch.add("kept", 3);
    let before = sketch.clone();
    let shallow: CountMinSketch<10, 3> = CountMinSketch::new();
    let shallow: &CountMinSketchView<10> = &shallow;
    let seeded: CountMinSketch<10, 4> = CountMinSketch::with_seed(1);
    assert_eq!(sketch.merge(shallow), Err(MergeError::SizeDiffers));
    assert_eq!(sketch.merge(&seeded), Err(MergeError::SeedDiffers));
    assert!(sketch == before && sketch != seeded);
}

#[test]
fn plans_are_those_of_redis_bloom() {
    let plan = |error, failure| {
        let plan = CountMinPlan::try_for_error(error, failure)?;
        Ok::<_, CountMinPlanError>((plan.width(), plan.depth()))
    };
    // What CMS.INITBYPROB computes: ceil(2 / error) and ceil(log10(failure) / log10(0.5)).
    assert_eq!(plan(Rate::percent(1), Rate::percent(1)), Ok((200, 7)));
    assert_eq!(plan(Rate::ppm(1_000), Rate::percent(1)), Ok((2_000, 7)));
    assert_eq!(plan(Rate::percent(3), Rate::ppm(1)), Ok((67, 20)));
    assert_eq!(plan(Rate::ONE, Rate::percent(50)), Ok((2, 1)));
    assert_eq!(plan(Rate::ONE, Rate::ONE), Ok((2, 1)));
    let least = Rate::from_parts_per_billion(1);
    assert_eq!(plan(Rate::ppm(31), least), Ok((64_517, 30)));
    assert_eq!(plan(Rate::ppm(30), least), Err(CountMinPlanError::TooWide));
    let zero = Err(CountMinPlanError::ZeroRate);
    assert_eq!(plan(Rate::ZERO, Rate::ONE), zero);
    assert_eq!(plan(Rate::ONE, Rate::ZERO), zero);
    assert_eq!(
        CountMinPlanError::ZeroRate.to_string(),
        "a sketch cannot promise an error of 0"
    );
    assert_eq!(
        CountMinPlanError::TooWide.to_string(),
        "the error is too small for rows of at most 65536 counters"
    );
}

/// The formula of the hashing page, written down once more.
#[test]
fn positions_are_the_documented_ones() {
    const WIDTH: u64 = 1000;
    for key in 0..1_000_u32 {
        let mut sketch: CountMinSketch<1000, 5> = CountMinSketch::new();
        sketch.add(&key, 1);
        let mut probe = u64::from(Xxh32::UNSEEDED.hash(&key.to_le_bytes()));
        for row in sketch.rows() {
            probe = (probe * 0x9E37_79B1) & 0xFFFF_FFFF;
            assert_eq!(row.iter().sum::<u32>(), 1);
            assert_eq!(row[((probe * WIDTH) >> 32) as usize], 1);
        }
    }
}

/// Keys that meet a single one in all rows are as rare as with independent hashes: `WIDTH^-DEPTH`. The bounds are
/// four standard errors, a chance of 1 in 16,000 each, had the seeds not been fixed.
fn assert_independent<const WIDTH: usize, const DEPTH: usize, H: HashFunction>(lookups: u64) {
    let mut met = 0.0;
    let keys = 100;
    for heavy in 0..keys {
        let mut sketch: CountMinSketch<WIDTH, DEPTH, u16, H> = CountMinSketch::new();
        sketch.add(&(heavy, "heavy"), 1);
        met += (0..lookups / keys)
            .filter(|light| sketch.estimate(&(heavy, *light)) > 0)
            .count() as f64;
    }
    let expected = lookups as f64 * (WIDTH as f64).powi(-(DEPTH as i32));
    assert!(
        (met - expected).abs() < 4.0 * expected.sqrt(),
        "{met} of {lookups} instead of {expected:.0}"
    );
}

#[test]
fn rows_are_independent() {
    assert_independent::<100, 1, Xxh32>(1_000_000);
    assert_independent::<100, 2, Xxh32>(4_000_000);
    assert_independent::<64, 3, Xxh32>(10_000_000);
    assert_independent::<20, 4, Xxh32>(10_000_000);
    assert_independent::<7, 6, Xxh32>(10_000_000);
    assert_independent::<64, 3, Xxh3>(10_000_000);
}

/// How often key number `rank` comes in a stream.
type Stream = fn(u32) -> u32;

const STREAMS: [(&str, u32, Stream); 4] = [
    ("all alike", 20_000, |_| 3),
    ("Zipf", 20_000, |rank| 20_000 / (rank + 1)),
    ("one key", 1, |_| 30_000),
    ("ten keys and noise", 5_000, |rank| {
        if rank < 10 { 3_000 } else { 1 }
    }),
];

/// The mean error of the estimates, and the share of those that are off by more than the bound.
fn errors<const WIDTH: usize, const DEPTH: usize>(
    sketch: &CountMinSketch<WIDTH, DEPTH>,
    keys: u32,
    count_of: Stream,
) -> (f64, f64) {
    let others = 100_000;
    let (mut sum, mut beyond) = (0.0, 0.0);
    for key in 0..keys + others {
        let truth = if key < keys { count_of(key) } else { 0 };
        let estimate = sketch.estimate(&key);
        assert!(estimate >= truth);
        sum += f64::from(estimate - truth);
        beyond += f64::from(u64::from(estimate - truth) > sketch.error_bound());
    }
    let number = f64::from(keys + others);
    (sum / number, beyond / number)
}

#[test]
fn errors_keep_to_the_bound() {
    for (name, keys, count_of) in STREAMS {
        for seed in 0..10 {
            let mut one_row: CountMinSketch<200, 1> = CountMinSketch::with_seed(seed);
            let mut plain: CountMinSketch<200, 7> = CountMinSketch::with_seed(seed);
            let mut conservative: CountMinSketch<200, 7> = CountMinSketch::with_seed(seed);
            for key in 0..keys {
                one_row.add(&key, count_of(key));
                plain.add(&key, count_of(key));
            }
            // In turns, as streams come; no key is more frequent than the one before it.
            for turn in 0..count_of(0) {
                for key in (0..keys).take_while(|key| count_of(*key) > turn) {
                    conservative.add_conservative(&key, 1);
                }
            }
            assert_eq!(conservative.total(), plain.total());

            // In one row, the mean error is the total over the width.
            let theory = one_row.total() as f64 / 200.0;
            let (mean, beyond) = errors(&one_row, keys, count_of);
            if keys > 1_000 {
                assert!(
                    (mean / theory - 1.0).abs() < 0.05,
                    "{name}: {mean}, not {theory}"
                );
            }
            assert!(beyond <= 0.5, "{name}: {beyond}");

            let (mean, beyond) = errors(&plain, keys, count_of);
            assert!(beyond <= 0.01, "{name}: {beyond} beyond the bound");
            let (less, beyond) = errors(&conservative, keys, count_of);
            assert!(beyond <= 0.01, "{name}: {beyond} beyond the bound");
            // What the documentation says of conservative update.
            assert!(less <= 0.5 * mean, "{name}: {less} of {mean}");
            assert!((0..keys).all(|key| conservative.estimate(&key) <= plain.estimate(&key)));
        }
    }
}

/// The ten keys that make up most of a stream are found among thousands.
#[test]
fn heavy_hitters_are_found() {
    for seed in 0..100 {
        let mut sketch: CountMinSketch<200, 4, u16> = CountMinSketch::with_seed(seed);
        let mut top: TopKeys<u32, 10> = TopKeys::new();
        for turn in 0..10_000_u32 {
            // Every other message is from one of ten senders.
            let key = if turn % 2 == 0 {
                turn / 2 % 10
            } else {
                1_000 + turn
            };
            let count = sketch.add_conservative(&key, 1);
            top.offer(key, count);
        }
        let mut found: Vec<u32> = top.heavy_hitters(500).map(|(key, _)| *key).collect();
        found.sort();
        assert!(found.iter().copied().eq(0..10), "{found:?}");
    }
}
