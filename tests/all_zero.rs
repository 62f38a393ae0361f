//! An empty filter is all zeros: as a `static` that changes it lies in `.bss`, and costs no flash.

use std::sync::Mutex;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};
use sundew::{
    AtomicBloom, BlockedBloom, ClassicBloom, CountMinSketch, CountingBloom, CuckooFilter,
    GuavaBloom, HyperLogLog, RotatingBloom, ScalableBloom, StreamingHyperLogLog, TwoLayer,
};

static BLOCKED_FILTER: Mutex<BlockedBloom<100, 7>> = Mutex::new(BlockedBloom::new());
static CLASSIC_FILTER: Mutex<ClassicBloom<1_600, 7>> = Mutex::new(ClassicBloom::new());
static COUNTING_FILTER: Mutex<CountingBloom<100, 6>> = Mutex::new(CountingBloom::new());
static SCALABLE_FILTER: Mutex<ScalableBloom<100, 8, 4>> = Mutex::new(ScalableBloom::new());
static ROTATING_FILTER: Mutex<RotatingBloom<25, 7, 4>> = Mutex::new(RotatingBloom::new());
static GUAVA_FILTER: Mutex<GuavaBloom<800, 7>> = Mutex::new(GuavaBloom::new());
static ATOMIC_FILTER: AtomicBloom<100, 7> = AtomicBloom::new();
static CUCKOO_FILTER: Mutex<CuckooFilter<800, u16>> = Mutex::new(CuckooFilter::new());
static COUNT_MIN_SKETCH: Mutex<CountMinSketch<400, 4>> = Mutex::new(CountMinSketch::new());
static DISTINCT_SKETCH: Mutex<HyperLogLog<2048>> = Mutex::new(HyperLogLog::new());
static STREAMING_SKETCH: Mutex<StreamingHyperLogLog<2048>> =
    Mutex::new(StreamingHyperLogLog::new());
static TWO_LAYER: Mutex<TwoLayer<BlockedBloom<100, 7>, ()>> =
    Mutex::new(TwoLayer::new(BlockedBloom::new(), ()));

#[test]
fn empty_filters_lie_in_bss() {
    // Used, so that the linker keeps them.
    assert!(BLOCKED_FILTER.lock().unwrap().insert("key"));
    assert!(CLASSIC_FILTER.lock().unwrap().insert("key"));
    assert!(COUNTING_FILTER.lock().unwrap().insert("key"));
    assert_eq!(SCALABLE_FILTER.lock().unwrap().insert("key"), Ok(true));
    assert!(ROTATING_FILTER.lock().unwrap().insert("key"));
    assert!(GUAVA_FILTER.lock().unwrap().insert("key"));
    assert!(ATOMIC_FILTER.insert("key"));
    assert_eq!(CUCKOO_FILTER.lock().unwrap().insert("key"), Ok(()));
    assert_eq!(COUNT_MIN_SKETCH.lock().unwrap().add("key", 1), 1);
    assert!(DISTINCT_SKETCH.lock().unwrap().insert("key"));
    assert!(STREAMING_SKETCH.lock().unwrap().insert("key"));
    assert_eq!(TWO_LAYER.lock().unwrap().admit("key"), Ok(()));

    let program = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let file = object::File::parse(&*program).unwrap();
    for name in [
        "BLOCKED_FILTER",
        "CLASSIC_FILTER",
        "COUNTING_FILTER",
        "SCALABLE_FILTER",
        "ROTATING_FILTER",
        "GUAVA_FILTER",
        "ATOMIC_FILTER",
        "CUCKOO_FILTER",
        "COUNT_MIN_SKETCH",
        "DISTINCT_SKETCH",
        "STREAMING_SKETCH",
        "TWO_LAYER",
    ] {
        let symbol = file
            .symbols()
            .find(|symbol| symbol.name().is_ok_and(|found| found.contains(name)))
            .unwrap_or_else(|| panic!("no symbol {name}"));
        // 6,400 bytes (6,144 of registers), and a line or two for the rest.
        assert!(
            (6_144..6_600).contains(&symbol.size()),
            "{name}: {}",
            symbol.size()
        );
        let section = file
            .section_by_index(symbol.section_index().unwrap())
            .unwrap();
        assert_eq!(section.kind(), SectionKind::UninitializedData, "{name}");
    }
}
