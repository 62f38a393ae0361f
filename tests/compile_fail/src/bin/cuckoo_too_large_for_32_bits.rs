//! a 32-bit hash serves up to 65536 buckets; use a 64-bit one such as hash::Xxh3

use sundew::CuckooFilter;

fn main() {
    let _ = CuckooFilter::<65537, u8>::new();
}
