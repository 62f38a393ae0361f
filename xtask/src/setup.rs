//! Installs what the checks need and the machine lacks.

use crate::boards::{RP2040JS, RP2040JS_FOLDER};
use crate::call::Call;
use crate::{Outcome, root};

pub const TARGETS: [&str; 4] = [
    "thumbv6m-none-eabi",
    "thumbv7m-none-eabi",
    "thumbv7em-none-eabihf",
    "thumbv8m.main-none-eabi",
];
const COMPONENTS: [&str; 2] = ["rustfmt", "clippy"];
/// Programs that are also the names of their Debian packages.
const PROGRAMS: [&str; 2] = ["qemu-system-arm", "python3"];

/// What installs [`PROGRAMS`] where there is no apt-get: the package manager, and the whole command.
const OTHER_SYSTEMS: [(&str, &str); 5] = [
    ("dnf", "sudo dnf install qemu-system-arm python3"),
    ("pacman", "sudo pacman -S qemu-system-arm python"),
    ("zypper", "sudo zypper install qemu-arm python3"),
    ("apk", "sudo apk add qemu-system-arm python3"),
    ("brew", "brew install qemu python3"),
];

/// For every check.
pub fn set_up() -> Outcome {
    rustup_parts("target", &TARGETS)?;
    rustup_parts("component", &COMPONENTS)?;
    programs(&PROGRAMS)
}

/// For firmware of one target.
pub fn set_up_target(target: &str) -> Outcome {
    rustup_parts("target", &[target])
}

/// For firmware of one target under QEMU.
pub fn set_up_emulator(target: &str) -> Outcome {
    set_up_target(target)?;
    programs(&["qemu-system-arm"])
}

/// For Redis clients. `script` and `timeout` are part of every Debian.
pub fn set_up_clients() -> Outcome {
    let has_tools = Call::new("redis-benchmark --version").succeeds();
    let has_venv = Call::new("python3 -c").arg("import ensurepip").succeeds();
    match (has_tools, has_venv) {
        (true, true) => Ok(()),
        _ => install("redis-tools python3-venv"),
    }
}

/// For building probe-rs, whose USB drivers ask for udev.
pub fn set_up_probe_rs() -> Outcome {
    if Call::new("pkg-config --exists libudev").succeeds() {
        return Ok(());
    }
    install("libudev-dev pkg-config")
}

/// For the Raspberry Pi Pico's emulator.
pub fn set_up_rp2040js() -> Outcome {
    programs(&["npm"])?;
    let folder = root().join(RP2040JS_FOLDER);
    if folder.join("node_modules/rp2040js").exists() {
        return Ok(());
    }
    Call::new("npm install --silent --no-audit --no-fund --prefix")
        .arg(&folder.to_string_lossy())
        .arg(RP2040JS)
        .run_aloud()
}

fn rustup_parts(kind: &str, wanted: &[&str]) -> Outcome {
    let installed = Call::new(&format!("rustup {kind} list --installed"))
        .output()
        .ok_or("rustup is missing: install it from https://rustup.rs")?;
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        // Components are listed with the host's triple behind the name.
        .filter(|part| !installed.lines().any(|line| line.starts_with(part)))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    Call::new(&format!("rustup {kind} add {}", missing.join(" "))).run_aloud()
}

fn programs(wanted: &[&str]) -> Outcome {
    let is_there = |program: &str| Call::new(&format!("{program} --version")).succeeds();
    let missing: Vec<&str> = wanted
        .iter()
        .copied()
        .filter(|program| !is_there(program))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing.join(" "))
}

fn install(missing: &str) -> Outcome {
    let is_there = |program: &str| Call::new(&format!("{program} --version")).succeeds();
    if !is_there("apt-get") {
        let install = OTHER_SYSTEMS
            .iter()
            .find(|(manager, _)| is_there(manager))
            .map_or(String::new(), |(_, install)| {
                format!("; please run\n  {install}")
            });
        return Err(format!(
            "missing: {missing}\nthere is no apt-get here{install}"
        ));
    }
    let is_root = Call::new("id -u")
        .output()
        .is_some_and(|id| id.trim() == "0");
    let sudo = if is_root { "" } else { "sudo " };
    Call::new(&format!("{sudo}apt-get update")).run_aloud()?;
    Call::new(&format!("{sudo}apt-get install --yes {missing}")).run_aloud()
}
