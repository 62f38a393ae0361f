//! One small structure of every kind, filled with keys: what the tests of snapshots go through.
#![allow(dead_code)] // no test uses all of it

use std::ops::Range;

use sundew::hash::HashFunction;
use sundew::snapshot::{Snapshot, SnapshotWriter};
use sundew::{
    AtomicBloomView, Block, BlockedBloomView, ClassicBloomView, CountMinSketchView, Counter,
    CountingBloomView, CuckooFilterView, Fingerprint, HyperLogLogView, RotatingBloomView,
    ScalableBloomView, StreamingHyperLogLogView,
};

/// Puts `key-0` and so on into a structure.
pub fn fill<T: ?Sized, R>(
    structure: &mut T,
    insert: impl Fn(&mut T, &str) -> R,
    numbers: Range<u32>,
) {
    for number in numbers {
        insert(structure, &format!("key-{number}"));
    }
}

pub fn plain<T: Snapshot + ?Sized>(structure: &T) -> Vec<u8> {
    pull(structure.snapshot())
}

pub fn compressed<T: Snapshot + ?Sized>(structure: &T) -> Vec<u8> {
    pull(structure.snapshot_compressed())
}

fn pull<T: Snapshot + ?Sized>(mut writer: SnapshotWriter<'_, T>) -> Vec<u8> {
    let mut bytes = vec![0; writer.header().snapshot_len() as usize + 1];
    let length = writer.pull(&mut bytes);
    assert_eq!(length, bytes.len() - 1, "the header says how long it is");
    bytes.pop();
    bytes
}

/// Calls a function once for every kind of structure and of hash, with a name, two empty structures of the same shape,
/// and a closure that inserts a key.
#[macro_export]
macro_rules! for_each_structure {
    ($check:ident) => {
        macro_rules! of_view {
            ($name:literal, $new:expr, $insert:expr) => {
                $check($name, &mut *$new, &mut *$new, $insert)
            };
        }
        of_view!("blocked", BlockedBloom::<3, 7>::new(), |s, key| s
            .insert(key));
        of_view!(
            "blocked-seed",
            BlockedBloom::<2, 5>::with_seed(0xDEAD_BEEF),
            |s, key| s.insert(key)
        );
        of_view!(
            "blocked-4096",
            BlockedBloom::<1, 7, Xxh32, Block4096>::new(),
            |s, key| s.insert(key)
        );
        let hash = Xxh3::with_seed(1 << 40 | 7);
        of_view!(
            "blocked-1024-xxh3",
            BlockedBloom::<2, 7, Xxh3, Block1024>::with_hash(hash),
            |s, key| s.insert(key)
        );
        let hash = SipHash13::with_key(*b"0123456789abcdef");
        of_view!(
            "blocked-siphash",
            BlockedBloom::<3, 7, SipHash13>::with_hash(hash),
            |s, key| s.insert(key)
        );
        of_view!(
            "blocked-murmur3",
            BlockedBloom::<3, 7, Murmur3>::new(),
            |s, key| s.insert(key)
        );
        of_view!("classic", ClassicBloom::<37, 6>::new(), |s, key| s
            .insert(key));
        of_view!(
            "classic-xxh3",
            ClassicBloom::<37, 6, Xxh3>::new(),
            |s, key| s.insert(key)
        );
        of_view!("counting", CountingBloom::<3, 5>::new(), |s, key| s
            .insert(key));
        of_view!(
            "scalable",
            ScalableBloom::<5, 7, 3, 50_000>::new(),
            |s, key| s.insert(key)
        );
        of_view!("rotating", RotatingBloom::<1, 6, 3>::new(), |s, key| {
            s.rotate_if_full(12);
            s.insert(key)
        });
        let (shared, other) = (AtomicBloom::<3, 7>::new(), AtomicBloom::<3, 7>::new());
        $check(
            "atomic",
            &mut shared.as_view(),
            &mut other.as_view(),
            |s, key| s.insert(key),
        );
        of_view!("cuckoo-8", CuckooFilter::<11, u8>::new(), |s, key| s
            .insert(key));
        of_view!(
            "cuckoo-16-xxh3",
            CuckooFilter::<13, u16, Xxh3>::new(),
            |s, key| s.insert(key)
        );
        // An odd number of counters, so that two bytes are left over.
        of_view!(
            "count-min-16",
            CountMinSketch::<17, 3, u16>::new(),
            |s, key| s.add(key, 3_000)
        );
        of_view!(
            "count-min-32-xxh3",
            CountMinSketch::<20, 2, u32, Xxh3>::new(),
            |s, key| s.add(key, 3)
        );
        of_view!("hyperloglog", HyperLogLog6::<Xxh32>::new(), |s, key| s
            .insert(key));
        of_view!(
            "hyperloglog-stream-xxh3",
            StreamingHyperLogLog::<8, Xxh3>::new(),
            |s, key| s.insert(key)
        );
    };
}

/// What the Python reader prints about a structure too.
pub trait Answers {
    fn answers(&self) -> Vec<u32>;
}

/// An answer for each of the keys `key-0` to `key-59`.
fn for_keys(answer: impl Fn(&str) -> u32) -> Vec<u32> {
    (0..60)
        .map(|number| answer(&format!("key-{number}")))
        .collect()
}

macro_rules! answers_whether_it_contains {
    ([$($generics:tt)*] $view:ty) => {
        impl<$($generics)*> Answers for $view {
            fn answers(&self) -> Vec<u32> {
                for_keys(|key| self.contains(key).into())
            }
        }
    };
}
answers_whether_it_contains!([const K: usize, H: HashFunction, const WORDS: usize] BlockedBloomView<K, H, Block<WORDS>>);
answers_whether_it_contains!([const K: usize, H: HashFunction] ClassicBloomView<K, H>);
answers_whether_it_contains!([const K: usize, H: HashFunction] CountingBloomView<K, H>);
answers_whether_it_contains!([const K: usize, const S: usize, const PPM: u32, H: HashFunction] ScalableBloomView<K, S, PPM, H>);
answers_whether_it_contains!([const K: usize, const G: usize, H: HashFunction] RotatingBloomView<K, G, H>);
answers_whether_it_contains!([const K: usize, H: HashFunction] &AtomicBloomView<K, H>);
answers_whether_it_contains!([F: Fingerprint, H: HashFunction] CuckooFilterView<F, H>);

impl<const WIDTH: usize, C: Counter, H: HashFunction> Answers for CountMinSketchView<WIDTH, C, H> {
    fn answers(&self) -> Vec<u32> {
        for_keys(|key| self.estimate(key))
    }
}

impl<H: HashFunction> Answers for HyperLogLogView<H> {
    fn answers(&self) -> Vec<u32> {
        self.registers().map(u32::from).collect()
    }
}

impl<H: HashFunction> Answers for StreamingHyperLogLogView<H> {
    fn answers(&self) -> Vec<u32> {
        self.sketch().answers()
    }
}
