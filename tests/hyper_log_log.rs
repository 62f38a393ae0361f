//! HyperLogLog against a `HashSet` and a plain array of registers, and its error against theory.

use std::collections::HashSet;

use proptest::prelude::*;
use sundew::hash::{HashFunction, Murmur3, Xxh3, Xxh32};
use sundew::{
    HyperLogLog, HyperLogLog4, HyperLogLog5, HyperLogLog6, HyperLogLog8, HyperLogLog11,
    HyperLogLog14, HyperLogLogView, MergeError, StreamingHyperLogLog,
};

/// One thing a user does to one of two sketches.
#[derive(Clone, Debug)]
enum Step {
    Insert(bool, u16),
    /// The other sketch's keys come in.
    Merge(bool),
    Clear(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        100 => (any::<bool>(), any::<u16>()).prop_map(|(which, key)| Step::Insert(which, key)),
        1 => any::<bool>().prop_map(Step::Merge),
        1 => any::<bool>().prop_map(Step::Clear),
    ];
    prop::collection::vec(step, 0..300)
}

/// The registers of the hashing page, written down once more: for hashes of so many bits.
fn registers_of(hashes: impl Iterator<Item = u64>, hash_bits: u32, precision: u32) -> Vec<u8> {
    let mut registers = vec![0; 1 << precision];
    for hash in hashes {
        let rest_bits = hash_bits - precision;
        let rest = hash & ((1 << rest_bits) - 1);
        let first_one = (0..rest_bits).find(|bit| rest >> (rest_bits - 1 - bit) & 1 == 1);
        let rank = first_one.unwrap_or(rest_bits) as u8 + 1;
        let register = &mut registers[(hash >> rest_bits) as usize];
        *register = rank.max(*register);
    }
    registers
}

fn check<const N: usize, H: HashFunction>(
    steps: &[Step],
    empty: HyperLogLog<N, H>,
    hash_bits: u32,
) -> Result<(), TestCaseError>
where
    H::Value: Into<u64>,
{
    let mut sketches = [empty.clone(), empty.clone()];
    let mut sets: [HashSet<u16>; 2] = Default::default();
    for step in steps {
        match *step {
            Step::Insert(which, key) => {
                let which = usize::from(which);
                let before = sketches[which].clone();
                let is_changed = sketches[which].insert(&key);
                prop_assert_eq!(is_changed, sketches[which] != before);
                prop_assert!(
                    !is_changed || !sets[which].contains(&key),
                    "known, but changed"
                );
                sets[which].insert(key);
            }
            Step::Merge(which) => {
                let [to, from] = [usize::from(which), usize::from(!which)];
                let other = sketches[from].clone();
                let together = sketches[to].estimate_union(&[&other]).unwrap();
                sketches[to].merge(&other).unwrap();
                prop_assert_eq!(sketches[to].estimate(), together);
                let other = sets[from].clone();
                sets[to].extend(other);
            }
            Step::Clear(which) => {
                sketches[usize::from(which)].clear();
                sets[usize::from(which)].clear();
                prop_assert!(sketches[usize::from(which)] == empty);
            }
        }
    }
    for (sketch, set) in sketches.iter().zip(&sets) {
        let hashes = set
            .iter()
            .map(|key| empty.hash().hash(&key.to_le_bytes()).into());
        let registers = registers_of(hashes, hash_bits, sketch.precision());
        prop_assert!(sketch.registers().eq(registers));
        prop_assert_eq!(sketch.is_empty(), set.is_empty());
        prop_assert_eq!(sketch.estimate() == 0, set.is_empty());
        // Six bits each, one after the other.
        let bytes = sketch.as_bytes();
        for (i, register) in sketch.registers().enumerate() {
            let bit = |b: usize| bytes[b / 8] >> (b % 8) & 1;
            prop_assert_eq!((0..6).map(|b| bit(6 * i + b) << b).sum::<u8>(), register);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn registers_are_those_of_an_exact_set(steps in steps()) {
        check(&steps, HyperLogLog4::<Xxh32>::new(), 32)?;
        check(&steps, HyperLogLog8::<Xxh32>::with_seed(9), 32)?;
        check(&steps, HyperLogLog5::<Xxh3>::new(), 64)?;
        check(&steps, HyperLogLog11::<Murmur3>::new(), 64)?;
    }

    #[test]
    fn order_and_repetition_leave_no_trace(keys in prop::collection::vec(any::<u64>(), 0..200)) {
        let mut once = HyperLogLog6::<Xxh32>::new();
        let mut again = HyperLogLog6::<Xxh32>::new();
        let mut stream: StreamingHyperLogLog<16> = StreamingHyperLogLog::new();
        for key in &keys {
            prop_assert_eq!(once.insert(key), stream.insert(key));
        }
        for key in keys.iter().rev().chain(&keys) {
            again.insert(key);
        }
        prop_assert!(once == again);
        prop_assert!(*once == *stream.sketch());
        let before = stream.clone();
        keys.iter().for_each(|key| assert!(!stream.insert(key)));
        prop_assert!(stream == before);
        stream.clear();
        prop_assert!(stream == StreamingHyperLogLog::new());
    }

    /// Any hash, even one that no key has, leads to a register and to an estimate.
    #[test]
    fn all_hashes_are_counted(hashes in prop::collection::vec(prop_oneof![
        any::<u64>(), (0..64_u32).prop_map(|bit| 1 << bit), Just(0), Just(u64::MAX),
    ], 1..50)) {
        let mut long = HyperLogLog4::<Xxh3>::new();
        let mut short = HyperLogLog14::<Xxh32>::new();
        let mut stream: StreamingHyperLogLog<4, Xxh3> = StreamingHyperLogLog::new();
        for hash in &hashes {
            long.insert_hash(*hash);
            short.insert_hash(*hash as u32);
            stream.insert_hash(*hash);
            prop_assert!(!long.insert_hash(*hash) && !short.insert_hash(*hash as u32));
        }
        prop_assert!(long.registers().eq(registers_of(hashes.iter().copied(), 64, 4)));
        let hashes = hashes.iter().map(|hash| *hash & 0xFFFF_FFFF);
        prop_assert!(short.registers().eq(registers_of(hashes, 32, 14)));
        prop_assert!(long.estimate() > 0 && short.estimate() > 0 && stream.estimate() > 0);
    }
}

#[test]
fn sketches_that_do_not_match_are_left_alone() {
    let mut sketch = HyperLogLog8::<Xxh32>::new();
    sketch.insert("kept");
    let before = sketch.clone();
    let smaller = HyperLogLog6::<Xxh32>::new();
    let smaller: &HyperLogLogView = &smaller;
    let seeded = HyperLogLog8::<Xxh32>::with_seed(1);
    assert_eq!(sketch.merge(smaller), Err(MergeError::SizeDiffers));
    assert_eq!(sketch.merge(&seeded), Err(MergeError::SeedDiffers));
    assert_eq!(
        sketch.estimate_union(&[&before, smaller]),
        Err(MergeError::SizeDiffers)
    );
    assert_eq!(
        sketch.estimate_union(&[&seeded]),
        Err(MergeError::SeedDiffers)
    );
    assert_eq!(sketch.estimate_union(&[]), Ok(1));
    assert!(sketch == before);
}

#[test]
fn sizes_are_the_documented_ones() {
    assert_eq!(size_of::<HyperLogLog11>(), 1_536 + 4);
    assert_eq!(size_of::<HyperLogLog14>(), 12_288 + 4);
    assert_eq!(size_of::<StreamingHyperLogLog<512>>(), 1_536 + 8 + 16);
    assert_eq!(
        (
            HyperLogLog4::<Xxh32>::new().precision(),
            HyperLogLog14::<Xxh32>::new().precision()
        ),
        (4, 14)
    );
    assert_eq!(HyperLogLog4::<Xxh32>::new().num_registers(), 16);
}

/// Relative errors of many sketches at one number of keys.
#[derive(Clone, Default)]
struct Errors {
    number: f64,
    sum: f64,
    squares: f64,
}

impl Errors {
    fn add(&mut self, estimate: u64, truth: u64) {
        let error = estimate as f64 / truth as f64 - 1.0;
        self.number += 1.0;
        self.sum += error;
        self.squares += error * error;
    }

    fn root_mean_square(&self) -> f64 {
        (self.squares / self.number).sqrt()
    }
}

/// A hash of 64 bits that costs a nanosecond (SplitMix64), for tests of the estimator.
fn mix(number: u64) -> u64 {
    let z = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const NUMBERS: [u64; 13] = [
    10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000,
    10_000_000,
];

/// The errors of `runs` sketches at each number of keys up to `most`: of `estimate`, and of the streaming one.
fn errors_of<const N: usize, H: HashFunction>(
    runs: u64,
    most: u64,
    hash: impl Fn(u64, u64) -> H::Value,
) -> Vec<(u64, Errors, Errors)> {
    let numbers = NUMBERS.iter().filter(|number| **number <= most);
    let mut errors: Vec<_> = numbers
        .map(|number| (*number, Errors::default(), Errors::default()))
        .collect();
    for run in 0..runs {
        let mut sketch: StreamingHyperLogLog<N, H> = StreamingHyperLogLog::new();
        let mut key = 0;
        for (number, merged, streamed) in &mut errors {
            while key < *number {
                sketch.insert_hash(hash(run, key));
                key += 1;
            }
            merged.add(sketch.sketch().estimate(), *number);
            streamed.add(sketch.estimate(), *number);
        }
    }
    errors
}

/// The root mean square of the errors is at most 1.1 times the standard error at every number of keys. It is
/// itself only known to `1 / sqrt(2 * runs)` of its value, so that 1.1 is `0.1 * sqrt(2 * runs)` of its standard
/// errors away: 4.5 of them for 1,000 runs. The streaming estimator has `sqrt(ln 2 / registers)` for `1.04`.
#[track_caller]
fn assert_errors<const N: usize, H: HashFunction>(
    runs: u64,
    most: u64,
    hash: impl Fn(u64, u64) -> H::Value,
) {
    let registers = 4.0 * N as f64;
    for (number, merged, streamed) in errors_of::<N, H>(runs, most, hash) {
        let ratio = merged.root_mean_square() / (1.04 / registers.sqrt());
        let streaming_ratio =
            streamed.root_mean_square() / (std::f64::consts::LN_2 / registers).sqrt();
        println!(
            "{registers} registers, {number} keys, {runs} runs: error {:.3} %, {ratio:.3} of theory, mean {:+.3} %; \
             streaming {:.3} %, {streaming_ratio:.3}",
            merged.root_mean_square() * 100.0,
            merged.sum / merged.number * 100.0,
            streamed.root_mean_square() * 100.0,
        );
        assert!(ratio <= 1.1, "{ratio} at {number} keys");
        assert!(streaming_ratio <= 1.1, "{streaming_ratio} at {number} keys");
    }
}

/// A different stream of hashes for each run.
fn mixed(run: u64, key: u64) -> u64 {
    mix(run << 32 | (key + 1))
}

#[test]
fn errors_keep_to_theory_at_every_precision() {
    assert_errors::<4, Xxh3>(20_000, 3_000, mixed);
    assert_errors::<8, Xxh3>(5_000, 10_000, mixed);
    assert_errors::<64, Xxh3>(2_000, 30_000, mixed);
    assert_errors::<512, Xxh3>(1_000, 100_000, mixed);
    assert_errors::<4096, Xxh3>(500, 100_000, mixed);
}

/// With the default hash, half of whose 64 bits are not there.
#[test]
fn errors_keep_to_theory_with_short_hashes() {
    assert_errors::<4, Xxh32>(5_000, 3_000, |run, key| mixed(run, key) as u32);
    assert_errors::<512, Xxh32>(1_000, 100_000, |run, key| mixed(run, key) as u32);
    assert_errors::<4096, Xxh32>(500, 100_000, |run, key| mixed(run, key) as u32);
}

#[test]
fn errors_keep_to_theory_up_to_a_million_keys_with_long_hashes() {
    assert_errors::<512, Xxh3>(1_000, 1_000_000, mixed);
}

/// Where some of the keys share their 32-bit hash. With 400 runs the limit is 2.8 standard errors away.
#[test]
fn errors_keep_to_theory_up_to_ten_million_keys_with_short_hashes() {
    assert_errors::<512, Xxh32>(400, 10_000_000, |run, key| mixed(run, key) as u32);
}

/// Real keys and the default hash, seeded.
#[test]
fn errors_keep_to_theory_for_integers_and_urls() {
    assert_errors::<512, Xxh32>(400, 100_000, |run, key| {
        Xxh32::with_seed(run as u32).hash(&(key as u32).to_le_bytes())
    });
    assert_errors::<512, Xxh32>(400, 30_000, |run, key| {
        let url = format!("https://www.example.com/archive/2026/articles/page-{key:09}.html");
        Xxh32::with_seed(run as u32).hash(url.as_bytes())
    });
    assert_errors::<512, Murmur3>(400, 100_000, |run, key| {
        Murmur3::with_seed(run as u32).hash(&key.to_le_bytes())
    });
}
