//! The structures that the benchmark compares ours with do what they are there for.

#[path = "../benches/target/src/baselines.rs"]
mod baselines;

use std::collections::HashSet;

use baselines::{Bitmap, ExactSet};
use proptest::prelude::*;

proptest! {
    /// Few slots, so that keys displace one another and wrap around the end.
    #[test]
    fn the_exact_set_is_a_set(steps in prop::collection::vec((any::<bool>(), 0..40_u8), 0..400)) {
        type Set = ExactSet<1, 21, 1>;
        let mut set = Set::new();
        let mut expected = HashSet::new();
        for (is_insert, key) in steps {
            if !is_insert {
                prop_assert_eq!(set.remove(&[key]), expected.remove(&key));
            } else if expected.len() < Set::CAPACITY || expected.contains(&key) {
                prop_assert_eq!(set.insert(&[key]), Some(expected.insert(key)));
            } else {
                prop_assert_eq!(set.insert(&[key]), None);
            }
            for key in 0..40 {
                prop_assert_eq!(set.contains(&[key]), expected.contains(&key));
            }
        }
    }
}

#[test]
fn a_key_of_another_length_is_refused() {
    let mut set = ExactSet::<6, 64, 2>::new();
    assert_eq!(set.insert(&[1; 5]), None);
    assert!(!set.contains(&[1; 5]));
}

/// 658 of 65,536 bits are 1.0 %; with a million lookups a standard deviation is 1 % of that, and 5 are allowed.
#[test]
fn the_bitmap_errs_as_often_as_its_bits_are_set() {
    let mut bitmap = Bitmap::<2048>::new();
    let new = (0..658_u32)
        .filter(|key| bitmap.insert(&key.to_le_bytes()))
        .count();
    assert!((0..658_u32).all(|key| bitmap.contains(&key.to_le_bytes())));
    let wrong = (658..1_000_658_u32)
        .filter(|key| bitmap.contains(&key.to_le_bytes()))
        .count();
    let expected = new as f64 / 65_536.0 * 1e6;
    assert!(
        (wrong as f64 / expected - 1.0).abs() < 0.05,
        "{wrong} and {expected}"
    );
}
