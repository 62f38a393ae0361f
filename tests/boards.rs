//! What every board does that QEMU runs: the console answers as on the default machine, a crash is reported and
//! leaves its mark, the watchdog bites, and idle is sleep.

#[path = "../xtask/src/boards/table.rs"]
#[allow(dead_code)]
mod boards;
mod support;

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use boards::{BOARDS, Board, Firmware, Machine};
use support::device::Device;
use support::transcript::{self, Face};

/// Builds what QEMU runs, one after the other, at the first call.
fn elf(board: &Board, firmware: Firmware) -> PathBuf {
    static CONSOLES: OnceLock<()> = OnceLock::new();
    static TRIALS: OnceLock<()> = OnceLock::new();

    let once = match firmware {
        Firmware::Trial => &TRIALS,
        Firmware::Console | Firmware::Crawl => &CONSOLES,
    };
    once.get_or_init(|| {
        for (board, _) in emulated() {
            support::build_into(
                firmware.target_folder(),
                &support::root().join(board.folder()),
                board.triple,
                &board.build_arguments(firmware),
            );
        }
    });
    (support::root().join(firmware.target_folder()))
        .join(board.triple)
        .join("release")
        .join(board.elf(firmware))
}

fn emulated() -> impl Iterator<Item = (&'static Board, Machine)> {
    (BOARDS.iter()).filter_map(|board| board.machine().map(|machine| (board, machine)))
}

/// Runs a test on every board that QEMU runs, side by side.
fn on_every_board(test: impl Fn(&'static Board, Machine) + Sync) {
    thread::scope(|scope| {
        for (board, machine) in emulated() {
            let test = &test;
            (thread::Builder::new().name(board.name.into()))
                .spawn_scoped(scope, move || test(board, machine))
                .expect("a thread starts");
        }
    });
}

fn boot(board: &Board, machine: Machine, firmware: Firmware) -> Device {
    boot_with(board, machine, firmware, |_| {})
}

/// Boots it and waits until it answers: some of QEMU's UARTs drop what comes before they are started.
fn boot_with(
    board: &Board,
    machine: Machine,
    firmware: Firmware,
    adjust: impl FnOnce(&mut Command),
) -> Device {
    let mut device = Device::boot_with(machine.name, &elf(board, firmware), |command| {
        command.stdin(Stdio::null());
        adjust(command);
    });
    wait_for(&mut device);
    device
}

/// QEMU takes commands from its standard input.
fn with_monitor(command: &mut Command) {
    command
        .args(["-monitor", "stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
}

fn wait_for(device: &mut Device) {
    let started = Instant::now();
    loop {
        // An echo will do, too.
        device.send(b"PING\r\n");
        if !device
            .read_until_quiet(Duration::from_millis(300))
            .is_empty()
        {
            return;
        }
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "the device is silent"
        );
    }
}

/// A number in INFO.
fn field(device: &mut Device, name: &str) -> String {
    device.send(b"INFO\r\n");
    let info = String::from_utf8(device.read_reply()).unwrap();
    let value = info
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value
        .unwrap_or_else(|| panic!("INFO has no {name}:\n{info}"))
        .to_string()
}

#[test]
fn clients_and_people_get_what_the_transcripts_say() {
    on_every_board(|board, machine| {
        let mut device = boot(board, machine, Firmware::Console);
        transcript::check(&mut device, "board_client.txt", Face::Client);
        transcript::check(&mut device, "board_person.txt", Face::Person);
        // A Redis frame works after a person used the port.
        device.ask(b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n");
    });
}

/// QEMU's UARTs know no speed; that of the micro:bit is compared with its manual by the compiler.
#[test]
fn a_console_of_a_million_baud_answers() {
    let is_wanted = |name: &str| matches!(name, "microbit" | "lm3s6965evb");
    for (board, machine) in emulated().filter(|(board, _)| is_wanted(board.name)) {
        let folder = support::build_into(
            "target/boards-fast",
            &support::root().join(board.folder()),
            board.triple,
            &["--config", "env.SUNDEW_BAUD='1000000'"],
        );
        let elf = folder.join(board.elf(Firmware::Console));
        let mut device = Device::boot(machine.name, &elf, Stdio::null());
        wait_for(&mut device);
        device.ask(b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n");
    }
}

#[test]
fn the_table_tells_of_the_filter_that_the_device_has() {
    on_every_board(|board, machine| {
        let mut device = boot(board, machine, Firmware::Console);
        assert_eq!(field(&mut device, "board"), board.name);
        let expected = format!(
            "items=0,capacity={},bytes={},full=0%,rate=0%",
            board.capacity, board.filter_bytes
        );
        assert_eq!(field(&mut device, "key_urls"), expected, "{}", board.name);
    });
}

/// 2,000 items in frames of 20, far more at once than the ring holds.
fn add_and_ask(board: &Board, device: &mut Device) {
    let mut wrong = 0;
    for command in ["BF.MADD", "BF.MEXISTS"] {
        let mut frames = String::new();
        for frame in 0..100 {
            frames += &format!("*22\r\n${}\r\n{command}\r\n$4\r\nurls\r\n", command.len());
            (0..20).for_each(|i| frames += &format!("$8\r\nkey{:05}\r\n", frame * 20 + i));
        }
        frames += "RESET\r\n";
        let replies = device.send_long(frames.as_bytes(), b"+RESET\r\n");
        let replies = String::from_utf8(replies).unwrap();
        assert_eq!(replies.matches("*20\r\n").count(), 100, "{}", board.name);
        let ones = replies.matches(":1\r\n").count();
        match command {
            "BF.MADD" => wrong += 2_000 - ones,
            _ => assert_eq!(ones, 2_000, "{} forgot an item", board.name),
        }
    }
    // The smallest filter is filled to a third.
    assert!(wrong <= 4, "{}: wrong {wrong} times", board.name);
}

#[test]
fn a_filter_of_the_board_forgets_nothing() {
    on_every_board(|board, machine| {
        add_and_ask(board, &mut boot(board, machine, Firmware::Console));
    });
}

#[test]
fn a_crash_says_what_happened_and_the_next_start_remembers() {
    on_every_board(|board, machine| {
        for (cause, said, reason) in [
            ("p", "-CRASH panic at common/src/trial.rs:", "panic"),
            ("f", "-CRASH HardFault at 0x", "hard-fault"),
            ("o", "-CRASH stack overflow, sp 0x", "stack-overflow"),
        ] {
            let mut device = boot(board, machine, Firmware::Trial);
            device.ask(b"b", b"1 power-on\n");
            device.send(cause.as_bytes());
            let output = device.read_until(b"\r\n");
            let output = String::from_utf8_lossy(&output);
            assert!(output.starts_with(said), "{}: {output}", board.name);
            if machine.exits_after_crash {
                let (status, rest) = device.wait();
                assert_eq!(status.code(), Some(1), "{}: {output}", board.name);
                assert_eq!(rest, b"", "{}", board.name);
            } else {
                wait_for(&mut device);
                device.ask(b"b", format!("2 {reason}\n").as_bytes());
            }
        }
    });
}

#[test]
fn a_fault_shows_the_registers() {
    on_every_board(|board, machine| {
        let mut device = boot(board, machine, Firmware::Trial);
        device.send(b"f");
        let output = String::from_utf8(device.read_until(b"\r\n")).unwrap();
        let names: HashSet<&str> = (output.split(", "))
            .filter_map(|part| part.split_once(" 0x"))
            .map(|(name, _)| name)
            .collect();
        for name in ["called from", "r0", "r1", "r2", "r3", "r12", "xpsr"] {
            assert!(names.contains(name), "{}: {output}", board.name);
        }
        // A Cortex-M0 does not know which fault it was.
        let has_status = board.core != "Cortex-M0";
        assert_eq!(names.contains("status"), has_status, "{output}");
    });
}

#[test]
fn the_watchdog_ends_a_main_loop_that_stands_still() {
    on_every_board(|board, machine| {
        if !machine.has_watchdog {
            return;
        }
        let mut device = boot(board, machine, Firmware::Trial);
        // Idle for longer than it waits: sleep is not standing still.
        thread::sleep(Duration::from_secs(5));
        device.ask(b"b", b"1 power-on\n");
        device.ask(b"w", b"-CRASH watchdog: the main loop stood still\r\n");
        wait_for(&mut device);
        device.ask(b"b", b"2 watchdog\n");
    });
}

#[test]
fn a_reset_is_counted_and_told() {
    on_every_board(|board, machine| {
        let mut device = boot_with(board, machine, Firmware::Console, with_monitor);
        assert_eq!(field(&mut device, "boot_count"), "1", "{}", board.name);
        assert_eq!(
            field(&mut device, "reset_reason"),
            "power-on",
            "{}",
            board.name
        );
        let mut monitor = device.emulator().stdin.take().unwrap();
        monitor.write_all(b"system_reset\n").unwrap();
        thread::sleep(Duration::from_secs(1));
        wait_for(&mut device);
        assert_eq!(field(&mut device, "boot_count"), "2", "{}", board.name);
        assert_eq!(
            field(&mut device, "reset_reason"),
            "reset",
            "{}",
            board.name
        );
    });
}

/// The micro:bit saves to its own flash, whose controller QEMU emulates.
#[test]
fn the_microbit_has_its_keys_after_a_reset_even_in_the_middle_of_a_save() {
    let (board, machine) = emulated()
        .find(|(board, _)| board.name == "microbit")
        .expect("a micro:bit");
    let mut device = boot_with(board, machine, Firmware::Console, with_monitor);
    let mut monitor = device.emulator().stdin.take().unwrap();
    let mut restart = |device: &mut Device| {
        monitor.write_all(b"system_reset\n").unwrap();
        thread::sleep(Duration::from_millis(300));
        wait_for(device);
    };
    device.ask(b"CF.RESERVE cuckoo 50\r\n", b"+OK\r\n");
    for command in [
        "BF.ADD urls first",
        "CF.ADD cuckoo first",
        "BF.ADD grown first",
    ] {
        device.ask(format!("{command}\r\n").as_bytes(), b":1\r\n");
    }
    device.ask(b"SUNDEW.SAVE\r\n", b"+Background saving started\r\n");
    while field(&mut device, "save_in_progress") == "1" {}
    assert_eq!(field(&mut device, "save_error"), "");
    assert_eq!(field(&mut device, "save_sequence"), "1");
    restart(&mut device);
    for command in [
        "BF.EXISTS urls first",
        "CF.EXISTS cuckoo first",
        "BF.EXISTS grown first",
    ] {
        device.ask(format!("{command}\r\n").as_bytes(), b":1\r\n");
    }
    device.ask(b"BF.EXISTS urls second\r\n", b":0\r\n");

    // Resets at arbitrary moments of a save: the one before counts, or the new one.
    for turn in 0..8 {
        device.ask(format!("BF.ADD urls turn-{turn}\r\n").as_bytes(), b":1\r\n");
        device.ask(b"SUNDEW.SAVE\r\n", b"+Background saving started\r\n");
        thread::sleep(Duration::from_millis(turn * 20));
        restart(&mut device);
        device.ask(b"BF.EXISTS urls first\r\n", b":1\r\n");
        device.ask(b"CF.EXISTS cuckoo first\r\n", b":1\r\n");
        assert_eq!(field(&mut device, "save_error"), "");
    }
    for turn in 0..8 {
        // It may be there or not.
        device.send(format!("BF.ADD urls turn-{turn}\r\n").as_bytes());
        device.read_reply();
    }
    device.ask(b"SUNDEW.SAVE\r\n", b"+Background saving started\r\n");
    while field(&mut device, "save_in_progress") == "1" {}
    restart(&mut device);
    for turn in 0..8 {
        device.ask(
            format!("BF.EXISTS urls turn-{turn}\r\n").as_bytes(),
            b":1\r\n",
        );
    }
}

/// QEMU tells of every instruction that it executes.
#[test]
fn an_idle_console_executes_fewer_than_2000_instructions_a_second() {
    on_every_board(|board, machine| {
        let mut device = boot_with(board, machine, Firmware::Console, |command| {
            with_monitor(command);
            command.arg("-singlestep").stderr(Stdio::piped());
        });
        let mut monitor = device.emulator().stdin.take().unwrap();
        let log = device.emulator().stderr.take().unwrap();
        let executed = Arc::new(AtomicU64::new(0));
        let counter = executed.clone();
        thread::spawn(move || {
            for line in BufReader::new(log).split(b'\n').map_while(Result::ok) {
                counter.fetch_add(line.starts_with(b"Trace ").into(), Ordering::Relaxed);
            }
        });
        let uptime =
            |device: &mut Device| -> u64 { field(device, "uptime_in_seconds").parse().unwrap() };

        let start = uptime(&mut device);
        // The answer is over, and what follows it: for six seconds the shell looks at the clock.
        thread::sleep(Duration::from_secs(8));
        monitor.write_all(b"log exec,nochain\n").unwrap();
        thread::sleep(Duration::from_secs(1));
        let before = executed.load(Ordering::Relaxed);
        thread::sleep(Duration::from_secs(6));
        let instructions = executed.load(Ordering::Relaxed) - before;
        // By the device's clock. One second less, because it shows whole ones.
        let seconds = uptime(&mut device) - start - 9 - 1;
        println!("{}: {instructions} in {seconds} s", board.name);
        assert!(seconds >= 3, "{}: {seconds} s", board.name);
        assert!(instructions > 100, "{}: it does not run", board.name);
        let rate = instructions / seconds;
        assert!(rate < 2_000, "{}: {rate} a second", board.name);
    });
}

/// As on the other boards; rp2040js resets nothing, so there are no crashes here.
#[test]
fn the_pico_answers_in_rp2040js() {
    let board = Board::find("pico").unwrap();
    let modules = support::root()
        .join(boards::RP2040JS_FOLDER)
        .join("node_modules");
    assert!(
        modules.join("rp2040js").exists(),
        "rp2040js is missing: npm install --prefix {} {}",
        boards::RP2040JS_FOLDER,
        boards::RP2040JS
    );
    let elf = support::build_into(
        Firmware::Console.target_folder(),
        &support::root().join(board.folder()),
        board.triple,
        &board.build_arguments(Firmware::Console),
    )
    .join(board.elf(Firmware::Console));
    let mut device = Device::boot_by(|port| {
        let mut command = Command::new("node");
        command
            .arg(support::root().join("boards/pico/emulate.cjs"))
            .arg(elf)
            .arg(format!("127.0.0.1:{port}"))
            .env("NODE_PATH", modules);
        command
    });
    wait_for(&mut device);
    assert_eq!(field(&mut device, "board"), board.name);
    let expected = format!(
        "items=0,capacity={},bytes={},",
        board.capacity, board.filter_bytes
    );
    assert!(field(&mut device, "key_urls").starts_with(&expected));
    transcript::check(&mut device, "board_client.txt", Face::Client);
    transcript::check(&mut device, "board_person.txt", Face::Person);
    add_and_ask(board, &mut device);
    assert_eq!(field(&mut device, "rx_bytes_lost"), "0");
}
