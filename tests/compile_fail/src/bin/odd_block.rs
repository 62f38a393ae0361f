//! WORDS must be a power of two from 16 to 2048; use Block512 or Block4096

use sundew::hash::Xxh32;
use sundew::{Block, BlockedBloom};

fn main() {
    let _ = BlockedBloom::<8, 7, Xxh32, Block<20>>::new();
}
