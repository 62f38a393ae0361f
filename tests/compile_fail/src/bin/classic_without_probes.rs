//! ClassicBloom: K (bits per key) must be from 1 to 32

use sundew::ClassicBloom;

fn main() {
    let _ = ClassicBloom::<8, 0>::new();
}
