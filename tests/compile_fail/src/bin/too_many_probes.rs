//! K (bits per key) must be from 1 to 32

use sundew::BlockedBloom;

fn main() {
    let _ = BlockedBloom::<8, 33>::new();
}
