//! GuavaBloom: WORDS (of 64 bits) must be from 1 to 2^25 - 1

use sundew::GuavaBloom;

fn main() {
    let _ = GuavaBloom::<0>::new();
}
