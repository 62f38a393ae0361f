//! The bits that inserts set are pinned, so that no machine and no later version can drift.

#[path = "support/checksums.rs"]
mod checksums;

fn assert_golden(turns: u32, expected: &str) {
    let mut found = String::new();
    checksums::checksums(turns, |name, sum| found += &format!("{name}: {sum:08x}\n"));
    assert_eq!(found, expected);
}

/// Short enough for Miri, which runs it on a big-endian 32-bit machine.
#[test]
fn few_inserts_set_the_golden_bits() {
    assert_golden(20, include_str!("golden/checksums_of_20_turns.txt"));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn many_inserts_set_the_golden_bits() {
    assert_golden(300, include_str!("golden/checksums.txt"));
}
