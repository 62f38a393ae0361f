//! Filters that are read where their snapshot lies answer as those in RAM do, and refuse what is not one.

#[path = "support/snapshots.rs"]
mod snapshots;

use proptest::prelude::*;
use snapshots::{compressed, fill, plain};
use sundew::hash::{HashFunction, Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::snapshot::{
    Aligned, BlockedBloomRef, ClassicBloomRef, Crc32, CuckooFilterRef, Header, Snapshot,
    SnapshotError,
};
use sundew::{Block512, Block4096, Block8192, BlockedBloom, ClassicBloom, CuckooFilter};

const ROOM: usize = 8192;

/// A snapshot as a linker would place it.
struct Flash {
    memory: Box<Aligned<[u8; ROOM]>>,
    length: usize,
}

impl Flash {
    fn new(bytes: &[u8]) -> Self {
        let mut memory = Box::new(Aligned([0xFF; ROOM]));
        memory.0[..bytes.len()].copy_from_slice(bytes);
        Self {
            memory,
            length: bytes.len(),
        }
    }

    fn bytes(&self) -> &[u8] {
        &self.memory.0[..self.length]
    }
}

/// The snapshot with checksums that are right, whatever was done to it.
fn with_checksums(mut bytes: Vec<u8>) -> Vec<u8> {
    let crc = Crc32::of(&bytes[Header::LEN..]);
    bytes[56..60].copy_from_slice(&crc.to_le_bytes());
    let crc = Crc32::of(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// A filled filter in RAM, its snapshot in flash, and the answers of both for keys that are there and keys that are not.
macro_rules! assert_same_answers {
    ($reference:ident<$($parameter:tt),*>, $filter:expr) => {{
        let mut filter = $filter;
        fill(&mut *filter, |s, key| s.insert(key), 0..300);
        let flash = Flash::new(&plain(&*filter));
        let hash = *filter.hash();
        let read = $reference::<$($parameter),*>::with_hash(flash.bytes(), hash).unwrap();
        let mut misses = 0;
        for number in 0..3_000_u32 {
            let key = format!("key-{number}");
            assert_eq!(read.contains(&*key), filter.contains(&*key), "{key}");
            misses += u32::from(!read.contains(&*key));
        }
        assert!(misses > 2_000, "{misses}");
        assert!(*read.hash() == hash);
    }};
}

#[test]
fn answers_are_those_of_the_filter_in_ram() {
    assert_same_answers!(BlockedBloomRef<7, _, Block512>, BlockedBloom::<7, 7>::new());
    assert_same_answers!(BlockedBloomRef<1, _, Block512>, BlockedBloom::<7, 1>::with_seed(77));
    assert_same_answers!(BlockedBloomRef<32, _, Block512>, BlockedBloom::<100, 32>::new());
    assert_same_answers!(
        BlockedBloomRef<7, _, Block4096>,
        BlockedBloom::<2, 7, Xxh32, Block4096>::new()
    );
    assert_same_answers!(
        BlockedBloomRef<5, _, Block8192>,
        BlockedBloom::<1, 5, Xxh3, Block8192>::with_hash(Xxh3::with_seed(1 << 60))
    );
    assert_same_answers!(
        BlockedBloomRef<7, _, Block512>,
        BlockedBloom::<7, 7, Murmur3>::new()
    );
    let secret = SipHash13::with_key([7; 16]);
    assert_same_answers!(
        BlockedBloomRef<7, _, Block512>,
        BlockedBloom::<7, 7, SipHash13>::with_hash(secret)
    );
    assert_same_answers!(ClassicBloomRef<7, _>, ClassicBloom::<99, 7>::new());
    assert_same_answers!(ClassicBloomRef<7, _>, ClassicBloom::<99, 7, Xxh3>::new());
    assert_same_answers!(CuckooFilterRef<u8, _>, CuckooFilter::<90, u8>::new());
    assert_same_answers!(CuckooFilterRef<u16, _>, CuckooFilter::<91, u16, Xxh3>::new());
}

fn blocked() -> Vec<u8> {
    let mut filter = BlockedBloom::<3, 7>::new();
    fill(&mut *filter, |s, key| s.insert(key), 0..20);
    plain(&*filter)
}

fn classic() -> Vec<u8> {
    let mut filter = ClassicBloom::<37, 7>::new();
    fill(&mut *filter, |s, key| s.insert(key), 0..20);
    plain(&*filter)
}

fn cuckoo() -> Vec<u8> {
    let mut filter = CuckooFilter::<13, u16>::new();
    fill(&mut *filter, |s, key| s.insert(key), 0..20);
    plain(&*filter)
}

type Write = fn() -> Vec<u8>;
type Open = fn(&[u8]) -> Result<bool, SnapshotError>;

/// Reads in place, and asks for a key when that works.
const READERS: [(Write, Open); 3] = [
    (blocked, |bytes| {
        Ok(BlockedBloomRef::<7>::new(bytes)?.contains("key-1"))
    }),
    (classic, |bytes| {
        Ok(ClassicBloomRef::<7>::new(bytes)?.contains("key-1"))
    }),
    (cuckoo, |bytes| {
        Ok(CuckooFilterRef::<u16, Xxh32>::new(bytes)?.contains("key-1"))
    }),
];

#[test]
fn every_flipped_bit_and_every_truncation_is_noticed() {
    for (snapshot, open) in READERS {
        let snapshot = snapshot();
        assert_eq!(open(Flash::new(&snapshot).bytes()), Ok(true));
        for bit in 0..snapshot.len() * 8 {
            let mut bytes = snapshot.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(open(Flash::new(&bytes).bytes()).is_err(), "bit {bit}");
        }
        for length in 0..snapshot.len() {
            let result = open(Flash::new(&snapshot[..length]).bytes());
            assert_eq!(result, Err(SnapshotError::Truncated), "{length} bytes");
        }
    }
}

#[test]
fn every_difference_has_an_error_of_its_own() {
    type Edit = fn(&mut Vec<u8>);
    const CASES: [(SnapshotError, Edit); 13] = [
        (SnapshotError::Magic, |bytes| bytes[3] = b'V'),
        (SnapshotError::Version, |bytes| bytes[4] = 2),
        (SnapshotError::Kind, |bytes| bytes[5] = 3),
        (SnapshotError::Hash, |bytes| bytes[6] = 4),
        (SnapshotError::Encoding, |bytes| bytes[7] = 1),
        (SnapshotError::Geometry, |bytes| bytes[8] += 1),
        (SnapshotError::Geometry, |bytes| bytes[12] = 0),
        (SnapshotError::Geometry, |bytes| bytes[15] = 0xFF),
        (SnapshotError::Geometry, |bytes| bytes[16] = 0),
        (SnapshotError::Geometry, |bytes| bytes[16] = 8),
        (SnapshotError::Geometry, |bytes| bytes[17] = 1),
        (SnapshotError::Seed, |bytes| bytes[24] = 1),
        (SnapshotError::Length, |bytes| bytes[12] += 1),
    ];
    for (snapshot, open) in READERS {
        for (error, edit) in CASES {
            let mut bytes = snapshot();
            edit(&mut bytes);
            let flash = Flash::new(&with_checksums(bytes));
            assert_eq!(open(flash.bytes()), Err(error));
        }
        let mut bytes = snapshot();
        bytes.push(0xFF);
        assert_eq!(
            open(Flash::new(&bytes).bytes()),
            Err(SnapshotError::TooLong)
        );
        // One byte further on.
        let mut bytes = vec![0];
        bytes.extend(snapshot());
        let flash = Flash::new(&bytes);
        assert_eq!(open(&flash.bytes()[1..]), Err(SnapshotError::Unaligned));
    }
    let small = CuckooFilter::<13, u8>::new();
    let flash = Flash::new(&plain(&*small));
    assert_eq!(
        CuckooFilterRef::<u16, Xxh32>::new(flash.bytes()).err(),
        Some(SnapshotError::Geometry)
    );
}

#[test]
fn what_is_compressed_cannot_be_read_in_place() {
    let filter: BlockedBloom<3, 7> = BlockedBloom::with_keys(&["a"]);
    let flash = Flash::new(&compressed(filter.as_view()));
    let read = BlockedBloomRef::<7>::new(flash.bytes());
    assert_eq!(read.err(), Some(SnapshotError::Encoding));
}

/// A 32-bit hash cannot choose among more than 2^32 bits or 2^16 buckets; a header may say so nevertheless.
#[test]
fn sizes_that_a_hash_does_not_serve_are_refused() {
    fn refuses<H: HashFunction>(units: u32) -> bool {
        let mut bytes = cuckoo();
        bytes[6] = H::ID.0;
        bytes[12..16].copy_from_slice(&units.to_le_bytes());
        bytes[24..32].copy_from_slice(&H::UNSEEDED.seed_check().to_le_bytes());
        let flash = Flash::new(&with_checksums(bytes));
        CuckooFilterRef::<u16, H>::new(flash.bytes()).err() == Some(SnapshotError::Geometry)
    }
    assert!(!refuses::<Xxh32>(1 << 16));
    assert!(refuses::<Xxh32>((1 << 16) + 1));
    assert!(!refuses::<Xxh3>(u32::MAX));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_input_makes_a_reader_panic(
        noise in prop::collection::vec(any::<u8>(), 0..300),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..9),
        in_header: bool,
    ) {
        for (snapshot, open) in READERS {
            let _ = open(Flash::new(&noise).bytes());
            let mut bytes = snapshot();
            let end = if in_header { Header::LEN } else { bytes.len() };
            for (place, byte) in &edits {
                bytes[place.index(end)] = *byte;
            }
            let _ = open(Flash::new(&with_checksums(bytes)).bytes());
        }
    }
}

/// The seed is part of what is compared, by its value or by what a secret key makes of six bytes.
#[test]
fn another_seed_or_key_is_refused() {
    let flash = Flash::new(&plain(&*BlockedBloom::<3, 7>::with_seed(5)));
    let open = |seed| BlockedBloomRef::<7, _>::with_hash(flash.bytes(), Xxh32::with_seed(seed));
    assert!(open(5).is_ok());
    assert_eq!(open(6).err(), Some(SnapshotError::Seed));

    let filter = BlockedBloom::<3, 7, _>::with_hash(SipHash13::with_key([1; 16]));
    let flash = Flash::new(&plain(filter.as_view()));
    let open = |key| BlockedBloomRef::<7, _>::with_hash(flash.bytes(), SipHash13::with_key(key));
    assert!(open([1; 16]).is_ok());
    assert_eq!(open([2; 16]).err(), Some(SnapshotError::Seed));
    let mut other = BlockedBloom::<3, 7, _>::with_hash(SipHash13::with_key([2; 16]));
    assert_eq!(other.restore(flash.bytes()), Err(SnapshotError::Seed));
}
