//! RotatingBloom: G (generations) must be from 2 to 32

use sundew::RotatingBloom;

fn main() {
    let _ = RotatingBloom::<8, 7, 1>::new();
}
