//! What snapshots promise: they come back as they went, in pieces of any size, and no damage goes unnoticed.

#[macro_use]
#[path = "support/snapshots.rs"]
mod snapshots;

use std::cell::RefCell;

use proptest::prelude::*;
use snapshots::{compressed, fill, plain};
use sundew::hash::{Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::snapshot::{Crc32, Encoding, Header, Kind, Snapshot, SnapshotError};
use sundew::{
    AtomicBloom, Block1024, Block4096, BlockedBloom, ClassicBloom, CountMinSketch, CountingBloom,
    CuckooFilter, HyperLogLog6, RotatingBloom, ScalableBloom, StreamingHyperLogLog,
};

/// Where the header's fields begin, by the format's page.
mod field {
    pub const VERSION: usize = 4;
    pub const KIND: usize = 5;
    pub const HASH: usize = 6;
    pub const ENCODING: usize = 7;
    pub const UNIT_BITS: usize = 8;
    pub const N: usize = 12;
    pub const K: usize = 16;
    pub const PARTS: usize = 17;
    pub const STAGE: usize = 18;
    pub const PARAMETER: usize = 19;
    pub const RATE: usize = 20;
    pub const SEED: usize = 24;
    pub const LENGTH: usize = 48;
    pub const PAYLOAD_CRC: usize = 56;
    pub const HEADER_CRC: usize = 60;
}

/// The snapshot with checksums that are right, whatever was done to it.
fn with_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = Crc32::of(&bytes[Header::LEN..]);
    bytes[field::PAYLOAD_CRC..field::HEADER_CRC].copy_from_slice(&crc.to_le_bytes());
    with_header_checksum(bytes)
}

fn with_header_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = Crc32::of(&bytes[..field::HEADER_CRC]);
    bytes[field::HEADER_CRC..Header::LEN].copy_from_slice(&crc.to_le_bytes());
    bytes
}

#[test]
fn a_restored_structure_is_the_one_that_was_saved() {
    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        other: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        let empty = plain(saved);
        fill(saved, &insert, 0..30);
        let bytes = plain(saved);
        assert_ne!(bytes, empty, "{name}");
        fill(other, &insert, 20..45);
        assert_ne!(plain(other), bytes, "{name}");

        for snapshot in [&bytes, &compressed(saved)] {
            fill(other, &insert, 50..53);
            assert_eq!(other.restore(snapshot), Ok(()), "{name}");
            assert_eq!(plain(other), bytes, "{name}");
        }
        // It goes on as the other does: the same keys lead to the same bytes.
        fill(saved, &insert, 30..50);
        fill(other, &insert, 30..50);
        assert_eq!(plain(other), plain(saved), "{name}");

        assert_eq!(other.restore(&empty), Ok(()), "{name}");
        assert_eq!(plain(other), empty, "{name}");
    }
    for_each_structure!(check);
}

#[test]
fn numbers_beside_the_bits_come_back() {
    let mut cuckoo = CuckooFilter::<8, u8>::new();
    fill(&mut cuckoo, |s, key| s.insert(key), 0..20);
    let mut restored = CuckooFilter::<8, u8>::new();
    restored.restore(&plain(cuckoo.as_view())).unwrap();
    assert_eq!(restored.len(), 20);
    assert_eq!(restored, cuckoo);

    let mut sketch = CountMinSketch::<16, 3>::new();
    sketch.add("a", 70_000);
    let mut restored = CountMinSketch::<16, 3>::new();
    restored.restore(&plain(sketch.as_view())).unwrap();
    assert_eq!((restored.estimate("a"), restored.total()), (70_000, 70_000));
    assert_eq!(restored, sketch);

    let mut stream = StreamingHyperLogLog::<8>::new();
    fill(&mut stream, |s, key| s.insert(key), 0..500);
    let mut restored = StreamingHyperLogLog::<8>::new();
    restored.restore(&plain(stream.as_view())).unwrap();
    assert_eq!(restored, stream);

    let mut scalable = ScalableBloom::<5, 7, 3>::new();
    fill(&mut scalable, |s, key| s.insert(key), 0..20);
    let mut restored = ScalableBloom::<5, 7, 3>::new();
    restored.restore(&plain(scalable.as_view())).unwrap();
    assert_eq!(restored.num_inserted(), scalable.num_inserted());
    assert_eq!(restored, scalable);
}

#[test]
fn a_rotation_that_has_begun_counts_as_finished() {
    let mut saved = RotatingBloom::<4, 7, 3>::new();
    for generation in ["first", "second", "third"] {
        saved.insert(generation);
        saved.rotate();
    }
    saved.insert("fourth");
    assert!(!saved.rotate_slice(2));
    let mut finished = saved.clone();
    finished.rotate();
    let mut restored = RotatingBloom::<4, 7, 3>::new();
    for bytes in [plain(saved.as_view()), compressed(saved.as_view())] {
        restored.restore(&bytes).unwrap();
        let blocks = |filter: &RotatingBloom<4, 7, 3>| -> Vec<_> {
            let all = (0..3).flat_map(|age| filter.generation(age));
            all.flat_map(|block| *block.words()).collect()
        };
        assert_eq!(blocks(&restored), blocks(&finished));
        assert_eq!(restored.num_inserted(), 0);
        assert!(restored.contains("fourth") && restored.contains("third"));
        assert!(!restored.contains("second"));
    }
    // Absorbed in the middle of one.
    saved.absorb(&plain(restored.as_view())).unwrap();
    assert!(saved.contains("fourth") && saved.contains("third"));
}

#[test]
fn an_atomic_filter_and_a_blocked_one_read_each_others_snapshots() {
    let shared = AtomicBloom::<3, 7>::new();
    let mut own = BlockedBloom::<3, 7>::new();
    fill(&mut &shared, |s, key| s.insert(key), 0..20);
    own.restore(&plain(&shared.as_view())).unwrap();
    assert_eq!(own, BlockedBloom::from(&shared));
    own.insert("one more");
    shared.as_view().absorb(&plain(own.as_view())).unwrap();
    assert!(shared.contains("one more"));
}

#[test]
fn to_absorb_forgets_nothing() {
    /// Structures for which a union of contents is the content of the union.
    const EXACT: [&str; 9] = [
        "blocked",
        "blocked-seed",
        "blocked-4096",
        "blocked-1024-xxh3",
        "blocked-siphash",
        "blocked-murmur3",
        "classic",
        "classic-xxh3",
        "hyperloglog",
    ];
    const IMPOSSIBLE: [&str; 4] = [
        "scalable",
        "cuckoo-8",
        "cuckoo-16-xxh3",
        "hyperloglog-stream-xxh3",
    ];

    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        fill(saved, &insert, 0..30);
        fill(target, &insert, 20..45);
        let before = plain(target);
        for snapshot in [plain(saved), compressed(saved)] {
            let result = target.absorb(&snapshot);
            if IMPOSSIBLE.contains(&name) {
                assert_eq!(result, Err(SnapshotError::CannotAbsorb), "{name}");
                assert_eq!(plain(target), before, "{name}");
                continue;
            }
            assert_eq!(result, Ok(()), "{name}");
            if EXACT.contains(&name) || name == "atomic" {
                let united = plain(target);
                fill(saved, &insert, 20..45);
                assert_eq!(united, plain(saved), "{name}");
            }
            // Nothing to add.
            let united = plain(target);
            saved.restore(&before).unwrap();
            target.restore(&before).unwrap();
            if EXACT.contains(&name) {
                target.absorb(&before).unwrap();
                assert_eq!(plain(target), before, "{name}");
            }
            target.absorb(&snapshot).unwrap();
            assert_eq!(plain(target), united, "{name}");
            target.restore(&before).unwrap();
            saved.restore(&snapshot).unwrap();
        }
    }
    for_each_structure!(check);
}

#[test]
fn to_absorb_adds_counters_as_a_union_does() {
    let mut here = CountingBloom::<2, 5>::new();
    let mut there = CountingBloom::<2, 5>::new();
    for _ in 0..9 {
        here.insert("often");
        there.insert("often");
    }
    there.insert("once");
    let mut united = here.clone();
    united.union(&there).unwrap();
    for bytes in [plain(there.as_view()), compressed(there.as_view())] {
        let mut absorbed = here.clone();
        absorbed.absorb(&bytes).unwrap();
        assert_eq!(absorbed, united);
    }

    let mut here = CountMinSketch::<17, 3, u16>::new();
    let mut there = CountMinSketch::<17, 3, u16>::new();
    here.add("a", 40_000);
    there.add("a", 30_000);
    there.add("b", 5);
    let mut united = here.clone();
    united.merge(&there).unwrap();
    for bytes in [plain(there.as_view()), compressed(there.as_view())] {
        let mut absorbed = here.clone();
        absorbed.absorb(&bytes).unwrap();
        assert_eq!(absorbed, united);
    }

    let mut here = RotatingBloom::<2, 7, 3>::new();
    let mut there = RotatingBloom::<2, 7, 3>::new();
    here.insert("a");
    there.insert("b");
    there.rotate();
    there.insert("c");
    here.absorb(&plain(there.as_view())).unwrap();
    assert_eq!(here.num_inserted(), 2);
    here.rotate();
    here.rotate();
    assert!(here.contains("a") && here.contains("c"));
    assert!(!here.contains("b"), "it is a generation older");
}

/// Does something to a snapshot's bytes.
type Edit = fn(&mut Vec<u8>);

/// What is refused, and why; the checksums are right unless they are what is wrong.
#[test]
fn every_difference_has_an_error_of_its_own() {
    const CASES: [(SnapshotError, Edit); 18] = [
        (SnapshotError::Magic, |bytes| bytes[0] = b's'),
        (SnapshotError::Version, |bytes| bytes[field::VERSION] = 2),
        (SnapshotError::Kind, |bytes| bytes[field::KIND] ^= 0x20),
        (SnapshotError::Hash, |bytes| bytes[field::HASH] ^= 0x80),
        (SnapshotError::Encoding, |bytes| bytes[field::ENCODING] = 2),
        (SnapshotError::Encoding, |bytes| {
            bytes[field::PARAMETER] = 32
        }),
        (SnapshotError::Geometry, |bytes| {
            bytes[field::UNIT_BITS] += 1
        }),
        (SnapshotError::Geometry, |bytes| bytes[field::N] += 1),
        (SnapshotError::Geometry, |bytes| bytes[field::N + 3] += 1),
        (SnapshotError::Geometry, |bytes| bytes[field::K] += 1),
        (SnapshotError::Geometry, |bytes| bytes[field::PARTS] += 1),
        (SnapshotError::Geometry, |bytes| bytes[field::RATE] += 1),
        (SnapshotError::Seed, |bytes| bytes[field::SEED] ^= 1),
        (SnapshotError::Seed, |bytes| bytes[field::SEED + 7] ^= 1),
        (SnapshotError::State, |bytes| bytes[field::STAGE] = 3),
        (SnapshotError::Truncated, |bytes| {
            bytes.pop();
        }),
        (SnapshotError::Truncated, |bytes| bytes.truncate(63)),
        (SnapshotError::TooLong, |bytes| bytes.push(0)),
    ];

    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        fill(saved, &insert, 0..30);
        fill(target, &insert, 20..45);
        let before = plain(target);
        let mut refuse = |bytes: &[u8], error: SnapshotError| {
            assert_eq!(target.restore(bytes), Err(error), "{name}");
            assert_eq!(target.absorb(bytes), Err(error), "{name}");
            assert_eq!(plain(target), before, "{name}: changed by {error:?}");
        };
        for snapshot in [plain(saved), compressed(saved)] {
            for (error, edit) in CASES {
                let mut bytes = snapshot.clone();
                edit(&mut bytes);
                if bytes.len() >= snapshot.len() {
                    bytes = with_header_checksum(bytes);
                }
                refuse(&bytes, error);
            }
            let mut bytes = snapshot.clone();
            bytes[field::HEADER_CRC] ^= 1;
            refuse(&bytes, SnapshotError::HeaderChecksum);
            let mut bytes = snapshot.clone();
            bytes[field::PAYLOAD_CRC] ^= 1;
            refuse(&with_header_checksum(bytes), SnapshotError::PayloadChecksum);
            let mut bytes = snapshot.clone();
            *bytes.last_mut().unwrap() ^= 0x10;
            refuse(&bytes, SnapshotError::PayloadChecksum);
        }
        // A length that is not that of the structure, right as it may be for the bytes.
        let mut bytes = plain(saved);
        bytes.extend([0; 4]);
        bytes[field::LENGTH] += 4;
        refuse(&with_checksums(bytes), SnapshotError::Length);
    }
    for_each_structure!(check);
}

/// All three ways to read, none of which may take it.
fn assert_refused<T: Snapshot + ?Sized>(name: &str, target: &mut T, bytes: &[u8], place: usize) {
    let before = plain(target);
    assert!(
        target.restore(bytes).is_err(),
        "{name}: damage at {place} was restored"
    );
    assert!(
        target.absorb(bytes).is_err(),
        "{name}: damage at {place} was absorbed"
    );
    assert_eq!(
        plain(target),
        before,
        "{name}: changed by damage at {place}"
    );

    let mut reader = target.restore_or_clear();
    let pushed = reader.push(bytes);
    let result = pushed.and_then(|()| reader.finish());
    assert!(result.is_err(), "{name}: damage at {place} in one pass");
    let after = plain(target);
    target.restore(&before).unwrap();
    // Then it is as it was, or empty: neither a part of the snapshot nor a mixture.
    if after != before {
        let _ = target.restore_or_clear().push(&before);
        assert_eq!(plain(target), after, "{name}: half a snapshot stays");
        assert!(place >= Header::LEN, "{name}: emptied by a wrong header");
        target.restore(&before).unwrap();
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        fill(saved, &insert, 0..12);
        fill(target, &insert, 20..35);
        for snapshot in [plain(saved), compressed(saved)] {
            for bit in 0..snapshot.len() * 8 {
                let mut bytes = snapshot.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_refused(name, target, &bytes, bit / 8);
            }
        }
    }
    for_each_structure!(check);
}

#[test]
fn every_truncation_is_noticed() {
    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        fill(saved, &insert, 0..12);
        fill(target, &insert, 20..35);
        for snapshot in [plain(saved), compressed(saved)] {
            for length in 0..snapshot.len() {
                assert_refused(name, target, &snapshot[..length], length);
            }
        }
    }
    for_each_structure!(check);
}

#[test]
fn damage_that_the_checksum_agrees_with_is_noticed_in_codes() {
    let mut saved = BlockedBloom::<3, 7>::new();
    saved.insert("a");
    let snapshot = compressed(saved.as_view());
    let header = Header::parse(&snapshot).unwrap();
    let Encoding::Rice(parameter) = header.encoding else {
        panic!("it is not compressed");
    };
    let with_payload = |payload: &[u8]| {
        let mut bytes = snapshot[..Header::LEN].to_vec();
        bytes.extend(payload);
        bytes[field::LENGTH..][..8].copy_from_slice(&(payload.len() as u64).to_le_bytes());
        with_checksums(bytes)
    };
    let mut target = BlockedBloom::<3, 7>::new();
    let mut restore = |payload: &[u8]| target.restore(&with_payload(payload));
    // Nothing is set.
    assert_eq!(restore(&[]), Ok(()));
    // A byte of filling does not fill up.
    assert_eq!(restore(&[0xFF]), Err(SnapshotError::Payload));
    // A code that stops in the middle.
    assert!(parameter > 6, "{parameter}");
    assert_eq!(restore(&[0x01]), Err(SnapshotError::Payload));
    // A gap beyond the last bit.
    assert_eq!(restore(&[0xFF; 300]), Err(SnapshotError::Payload));
    assert_eq!(restore(&[0; 2000]), Err(SnapshotError::Payload));
}

#[test]
fn the_second_pass_is_that_of_the_first() {
    let mut saved = BlockedBloom::<3, 7>::new();
    saved.insert("a");
    let snapshot = plain(saved.as_view());
    saved.insert("b");
    let another = plain(saved.as_view());

    let mut target = BlockedBloom::<3, 7>::new();
    target.insert("c");
    let mut checker = target.check();
    checker.push(&snapshot).unwrap();
    let checked = checker.finish().unwrap();
    assert_eq!(checked.header().kind, Kind::BLOCKED);
    let mut reader = target.restore_checked(checked);
    assert_eq!(reader.push(&another), Err(SnapshotError::Changed));
    // What it said once it says again.
    assert_eq!(reader.push(&[]), Err(SnapshotError::Changed));
    assert_eq!(reader.finish(), Err(SnapshotError::Changed));
    assert!(target.contains("c"), "it is as it was");

    let mut damaged = snapshot.clone();
    damaged[100] ^= 1;
    let mut reader = target.restore_checked(checked);
    reader.push(&damaged).unwrap();
    assert_eq!(reader.finish(), Err(SnapshotError::PayloadChecksum));
    assert_eq!(target, BlockedBloom::new(), "it is empty");
}

#[test]
fn a_reader_that_is_dropped_leaves_an_empty_structure_and_a_paused_one_its_part() {
    let mut saved = BlockedBloom::<3, 7>::new();
    fill(&mut saved, |s, key| s.insert(key), 0..20);
    let snapshot = plain(saved.as_view());
    let mut target = BlockedBloom::<3, 7>::new();
    target.insert("old");

    drop(target.restore_or_clear());
    drop({
        let mut reader = target.restore_or_clear();
        reader.push(&snapshot[..63]).unwrap();
        reader
    });
    assert!(target.contains("old"), "the header was not complete");

    let mut reader = target.restore_or_clear();
    reader.push(&snapshot[..200]).unwrap();
    let paused = reader.pause();
    assert!(target != BlockedBloom::new());
    let mut other = BlockedBloom::<2, 7>::new();
    assert_eq!(
        paused.clone().resume(other.as_mut_view()).err(),
        Some(SnapshotError::Geometry)
    );
    drop(paused.resume(target.as_mut_view()).unwrap());
    assert_eq!(target, BlockedBloom::new());
}

/// Golomb-Rice codes against what `n` of `m` bits tell: the logarithm of the number of ways to choose them.
#[test]
fn a_sparse_filter_travels_in_about_its_entropy() {
    let mut filter = BlockedBloom::<512, 7>::new();
    let bits = 32_768.0 * 8.0;
    let mut inserted = 0;
    for keys in [1, 10, 100, 200, 300, 500, 900] {
        fill(&mut filter, |s, key| s.insert(key), inserted..keys);
        inserted = keys;
        let ones = filter.stats().num_ones() as u32;
        let entropy: f64 = (0..ones)
            .map(|i| ((bits - f64::from(i)) / f64::from(i + 1)).log2())
            .sum::<f64>()
            / 8.0;
        let snapshot = compressed(filter.as_view());
        let payload = (snapshot.len() - Header::LEN) as f64;
        println!(
            "{keys} keys, {ones} bits: {payload} bytes, entropy {entropy:.0} ({:+.1} %)",
            (payload / entropy - 1.0) * 100.0
        );
        if keys >= 10 {
            assert!(payload <= entropy * 1.15, "{keys}: {payload}, {entropy}");
        }
        // With the header too, as it travels.
        if keys >= 100 {
            assert!(snapshot.len() as f64 <= entropy * 1.15, "{keys}");
        }
        let mut restored = BlockedBloom::<512, 7>::new();
        restored.restore(&snapshot).unwrap();
        assert_eq!(restored, filter);
    }
}

#[test]
fn a_full_filter_is_not_made_longer() {
    let mut filter = BlockedBloom::<8, 7>::new();
    fill(&mut filter, |s, key| s.insert(key), 0..400);
    let header = *filter.snapshot_compressed().header();
    assert_eq!(header.encoding, Encoding::Plain);
    assert_eq!(compressed(filter.as_view()), plain(filter.as_view()));
    // At the other end.
    let empty = BlockedBloom::<8, 7>::new();
    assert_eq!(compressed(empty.as_view()).len(), Header::LEN);
}

/// What each piece takes of a snapshot, and at the end the rest.
fn pieces<'a>(mut bytes: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for size in sizes {
        let (piece, rest) = bytes.split_at((*size).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces.push(bytes);
    pieces
}

#[test]
fn pieces_may_be_of_any_size() {
    fn check_sizes<T: Snapshot + ?Sized, R>(
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
        (first, is_compressed, sizes): (u32, bool, &[usize]),
    ) {
        fill(saved, &insert, first..first + 25);
        let (whole, mut writer) = if is_compressed {
            (compressed(saved), saved.snapshot_compressed())
        } else {
            (plain(saved), saved.snapshot())
        };
        let mut pulled = Vec::new();
        for size in sizes.iter().copied().chain(std::iter::repeat(7)) {
            let mut piece = vec![0; size];
            let length = writer.pull(&mut piece);
            pulled.extend_from_slice(&piece[..length]);
            if length < size {
                break;
            }
        }
        assert_eq!(writer.pull(&mut [0; 9]), 0);
        assert_eq!(pulled, whole);

        // The plain payload from any place on, and its header last.
        let content = plain(saved);
        let offset = sizes.iter().sum::<usize>() % (content.len() + 9);
        let mut part = vec![0; sizes[0]];
        let length = saved.read_payload(offset as u64, &mut part);
        let rest = content.get(Header::LEN + offset..).unwrap_or_default();
        assert_eq!(part[..length], rest[..part.len().min(rest.len())]);
        let crc = Crc32::of(&content[Header::LEN..]);
        assert_eq!(saved.header_for(crc).to_bytes()[..], content[..Header::LEN]);

        // In two passes.
        let mut checker = target.check();
        for piece in pieces(&whole, sizes) {
            checker.push(piece).unwrap();
        }
        let checked = checker.finish().unwrap();
        let mut reader = target.restore_checked(checked);
        for piece in pieces(&whole, sizes) {
            reader.push(piece).unwrap();
        }
        reader.finish().unwrap();
        assert_eq!(plain(target), content);

        // In one, with pauses.
        fill(target, &insert, 0..5);
        let mut paused = target.restore_or_clear().pause();
        for piece in pieces(&whole, sizes) {
            let mut reader = paused.resume(target).unwrap();
            reader.push(piece).unwrap();
            paused = reader.pause();
        }
        paused.resume(target).unwrap().finish().unwrap();
        assert_eq!(plain(target), content);
    }

    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        println!("{name}");
        let empty = plain(saved);
        let structures = RefCell::new((saved, target));
        proptest!(ProptestConfig::with_cases(32), |(
            first in 0_u32..1_000_000,
            is_compressed: bool,
            sizes in prop::collection::vec(0_usize..150, 1..40),
        )| {
            let (saved, target) = &mut *structures.borrow_mut();
            saved.restore(&empty).unwrap();
            check_sizes(*saved, *target, &insert, (first, is_compressed, &sizes));
        });
    }
    for_each_structure!(check);
}

/// Bytes that have nothing to do with a snapshot, and ones that have, with right checksums as often as not: the reader
/// may refuse them or not, but neither it nor what it has restored may panic.
#[test]
fn no_input_makes_a_reader_panic() {
    fn check<T: Snapshot + ?Sized, R>(
        name: &str,
        saved: &mut T,
        target: &mut T,
        insert: impl Fn(&mut T, &str) -> R,
    ) {
        println!("{name}");
        fill(saved, &insert, 0..30);
        let snapshots = [plain(saved), compressed(saved)];
        let target = RefCell::new(target);
        let read = |bytes: &[u8]| {
            let target = &mut **target.borrow_mut();
            let _ = Header::parse(bytes);
            let _ = target.absorb(bytes);
            if target.restore(bytes).is_ok() {
                // Whatever came in is used.
                fill(target, &insert, 0..60);
                compressed(target);
            }
            let mut reader = target.restore_or_clear();
            let _ = reader.push(bytes);
            let _ = reader.finish();
            let mut reader = target.absorb_unchecked();
            let _ = reader.push(bytes);
            let _ = reader.finish();
            fill(target, &insert, 60..65);
        };
        let config = ProptestConfig::with_cases(64);
        proptest!(config.clone(), |(bytes in prop::collection::vec(any::<u8>(), 0..300))| {
            read(&bytes);
            // Behind a header that fits.
            let mut bytes: Vec<u8> = snapshots[0][..Header::LEN].iter().copied().chain(bytes).collect();
            let length = bytes.len() as u64 - Header::LEN as u64;
            bytes[field::LENGTH..][..8].copy_from_slice(&length.to_le_bytes());
            bytes[field::ENCODING] = 1;
            bytes[field::PARAMETER] = (length % 33) as u8;
            read(&with_checksums(bytes));
        });
        proptest!(config, |(
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60),
            which in 0_usize..2,
            in_payload: bool,
            fix_checksums: bool,
        )| {
            let mut bytes = snapshots[which].clone();
            let start = if in_payload { Header::LEN } else { 0 };
            for (place, byte) in edits {
                let length = bytes.len() - start;
                bytes[start + place.index(length)] = byte;
            }
            read(&if fix_checksums { with_checksums(bytes) } else { bytes });
        });
    }
    for_each_structure!(check);
}
