//! The command `probe-rs`, in the version that the checks were written for.

use std::ffi::OsString;
use std::fs;
use std::process::{Command, Output};
use std::time::Duration;

use crate::boards::{Board, Firmware};
use crate::call::Call;
use crate::emulated_board::EmulatedBoard;
use crate::process::{Ended, Process};
use crate::{Outcome, root, setup};

const VERSION: &str = "0.32.0";
const FOLDER: &str = "target/probe-rs";
/// A second is usual; a busy machine may need more.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct ProbeRs {
    /// With the program's own folder first, for cargo's runner.
    path: OsString,
}

impl ProbeRs {
    /// The user's own if it has the right version, else one below target/, which is built if it is missing.
    pub fn install() -> Outcome<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        if is_right("probe-rs") {
            return Ok(Self { path });
        }
        let bin = root().join(FOLDER).join("bin");
        if !is_right(&bin.join("probe-rs").to_string_lossy()) {
            build()?;
        }
        let bin = bin
            .canonicalize()
            .map_err(|error| format!("{FOLDER}: {error}"))?;
        let folders = std::iter::once(bin).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).map_err(|error| format!("PATH: {error}"))?;
        Ok(Self { path })
    }

    /// `probe-rs COMMAND --chip CHIP ARGUMENTS`, to its end. Its own exit code is for the caller to judge.
    pub fn run(
        &self,
        machine: &EmulatedBoard,
        command: &str,
        chip: &str,
        arguments: &[&str],
    ) -> Outcome<Ended> {
        let mut process = self.command("probe-rs", machine);
        process
            .args([command, "--chip", chip, "--non-interactive"])
            .args(arguments);
        Process::start(process)?.end(PATIENCE)
    }

    /// `cargo run --release` in the board's folder, as its user does; what the environment says about the probe is
    /// all that differs.
    pub fn cargo_run(
        &self,
        machine: &EmulatedBoard,
        board: &Board,
        firmware: Firmware,
    ) -> Outcome<Process> {
        let mut cargo = self.command("cargo", machine);
        cargo
            .current_dir(root().join(board.folder()))
            .args(["run", "--quiet", "--release", "--target-dir"])
            .arg(root().join(firmware.target_folder()))
            .args(board.build_arguments(firmware));
        Process::start(cargo)
    }

    /// `cargo embed --release` in the board's folder, at a terminal.
    pub fn cargo_embed(&self, machine: &EmulatedBoard, board: &Board) -> Outcome<Process> {
        let line = format!(
            "exec cargo embed --release --probe {}",
            machine.probe.selector()
        );
        let mut terminal = self.command("script", machine);
        terminal
            .current_dir(root().join(board.folder()))
            .env(
                "CARGO_TARGET_DIR",
                root().join(Firmware::Console.target_folder()),
            )
            .args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        Process::start(terminal)
    }

    /// What it knows of a chip.
    pub fn chip_info(&self, chip: &str) -> Outcome<String> {
        let mut info = Command::new("probe-rs");
        info.env("PATH", &self.path).args(["chip", "info", chip]);
        // Not with its warnings, which it prints to the other stream.
        let Output {
            status,
            stdout,
            stderr,
        } = info
            .output()
            .map_err(|error| format!("cannot start probe-rs: {error}"))?;
        if status.success() {
            Ok(String::from_utf8_lossy(&stdout).into_owned())
        } else {
            let complaint = String::from_utf8_lossy(&stderr);
            Err(format!("probe-rs chip info {chip}: {status}\n{complaint}"))
        }
    }

    fn command(&self, program: &str, machine: &EmulatedBoard) -> Command {
        let mut command = Command::new(program);
        command
            .env("PATH", &self.path)
            .env("PROBE_RS_PROBE", machine.probe.selector())
            .env("PROBE_RS_PROTOCOL", "swd")
            // Its errors come with backtraces of its own otherwise, in which those of the firmware are lost.
            .env_remove("RUST_BACKTRACE")
            // It would replace the link arguments in .cargo/config.toml.
            .env_remove("RUSTFLAGS");
        command
    }
}

fn is_right(program: &str) -> bool {
    let version = Call::new(&format!("{program} --version")).output();
    version.is_some_and(|version| version.split_whitespace().nth(1) == Some(VERSION))
}

/// From source, because its authors' binaries are for some systems only. Without optimization and debug information,
/// in which it takes a third of the time: four minutes on two cores. It is fast enough.
fn build() -> Outcome {
    setup::set_up_probe_rs()?;
    eprintln!("building probe-rs {VERSION} below {FOLDER}/, once; this takes some minutes");
    let sources = format!("{FOLDER}/build");
    Call::new(&format!(
        "cargo install probe-rs-tools --version {VERSION} --locked --debug --root {FOLDER} --target-dir {sources}"
    ))
    .env("CARGO_PROFILE_DEV_DEBUG", "0")
    .run_aloud()?;
    // More than a gigabyte that nothing needs any more.
    fs::remove_dir_all(root().join(&sources)).map_err(|error| format!("{sources}: {error}"))
}
