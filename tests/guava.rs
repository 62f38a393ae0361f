//! Filters that Guava wrote (tests/golden/guava), without Java; and files that are none.
//!
//! `cargo xtask test guava` compares with Guava itself.

#[path = "guava/keys.rs"]
mod keys;

use std::fs;
use std::path::Path;

use keys::{Case, Filter, file, golden_cases};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use sundew::guava::{
    GuavaBloom, GuavaBloomRef, Plan, PlanError, ReadError, Shape, Strategy, UnencodedChars,
};
use sundew::sizing::Rate;
use sundew::{Key, MergeError, Sink};

fn golden(case: &Case, extension: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/guava")
        .join(format!("{}.{extension}", case.name()));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The words after this name in what Guava said of a filter.
fn said<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.expect(name).split_whitespace().collect()
}

#[test]
fn inserts_give_guavas_files() {
    for case in golden_cases() {
        assert_eq!(
            file(&case.filled().0),
            golden(&case, "bloom"),
            "{}",
            case.name()
        );
    }
}

#[test]
fn guavas_files_are_answered_as_by_guava() {
    for case in golden_cases() {
        let name = case.name();
        let mut filter = Box::new(Filter::new());
        filter.read_from(&golden(&case, "bloom")).unwrap();
        assert_eq!(file(&filter), golden(&case, "bloom"), "{name}");

        let text = String::from_utf8(golden(&case, "txt")).unwrap();
        assert!((0..case.keys).all(|i| case.contains(&filter, i)), "{name}");
        // Guava was asked 1,000 keys, of which the first were in.
        let found: Vec<String> = (case.keys..case.keys / 2 + 1_000)
            .filter(|i| case.contains(&filter, *i))
            .map(|i| i.to_string())
            .collect();
        assert_eq!(found, said(&text, "false positives"), "{name}");

        let bytes = golden(&case, "bloom");
        let in_place = GuavaBloomRef::new(&bytes).unwrap();
        assert_eq!(in_place.shape(), filter.shape());
        assert_eq!(in_place.stats(), filter.stats());
        for i in 0..1_000 {
            let expected = case.contains(&filter, i);
            assert_eq!(case.contains_in_place(in_place, i), expected, "{name}");
        }

        let stats = filter.stats();
        let count: u64 = said(&text, "approximateElementCount")[0].parse().unwrap();
        assert!(stats.estimated_keys().abs_diff(count) <= 1, "{name}");
        let rate: f64 = said(&text, "expectedFpp")[0].parse().unwrap();
        let parts = f64::from(stats.rate().parts_per_billion());
        assert!((parts - rate * 1e9).abs() < 10.0, "{name}: {parts}, {rate}");
    }
}

#[test]
fn a_file_in_pieces_of_any_size_is_the_same_filter() {
    for case in golden_cases() {
        let bytes = golden(&case, "bloom");
        let mut whole = Box::new(Filter::new());
        whole.read_from(&bytes).unwrap();
        for size in 1..=bytes.len() {
            let mut filter = Box::new(Filter::new());
            filter.insert("of old");
            let mut reader = filter.reader();
            for piece in bytes.chunks(size) {
                assert!(!reader.is_complete());
                assert_eq!(reader.feed(piece), Ok([].as_slice()));
            }
            assert!(reader.is_complete());
            assert_eq!(reader.feed(b"more"), Ok(b"more".as_slice()));
            assert_eq!(reader.finish(), Ok(()));
            assert!(filter == whole, "{} by {size}", case.name());

            let mut written = Vec::new();
            let mut piece = vec![0; size];
            loop {
                let copied = filter.copy_file(written.len(), &mut piece);
                written.extend_from_slice(&piece[..copied]);
                if copied < size {
                    break;
                }
            }
            assert_eq!(written, bytes);
            assert_eq!(filter.file_len(), bytes.len());
        }
    }
}

/// Two words, some keys.
fn small() -> GuavaBloom<2, 7> {
    let mut filter = GuavaBloom::new();
    for key in 0..5_i64 {
        filter.insert(&key);
    }
    filter
}

/// What is wrong with a file, and the error.
fn bad_files() -> Vec<(Vec<u8>, ReadError)> {
    let good = file_of(&small());
    let with = |place: usize, byte: u8| {
        let mut file = good.clone();
        file[place] = byte;
        file
    };
    let mut files = vec![
        (with(0, 2), ReadError::UnknownStrategy),
        (with(0, 0xFF), ReadError::UnknownStrategy),
        (with(1, 0), ReadError::NoHashFunctions),
        (with(5, 0), ReadError::LengthNotPositive),
        (with(2, 0x80), ReadError::LengthNotPositive),
        (with(2, 0xFF), ReadError::LengthNotPositive),
        (with(5, 3), ReadError::DoesNotFit),
        (with(2, 0x7F), ReadError::DoesNotFit),
        (with(5, 1), ReadError::TrailingBytes),
        ([good.as_slice(), &[0]].concat(), ReadError::TrailingBytes),
        (
            [good.as_slice(), &[0; 8]].concat(),
            ReadError::TrailingBytes,
        ),
    ];
    files.extend((0..good.len()).map(|cut| (good[..cut].to_vec(), ReadError::Truncated)));
    files
}

fn file_of(filter: &GuavaBloom<2, 7>) -> Vec<u8> {
    let mut file = Vec::new();
    filter.write_to(&mut file).unwrap();
    file
}

#[test]
fn a_bad_file_is_told_and_changes_nothing() {
    for (file, error) in bad_files() {
        let mut filter = small();
        assert_eq!(filter.read_from(&file), Err(error), "{file:?}");
        assert!(filter == small(), "{error:?}");

        // In place there is room for 2^25 - 1 longs, if they are there.
        let expected = match error {
            ReadError::DoesNotFit if file[2] == 0 => ReadError::Truncated,
            error => error,
        };
        assert_eq!(GuavaBloomRef::new(&file).err(), Some(expected), "{file:?}");
    }
}

#[test]
fn each_error_has_its_words() {
    let errors = bad_files().into_iter().map(|(_, error)| error.to_string());
    assert_eq!(errors.collect::<std::collections::BTreeSet<_>>().len(), 6);
}

#[test]
fn a_bad_stream_leaves_the_old_filter_or_none_but_never_half() {
    for (file, error) in bad_files() {
        for size in 1..=file.len().max(1) {
            let mut filter = small();
            let mut reader = filter.reader();
            let mut rest = Vec::new();
            let fed = file.chunks(size).try_for_each(|piece| {
                rest.extend_from_slice(reader.feed(piece)?);
                Ok(())
            });
            match error {
                ReadError::TrailingBytes => {
                    assert_eq!((fed, reader.finish()), (Ok(()), Ok(())));
                    assert!(!rest.is_empty() && file.ends_with(&rest));
                    assert_eq!(file_of(&filter), file[..file.len() - rest.len()]);
                }
                ReadError::Truncated => {
                    assert_eq!((fed, reader.finish()), (Ok(()), Err(error)));
                    let expected = if file.len() < 6 {
                        small()
                    } else {
                        GuavaBloom::new()
                    };
                    assert!(filter == expected, "{} bytes", file.len());
                }
                _ => {
                    assert_eq!(fed, Err(error));
                    assert_eq!(reader.feed(b"more"), Err(error), "it forgot");
                    assert_eq!(reader.feed(b""), Err(error), "it forgot");
                    drop(reader);
                    assert!(filter == small(), "{error:?}");
                }
            }
        }
    }
}

#[test]
fn a_reader_that_is_dropped_leaves_an_empty_filter() {
    let bytes = [&[0, 3, 0, 0, 0, 1], [0xFF; 8].as_slice()].concat();
    let mut filter = small();
    filter.reader().feed(&bytes[..13]).unwrap();
    assert!(filter == GuavaBloom::new());
    assert_eq!(
        (filter.strategy(), filter.k()),
        (Strategy::Murmur128Mitz64, 7)
    );
    // Whole, it stays, whether or not someone calls `finish`.
    filter.reader().feed(&bytes).unwrap();
    assert_eq!(
        (filter.strategy(), filter.k()),
        (Strategy::Murmur128Mitz32, 3)
    );
    assert_eq!(filter.words(), [u64::MAX]);
}

#[test]
fn words_beyond_a_smaller_file_do_not_count() {
    let mut filter = small();
    let bytes = [&[1, 7, 0, 0, 0, 1], [0; 8].as_slice()].concat();
    filter.read_from(&bytes).unwrap();
    assert_eq!((filter.num_words(), filter.num_bits()), (1, 64));
    assert_eq!(filter.stats().num_ones(), 0);
    assert!((0..5_i64).all(|key| !filter.contains(&key)));
    filter.insert(&1_i64);
    filter.clear();
    assert_eq!(file_of(&filter), bytes);
    filter.reset_to_new();
    assert_eq!(filter.num_words(), 2);
}

#[test]
fn filters_of_different_shape_are_not_united() {
    let shapes = [
        (Strategy::Murmur128Mitz64, 7, 1, MergeError::SizeDiffers),
        (Strategy::Murmur128Mitz64, 6, 2, MergeError::ShapeDiffers),
        (Strategy::Murmur128Mitz32, 7, 2, MergeError::ShapeDiffers),
    ];
    for (strategy, k, words, error) in shapes {
        let mut other = small();
        other
            .reset(Shape::new(strategy, k, words).unwrap())
            .unwrap();
        let mut filter = small();
        assert_eq!(filter.union(&other), Err(error));
        assert!(filter == small());
        assert_eq!(other.union(&small()), Err(error));
    }
    // The same shape, once by type and once by file, is the same.
    let mut read = GuavaBloom::<2, 7>::new();
    read.read_from(&file_of(&small())).unwrap();
    let mut filter = GuavaBloom::<2, 7>::new();
    assert_eq!(filter.union(&read), Ok(()));
    assert!(filter == small());
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    assert_eq!(Shape::new(Strategy::Murmur128Mitz64, 0, 1), None);
    assert_eq!(Shape::new(Strategy::Murmur128Mitz64, 1, 0), None);
    let mut filter = small();
    for words in [3, u32::MAX] {
        let shape = Shape::new(Strategy::Murmur128Mitz32, 255, words).unwrap();
        let error = filter.reset(shape).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the shape has more words than the filter: build it with a larger WORDS"
        );
        assert!(filter == small());
    }
}

#[test]
fn unencoded_chars_are_units_with_their_length_before_them_in_a_tuple() {
    struct Bytes(Vec<u8>);
    impl Sink for Bytes {
        fn write(&mut self, bytes: &[u8]) {
            self.0.extend_from_slice(bytes);
        }
    }
    let mut bytes = Bytes(Vec::new());
    UnencodedChars("aü🌱").feed(&mut bytes);
    assert_eq!(bytes.0, [0x61, 0, 0xFC, 0, 0x3C, 0xD8, 0x31, 0xDF]);
    bytes.0.clear();
    (UnencodedChars("ab"), 1_u8).feed(&mut bytes);
    assert_eq!(bytes.0, [4, 0, 0, 0, 0x61, 0, 0x62, 0, 1]);
}

#[test]
fn a_full_filter_can_be_counted() {
    let mut filter: GuavaBloom<1> = GuavaBloom::new();
    let full = [&[1, 5, 0, 0, 0, 1], [0xFF; 8].as_slice()].concat();
    filter.read_from(&full).unwrap();
    assert!(filter.stats().is_saturated());
    assert!(filter.stats().rate() > Rate::percent(99));
    assert!(filter.stats().estimated_keys() >= 62);
}

#[test]
fn there_is_no_plan_where_guava_has_none() {
    let plan = Plan::try_for_keys;
    assert_eq!(plan(10, Rate::ZERO), Err(PlanError::RateOutOfRange));
    assert_eq!(plan(10, Rate::ONE), Err(PlanError::RateOutOfRange));
    assert_eq!(plan(1, Rate::percent(70)), Err(PlanError::NoBits));
    assert_eq!(plan(1 << 30, Rate::percent(1)), Err(PlanError::TooLarge));
    assert_eq!(plan(u64::MAX, Rate::percent(1)), Err(PlanError::TooLarge));
    assert_eq!(plan(0, Rate::percent(1)), plan(1, Rate::percent(1)));
}

/// Guava's formulas, in `double` as there, against `Plan`'s integers. That these are Guava's formulas, Guava itself
/// says: `sizes_are_guavas` in tests/guava_library.rs.
#[test]
fn plans_in_integers_are_those_in_double() {
    const LN_2: f64 = std::f64::consts::LN_2;
    let mut random = 88_172_645_463_325_252_u64;
    let mut below = |limit: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 8) % limit
    };
    let mut compared = 0;
    for turn in 0..1_000_000 {
        let magnitude = 1 << below(28);
        let keys = 1 + below(magnitude);
        let parts = match turn % 4 {
            0 => 10_000_000,
            1 => 100_000,
            2 => 1 + below(999_999_999),
            _ => {
                let magnitude = 1 << below(30);
                1 + below(magnitude)
            }
        } as u32;
        let Ok(plan) = Plan::try_for_keys(keys, Rate::from_parts_per_billion(parts)) else {
            continue;
        };
        // The nearest double, as of a decimal number in Java.
        let rate = f64::from(parts) / 1e9;
        let bits = (-(keys as f64) * rate.ln() / (LN_2 * LN_2)) as u64;
        let k = (bits as f64 / keys as f64 * LN_2).round().max(1.0);
        assert_eq!(
            (plan.words() as u64, plan.k() as f64),
            (bits.div_ceil(64), k),
            "{keys} keys, {parts} parts per billion"
        );
        compared += 1;
    }
    assert!(compared > 900_000, "{compared}");
}

/// What the documentation of `Plan` says of Guava's later rule, `round(log2(1 / rate))`.
#[test]
fn later_guavas_take_the_same_number_of_hash_functions_from_5_keys_on() {
    for ppm in [100_000, 30_000, 10_000, 1_000, 100] {
        let rate = Rate::ppm(ppm);
        let later = (1e6 / f64::from(ppm)).log2().round() as usize;
        for keys in (5..2_000).chain([10_000, 1_000_000]) {
            assert_eq!(Plan::for_keys(keys, rate).k(), later, "{keys} at {rate}");
        }
    }
    assert_eq!(
        Plan::for_keys(1, Rate::percent(1)).k(),
        6,
        "later Guavas: 7"
    );
}

/// Bytes with a good header or any other, and enough after it, too few or too many.
fn any_file() -> impl proptest::strategy::Strategy<Value = Vec<u8>> {
    let likely = (0..3_u8, 0..9_u8, 0..4_u8).prop_map(|(a, b, c)| [a, b, 0, 0, 0, c]);
    let header = prop_oneof![3 => likely, 1 => any::<[u8; 6]>()];
    let longs = prop_oneof![Just(8..=8), Just(16..=16), Just(0..=40)]
        .prop_flat_map(|length| prop::collection::vec(any::<u8>(), length));
    let cut = prop_oneof![3 => Just(usize::MAX), 1 => 0..14_usize];
    (header, longs, cut).prop_map(|(header, longs, cut)| {
        let mut bytes = [header.as_slice(), &longs].concat();
        bytes.truncate(cut);
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_bytes_are_a_filter_or_change_nothing(
        bytes in any_file(),
    ) {
        let bytes = bytes.as_slice();
        let mut filter = small();
        match filter.read_from(bytes) {
            Ok(()) => prop_assert_eq!(file_of(&filter), bytes),
            Err(_) => prop_assert!(filter == small()),
        }
        if let Ok(in_place) = GuavaBloomRef::new(bytes) {
            let _ = in_place.stats();
            let mut whole: GuavaBloom<4> = GuavaBloom::new();
            prop_assert_eq!(whole.read_from(bytes), Ok(()));
            prop_assert_eq!(in_place.contains(bytes), whole.contains(bytes));
        }
        let _ = filter.stats();
        filter.insert(bytes);
        prop_assert!(filter.contains(bytes));
    }

    #[test]
    fn any_bytes_in_any_pieces_are_a_filter_or_leave_the_old_one_or_none(
        bytes in any_file(),
        sizes in prop::collection::vec(0..10_usize, 1..20),
    ) {
        let mut filter = small();
        let mut reader = filter.reader();
        let (mut fed, mut rest) = (bytes.as_slice(), 0);
        let mut outcome = Ok(());
        for size in sizes {
            let (piece, more) = fed.split_at(size.min(fed.len()));
            fed = more;
            match reader.feed(piece) {
                Ok(after) => rest += after.len(),
                Err(error) => outcome = Err(error),
            }
        }
        let taken = bytes.len() - fed.len();
        match outcome.and(reader.finish()) {
            Ok(()) => prop_assert_eq!(file_of(&filter), &bytes[..taken - rest]),
            Err(ReadError::Truncated) if taken >= 6 => prop_assert!(filter == GuavaBloom::new()),
            Err(_) => prop_assert!(filter == small()),
        }
    }

    #[test]
    fn no_key_is_forgotten_and_insert_says_what_contains_said(
        keys in prop::collection::vec(0..500_u32, 0..200),
        k in 1..=255_u8,
        words in 1..20_u32,
        is_old in any::<bool>(),
    ) {
        let strategy = [Strategy::Murmur128Mitz64, Strategy::Murmur128Mitz32][usize::from(is_old)];
        let mut filter: GuavaBloom<20> = GuavaBloom::new();
        filter.reset(Shape::new(strategy, k, words).unwrap()).unwrap();
        for key in &keys {
            let looked_known = filter.contains(key);
            prop_assert_eq!(filter.insert(key), !looked_known);
        }
        prop_assert!(keys.iter().all(|key| filter.contains(key)));
        let mut halves = [filter.clone(), filter.clone()];
        for (i, half) in halves.iter_mut().enumerate() {
            half.clear();
            for key in keys.iter().skip(i).step_by(2) {
                half.insert(key);
            }
        }
        let [mut union, other] = halves;
        union.union(&other).unwrap();
        prop_assert!(union == filter);
    }
}
