//! The hashes are the published functions, in every form.

use proptest::prelude::*;
use sundew::Sink;
use sundew::hash::{HashFunction, HashStream, Murmur3, SipHash13, Xxh3, Xxh32};

/// The test data of the xxHash project: bytes made from a prime.
fn sanity_buffer(length: usize) -> Vec<u8> {
    let mut generator: u64 = 2_654_435_761;
    (0..length)
        .map(|_| {
            let byte = (generator >> 56) as u8;
            generator = generator.wrapping_mul(11_400_714_785_074_694_797);
            byte
        })
        .collect()
}

#[test]
fn xxh32_gives_the_published_vectors() {
    let buffer = sanity_buffer(222);
    for (length, seed, expected) in [
        (0, 0, 0x02CC_5D05),
        (0, 2_654_435_761, 0x36B7_8AE7),
        (1, 0, 0xCF65_B03E),
        (1, 2_654_435_761, 0xB454_5AA4),
        (14, 0, 0x1208_E7E2),
        (14, 2_654_435_761, 0x6AF1_D1FE),
        (222, 0, 0x5BD1_1DBD),
        (222, 2_654_435_761, 0x5880_3C5F),
    ] {
        let hash = Xxh32::with_seed(seed);
        assert_eq!(hash.hash(&buffer[..length]), expected, "{length} {seed}");
        assert_eq!(hash.hash_const(&buffer[..length]), expected);
    }
}

#[test]
fn murmur3_gives_the_published_vectors() {
    let hash = Murmur3::with_seed(0);
    assert_eq!(hash.hash128(b""), [0, 0]);
    assert_eq!(
        hash.hash128(b"The quick brown fox jumps over the lazy dog"),
        [0xE34B_BC7B_BC07_1B6C, 0x7A43_3CA9_C49A_9347]
    );
}

#[test]
fn xxh3_gives_the_published_vectors() {
    // XXH3_64bits of nothing and of the first bytes of the sanity buffer, from xxHash's own test.
    assert_eq!(Xxh3::with_seed(0).hash(b""), 0x2D06_8005_38D3_94C2);
    assert_eq!(
        Xxh3::with_seed(0).hash(&sanity_buffer(1)),
        0xC44B_DFF4_074E_ECDB
    );
}

/// Any split of the input gives the one-shot result.
fn assert_stream_agrees<H: HashFunction>(hash: H, bytes: &[u8], cuts: &[usize]) {
    let mut stream = hash.stream();
    let mut rest = bytes;
    for cut in cuts {
        let (piece, more) = rest.split_at(*cut % (rest.len() + 1));
        stream.write(piece);
        rest = more;
    }
    stream.write(rest);
    assert_eq!(stream.finish(), hash.hash(bytes));

    let mut byte_by_byte = hash.stream();
    bytes.iter().for_each(|byte| byte_by_byte.write(&[*byte]));
    assert_eq!(byte_by_byte.finish(), hash.hash(bytes));
}

proptest! {
    #[test]
    fn all_forms_of_all_hashes_agree(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        offset in 0..4_usize,
        seed in any::<u64>(),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
    ) {
        let bytes = bytes.get(offset..).unwrap_or(&[]); // every alignment
        let xxh32 = Xxh32::with_seed(seed as u32);
        prop_assert_eq!(xxh32.hash(bytes), xxhash_rust::xxh32::xxh32(bytes, seed as u32));
        prop_assert_eq!(xxh32.hash(bytes), xxh32.hash_const(bytes));
        let murmur = murmur3::murmur3_x64_128(&mut &bytes[..], seed as u32).unwrap();
        let [low, high] = Murmur3::with_seed(seed as u32).hash128(bytes);
        prop_assert_eq!(u128::from(high) << 64 | u128::from(low), murmur);
        assert_stream_agrees(xxh32, bytes, &cuts);
        assert_stream_agrees(Xxh3::with_seed(seed), bytes, &cuts);
        assert_stream_agrees(Murmur3::with_seed(seed as u32), bytes, &cuts);
        assert_stream_agrees(SipHash13::with_key([seed as u8; 16]), bytes, &cuts);
    }
}
