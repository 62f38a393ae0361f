//! Installs what the checks need and the machine lacks.

use std::path::PathBuf;

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

/// What installs something where there is no apt-get: a package manager, and the whole command.
type OtherSystems = [(&'static str, &'static str); 5];

const PROGRAMS_ELSEWHERE: OtherSystems = [
    ("dnf", "sudo dnf install qemu-system-arm python3"),
    ("pacman", "sudo pacman -S qemu-system-arm python"),
    ("zypper", "sudo zypper install qemu-arm python3"),
    ("apk", "sudo apk add qemu-system-arm python3"),
    ("brew", "brew install qemu python3"),
];
const CLIENTS_ELSEWHERE: OtherSystems = [
    ("dnf", "sudo dnf install redis python3"),
    ("pacman", "sudo pacman -S redis python"),
    ("zypper", "sudo zypper install redis python3"),
    ("apk", "sudo apk add redis python3"),
    ("brew", "brew install redis python3"),
];
const PROBE_RS_ELSEWHERE: OtherSystems = [
    ("dnf", "sudo dnf install systemd-devel pkgconf"),
    ("pacman", "sudo pacman -S systemd-libs pkgconf"),
    ("zypper", "sudo zypper install libudev-devel pkgconf"),
    ("apk", "sudo apk add eudev-dev pkgconf"),
    ("brew", "brew install pkgconf"),
];
/// Where there is no package of Guava, Maven gets it.
macro_rules! and_copy_guava {
    ($install:literal) => {
        concat!(
            $install,
            " && mvn dependency:copy -Dartifact=com.google.guava:guava:31.1-jre -DoutputDirectory=target/guava"
        )
    };
}
const GUAVA_ELSEWHERE: OtherSystems = [
    ("dnf", "sudo dnf install java-devel guava"),
    (
        "pacman",
        and_copy_guava!("sudo pacman -S jdk-openjdk maven"),
    ),
    ("zypper", "sudo zypper install java-devel guava"),
    ("apk", and_copy_guava!("sudo apk add openjdk21 maven")),
    ("brew", and_copy_guava!("brew install temurin maven")),
];

/// Where Debian, others and Maven put it.
const GUAVA_JARS: [&str; 3] = [
    "/usr/share/java/guava.jar",
    "/usr/share/java/guava/guava.jar",
    "target/guava/guava-31.1-jre.jar",
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
        _ => install("redis-tools python3-venv", &CLIENTS_ELSEWHERE),
    }
}

/// For Guava, which is written in Java. Returns its jar.
pub fn set_up_guava() -> Outcome<PathBuf> {
    let has_java = Call::new("javac -version").succeeds();
    if !has_java || guava_jar().is_none() {
        install("default-jdk-headless libguava-java", &GUAVA_ELSEWHERE)?;
    }
    let jars = GUAVA_JARS.join(", ");
    guava_jar().ok_or(format!(
        "there is none of {jars}: name Guava's jar in SUNDEW_GUAVA_JAR"
    ))
}

fn guava_jar() -> Option<PathBuf> {
    let named = std::env::var_os("SUNDEW_GUAVA_JAR").map(PathBuf::from);
    let known = || GUAVA_JARS.iter().map(|jar| root().join(jar));
    named.or_else(|| known().find(|jar| jar.exists()))
}

/// For building probe-rs, whose USB drivers ask for udev.
pub fn set_up_probe_rs() -> Outcome {
    if Call::new("pkg-config --exists libudev").succeeds() {
        return Ok(());
    }
    install("libudev-dev pkg-config", &PROBE_RS_ELSEWHERE)
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
    install(&missing.join(" "), &PROGRAMS_ELSEWHERE)
}

fn install(missing: &str, elsewhere: &OtherSystems) -> Outcome {
    let is_there = |program: &str| Call::new(&format!("{program} --version")).succeeds();
    if !is_there("apt-get") {
        let install = elsewhere
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
    Call::new(&format!(
        "{sudo}apt-get install --yes --no-install-recommends {missing}"
    ))
    .run_aloud()
}
