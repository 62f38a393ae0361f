//! What the console's firmware does on the device: it answers, it loses nothing, it is small, and it says what
//! happened when it crashes. With `SUNDEW_SERIAL=/dev/ttyACM0` the tests talk to a board instead of QEMU.

mod support;

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};
use support::device::Device;
use support::transcript::{self, Face};

const TRIPLE: &str = "thumbv7m-none-eabi";
const MACHINE: &str = "mps2-an385";

/// All parts of the console that need no flash of their own.
const WHOLE: &str = "shell-families,shell-dumps";
/// Instructions of a BF.ADD among others of the same key, and of one that follows another command.
const COST_LIMITS: [(&str, u32); 2] = [("again all ", 2_500), ("turns all ", 4_000)];
/// Of RAM besides filters and arena, with the stack.
const RAM_LIMIT: u64 = 4 * 1024;

fn elf(example: &str) -> PathBuf {
    let arguments = ["--features", WHOLE, "--example", example];
    support::build(support::root(), TRIPLE, &arguments)
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
fn clients_and_people_get_what_the_transcripts_say() {
    let mut device = shell();
    transcript::check(&mut device, "client.txt", Face::Client);
    transcript::check(&mut device, "tour.txt", Face::Person);
    // A Redis frame works after a person used the port.
    device.ask(b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n");
}

#[test]
fn the_readme_shows_the_tour() {
    let tour = include_str!("expected/tour.txt");
    let shown: String = tour
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| match line.strip_prefix("> ") {
            Some(typed) => format!("sundew> {typed}\n"),
            None => format!("{line}\n"),
        })
        .collect();
    assert!(
        include_str!("../README.md").contains(&shown),
        "the README should have:\n{shown}"
    );
}

/// The device and a set get the same items; it may be wrong only about ones that it never got.
#[test]
fn the_device_agrees_with_a_set() {
    let mut device = shell();
    // Fixed, so that a failure can be repeated: a generator of Lehmer's.
    let mut state = 20_261_118_u32;
    let mut random = |below: u32| {
        state = (u64::from(state) * 48_271 % 2_147_483_647) as u32;
        state % below
    };
    device.ask(b"BF.RESERVE model 0.01 200\r\n", b"+OK\r\n");
    let mut set = HashSet::new();
    let mut wrong = 0;
    for _ in 0..150 {
        // Several commands in one write, some of many items.
        let mut frames = String::new();
        let mut asked = Vec::new();
        for _ in 0..random(6) + 1 {
            let command = ["BF.MADD", "BF.MEXISTS"][random(2) as usize];
            let items: Vec<String> = (0..random(5) + 1)
                .map(|_| format!("item {}", random(900)))
                .collect();
            frames += &format!(
                "*{}\r\n${}\r\n{command}\r\n$5\r\nmodel\r\n",
                items.len() + 2,
                command.len()
            );
            items
                .iter()
                .for_each(|item| frames += &format!("${}\r\n{item}\r\n", item.len()));
            asked.push((command, items));
        }
        device.send(frames.as_bytes());
        for (command, items) in asked {
            let reply = String::from_utf8(device.read_reply()).unwrap();
            let answers: Vec<&str> = reply.lines().skip(1).collect();
            assert_eq!(answers.len(), items.len(), "{reply}");
            for (item, answer) in items.into_iter().zip(answers) {
                let is_known = set.contains(&item);
                let says_known = answer == if command == "BF.MADD" { ":0" } else { ":1" };
                assert!(says_known || !is_known, "forgot {item}: {answer}");
                wrong += u32::from(says_known && !is_known);
                if command == "BF.MADD" {
                    set.insert(item);
                }
            }
        }
    }
    assert!(set.len() > 500, "{}", set.len());
    assert!(wrong < 30, "wrong {wrong} times");
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

/// As slow as a board: 31 million instructions a second.
fn slow_shell() -> Device {
    Device::boot_with(MACHINE, &elf("shell"), |command| {
        command.stdin(Stdio::null()).args(["-icount", "shift=5"]);
    })
}

/// What waits in the ring meanwhile is not the rest of somebody who is gone.
#[test]
fn what_comes_while_it_is_busy_is_no_broken_frame() {
    let mut device = slow_shell();
    let dump = "*3\r\n$11\r\nBF.SCANDUMP\r\n$4\r\nurls\r\n$1\r\n0\r\n";
    // As lines the item would be commands.
    let item = format!("{}\r\nFLUSHALL\r\n", "x".repeat(30));
    let add = format!(
        "*3\r\n$6\r\nBF.ADD\r\n$4\r\nurls\r\n${}\r\n{item}\r\n",
        item.len()
    );
    let frames = dump.repeat(3) + &add + "*2\r\n$4\r\nECHO\r\n$4\r\ndone\r\n";
    let answers = device.send_long(frames.as_bytes(), b"$4\r\ndone\r\n");
    let starts = answers.windows(4).filter(|bytes| bytes == b"SNDW").count();
    let answers = answers.escape_ascii().to_string();
    assert_eq!(starts, 3, "{answers}");
    assert!(answers.ends_with(r":1\r\n$4\r\ndone\r\n"), "{answers}");
    device.ask(b"BF.CARD urls\r\n", b":1\r\n");
}

/// Whatever it does for each of them, it must not do for each of them: the watchdog would bite.
#[test]
fn two_thousand_keys_do_not_stop_it() {
    let mut device = slow_shell();
    let mut frames = String::new();
    for key in 0..2_000 {
        frames += &format!("BF.RESERVE {key} 0.01 1 NONSCALING\r\n");
    }
    frames += "ECHO done\r\n";
    let answers = device.send_long(frames.as_bytes(), b"$4\r\ndone\r\n");
    assert!(
        answers == [&b"+OK\r\n".repeat(2_000)[..], b"$4\r\ndone\r\n"].concat(),
        "{}",
        answers.escape_ascii()
    );
    let info = device.send_long(b"INFO\r\nECHO done\r\n", b"$4\r\ndone\r\n");
    let info = String::from_utf8(info).unwrap();
    assert!(info.contains("\r\nkey_1999:"), "{info}");
    device.ask(b"PING\r\n", b"+PONG\r\n");
}

/// The table of docs/console.md.
#[test]
fn every_part_of_the_console_takes_the_flash_that_its_page_says() {
    let rows = include_str!("../docs/console.md")
        .lines()
        .skip_while(|line| !line.starts_with("| features |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let mut num_rows = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let features = match cells[1] {
            "none" => "",
            features => features.trim_matches('`'),
        };
        let limit: u64 = cells[3].replace(',', "").parse().unwrap();
        // Into one folder, one after the other: what they share is built once.
        let folder = support::build_into(
            "target/firmware-parts",
            support::root(),
            TRIPLE,
            &["--features", features, "--example", "shell"],
        );
        let bytes = std::fs::read(folder.join("examples/shell")).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        // What the image holds, code and constants and the initial values of variables.
        let flash: u64 = file.segments().map(|segment| segment.file_range().1).sum();
        println!("{flash} bytes of flash with features \"{features}\"");
        assert!(
            (limit * 97 / 100..=limit).contains(&flash),
            "{flash} bytes of flash with features \"{features}\"; docs/console.md says {limit}"
        );
        num_rows += 1;
    }
    assert_eq!(num_rows, 3);
}

#[test]
fn fits_its_ram() {
    let elf = elf("shell");
    let bytes = std::fs::read(&elf).unwrap();
    let file = object::File::parse(&*bytes).unwrap();

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
    // And the unit that is nothing.
    assert_eq!(arena, 256 * 1024 + 64);

    let statics: u64 = [".data", ".bss", ".uninit"]
        .map(|name| {
            file.section_by_name(name)
                .map_or(0, |section| section.size())
        })
        .iter()
        .sum();

    // The firmware counts the same, and its stack.
    let mut device = Device::boot(MACHINE, &elf, Stdio::inherit());
    // What goes deepest comes first: working out sizes, reading filters, growing.
    device.ask(b"BF.RESERVE key 0.001 20\r\n", b"+OK\r\n");
    for command in [
        "plan 26000 0.0001%",
        "stats",
        "COMMAND DOCS",
        "BF.INFO key",
        "BF.DEBUG key",
    ] {
        device.send(format!("{command}\r\n").as_bytes());
        device.read_until_quiet(Duration::from_millis(300));
    }
    for i in 0..300 {
        device.send(format!("SUNDEW.SEEN key {i}\r\n").as_bytes());
        device.read_until(b"\r\n");
    }
    device.send(b"INFO\r\n");
    let info = String::from_utf8(device.read_reply()).unwrap();
    let field = |name: &str| -> u64 {
        let line = info.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("INFO has no {name}:\n{info}"))
            .parse()
            .unwrap()
    };
    assert_eq!(field("static_ram_bytes:"), statics);
    let stack = field("stack_high_water_bytes:");
    let ram = statics - urls - arena + stack;
    assert!(
        ram <= RAM_LIMIT,
        "{ram} bytes of RAM, {stack} of them stack"
    );
    println!("{ram} bytes of RAM, {stack} of them stack");
}

/// What the interrupt, the ring and the shell do for a pipelined BF.ADD of an 80-byte item, 113 bytes in all;
/// `cargo xtask bench shell` shows the parts.
#[test]
fn an_item_costs_no_more_instructions_than_it_did() {
    let output = support::run_in_step(MACHINE, &elf("shell_cost"));
    for (name, limit) in COST_LIMITS {
        let all: u32 = output
            .lines()
            .find_map(|line| line.strip_prefix(name)?.parse().ok())
            .unwrap_or_else(|| panic!("no sum in\n{output}"));
        assert!(all <= limit, "{output}");
    }
}

#[test]
fn a_crash_says_what_and_where_and_exits_with_a_failure() {
    let elf = elf("board");
    for (cause, said, place) in [
        (
            "p",
            "-CRASH panic at common/src/trial.rs:",
            ": on demand\r\n",
        ),
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
            "defmt,shell-families,shell-dumps",
            "--example",
            "shell",
        ],
    );
    let mut device = Device::boot(MACHINE, &folder.join("examples/shell"), Stdio::piped());
    device.ask(b"PING\r\n", b"+PONG\r\n");
    assert!(!device.stop().is_empty(), "nothing was logged");
}
