//! Persistence on QEMU's micro:bit, with the flash controller of its nRF51: reset in the middle of a save, boot,
//! query.

mod support;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

use support::device::Device;

fn firmware(name: &str) -> PathBuf {
    let bench = support::root().join("benches/target");
    let arguments = ["--no-default-features", "--bin", name];
    support::build(&bench, "thumbv6m-none-eabi", &arguments).join(name)
}

/// The emulated board and the monitor of its emulator.
struct Board {
    device: Device,
    monitor: TcpStream,
}

impl Board {
    fn boot() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().unwrap().port();
        let monitor = format!("tcp:127.0.0.1:{port}");
        let arguments = ["-monitor", &monitor];
        let elf = firmware("persist");
        let device = Device::boot_with("microbit", &elf, |command| {
            command.args(arguments).stdin(Stdio::null());
        });
        // It has connected before it started the machine.
        let (monitor, _) = listener.accept().unwrap();
        Self { device, monitor }
    }

    fn reset(&mut self) {
        self.monitor.write_all(b"system_reset\n").unwrap();
    }

    /// Which version the board found when it booted, whole.
    fn booted_version(&mut self) -> u32 {
        self.device.read_until(b"boot ");
        self.version()
    }

    fn version(&mut self) -> u32 {
        let line = String::from_utf8(self.device.read_until(b"\n")).unwrap();
        let version = line.strip_suffix(" whole\n");
        let version = version.unwrap_or_else(|| panic!("boot {line}"));
        version.parse().unwrap()
    }
}

/// Two pages, 16 pieces of the filter, two heads, and the one that counts.
const STEPS: u32 = 2 + 16 + 2 + 1;

#[test]
fn a_reset_after_any_step_leaves_the_old_version_or_the_new() {
    let mut board = Board::boot();
    assert_eq!(board.booted_version(), 0);
    let mut version = 0;
    // First a whole save, so that there is something to lose.
    for steps in [STEPS].into_iter().chain(0..=STEPS) {
        let dots = ".".repeat(steps.min(STEPS - 1) as usize);
        board
            .device
            .ask(format!("n{dots}").as_bytes(), format!("n{dots}").as_bytes());
        if steps == STEPS {
            version += 1;
            board.device.ask(b".", format!("{version}\n").as_bytes());
        }
        board.reset();
        assert_eq!(board.booted_version(), version, "after {steps} steps");
    }
}

#[test]
fn a_reset_at_any_moment_leaves_the_last_version_that_was_saved_or_the_one_in_the_making() {
    let mut board = Board::boot();
    assert_eq!(board.booted_version(), 0);
    let mut last = 0;
    for round in 0..12_u32 {
        board.device.send(b"!");
        let started = Instant::now();
        board
            .device
            .read_until(format!("{}\n", last + 1).as_bytes());
        // Somewhere in the next save, or the one after: between two words of a write, too.
        std::thread::sleep(started.elapsed() * (round * 37 % 20) / 10);
        board.reset();
        let printed = String::from_utf8(board.device.read_until(b"boot ")).unwrap();
        // The last line may be cut.
        let whole_lines = printed.rsplit_once('\n').map_or("", |(lines, _)| lines);
        let last_printed = whole_lines.lines().last().map(|line| line.parse().unwrap());
        let printed = last_printed.unwrap_or(last + 1);
        let found = board.version();
        assert!(
            found == printed || found == printed + 1,
            "{printed}, then {found}"
        );
        last = found;
    }
    assert!(last >= 12, "{last}");
}

/// What `docs/persistence.md` says, within 2 %: another compiler counts a little differently.
#[test]
fn a_step_takes_so_many_instructions() {
    let printed = support::run_in_step("microbit", &firmware("persist_cost"));
    let expected = include_str!("expected/persist_cost.txt");
    let parse = |text: &str| -> (Vec<String>, Vec<f64>) {
        let (numbers, words) = text
            .split_whitespace()
            .map(|word| word.trim_end_matches(','))
            .partition::<Vec<_>, _>(|word| word.parse::<f64>().is_ok());
        let words = words.into_iter().map(str::to_owned).collect();
        (
            words,
            numbers.iter().map(|word| word.parse().unwrap()).collect(),
        )
    };
    let ((words, numbers), (expected_words, expected_numbers)) = (parse(&printed), parse(expected));
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= b * 0.02;
    assert!(
        words == expected_words && numbers.iter().zip(&expected_numbers).all(is_near),
        "printed:\n{printed}"
    );
}
