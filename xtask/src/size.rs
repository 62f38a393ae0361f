//! `cargo xtask size`: flash and RAM of every board's console, from the ELF files.

use std::fmt::Write;
use std::fs;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol};

use crate::boards::{BOARDS, Board, Firmware};
use crate::table::thousands;
use crate::{Outcome, root};

const HELP: &str = "\
Usage: cargo xtask size [--json | --update | --check]

Builds the console for every board and prints bytes of flash and RAM.
  --json    prints JSON instead
  --update  writes boards/size.json
  --check   compares with boards/size.json, as `cargo xtask test` does: more flash by 1 % is an error, and
            every other RAM";

/// Compilers differ a little in the code they make, not in what is static.
const TOLERANCE_PERCENT: u32 = 1;
const FILE: &str = "boards/size.json";

#[derive(Debug, PartialEq)]
struct Size {
    board: String,
    /// Code, constants and initial values.
    flash: u32,
    /// Static RAM, with filter and arena.
    ram: u32,
    filter: u32,
    arena: u32,
    /// What the stack may take.
    stack: u32,
}

pub fn command(arguments: &[&str]) -> Outcome {
    match arguments {
        [] => print!("{}", table(&measure()?)),
        ["--json"] => print!("{}", to_json(&measure()?)),
        ["--update"] => {
            fs::write(root().join(FILE), to_json(&measure()?))
                .map_err(|error| format!("{FILE}: {error}"))?;
        }
        ["--check"] => return check(),
        ["--help" | "-h"] => println!("{HELP}"),
        _ => return Err(HELP.into()),
    }
    Ok(())
}

/// Fails if a board takes more than it did.
pub fn check() -> Outcome {
    let text = fs::read_to_string(root().join(FILE)).map_err(|error| format!("{FILE}: {error}"))?;
    compare(&from_json(&text)?, &measure()?)
}

fn measure() -> Outcome<Vec<Size>> {
    BOARDS
        .iter()
        .map(|board| {
            eprintln!("building {}", board.name);
            let elf = board.build(Firmware::Console)?;
            let bytes = fs::read(&elf).map_err(|error| format!("{}: {error}", elf.display()))?;
            size(board, &bytes).map_err(|error| format!("{}: {error}", elf.display()))
        })
        .collect()
}

fn size(board: &Board, elf: &[u8]) -> Outcome<Size> {
    let file = object::File::parse(elf).map_err(|error| error.to_string())?;
    let flash: u64 = file.segments().map(|segment| segment.file_range().1).sum();
    let ram: u64 = [".data", ".bss", ".uninit", ".large"]
        .iter()
        .filter_map(|name| Some(file.section_by_name(name)?.size()))
        .sum();
    let symbol = |wanted: &str| {
        file.symbols()
            .find(|symbol| symbol.name().is_ok_and(|name| name.contains(wanted)))
            .ok_or_else(|| format!("the ELF has no symbol {wanted}"))
    };
    let stack = symbol("_stack_start")?.address() - symbol("_stack_end")?.address();
    Ok(Size {
        board: board.name.into(),
        flash: flash as u32,
        ram: ram as u32,
        filter: symbol("4URLS")?.size() as u32,
        arena: symbol("5ARENA")?.size() as u32,
        stack: stack as u32,
    })
}

fn table(sizes: &[Size]) -> String {
    let mut text = String::from(
        "| board | flash | static RAM | of it filter | of it arena | rest | stack, at most |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
    );
    for size in sizes {
        let rest = size.ram - size.filter - size.arena;
        let numbers = [
            size.flash,
            size.ram,
            size.filter,
            size.arena,
            rest,
            size.stack,
        ];
        let cells = numbers.map(thousands).join(" | ");
        writeln!(text, "| {} | {cells} |", size.board).expect("a String takes everything");
    }
    text
}

fn to_json(sizes: &[Size]) -> String {
    let rows: Vec<String> = sizes
        .iter()
        .map(|size| {
            let Size { board, flash, ram, filter, arena, stack } = size;
            format!(
                "{{\"board\": \"{board}\", \"flash\": {flash}, \"ram\": {ram}, \"filter\": {filter}, \
                 \"arena\": {arena}, \"stack\": {stack}}}"
            )
        })
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// Reads what [`to_json`] wrote.
fn from_json(json: &str) -> Outcome<Vec<Size>> {
    json.lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| from_line(line).ok_or_else(|| format!("{FILE}: not understood: {line}")))
        .collect()
}

fn from_line(line: &str) -> Option<Size> {
    let field = |name: &str| {
        let rest = line.split_once(&format!("\"{name}\": "))?.1;
        Some(rest.split([',', '}']).next()?.trim_matches('"'))
    };
    let number = |name: &str| field(name)?.parse().ok();
    Some(Size {
        board: field("board")?.into(),
        flash: number("flash")?,
        ram: number("ram")?,
        filter: number("filter")?,
        arena: number("arena")?,
        stack: number("stack")?,
    })
}

fn compare(known: &[Size], found: &[Size]) -> Outcome {
    let mut problems = String::new();
    let mut problem = |text: String| problems = format!("{problems}{text}\n");
    if known.len() != found.len() {
        problem(format!("{} boards, {} in {FILE}", found.len(), known.len()));
    }
    for size in found {
        let Some(before) = known.iter().find(|known| known.board == size.board) else {
            problem(format!("{}: not in {FILE}", size.board));
            continue;
        };
        if size.flash > before.flash + before.flash * TOLERANCE_PERCENT / 100 {
            problem(format!(
                "{}: {} bytes of flash, it was {}",
                size.board, size.flash, before.flash
            ));
        }
        if (size.ram, size.stack) != (before.ram, before.stack) {
            problem(format!(
                "{}: {} bytes of static RAM and {} of stack, it was {} and {}",
                size.board, size.ram, size.stack, before.ram, before.stack
            ));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{problems}if this is right: cargo xtask size --update"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Size, compare, from_json, to_json};

    fn size(flash: u32, ram: u32) -> Vec<Size> {
        vec![Size {
            board: "board".into(),
            flash,
            ram,
            filter: 64,
            arena: 128,
            stack: 4096,
        }]
    }

    #[test]
    fn json_comes_back() {
        assert_eq!(from_json(&to_json(&size(1, 2))), Ok(size(1, 2)));
        assert!(from_json("{\"board\": \"a\"}").is_err());
    }

    #[test]
    fn growth_is_an_error() {
        assert!(compare(&size(1000, 500), &size(1010, 500)).is_ok());
        assert!(compare(&size(1000, 500), &size(900, 500)).is_ok());
        assert!(compare(&size(1000, 500), &size(1011, 500)).is_err());
        assert!(compare(&size(1000, 500), &size(1000, 504)).is_err());
        assert!(compare(&[], &size(1000, 500)).is_err());
    }
}
