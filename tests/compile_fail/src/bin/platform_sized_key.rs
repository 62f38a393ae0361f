//! the trait bound `usize: Key` is not satisfied

use sundew::BlockedBloom;

fn main() {
    let _ = BlockedBloom::<8, 7>::new().contains(&1_usize);
}
