//! `cargo xtask test flash`: the unmodified probe-rs flashes the boards' firmware to machines of QEMU.
//!
//! What this shows and what it does not: see [`crate::probe`].

use std::fs;

use crate::boards::{self, Board, Firmware};
use crate::emulated_board::{EmulatedBoard, FLASHABLE, Flashable};
use crate::probe::flash_stand_in::Function;
use crate::probe_rs::{PATIENCE, ProbeRs};
use crate::process::{Ended, Process};
use crate::{Outcome, root, setup};

/// What probe-rs knows of the boards' chips, for tests/chips.rs.
const CHIPS: &str = "boards/chips.txt";
/// What probe-rs says of an image that is not for the chip.
const DOES_NOT_FIT: &str = "No flash memory contains the entire requested memory range";

/// With how probe-rs tells of it. `probe-rs verify` exits with 0 in either case.
const SAME: &str = "Verification successful";
const DIFFERENT: &str = "Verification failed";

pub fn test() -> Outcome {
    check().map_err(|error| format!("{error}\nto repeat it:\n  cargo xtask test flash"))
}

fn check() -> Outcome {
    let probe_rs = ProbeRs::install()?;
    eprintln!("  chips");
    check_chips(&probe_rs)?;
    for flashable in &FLASHABLE {
        let board = boards::find(flashable.name)?;
        setup::set_up_emulator(board.triple)?;
        let mut bench = Bench {
            probe_rs: &probe_rs,
            board,
            flashable,
            machine: EmulatedBoard::start(flashable)?,
        };
        let algorithm = match bench.machine.probe.stand_in() {
            Some(algorithm) => format!("stand-in for {algorithm}"),
            None => "the flash algorithm of probe-rs, executed".into(),
        };
        eprintln!("  {} ({}), {algorithm}", board.name, flashable.chip);
        for (name, check) in CHECKS {
            eprintln!("    {name}");
            check(&mut bench).map_err(|error| format!("{}, {name}: {error}", board.name))?;
        }
    }
    Ok(())
}

type Check = fn(&mut Bench) -> Outcome;

/// In this order: each begins with what the one before left in flash.
const CHECKS: [(&str, Check); 7] = [
    ("verify finds an empty chip different", |bench| {
        let elf = bench.build(Firmware::Console)?;
        bench.verify(&elf, DIFFERENT)
    }),
    ("download, verify, erase, verify", download_and_erase),
    ("cargo run: flash, log, console", run),
    ("cargo embed: flash, console", embed),
    ("cargo run: a panic, with its backtrace", panic),
    ("refused: wrong chip", wrong_chip),
    ("refused: an image too large", too_large),
];

/// A board on the desk, if it were one.
struct Bench<'a> {
    probe_rs: &'a ProbeRs,
    board: &'static Board,
    flashable: &'static Flashable,
    machine: EmulatedBoard,
}

fn download_and_erase(bench: &mut Bench) -> Outcome {
    let elf = bench.build(Firmware::Console)?;
    succeeded(bench.call("download", &["--verify", &elf])?)?;
    bench.verify(&elf, SAME)?;
    succeeded(bench.call("erase", &[])?)?;
    bench.verify(&elf, DIFFERENT)?;

    let calls = |function| bench.machine.probe.stand_in_calls(function);
    match [
        Function::EraseSector,
        Function::ProgramPage,
        Function::EraseAll,
    ]
    .map(calls)
    {
        [None, None, None] | [Some(1..), Some(1..), Some(1..)] => Ok(()),
        calls => Err(format!(
            "the stand-in erased, programmed and emptied {calls:?} times"
        )),
    }
}

fn run(bench: &mut Bench) -> Outcome {
    let mut process = bench.cargo_run(Firmware::Console)?;
    process.wait_for("[INFO ] start ", PATIENCE)?;
    let uart = &mut bench.machine.uart;
    uart.ask("PING\r\n", "+PONG\r\n")?;
    uart.ask("BF.ADD urls https://example.com/\r\n", ":1\r\n")?;
    uart.ask("BF.ADD urls https://example.com/\r\n", ":0\r\n")?;

    process.interrupt()?;
    succeeded(process.end(PATIENCE)?)?;
    // It was not reset.
    let uart = &mut bench.machine.uart;
    uart.ask("BF.EXISTS urls https://example.com/\r\n", ":1\r\n")?;
    uart.ask("BF.EXISTS urls https://example.org/\r\n", ":0\r\n")?;
    let elf = bench.build(Firmware::Console)?;
    bench.verify(&elf, SAME)?;
    bench
        .machine
        .uart
        .ask("BF.EXISTS urls https://example.com/\r\n", ":1\r\n")
}

/// It takes over the terminal to show the log, so it gets one.
fn embed(bench: &mut Bench) -> Outcome {
    succeeded(bench.call("erase", &[])?)?;
    let process = bench.probe_rs.cargo_embed(&bench.machine, bench.board)?;
    let uart = &mut bench.machine.uart;
    uart.wait_for_answer("PING\r\n", "+PONG\r\n")?;
    drop(process);
    let elf = bench.build(Firmware::Console)?;
    bench.verify(&elf, SAME)
}

fn panic(bench: &mut Bench) -> Outcome {
    let mut process = bench.cargo_run(Firmware::Trial)?;
    process.wait_for("Finished", PATIENCE)?;
    let uart = &mut bench.machine.uart;
    uart.wait_for_answer("x", "x")?;
    uart.send("p")?;
    let report = uart.read_until("\r\n")?;
    if !report.starts_with("-CRASH panic at ") || !report.ends_with(": on demand\r\n") {
        return Err(format!("the crash is reported as {report:?}"));
    }
    let ended = process.end(PATIENCE)?;
    if ended.status.code() != Some(1) {
        return Err(format!("{}, not code 1:\n{}", ended.status, ended.output));
    }
    contains(&ended, "[ERROR] panic at ")?;
    contains(&ended, "Frame 0:")?;
    contains(&ended, "trial.rs")?;
    contains(&ended, "main")
}

fn wrong_chip(bench: &mut Bench) -> Outcome {
    let elf = bench.build(Firmware::Trial)?;
    let other = FLASHABLE
        .iter()
        .find(|other| other.chip != bench.flashable.chip);
    let other = other.ok_or("there is one board only")?.chip;
    let call = |chip| {
        let arguments = ["--disable-progressbars", &elf];
        bench
            .probe_rs
            .run(&bench.machine, "download", chip, &arguments)
    };
    failed(call(other)?, DOES_NOT_FIT)?;
    failed(call("nRF51822_xxZZ")?, "was not found")?;
    bench.verify(&elf, SAME)
}

fn too_large(bench: &mut Bench) -> Outcome {
    let elf = bench.build(Firmware::Trial)?;
    let flash = &bench.flashable.emulated.flash;
    let image = root().join("target/probe-rs").join("too_large.bin");
    let length = (flash.end - flash.start) as usize + 1;
    fs::create_dir_all(root().join("target/probe-rs"))
        .and_then(|()| fs::write(&image, vec![0; length]))
        .map_err(|error| format!("{}: {error}", image.display()))?;
    let base = format!("{:#x}", flash.start);
    let image = image.to_string_lossy();
    let ended = bench.call(
        "download",
        &["--binary-format", "bin", "--base-address", &base, &image],
    )?;
    failed(ended, DOES_NOT_FIT)?;
    bench.verify(&elf, SAME)
}

impl Bench<'_> {
    /// As `cargo run` does. Returns the path of the ELF.
    fn build(&self, firmware: Firmware) -> Outcome<String> {
        let elf = self.board.build(firmware)?;
        Ok(elf.to_string_lossy().into_owned())
    }

    fn cargo_run(&self, firmware: Firmware) -> Outcome<Process> {
        self.probe_rs.cargo_run(&self.machine, self.board, firmware)
    }

    fn call(&self, command: &str, arguments: &[&str]) -> Outcome<Ended> {
        self.probe_rs
            .run(&self.machine, command, self.flashable.chip, arguments)
    }

    fn verify(&self, elf: &str, finding: &str) -> Outcome {
        let ended = self.call("verify", &[elf])?;
        contains(&ended, finding)?;
        succeeded(ended)
    }
}

fn succeeded(ended: Ended) -> Outcome {
    if ended.status.success() {
        Ok(())
    } else {
        Err(format!("{}; it printed\n{}", ended.status, ended.output))
    }
}

/// Refused, and for this reason.
fn failed(ended: Ended, reason: &str) -> Outcome {
    contains(&ended, reason)?;
    if ended.status.code() == Some(1) {
        Ok(())
    } else {
        Err(format!("{}, not code 1:\n{}", ended.status, ended.output))
    }
}

fn contains(ended: &Ended, text: &str) -> Outcome {
    if ended.output.contains(text) {
        Ok(())
    } else {
        Err(format!("no `{text}` in what it printed:\n{}", ended.output))
    }
}

/// Whether [`CHIPS`] is what probe-rs says; `SUNDEW_BLESS=1` writes it anew, from the names in it.
fn check_chips(probe_rs: &ProbeRs) -> Outcome {
    let path = root().join(CHIPS);
    let problem = |error: std::io::Error| format!("{CHIPS}: {error}");
    let known = fs::read_to_string(&path).map_err(problem)?;
    let chips: Vec<String> = known
        .split("\n\n")
        .filter_map(|block| block.lines().next())
        .map(|chip| probe_rs.chip_info(chip))
        .collect::<Outcome<_>>()?;
    let chips = chips.join("\n");
    if std::env::var_os("SUNDEW_BLESS").is_some_and(|value| value == "1") {
        return fs::write(&path, chips).map_err(problem);
    }
    if chips == known {
        Ok(())
    } else {
        Err(format!(
            "{CHIPS} is not what probe-rs says:\n{chips}\nto write it anew:\n  \
             SUNDEW_BLESS=1 cargo xtask test flash"
        ))
    }
}
