//! What the firmware does on emulated cores: the same bits as on the host, the expected transcript, and a
//! filter in `.bss`.

mod support;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

const CORES: [(&str, &str); 3] = [
    ("thumbv6m-none-eabi", "microbit"),
    ("thumbv7m-none-eabi", "mps2-an385"),
    ("thumbv7em-none-eabihf", "mps2-an386"),
];

/// The host's bits are compared with the same file in `same_bits.rs`.
#[test]
fn same_inserts_give_the_same_bits_on_every_core() {
    for (triple, machine) in CORES {
        let bench = support::root().join("benches/target");
        let folder = support::build(
            &bench,
            triple,
            &["--no-default-features", "--bin", "agreement"],
        );
        assert_eq!(
            support::run(machine, &folder.join("agreement")),
            include_str!("golden/checksums.txt"),
            "{triple}"
        );
    }
}

#[test]
fn an_interrupt_and_the_main_loop_insert_at_once_and_no_key_is_lost() {
    for (triple, machine) in &CORES[..2] {
        let bench = support::root().join("benches/target");
        let folder = support::build(
            &bench,
            triple,
            &["--no-default-features", "--bin", "interrupts"],
        );
        assert_eq!(
            support::run_in_step(machine, &folder.join("interrupts")),
            include_str!("expected/interrupts.txt"),
            "{triple}"
        );
    }
}

#[test]
fn the_example_prints_its_transcript_and_keeps_its_filter_in_bss() {
    let folder = support::build(
        support::root(),
        "thumbv7m-none-eabi",
        &["--example", "seen"],
    );
    let elf = folder.join("examples/seen");
    assert_eq!(
        support::run("mps2-an385", &elf),
        include_str!("expected/seen.txt")
    );

    let bytes = std::fs::read(&elf).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name().is_ok_and(|name| name.contains("SEEN")))
        .expect("the ELF has the filter's symbol");
    // 504 blocks for 26,000 keys at 1 %, and the line of the seed.
    assert_eq!(symbol.size(), 505 * 64);
    let section = file
        .section_by_index(symbol.section_index().unwrap())
        .unwrap();
    assert_eq!(section.kind(), SectionKind::UninitializedData);
    assert_eq!(section.name(), Ok(".bss"));

    // The deny list is a constant: it lies in flash and costs no RAM.
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name().is_ok_and(|name| name.contains("BLOCKED")))
        .expect("the ELF has the deny list's symbol");
    assert!(
        symbol.address() < 0x2000_0000,
        "the deny list is not in flash"
    );
}
