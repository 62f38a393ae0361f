//! GuavaBloom: K (bits per key) must be from 1 to 255

use sundew::GuavaBloom;

fn main() {
    let _ = GuavaBloom::<8, 256>::new();
}
