//! mismatched types

use sundew::BlockedBloom;

fn main() {
    let mut seven: BlockedBloom<8, 7> = BlockedBloom::new();
    let eight: BlockedBloom<8, 8> = BlockedBloom::new();
    let _ = seven.union(&eight);
}
