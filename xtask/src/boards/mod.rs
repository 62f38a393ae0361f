//! `cargo xtask boards`: which boards there are, and how their firmware is built.

#[allow(dead_code)] // tests/boards.rs uses the rest
mod table;

use std::fmt::Write;
use std::path::PathBuf;

pub use table::{
    BOARDS, Board, DEFAULT, Firmware, Machine, RP2040JS, RP2040JS_FOLDER, Runs, WHOLE_CONSOLE,
};

use crate::call::Call;
use crate::table::thousands;
use crate::{Outcome, root, setup};

const HELP: &str = "\
Usage: cargo xtask boards [--json]

Lists the boards: memory, the filter `urls` of each, where its firmware runs and what was tested there.";

pub fn command(arguments: &[&str]) -> Outcome {
    match arguments {
        [] => print!("{}", markdown()),
        ["--json"] => print!("{}", json()),
        ["--help" | "-h"] => println!("{HELP}"),
        _ => return Err(HELP.into()),
    }
    Ok(())
}

/// The board of that name, or an error that lists all.
pub fn find(name: &str) -> Outcome<&'static Board> {
    Board::find(name).ok_or_else(|| {
        let names: Vec<&str> = BOARDS.iter().map(|board| board.name).collect();
        format!("no board: {name}; there are {}", names.join(", "))
    })
}

impl Board {
    /// What runs it on this computer.
    pub fn emulated(&self) -> Outcome<Machine> {
        self.machine().ok_or_else(|| {
            format!(
                "{0}: no emulator runs it; with the board on this computer's USB:\n  \
                 cd boards/{0} && cargo run --release",
                self.name
            )
        })
    }

    /// Installs the target if it is missing and builds a firmware. Returns the ELF.
    pub fn build(&self, firmware: Firmware) -> Outcome<PathBuf> {
        setup::set_up_target(self.triple)?;
        let target = root().join(firmware.target_folder());
        let line = format!("cargo build --quiet --release --target {}", self.triple);
        let mut call = Call::new(&line)
            .inside(&self.folder())
            .arg("--target-dir")
            .arg(&target.to_string_lossy());
        for argument in self.build_arguments(firmware) {
            call = call.arg(argument);
        }
        call.run()?;
        Ok(target
            .join(self.triple)
            .join("release")
            .join(self.elf(firmware)))
    }

    fn runs_in(&self) -> &'static str {
        match self.runs {
            Runs::Qemu(_) => "QEMU",
            Runs::Rp2040js => "rp2040js",
            Runs::OnSiliconOnly => "board only",
        }
    }
}

/// The table, as the README has it.
fn markdown() -> String {
    let mut text = String::from(
        "| board | core | RAM | flash | filter, bytes | keys at 1 % | runs in | tested |\n\
         |---|---|---|---|---:|---:|---|---|\n",
    );
    for board in &BOARDS {
        let Board {
            name,
            core,
            ram,
            flash,
            tested,
            ..
        } = board;
        let (bytes, keys) = (thousands(board.filter_bytes), thousands(board.capacity));
        let runs = board.runs_in();
        writeln!(
            text,
            "| {name} | {core} | {ram} | {flash} | {bytes} | {keys} | {runs} | {tested} |"
        )
        .expect("a String takes everything");
    }
    text
}

fn json() -> String {
    let rows: Vec<String> = BOARDS
        .iter()
        .map(|board| {
            let Board {
                name,
                core,
                triple,
                ram,
                flash,
                filter_bytes,
                capacity,
                tested,
                ..
            } = board;
            let machine = match board.machine() {
                Some(machine) => format!("\"{}\"", machine.name),
                None => "null".into(),
            };
            format!(
                "{{\"board\": \"{name}\", \"core\": \"{core}\", \"triple\": \"{triple}\", \"ram\": \"{ram}\", \
                 \"flash\": \"{flash}\", \"filter_bytes\": {filter_bytes}, \"capacity\": {capacity}, \
                 \"qemu_machine\": {machine}, \"tested\": \"{tested}\"}}"
            )
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::{BOARDS, json, markdown};
    use crate::root;

    #[test]
    fn the_readme_has_the_table() {
        let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
        assert!(
            readme.contains(&markdown()),
            "README.md should have what `cargo xtask boards` prints:\n{}",
            markdown()
        );
    }

    #[test]
    fn every_folder_of_boards_is_in_the_table() {
        let mut folders: Vec<String> = std::fs::read_dir(root().join("boards"))
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().join("src/main.rs").exists())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        folders.sort();
        let mut names: Vec<&str> = BOARDS[1..].iter().map(|board| board.name).collect();
        names.sort();
        assert_eq!(folders, names);
    }

    /// Each is to have what a person with the board needs.
    #[test]
    fn every_board_has_a_readme_and_what_the_debugger_wants() {
        for board in &BOARDS[1..] {
            let folder = root().join(board.folder());
            assert!(folder.join("README.md").exists(), "{}", board.name);
            let config = std::fs::read_to_string(folder.join(".cargo/config.toml")).unwrap();
            if config.contains("probe-rs run --chip") {
                for file in ["Embed.toml", ".vscode/launch.json"] {
                    assert!(folder.join(file).exists(), "{}: {file}", board.name);
                }
            }
        }
    }

    #[test]
    fn a_main_file_is_short() {
        for board in &BOARDS[1..] {
            let main = root().join(board.folder()).join("src/main.rs");
            let text = std::fs::read_to_string(main).unwrap();
            let is_code = |line: &&str| !line.is_empty() && !line.trim_start().starts_with("//");
            let lines = text.lines().filter(is_code).count();
            assert!(lines <= 100, "{}: {lines} lines of code", board.name);
        }
    }

    #[test]
    fn json_has_an_object_for_every_board() {
        assert_eq!(json().matches("{\"board\": ").count(), BOARDS.len());
    }
}
