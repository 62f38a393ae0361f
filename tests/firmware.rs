//! What the console's firmware does on the device: it answers, it loses nothing, it is small, and it says what
//! happened when it crashes. With `SUNDEW_SERIAL=/dev/ttyACM0` the tests talk to a board instead of QEMU.

mod support;

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use support::device::Device;
use support::transcript::{self, Face};

const TRIPLE: &str = "thumbv7m-none-eabi";
const MACHINE: &str = "mps2-an385";

const FLASH_LIMIT: u64 = 16 * 1024;
/// Of RAM besides filters and arena, with the stack.
const RAM_LIMIT: u64 = 4 * 1024;

fn elf(example: &str) -> PathBuf {
    support::build(support::root(), TRIPLE, &["--example", example])
        .join("examples")
        .join(example)
}

fn shell() -> Device {
    Device::start(MACHINE, &elf("shell"))
}

#[test]
fn answers_clients_inline_and_in_frames() {
    let mut device = shell();
    device.ask(b"PING\r\n", b"+PONG\r\n");
    device.ask(b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n");
    device.ask(b"PING\r\n*1\r\n$4\r\nPING\r\n", b"+PONG\r\n+PONG\r\n");
    // A client sees no echo and no prompt.
    let rest = device.read_until_quiet(Duration::from_millis(200));
    assert_eq!(rest.escape_ascii().to_string(), "");
}

#[test]
fn a_bare_enter_gives_a_prompt() {
    let mut device = shell();
    transcript::check(&mut device, "ping.txt", Face::Client);
    device.send(b"\r");
    device.read_until(b"sundew> ");
    transcript::check(&mut device, "ping.txt", Face::Person);
}

#[test]
fn answers_a_thousand_commands_in_one_write() {
    let mut device = shell();
    // A real line does not wait for the device.
    let count = if device.is_board() { 50 } else { 1000 };
    let mut commands = b"PING\r\n".repeat(count);
    commands.extend_from_slice(b"RESET\r\n");
    let answers = device.send_long(&commands, b"+RESET\r\n");
    let mut expected = b"+PONG\r\n".repeat(count);
    expected.extend_from_slice(b"+RESET\r\n");
    assert!(answers == expected, "{}", answers.escape_ascii());
}

#[test]
fn loses_no_byte_when_it_is_too_busy_to_read() {
    let mut device = Device::boot(MACHINE, &elf("board"), Stdio::inherit());
    // Several times what the ring holds.
    let numbers: String = (0..1000).map(|number| format!("{number:04}\n")).collect();
    device.send(b"s");
    let echo = device.send_long(numbers.as_bytes(), b"0999\n");
    assert_eq!(String::from_utf8(echo).unwrap(), numbers);
}

#[test]
fn fits_its_flash_and_its_ram() {
    let elf = elf("shell");
    let bytes = std::fs::read(&elf).unwrap();
    let file = object::File::parse(&*bytes).unwrap();

    // What the image holds, code and constants and the initial values of variables.
    let flash: u64 = file.segments().map(|segment| segment.file_range().1).sum();
    assert!(flash <= FLASH_LIMIT, "{flash} bytes of flash");

    let size_in_bss = |name: &str| {
        let symbol = file
            .symbols()
            .find(|symbol| symbol.name().is_ok_and(|full| full.contains(name)))
            .unwrap_or_else(|| panic!("the ELF has no symbol {name}"));
        let section = symbol.section_index().unwrap();
        let section = file.section_by_index(section).unwrap();
        assert_eq!(section.name(), Ok(".bss"), "{name}");
        symbol.size()
    };
    // 19,532 blocks for a million keys, and the line of the seed.
    let urls = size_in_bss("4URLS");
    assert_eq!(urls, 19_533 * 64);
    let arena = size_in_bss("5ARENA");
    assert_eq!(arena, 256 * 1024);

    let statics: u64 = [".data", ".bss", ".uninit"]
        .map(|name| {
            file.section_by_name(name)
                .map_or(0, |section| section.size())
        })
        .iter()
        .sum();

    // The firmware counts the same, and its stack.
    let mut device = Device::boot(MACHINE, &elf, Stdio::inherit());
    device.send(b"INFO\r\n");
    let info = String::from_utf8(device.read_reply()).unwrap();
    let field = |name: &str| -> u64 {
        let line = info.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("INFO has no {name}:\n{info}"))
            .parse()
            .unwrap()
    };
    assert_eq!(field("static_ram:"), statics);
    let stack = field("stack_used:");
    let ram = statics - urls - arena + stack;
    assert!(
        ram <= RAM_LIMIT,
        "{ram} bytes of RAM, {stack} of them stack"
    );
    println!("{flash} bytes of flash, {ram} of RAM, {stack} of them stack");
}

#[test]
fn a_crash_says_what_and_where_and_exits_with_a_failure() {
    let elf = elf("board");
    for (cause, said, place) in [
        ("p", "-CRASH panic at examples/board.rs:", ": on demand\r\n"),
        ("f", "-CRASH HardFault at 0x", ", address 0xa0000000\r\n"),
    ] {
        let mut device = Device::boot(MACHINE, &elf, Stdio::inherit());
        device.send(cause.as_bytes());
        let (status, output) = device.wait();
        let output = String::from_utf8(output).unwrap();
        assert_eq!(status.code(), Some(1), "{output}");
        assert!(output.starts_with(said), "{output}");
        assert!(output.ends_with(place), "{output}");
    }
}

#[test]
fn logs_with_defmt_when_the_feature_is_on() {
    let folder = support::build_into(
        "target/firmware-defmt",
        support::root(),
        TRIPLE,
        &[
            "--config",
            ".cargo/defmt.toml",
            "--features",
            "defmt",
            "--example",
            "shell",
        ],
    );
    let mut device = Device::boot(MACHINE, &folder.join("examples/shell"), Stdio::piped());
    device.ask(b"PING\r\n", b"+PONG\r\n");
    assert!(!device.stop().is_empty(), "nothing was logged");
}
