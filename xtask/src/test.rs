//! `cargo xtask test`: every check, in the order in which a failure is cheapest to find.

use std::fs;
use std::time::Instant;

use crate::boards::BOARDS;
use crate::call::Call;
use crate::setup::{self, TARGETS};
use crate::{Outcome, clients, reference, root, size, test_flash};

const HELP: &str = "\
Usage: cargo xtask test [clients | guava | flash]

Installs what is missing (rustup targets and components; qemu-system-arm and python3 through apt-get),
then runs every check and stops at the first that fails, with the command that repeats it.

  clients  only redis-cli, redis-benchmark and redis-py against the console under QEMU; installs
           redis-tools and python3-venv through apt-get, and redis-py below target/
  guava    only Guava's own library against GuavaBloom, in both directions; installs libguava-java and
           default-jdk-headless (17 or later) through apt-get. SUNDEW_GUAVA_JAR names another jar of Guava
  flash    only probe-rs, unmodified, which flashes the boards' firmware to machines of QEMU through a debug
           probe of this repository; installs libudev-dev and pkg-config through apt-get, and probe-rs-tools
           below target/ unless that version is there already: four minutes on two cores, once. The check of
           boards/chips.txt, whether every board's firmware fits its chip, is `cargo test --test chips` and
           needs none of that";

/// How a step ended that did not fail.
enum Ending {
    Passed,
    LeftOut,
}

type Step = fn() -> Outcome<Ending>;

const STEPS: [(&str, Step); 14] = [
    ("format", format_check),
    ("clippy", clippy),
    ("docs", docs),
    ("minimum supported Rust version", minimum_rust),
    ("tests, all features", || {
        calls(["cargo test --workspace --all-features"])
    }),
    ("tests, no features", || {
        calls(["cargo test -p sundew --lib --test shell --test shell_model"])
    }),
    ("library for every target", library_for_targets),
    ("Guava", || guava().map(|()| Ending::Passed)),
    ("every board", every_board),
    ("a million URLs on the 256 MB class", || {
        calls(["cargo xtask crawl"])
    }),
    ("probe-rs", || test_flash::test().map(|()| Ending::Passed)),
    ("Redis clients", || clients::test().map(|()| Ending::Passed)),
    ("miri", miri),
    ("instructions and code size on the target", bench_check),
];

/// Crates with workspaces of their own.
const NESTED: [&str; 4] = [
    "benches/target",
    "benches/host",
    "examples/deny_list",
    "tests/compile_fail",
];

pub fn command(arguments: &[&str]) -> Outcome {
    match arguments {
        [] => test(),
        ["clients"] => clients::test(),
        ["guava"] => guava(),
        ["flash"] => test_flash::test(),
        ["--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(HELP.into()),
    }
}

fn test() -> Outcome {
    eprintln!("set-up");
    setup::set_up()?;

    let mut left_out = Vec::new();
    for (i, (name, step)) in STEPS.iter().enumerate() {
        let place = format!("[{}/{}] {name}", i + 1, STEPS.len());
        eprintln!("{place}");
        let start = Instant::now();
        let ending = step().map_err(|error| format!("{place}: failed\n{error}"))?;
        let seconds = start.elapsed().as_secs_f32();
        match ending {
            Ending::Passed => eprintln!("{place}: passed in {seconds:.1} s"),
            Ending::LeftOut => left_out.push(*name),
        }
    }
    let passed = STEPS.len() - left_out.len();
    if left_out.is_empty() {
        println!("all {passed} steps passed");
    } else {
        println!(
            "all {passed} steps passed; left out: {}",
            left_out.join(", ")
        );
    }
    Ok(())
}

fn calls<const N: usize>(lines: [&str; N]) -> Outcome<Ending> {
    for line in lines {
        Call::new(line).run()?;
    }
    Ok(Ending::Passed)
}

fn exists(directory: &str) -> bool {
    root().join(directory).join("Cargo.toml").exists()
}

fn format_check() -> Outcome<Ending> {
    Call::new("cargo fmt --all --check").run()?;
    for directory in NESTED.into_iter().filter(|directory| exists(directory)) {
        Call::new("cargo fmt --check").inside(directory).run()?;
    }
    Call::new("cargo fmt --check")
        .inside("boards/common")
        .run()?;
    for board in &BOARDS[1..] {
        Call::new("cargo fmt --check")
            .inside(&board.folder())
            .run()?;
    }
    Ok(Ending::Passed)
}

fn clippy() -> Outcome<Ending> {
    Call::new("cargo clippy --workspace --all-targets --all-features -- -D warnings").run()?;
    if exists("benches/host") {
        Call::new("cargo clippy --no-deps --all-targets -- -D warnings")
            .inside("benches/host")
            .run()?;
    }
    let target = "--target thumbv7m-none-eabi";
    let examples = "--example seen --example shell --example board";
    for features in ["", "--features shell-families,shell-dumps,defmt"] {
        Call::new(&format!(
            "cargo clippy --no-deps {target} {features} {examples} -- -D warnings"
        ))
        .run()?;
    }
    for features in ["--features fastbloom", "--no-default-features"] {
        Call::new(&format!(
            "cargo clippy --no-deps {target} {features} -- -D warnings"
        ))
        .inside("benches/target")
        .run()?;
    }
    Ok(Ending::Passed)
}

fn docs() -> Outcome<Ending> {
    Call::new("cargo doc --no-deps --all-features")
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    Ok(Ending::Passed)
}

fn minimum_rust() -> Outcome<Ending> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))
        .map_err(|error| format!("Cargo.toml: {error}"))?;
    let version = rust_version(&manifest).ok_or("Cargo.toml states no rust-version")?;
    if !has_toolchain(version) {
        Call::new(&format!(
            "rustup toolchain install {version} --profile minimal"
        ))
        .run_aloud()?;
    }
    // A directory of its own: the two compilers would throw out each other's files.
    let line = format!("cargo +{version} check --all-features --target-dir target/msrv");
    calls([&line])
}

fn rust_version(manifest: &str) -> Option<&str> {
    let value = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version"))?;
    value.split('"').nth(1)
}

/// Whether rustup has a toolchain of that name, for whatever host.
fn has_toolchain(name: &str) -> bool {
    let installed = Call::new("rustup toolchain list")
        .output()
        .unwrap_or_default();
    installed
        .lines()
        .filter_map(|line| line.strip_prefix(name))
        .any(|rest| rest.is_empty() || rest.starts_with(['-', ' ']))
}

fn library_for_targets() -> Outcome<Ending> {
    for target in TARGETS {
        Call::new(&format!(
            "cargo build --lib --all-features --target {target}"
        ))
        .run()?;
    }
    Ok(Ending::Passed)
}

fn guava() -> Outcome {
    let jar = setup::set_up_guava()?;
    // As all tests are built, so that they are not built again.
    let line =
        "cargo test --workspace --all-features --test guava_library -- --ignored --nocapture";
    Call::new(line)
        .env("SUNDEW_GUAVA_JAR", &jar.display().to_string())
        .run()
}

fn every_board() -> Outcome<Ending> {
    for board in &BOARDS[1..] {
        let line = format!("cargo clippy --release --target {}", board.triple);
        Call::new(&format!(
            "{line} --target-dir ../../target/clippy -- -D warnings"
        ))
        .inside(&board.folder())
        .run()?;
    }
    setup::set_up_rp2040js()?;
    // It builds all of them.
    size::check().map_err(|error| format!("{error}\nto repeat it:\n  cargo xtask size --check"))?;
    calls(["cargo test --all-features --test boards"])
}

fn miri() -> Outcome<Ending> {
    if !has_toolchain("nightly") {
        eprintln!(
            "left out: there is no nightly toolchain; to get it:\n  \
             rustup toolchain install nightly --profile minimal --component miri,rust-src"
        );
        return Ok(Ending::LeftOut);
    }
    if !Call::new("cargo +nightly miri --version").succeeds() {
        Call::new("rustup +nightly component add miri rust-src").run_aloud()?;
    }
    let miri = "cargo +nightly miri test --features xxh3,siphash";
    for tests in [
        "--lib --test same_bits",
        // Big-endian, 32 bits.
        "--test same_bits --target mips-unknown-linux-gnu",
    ] {
        Call::new(&format!("{miri} {tests}"))
            // The property tests look for a file of earlier failures, and would take an hour.
            .env("MIRIFLAGS", "-Zmiri-disable-isolation")
            .env("PROPTEST_CASES", "2")
            .run()?;
    }
    if cfg!(target_arch = "x86_64") {
        // The unsafe code, which Miri takes only when the compiler is told of AVX2. A directory of its own: other
        // flags would have everything built again.
        Call::new(&format!(
            "{miri},std --target-dir target/miri-avx2 --lib simd"
        ))
        .env("RUSTFLAGS", "-C target-feature=+avx2,+bmi2")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .run()?;
    }
    Ok(Ending::Passed)
}

fn bench_check() -> Outcome<Ending> {
    reference::check()
        .map_err(|error| format!("{error}\nto repeat it:\n  cargo xtask bench target --check"))?;
    Ok(Ending::Passed)
}

#[cfg(test)]
mod tests {
    use super::rust_version;

    #[test]
    fn rust_version_is_read_from_the_manifest() {
        let manifest = "[package]\n# rust-version is below\nrust-version = \"1.88\"\n";
        assert_eq!(rust_version(manifest), Some("1.88"));
        assert_eq!(rust_version("[package]\n"), None);
    }
}
