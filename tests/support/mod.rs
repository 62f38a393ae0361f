//! The console without hardware; builds firmware for the tests and runs it under QEMU.
#![allow(dead_code)] // no test uses all of it

pub mod console;
pub mod device;
#[cfg(feature = "embedded-storage")]
pub mod nor;
pub mod transcript;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Builds a firmware with its own target folder, because cargo holds a lock on the one that this test runs
/// from. Returns the folder that holds the ELF.
pub fn build(manifest_folder: &Path, triple: &str, arguments: &[&str]) -> PathBuf {
    build_into("target/firmware", manifest_folder, triple, arguments)
}

/// As [`build`], into a folder below the root: for other features, whose ELF would replace the one that
/// another test is about to run.
pub fn build_into(
    target: &str,
    manifest_folder: &Path,
    triple: &str,
    arguments: &[&str],
) -> PathBuf {
    let target = root().join(target);
    let status = Command::new(env!("CARGO"))
        .current_dir(manifest_folder)
        .args([
            "build",
            "--quiet",
            "--release",
            "--target",
            triple,
            "--target-dir",
        ])
        .arg(&target)
        .args(arguments)
        .status()
        .expect("cargo starts");
    assert!(
        status.success(),
        "the firmware does not build for {triple}; if the target is missing: rustup target add {triple}"
    );
    target.join(triple).join("release")
}

/// What a firmware prints over semihosting until it exits with success.
pub fn run(machine: &str, elf: &Path) -> String {
    run_with(machine, elf, &[])
}

/// [`run`], with a clock that passes in step with the instructions, so that interrupts come at the same places
/// every time.
pub fn run_in_step(machine: &str, elf: &Path) -> String {
    run_with(machine, elf, &["-icount", "shift=8"])
}

fn run_with(machine: &str, elf: &Path, arguments: &[&str]) -> String {
    let mut qemu = Command::new("qemu-system-arm")
        .args([
            "-M", machine, "-display", "none", "-monitor", "none", "-serial", "none",
        ])
        .args(arguments)
        .args(["-semihosting-config", "enable=on,target=native", "-kernel"])
        .arg(elf)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::inherit())
        .spawn()
        .expect("QEMU starts; if it is missing: apt-get install qemu-system-arm");
    let started = Instant::now();
    loop {
        if let Some(status) = qemu.try_wait().expect("QEMU can be asked") {
            let mut output = String::new();
            std::io::Read::read_to_string(&mut qemu.stdout.take().unwrap(), &mut output).unwrap();
            assert!(
                status.success(),
                "{machine} exited with {status}:\n{output}"
            );
            return output;
        }
        if started.elapsed() > Duration::from_secs(120) {
            qemu.kill().expect("QEMU can be stopped");
            panic!("{machine} did not exit within two minutes");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
