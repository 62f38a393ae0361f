//! Bad sizes do not compile, and the compiler's message says what to do.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Each program says in its first line what the compiler must say; `builds` marks the control.
#[test]
fn bad_sizes_do_not_compile() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/compile_fail");
    let mut programs: Vec<_> = fs::read_dir(folder.join("src/bin"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    programs.sort();
    assert!(programs.len() > 10);
    for program in programs {
        let source = fs::read_to_string(&program).unwrap();
        let expected = source.lines().next().unwrap().trim_start_matches("//! ");
        let name = program.file_stem().unwrap();
        // Built, not checked: some sizes are known only when the program is put together.
        let build = Command::new(env!("CARGO"))
            .current_dir(&folder)
            .args(["build", "--quiet", "--target-dir"])
            .arg(root.join("target/compile_fail"))
            .arg("--bin")
            .arg(name)
            .output()
            .expect("cargo starts");
        let message = String::from_utf8_lossy(&build.stderr);
        if expected == "builds" {
            assert!(
                build.status.success(),
                "the control does not build:\n{message}"
            );
        } else {
            assert!(!build.status.success(), "{name:?} builds");
            assert!(
                message.contains(expected),
                "{name:?} lacks '{expected}':\n{message}"
            );
        }
    }
}
