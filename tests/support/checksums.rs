// The same inserts on every machine: included by the host test and by the firmware `agreement`.

use sundew::hash::{Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::{
    AtomicBloom, Block4096, BlockedBloom, ClassicBloom, CountingBloom, RotatingBloom, ScalableBloom,
};

/// Five inserts per turn, of keys of every kind.
macro_rules! fill {
    ($filter:expr, $turns:expr) => {
        for i in 0..$turns {
            let _ = $filter.insert(&i);
            let _ = $filter.insert(&((i as u64) << 33));
            let _ = $filter.insert(&(i as u16, "field", -(i as i64)));
            let _ = $filter.insert(&[i, !i, 7]);
            // Every length from every alignment.
            let bytes: [u8; 304] = core::array::from_fn(|j| (i as usize * 31 + j * 7) as u8);
            if let Some(key) = bytes
                .get(i as usize % 4..)
                .and_then(|b| b.get(..i as usize))
            {
                let _ = $filter.insert(key);
            }
        }
    };
}

/// Calls `print` with the name of a filter and the checksum of its bits, after five inserts per turn.
pub fn checksums(turns: u32, mut print: impl FnMut(&str, u32)) {
    macro_rules! blocked {
        ($name:expr, $filter:expr) => {{
            let mut filter = $filter;
            fill!(filter, turns);
            let words = filter.blocks().flat_map(|block| block.words());
            print($name, checksum(words.copied()));
        }};
    }
    blocked!("xxh32", BlockedBloom::<19, 7, Xxh32>::new());
    blocked!(
        "xxh32 seeded",
        BlockedBloom::<19, 7, Xxh32>::with_seed(0xDEAD_BEEF)
    );
    blocked!("xxh32 4096", BlockedBloom::<3, 7, Xxh32, Block4096>::new());
    blocked!("xxh3", BlockedBloom::<19, 7, Xxh3>::new());
    blocked!(
        "siphash",
        BlockedBloom::<19, 7, SipHash13>::with_hash(SipHash13::with_key([9; 16]))
    );
    blocked!("murmur3", BlockedBloom::<19, 7, Murmur3>::new());
    let mut classic = ClassicBloom::<305, 7>::new();
    fill!(classic, turns);
    print("classic", checksum(classic.words().iter().copied()));
    let mut classic = ClassicBloom::<305, 7, Xxh3>::new();
    fill!(classic, turns);
    print("classic xxh3", checksum(classic.words().iter().copied()));
    print("counting", counting(turns));
    print("scalable", scalable(turns));
    print("rotating", rotating(turns));
    print("atomic", atomic(turns));
}

// Not inlined: a micro:bit's stack holds a filter or two, not all.
#[inline(never)]
fn counting(turns: u32) -> u32 {
    let mut filter = CountingBloom::<19, 6>::new();
    fill!(filter, turns);
    for i in 0..turns {
        filter.remove(&(2 * i));
    }
    let words = filter.blocks().flat_map(|block| block.words());
    checksum(words.copied())
}

/// Full before the end of 300 turns.
#[inline(never)]
fn scalable(turns: u32) -> u32 {
    let mut filter = ScalableBloom::<19, 7, 3>::new();
    fill!(filter, turns);
    let words = filter.blocks().flat_map(|block| block.words());
    checksum(words.copied().chain([filter.num_inserted() as u32]))
}

#[inline(never)]
fn rotating(turns: u32) -> u32 {
    let mut filter = RotatingBloom::<7, 7, 3>::new();
    for now in [u32::MAX - 9, 0, 3, 12] {
        filter.rotate_if_due(now, 8);
        fill!(filter, turns / 4 + now % 8);
    }
    filter.rotate_slice(5);
    fill!(filter, turns / 5);
    filter.rotate_slice(5);
    filter.insert("last");
    let blocks = (0..3).flat_map(|age| filter.generation(age));
    checksum(blocks.flat_map(|block| block.words()).copied())
}

/// The bits of "xxh32".
#[inline(never)]
fn atomic(turns: u32) -> u32 {
    let filter = AtomicBloom::<19, 7>::new();
    fill!(filter, turns);
    checksum(filter.words())
}

/// FNV-1a over the words, which is independent of the hashes under test.
fn checksum(words: impl Iterator<Item = u32>) -> u32 {
    words.fold(0x811C_9DC5, |sum, word| {
        (sum ^ word).wrapping_mul(0x0100_0193)
    })
}
