//! BUCKETS (of 4 keys) must be at least 1; sizing::cuckoo_buckets finds it

use sundew::CuckooFilter;

fn main() {
    let _ = CuckooFilter::<0, u8>::new();
}
