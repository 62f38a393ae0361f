//! K (bits per key) must be from 1 to 32; 7 suits a rate of 1 %

use sundew::BlockedBloom;

fn main() {
    let _ = BlockedBloom::<8, 0>::new();
}
