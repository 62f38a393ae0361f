//! CountingBloom: K (counters per key) must be from 1 to 32

use sundew::CountingBloom;

fn main() {
    let _ = CountingBloom::<8, 0>::new();
}
