//! The hashing page tells the truth: its vectors are this crate's bits, and its Python computes them.

use std::process::Command;

use sundew::hash::{HashFunction, Xxh32};
use sundew::{Block, Block512, Block4096, BlockedBloom, BlockedBloomView};

const PAGE: &str = include_str!("../docs/hashing.md");

/// One row of the table of vectors.
struct Vector {
    key: String,
    seed: u32,
    blocks: usize,
    block_bits: u32,
    k: usize,
    hash: u32,
    bits: Vec<u32>,
}

fn vectors() -> Vec<Vector> {
    let (_, table) = PAGE
        .split_once("| hash | bits |\n")
        .expect("the page has vectors");
    table
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
            let [key, seed, blocks, block_bits, k, hash, bits] = cells[..] else {
                panic!("a row of {} cells: {row}", cells.len());
            };
            Vector {
                key: key.trim_matches('`').into(),
                seed: seed.parse().unwrap(),
                blocks: blocks.parse().unwrap(),
                block_bits: block_bits.parse().unwrap(),
                k: k.parse().unwrap(),
                hash: u32::from_str_radix(hash.trim_matches('`'), 16).unwrap(),
                bits: bits.split(' ').map(|bit| bit.parse().unwrap()).collect(),
            }
        })
        .collect()
}

/// The bits that one key sets in an empty filter, in ascending order.
fn bits_of<const K: usize, const WORDS: usize>(
    filter: &mut BlockedBloomView<K, Xxh32, Block<WORDS>>,
    key: &str,
) -> Vec<u32> {
    filter.insert(key);
    let words = filter.blocks().flat_map(|block| block.words());
    words
        .zip((0..).step_by(32))
        .flat_map(|(word, first)| {
            (0..32)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| first + bit)
        })
        .collect()
}

#[test]
fn vectors_are_the_bits_of_this_crate() {
    let vectors = vectors();
    assert!(vectors.len() >= 5);
    for mut vector in vectors {
        let hash = Xxh32::with_seed(vector.seed);
        assert_eq!(
            hash.hash(vector.key.as_bytes()),
            vector.hash,
            "{}",
            vector.key
        );
        macro_rules! with_size {
            ($blocks:literal, $k:literal, $block:ty) => {
                bits_of(
                    &mut *Box::new(BlockedBloom::<$blocks, $k, _, $block>::with_hash(hash)),
                    &vector.key,
                )
            };
        }
        let bits = match (vector.blocks, vector.k, vector.block_bits) {
            (1, 7, 512) => with_size!(1, 7, Block512),
            (504, 6, 512) => with_size!(504, 6, Block512),
            (19532, 7, 512) => with_size!(19532, 7, Block512),
            (3, 7, 4096) => with_size!(3, 7, Block4096),
            (16384, 3, 512) => with_size!(16384, 3, Block512),
            size => panic!("give the test a filter of {size:?}"),
        };
        vector.bits.sort_unstable();
        vector.bits.dedup();
        assert_eq!(bits, vector.bits, "{}", vector.key);
    }
}

#[test]
fn the_python_reference_computes_the_vectors() {
    let (_, code) = PAGE.split_once("```python\n").expect("the page has Python");
    let (code, _) = code.split_once("```").expect("the Python ends");
    let mut program = code.to_owned();
    let mut expected = String::new();
    for Vector {
        key,
        seed,
        blocks,
        block_bits,
        k,
        hash,
        bits,
    } in vectors()
    {
        program += &format!(
            "print('%08x' % xxh32(b'{key}', {seed}), *bits(b'{key}', {blocks}, {k}, {block_bits}, {seed}))\n"
        );
        expected += &format!("{hash:08x}");
        bits.iter().for_each(|bit| expected += &format!(" {bit}"));
        expected += "\n";
    }
    let python = Command::new("python3")
        .args(["-c", &program])
        .output()
        .expect("python3 starts; if it is missing: apt-get install python3");
    assert!(
        python.status.success(),
        "{}",
        String::from_utf8_lossy(&python.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&python.stdout), expected);
}
