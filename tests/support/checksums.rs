// The same inserts on every machine: included by the host test and by the firmware `agreement`.

use sundew::guava::{GuavaBloom, GuavaBloomRef, Shape, Strategy};
use sundew::hash::{Murmur3, SipHash13, Xxh3, Xxh32};
use sundew::{
    AtomicBloom, Block4096, BlockedBloom, ClassicBloom, CountMinSketch, CountingBloom,
    CuckooFilter, HyperLogLog9, RotatingBloom, ScalableBloom, StreamingHyperLogLog, TwoLayer,
};

/// Five keys per turn into a structure, by a method that takes the key and what else is given.
macro_rules! fill {
    ($turns:expr, $structure:ident.$insert:ident($($more:expr),*)) => {
        for i in 0..$turns {
            let _ = $structure.$insert(&i $(, $more)*);
            let _ = $structure.$insert(&((i as u64) << 33) $(, $more)*);
            let _ = $structure.$insert(&(i as u16, "field", -(i as i64)) $(, $more)*);
            let _ = $structure.$insert(&[i, !i, 7] $(, $more)*);
            // Every length from every alignment.
            let bytes: [u8; 304] = core::array::from_fn(|j| (i as usize * 31 + j * 7) as u8);
            if let Some(key) = bytes
                .get(i as usize % 4..)
                .and_then(|b| b.get(..i as usize))
            {
                let _ = $structure.$insert(key $(, $more)*);
            }
        }
    };
}

/// Calls `print` with the name of a filter and the checksum of its bits, after five inserts per turn.
pub fn checksums(turns: u32, mut print: impl FnMut(&str, u32)) {
    macro_rules! blocked {
        ($name:expr, $filter:expr) => {{
            let mut filter = $filter;
            fill!(turns, filter.insert());
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
    fill!(turns, classic.insert());
    print("classic", checksum(classic.words().iter().copied()));
    let mut classic = ClassicBloom::<305, 7, Xxh3>::new();
    fill!(turns, classic.insert());
    print("classic xxh3", checksum(classic.words().iter().copied()));
    print("cuckoo 8", cuckoo_8(turns));
    print("cuckoo 16 xxh3", cuckoo_16(turns));
    print("count-min", count_min(turns));
    print("count-min conservative xxh3", count_min_conservative(turns));
    print("hyperloglog", hyper_log_log(turns));
    print("hyperloglog streaming xxh3", streaming_hyper_log_log(turns));
    print("counting", counting(turns));
    print("scalable", scalable(turns));
    print("rotating", rotating(turns));
    print("atomic", atomic(turns));
    print("guava 64", guava(turns, Strategy::Murmur128Mitz64));
    print("guava 32", guava(turns, Strategy::Murmur128Mitz32));
    print("two layers", two_layer(turns));
}

/// 94 % full after 300 turns. A function of its own, as those below: a Cortex-M0 with 16 KB of RAM cannot have
/// everything on its stack at once.
#[inline(never)]
fn cuckoo_8(turns: u32) -> u32 {
    let mut filter = CuckooFilter::<400, u8>::new();
    fill!(turns, filter.insert());
    checksum(filter.buckets().flatten().map(|slot| u32::from(*slot)))
}

/// 93 % full after 20 turns; from then on most inserts fail and leave no trace.
#[inline(never)]
fn cuckoo_16(turns: u32) -> u32 {
    let mut filter = CuckooFilter::<27, u16, Xxh3>::new();
    fill!(turns, filter.insert());
    checksum(filter.buckets().flatten().map(|slot| u32::from(*slot)))
}

#[inline(never)]
fn count_min(turns: u32) -> u32 {
    let mut sketch = CountMinSketch::<99, 5, u16>::new();
    fill!(turns, sketch.add(3_000)); // Some counters come to their limit.
    let counters = sketch.rows().flatten().map(|counter| u32::from(*counter));
    checksum(counters.chain([sketch.total() as u32]))
}

#[inline(never)]
fn count_min_conservative(turns: u32) -> u32 {
    let mut sketch = CountMinSketch::<50, 3, u32, Xxh3>::new();
    fill!(turns, sketch.add_conservative(1));
    checksum(sketch.rows().flatten().copied())
}

#[inline(never)]
fn hyper_log_log(turns: u32) -> u32 {
    let mut sketch = HyperLogLog9::<Xxh32>::new();
    fill!(turns, sketch.insert());
    let bytes = sketch.as_bytes().iter().map(|byte| u32::from(*byte));
    checksum(bytes.chain([sketch.estimate() as u32]))
}

#[inline(never)]
fn streaming_hyper_log_log(turns: u32) -> u32 {
    let mut stream = StreamingHyperLogLog::<128, Xxh3>::new();
    fill!(turns, stream.insert());
    let sketch = stream.sketch();
    let bytes = sketch.as_bytes().iter().map(|byte| u32::from(*byte));
    checksum(bytes.chain([stream.estimate() as u32, sketch.estimate() as u32]))
}

#[inline(never)]
fn counting(turns: u32) -> u32 {
    let mut filter = CountingBloom::<19, 6>::new();
    fill!(turns, filter.insert());
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
    fill!(turns, filter.insert());
    let words = filter.blocks().flat_map(|block| block.words());
    checksum(words.copied().chain([filter.num_inserted() as u32]))
}

#[inline(never)]
fn rotating(turns: u32) -> u32 {
    let mut filter = RotatingBloom::<7, 7, 3>::new();
    for now in [u32::MAX - 9, 0, 3, 12] {
        filter.rotate_if_due(now, 8);
        fill!(turns / 4 + now % 8, filter.insert());
    }
    filter.rotate_slice(5);
    fill!(turns / 5, filter.insert());
    filter.rotate_slice(5);
    filter.insert("last");
    let blocks = (0..3).flat_map(|age| filter.generation(age));
    checksum(blocks.flat_map(|block| block.words()).copied())
}

/// The bits of "xxh32".
#[inline(never)]
fn atomic(turns: u32) -> u32 {
    let filter = AtomicBloom::<19, 7>::new();
    fill!(turns, filter.insert());
    checksum(filter.words())
}

/// Of the bytes of the file, and of what it answers when it is asked in place.
#[inline(never)]
fn guava(turns: u32, strategy: Strategy) -> u32 {
    let mut filter = GuavaBloom::<150, 7>::new();
    let _ = Shape::new(strategy, 7, 149).map(|shape| filter.reset(shape));
    fill!(turns, filter.insert());
    let mut file = [0; 6 + 149 * 8];
    let length = filter.copy_file(0, &mut file);
    let found = match GuavaBloomRef::new(&file) {
        Ok(filter) => (0..20 * turns).filter(|i| filter.contains(i)).count(),
        Err(_) => 0,
    };
    let bytes = file.iter().map(|byte| u32::from(*byte));
    checksum(bytes.chain([length as u32, found as u32]))
}

/// What the filter lets through, and how often.
#[inline(never)]
fn two_layer(turns: u32) -> u32 {
    let mut layers = TwoLayer::new(CountingBloom::<11, 6>::new(), ());
    fill!(turns, layers.admit());
    for i in turns..10 * turns {
        if layers.may_contain(&i) {
            layers.record(i % 2 == 0);
        }
    }
    let lookups = layers.lookups();
    let counts = [lookups.by_filter(), lookups.by_store(), lookups.corrected()];
    let words = layers.filter().blocks().flat_map(|block| block.words());
    checksum(words.copied().chain(counts.map(|count| count as u32)))
}

/// FNV-1a over the words, which is independent of the hashes under test.
fn checksum(words: impl Iterator<Item = u32>) -> u32 {
    words.fold(0x811C_9DC5, |sum, word| {
        (sum ^ word).wrapping_mul(0x0100_0193)
    })
}
