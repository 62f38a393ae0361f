//! N (groups of 4 registers) must be a power of two from 4 to 4096; use HyperLogLog4 to HyperLogLog14

use sundew::HyperLogLog;

fn main() {
    let _ = HyperLogLog::<500>::new();
}
