//! `cargo xtask bench target`: instructions and code size on three cores.

use std::fs;

use crate::firmware::{CORES, Contestants};
use crate::row::{Row, to_json};
use crate::{Outcome, reference, table};

const HELP: &str = "\
Usage: cargo xtask bench target [--json FILE] [--own] [--update | --check]

Counts instructions per call under QEMU, which are not cycles, and bytes of code: of Bloom filters of
1.5 KB, ours and others, and of every structure in 8 KB.
  --json FILE  writes the rows as JSON too
  --own        only ours, not the peers
  --update     writes benches/target/rows.json, and the tables and pictures of README.md
  --check      compares ours with rows.json, as `cargo xtask test` does; prints no table";

pub fn command(arguments: &[&str]) -> Outcome {
    let mut json = None;
    let mut contestants = Contestants::All;
    let mut update = false;
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--json" => json = Some(*rest.next().ok_or("--json needs a file")?),
            "--own" => contestants = Contestants::Own,
            "--update" => update = true,
            "--check" if arguments.len() == 1 => return reference::check(),
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            _ => return Err(format!("not understood: {argument}\n\n{HELP}")),
        }
    }
    if update && contestants == Contestants::Own {
        return Err("--update writes the rows of all filters: leave out --own".into());
    }

    let rows = measure(contestants)?;
    print!("{}", table::for_terminal(&rows));
    if contestants == Contestants::All {
        CORES
            .iter()
            .filter_map(|core| core.absent_peers())
            .for_each(|line| println!("{line}"));
    }
    if let Some(file) = json {
        fs::write(file, to_json(&rows)).map_err(|error| format!("{file}: {error}"))?;
    }
    if update {
        reference::update(&rows)?;
    }
    Ok(())
}

/// The rows of all cores.
pub fn measure(contestants: Contestants) -> Outcome<Vec<Row>> {
    let mut rows = Vec::new();
    for core in &CORES {
        rows.extend(core.measure(contestants)?);
    }
    Ok(rows)
}
