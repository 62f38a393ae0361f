//! N (blocks) must be at least 1; sizing::Plan finds it

use sundew::BlockedBloom;

fn main() {
    let _ = BlockedBloom::<0, 7>::new();
}
