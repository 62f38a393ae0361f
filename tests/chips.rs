//! Every board's firmware against the memory of its chip as probe-rs knows it: what is programmed lies in flash, what
//! is written at run time lies in RAM, and the stack has room.
//!
//! `boards/chips.txt` is what `probe-rs chip info` prints. It is a copy because probe-rs takes minutes to build, as a
//! library too; `cargo xtask test flash`, which has probe-rs, compares it. probe-rs itself looks at what it programs
//! only, not at `.bss` and the stack.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, elf};

/// The most that the console was seen to use, on the micro:bit when it restores its keys: 4,112 bytes by
/// `stack_high_water_bytes` of INFO. The report of a crash may take 768 on top.
const LEAST_STACK: u64 = 4_112 + 768;

#[test]
fn every_board_fits_its_chip_as_probe_rs_knows_it() {
    let chips = chips();
    let boards = boards();
    assert!(
        boards.iter().any(|board| board.name == "microbit"),
        "no micro:bit in boards/"
    );
    for board in boards {
        let chip = chips.get(&board.chip).unwrap_or_else(|| {
            panic!(
                "{}: {} is not in boards/chips.txt; add its name there, then run\n  \
                 SUNDEW_BLESS=1 cargo xtask test flash",
                board.name, board.chip
            )
        });
        let problems = problems(&board.build(), chip);
        assert!(
            problems.is_empty(),
            "{} does not fit {}:\n{}",
            board.name,
            board.chip,
            problems.join("\n")
        );
    }
}

#[test]
fn firmware_is_refused_that_does_not_fit() {
    let boards = boards();
    let board = boards.iter().find(|board| board.name == "microbit");
    let elf = board.expect("boards/microbit").build();

    let microbit = "NVM: 0x00000000..0x00040000\nRAM: 0x20000000..0x20004000";
    assert_eq!(problems(&elf, &Chip::parse(microbit)), [""; 0]);
    for (chip, complaint) in [
        (
            "NVM: 0x00000000..0x00001000\nRAM: 0x20000000..0x20004000",
            "programs",
        ),
        (
            "NVM: 0x00000000..0x00040000\nRAM: 0x20000000..0x20002000",
            ".bss",
        ),
        (
            "NVM: 0x00000000..0x00040000\nRAM: 0x20000800..0x20004000",
            "stack",
        ),
        (
            "NVM: 0x08000000..0x08040000\nRAM: 0x20000000..0x20004000",
            "begins",
        ),
    ] {
        let problems = problems(&elf, &Chip::parse(chip)).join("\n");
        assert!(problems.contains(complaint), "{chip}\n{problems}");
    }
}

/// A folder of boards/ whose firmware probe-rs flashes.
struct Board {
    name: String,
    folder: PathBuf,
    target: String,
    chip: String,
}

fn boards() -> Vec<Board> {
    let folders = fs::read_dir(support::root().join("boards")).expect("boards/ can be read");
    folders
        .map(|entry| entry.expect("boards/ can be read").path())
        .filter_map(|folder| Board::find(&folder))
        .collect()
}

impl Board {
    /// What cargo's configuration says there; None if something other than probe-rs runs the firmware.
    fn find(folder: &Path) -> Option<Self> {
        if !folder.join("src/main.rs").exists() {
            return None;
        }
        let config = fs::read_to_string(folder.join(".cargo/config.toml")).ok()?;
        let setting = |name: &str| {
            let lines = config.lines().map(str::trim);
            let mut value =
                lines.filter_map(|line| line.strip_prefix(name)?.trim().strip_prefix('='));
            Some(String::from(value.next_back()?.trim().trim_matches('"')))
        };
        let runner = setting("runner")?;
        let words: Vec<&str> = runner.split_whitespace().collect();
        let option = words.iter().position(|word| *word == "--chip");
        if words.first() != Some(&"probe-rs") {
            return None;
        }
        Some(Self {
            name: folder.file_name()?.to_string_lossy().into_owned(),
            folder: folder.into(),
            target: setting("target").expect("a board's configuration names its target"),
            chip: words[option.expect("a runner names the chip") + 1].into(),
        })
    }

    fn build(&self) -> Vec<u8> {
        let elf = support::build(&self.folder, &self.target, &[]).join(&self.name);
        fs::read(&elf).unwrap_or_else(|error| panic!("{}: {error}", elf.display()))
    }
}

/// A chip's memory; regions that touch are one.
#[derive(Default)]
struct Chip {
    flash: Vec<Range<u64>>,
    ram: Vec<Range<u64>>,
}

/// By the names of boards/chips.txt.
fn chips() -> BTreeMap<String, Chip> {
    let path = support::root().join("boards/chips.txt");
    let text = fs::read_to_string(path).expect("boards/chips.txt can be read");
    text.split("\n\n")
        .filter_map(|block| {
            let (name, memory) = block.split_once('\n')?;
            Some((name.into(), Chip::parse(memory)))
        })
        .collect()
}

impl Chip {
    fn parse(text: &str) -> Self {
        let mut chip = Self::default();
        for line in text.lines() {
            let (regions, rest) = match line.split_once(": ") {
                Some(("NVM", rest)) => (&mut chip.flash, rest),
                Some(("RAM", rest)) => (&mut chip.ram, rest),
                _ => continue,
            };
            let range = rest.split_whitespace().next().and_then(parse_range);
            let range = range.unwrap_or_else(|| panic!("boards/chips.txt: {line}"));
            match regions.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => regions.push(range),
            }
        }
        assert!(
            !chip.flash.is_empty() && !chip.ram.is_empty(),
            "no memory in\n{text}"
        );
        chip
    }
}

fn parse_range(text: &str) -> Option<Range<u64>> {
    let (start, end) = text.split_once("..")?;
    let number = |text: &str| u64::from_str_radix(text.strip_prefix("0x")?, 16).ok();
    Some(number(start)?..number(end)?)
}

/// Why the firmware would not run on the chip.
fn problems(elf: &[u8], chip: &Chip) -> Vec<String> {
    let mut problems = Vec::new();
    let file =
        object::read::elf::ElfFile32::<object::Endianness>::parse(elf).expect("it is an ELF");

    let programmed: Vec<Range<u64>> = file
        .elf_program_headers()
        .iter()
        .filter(|header| header.p_type.get(file.endian()) == elf::PT_LOAD)
        .map(|header| {
            let start = u64::from(header.p_paddr.get(file.endian()));
            start..start + u64::from(header.p_filesz.get(file.endian()))
        })
        .filter(|range| !range.is_empty())
        .collect();
    for range in &programmed {
        if !is_within(range, &chip.flash) {
            problems.push(format!("it programs {range:#x?}, where is no flash"));
        }
    }
    // There the core looks for the vector table, or the boot ROM for a loader.
    if !programmed
        .iter()
        .any(|range| range.start == chip.flash[0].start)
    {
        problems.push(format!("nothing begins at {:#x}", chip.flash[0].start));
    }

    let symbol = |name: &str| {
        let mut symbols = file.symbols();
        symbols
            .find(|symbol| symbol.name() == Ok(name))
            .map(|symbol| symbol.address())
    };
    let stack =
        symbol("_stack_end").expect("_stack_end")..symbol("_stack_start").expect("_stack_start");
    if !is_within(&stack, &chip.ram) || stack.start.checked_add(LEAST_STACK) > Some(stack.end) {
        problems.push(format!(
            "the stack, {stack:#x?}, is not in RAM or too small"
        ));
    }

    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        let is_allocated = sh_flags.contains(elf::SHF_ALLOC);
        if !is_allocated || section.size() == 0 {
            continue;
        }
        let range = section.address()..section.address() + section.size();
        let is_written = sh_flags.contains(elf::SHF_WRITE);
        let memory = if is_written { &chip.ram } else { &chip.flash };
        let name = section.name().unwrap_or("?");
        if !is_within(&range, memory) {
            problems.push(format!("{name} is at {range:#x?}, outside its memory"));
        }
        if range.start < stack.end && stack.start < range.end {
            problems.push(format!("{name} is at {range:#x?}, in the stack"));
        }
    }
    problems
}

fn is_within(range: &Range<u64>, regions: &[Range<u64>]) -> bool {
    regions
        .iter()
        .any(|region| region.start <= range.start && range.end <= region.end)
}
