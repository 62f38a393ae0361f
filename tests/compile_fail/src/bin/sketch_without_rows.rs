//! DEPTH (rows) must be from 1 to 32; 7 suits a confidence of 99 %

use sundew::CountMinSketch;

fn main() {
    let _ = CountMinSketch::<100, 0>::new();
}
