//! ScalableBloom: N (blocks) must be at least 2^(STAGES - 1)

use sundew::ScalableBloom;

fn main() {
    let _ = ScalableBloom::<7, 8, 4>::new();
}
