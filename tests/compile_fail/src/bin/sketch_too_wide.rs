//! WIDTH (counters per row) must be from 1 to 65536; sizing::CountMinPlan finds it

use sundew::CountMinSketch;

fn main() {
    let _ = CountMinSketch::<65537, 1, u16>::new();
}
