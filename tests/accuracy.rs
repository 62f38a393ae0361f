//! Error rates against theory, and no key forgotten, at the scale of a million keys and more.

use sundew::hash::{HashFunction, SipHash13, Xxh3, Xxh32};
use sundew::sizing::{self, Layout, Rate};
use sundew::{Block, Block4096, BlockedBloomView, ClassicBloom, profile};

const KEYS: u64 = 1_000_000;
/// Lookups of keys that were never inserted. At a rate of 1 % this many leave a standard error of 0.5 %, so
/// the 2 % allowed are four of them.
const LOOKUPS: u64 = 4_000_000;

/// Filters of megabytes do not fit on a test's stack.
fn with_large_stack(test: fn()) {
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(test)
        .unwrap()
        .join()
        .unwrap();
}

/// Writes key number `i` of a kind into the buffer and returns it.
type MakeKey = fn(u64, &mut [u8; 96]) -> &[u8];

fn sequential_integer(i: u64, buffer: &mut [u8; 96]) -> &[u8] {
    buffer[..4].copy_from_slice(&(i as u32).to_le_bytes());
    &buffer[..4]
}

/// One vendor's prefix, then devices in the order in which they were made.
fn mac_address(i: u64, buffer: &mut [u8; 96]) -> &[u8] {
    buffer[..3].copy_from_slice(&[0xF0, 0x9F, 0xC2]);
    buffer[3..6].copy_from_slice(&(i as u32).to_be_bytes()[1..]);
    &buffer[..6]
}

/// 80 bytes, most of which never change.
fn url(i: u64, buffer: &mut [u8; 96]) -> &[u8] {
    let text = format!(
        "https://www.example.com/archive/2026/articles/section-{:02}/page-{i:013}.html",
        i % 97
    );
    buffer[..80].copy_from_slice(text.as_bytes());
    &buffer[..80]
}

fn random_bytes(i: u64, buffer: &mut [u8; 96]) -> &[u8] {
    let mut state = i;
    for chunk in buffer[..24].chunks_mut(8) {
        // SplitMix64.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        chunk.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    &buffer[..24]
}

/// The kinds of keys, and whether two of a kind share an XXH32 as often as two random numbers do. Keys that
/// differ in up to four bytes next to each other hardly ever do, which spares them the share of equal hashes in
/// the predicted rate: 0.02 % at a million keys.
const KINDS: [(&str, MakeKey, bool); 4] = [
    ("sequential integers", sequential_integer, false),
    ("MAC addresses", mac_address, false),
    ("URLs", url, true),
    ("random bytes", random_bytes, true),
];

fn insert_all(make: MakeKey, mut insert: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 96];
    for i in 0..KEYS {
        insert(make(i, &mut buffer));
    }
}

/// Every inserted key is found, and others as often as predicted.
fn assert_rate(name: &str, make: MakeKey, predicted: Rate, contains: impl Fn(&[u8]) -> bool) {
    let mut buffer = [0; 96];
    for i in 0..KEYS {
        assert!(contains(make(i, &mut buffer)), "{name}: forgot key {i}");
    }
    let wrong = (KEYS..KEYS + LOOKUPS)
        .filter(|i| contains(make(*i, &mut buffer)))
        .count();
    let measured = wrong as f64 / LOOKUPS as f64;
    let predicted = f64::from(predicted.parts_per_billion()) / 1e9;
    let difference = measured / predicted - 1.0;
    assert!(
        difference.abs() < 0.02,
        "{name}: {measured:.6} instead of {predicted:.6}, off by {:.1} %",
        difference * 100.0
    );
}

fn assert_blocked<H: HashFunction, const WORDS: usize>(
    filter: &mut BlockedBloomView<7, H, Block<WORDS>>,
    kinds: &[(&str, MakeKey, bool)],
) {
    for (name, make, shares_hashes) in kinds {
        filter.clear();
        let predicted = if *shares_hashes {
            filter.rate_at(KEYS)
        } else {
            let long_hash = Layout::new(Block::<WORDS>::BITS, 64);
            sizing::blocked_rate(KEYS, filter.num_blocks() as u32, 7, long_hash)
        };
        insert_all(*make, |key| filter.insert(key));
        assert_rate(name, *make, predicted, |key| filter.contains(key));

        // What the filter says of itself agrees with what was predicted of it.
        let stats = filter.stats();
        let keys = stats.estimated_keys() as f64 / KEYS as f64;
        assert!(
            (keys - 1.0).abs() < 0.005,
            "{name}: looks like {}",
            stats.estimated_keys()
        );
    }
}

#[test]
fn document_profile_errs_as_predicted_for_every_kind_of_key() {
    with_large_stack(|| {
        let mut filter = profile::Document::new();
        assert_blocked(&mut filter, &KINDS);
    });
}

#[test]
fn larger_blocks_err_as_predicted() {
    with_large_stack(|| {
        let mut filter = sundew::BlockedBloom::<2442, 7, Xxh32, Block4096>::new();
        assert_blocked(&mut filter, &KINDS);
        let rate = filter.rate_at(KEYS).parts_per_million();
        assert!((8_300..8_700).contains(&rate), "{rate}");
    });
}

#[test]
fn longer_hashes_err_as_predicted() {
    with_large_stack(|| {
        let mut filter = sundew::BlockedBloom::<19532, 7, Xxh3>::new();
        assert_blocked(&mut filter, &KINDS[..2]);
        let mut filter = sundew::BlockedBloom::<19532, 7, SipHash13>::new();
        assert_blocked(&mut filter, &KINDS[..1]);
    });
}

#[test]
fn classic_filter_errs_as_predicted() {
    with_large_stack(|| {
        for (name, make, _) in &KINDS {
            let mut filter = ClassicBloom::<312_500, 7, Xxh3>::new();
            let predicted = sizing::classic_rate(KEYS, filter.num_bits(), 7);
            insert_all(*make, |key| filter.insert(key));
            assert_rate(name, *make, predicted, |key| filter.contains(key));
        }
    });
}

#[test]
fn ten_million_keys_are_all_remembered() {
    with_large_stack(|| {
        let mut filter = sundew::BlockedBloom::<65536, 4>::new(); // 4 MiB, the most a 32-bit hash serves
        for key in 0..10_000_000_u64 {
            filter.insert(&key);
        }
        assert!((0..10_000_000_u64).all(|key| filter.contains(&key)));
        let predicted = sizing::blocked_rate(10_000_000, 65536, 4, Layout::DEFAULT);
        let wrong = (10_000_000..12_000_000_u64)
            .filter(|key| filter.contains(key))
            .count();
        let measured = wrong as f64 / 2e6;
        let predicted = f64::from(predicted.parts_per_billion()) / 1e9;
        assert!(
            (measured / predicted - 1.0).abs() < 0.03,
            "{measured} instead of {predicted}"
        );
    });
}
