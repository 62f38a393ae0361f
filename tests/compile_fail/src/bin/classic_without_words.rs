//! WORDS (of 32 bits) must be from 1 to 2^27 - 1

use sundew::ClassicBloom;

fn main() {
    let _ = ClassicBloom::<0, 7>::new();
}
