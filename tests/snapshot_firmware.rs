//! Snapshots on emulated cores: a deny list in flash that takes no RAM, filters that are as fast there, and how much
//! code it takes to decompress.

mod support;

use object::{Object, ObjectSection, ObjectSymbol};

const M0: (&str, &str, f64) = ("thumbv6m-none-eabi", "microbit", 16e6);
const M3: (&str, &str, f64) = ("thumbv7m-none-eabi", "mps2-an385", 25e6);

#[test]
fn a_deny_list_of_20000_domains_takes_25_kb_of_flash_and_no_ram() {
    let (triple, machine, _) = M0;
    let example = support::root().join("examples/deny_list");
    let elf = support::build(&example, triple, &[]).join("deny_list");
    assert_eq!(
        support::run(machine, &elf),
        include_str!("expected/deny_list.txt")
    );

    let bytes = std::fs::read(&elf).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let list = file
        .symbols()
        .find(|symbol| symbol.name().is_ok_and(|name| name.contains("DENY_LIST")))
        .expect("the ELF has the list's symbol");
    assert!(list.size() <= 25_000, "{} bytes", list.size());
    assert!(list.address() < 0x2000_0000, "the list is not in flash");
    assert_eq!(list.address() % 64, 0);
    // Not only of the list: the whole program has no variable.
    for name in [".data", ".bss", ".uninit"] {
        let size = file.section_by_name(name).map_or(0, |found| found.size());
        assert_eq!(size, 0, "{name}");
    }
}

/// By instructions. The filter in RAM has its size in the type, where a snapshot has it in memory, which must be read.
#[test]
fn filters_in_flash_are_about_as_fast_as_in_ram() {
    /// Instructions more of the blocked filter, and by how much more the others.
    const MORE: f64 = 15.0;
    const MORE_OF_OTHERS: f64 = 0.25;
    const KEYS: f64 = 256.0;
    for (triple, machine, hertz) in [M0, M3] {
        let bench = support::root().join("benches/target");
        let arguments = ["--no-default-features", "--bin", "in_place"];
        let elf = support::build(&bench, triple, &arguments).join("in_place");
        let output = support::run_in_step(machine, &elf);
        assert_eq!(output.lines().count(), 10, "{output}");
        for line in output.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let [name, what, in_ram, in_place, empty] = fields[..] else {
                panic!("{line}");
            };
            let number = |field: &str| field.parse::<f64>().unwrap();
            // An instruction takes 2^8 ns of QEMU's clock.
            let instructions =
                |ticks: &str| (number(ticks) - number(empty)) / hertz * 1e9 / 256.0 / KEYS;
            let (ram, flash) = (instructions(in_ram), instructions(in_place));
            println!("{machine} {name} {what}: {ram:.1} in RAM, {flash:.1} in place");
            let is_blocked = name.starts_with("blocked");
            let more = if is_blocked {
                MORE
            } else {
                ram * MORE_OF_OTHERS
            };
            assert!(
                flash <= ram + more,
                "{machine} {name} {what}: {ram:.1} in RAM, {flash:.1} in place"
            );
        }
    }
}

#[test]
fn the_decoder_takes_less_than_1_kb_of_code() {
    for (triple, machine, _) in [M0, M3] {
        let bench = support::root().join("benches/target");
        let arguments = ["--no-default-features", "--bin", "decompress"];
        let elf = support::build(&bench, triple, &arguments).join("decompress");
        let printed = support::run(machine, &elf);
        assert!(
            printed.starts_with("restored 4096 bytes from "),
            "{printed}"
        );

        let bytes = std::fs::read(&elf).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let decoder: Vec<(&str, u64)> = file
            .symbols()
            .filter_map(|symbol| Some((symbol.name().ok()?, symbol.size())))
            .filter(|(name, _)| name.contains("snapshot4rice7Decoder"))
            .collect();
        let size: u64 = decoder.iter().map(|(_, size)| size).sum();
        println!("{triple}: {size} bytes");
        assert!(size > 0, "the ELF has no symbol of the decoder");
        assert!(size < 1024, "{triple}: {decoder:?}");
    }
}
