//! The measurements that are checked in, and the README's tables of them.

use std::fs;
use std::path::PathBuf;

use crate::bench_target::measure;
use crate::firmware::Contestants;
use crate::row::{Bench, Row, from_json, to_json};
use crate::{Outcome, plot, root, table};

/// More than this over the reference is a failure.
const TOLERANCE: f64 = 0.02;

const UPDATE: &str = "cargo xtask bench target --update";

fn rows_path() -> PathBuf {
    root().join("benches/target/rows.json")
}

fn readme_path() -> PathBuf {
    root().join("README.md")
}

/// Writes the reference, and the README's tables and pictures.
pub fn update(rows: &[Row]) -> Outcome {
    fs::write(rows_path(), to_json(rows)).map_err(|error| format!("rows.json: {error}"))?;
    eprintln!("wrote benches/target/rows.json");
    let readme = read_readme()?;
    let readme = with_tables(&readme, rows)?;
    fs::write(readme_path(), readme).map_err(|error| format!("README.md: {error}"))?;
    eprintln!("wrote the tables in README.md");
    plot::update(rows)
}

/// Measures our own filters, and fails if one has become worse or the README is not up to date.
pub fn check() -> Outcome {
    let json = fs::read_to_string(rows_path())
        .map_err(|error| format!("benches/target/rows.json: {error}; `{UPDATE}` writes it"))?;
    let reference =
        from_json(&json).map_err(|error| format!("benches/target/rows.json: {error}"))?;
    // First what takes no time.
    let readme = read_readme()?;
    if with_tables(&readme, &reference)? != readme {
        return Err(format!(
            "README.md's tables are not those of rows.json; `{UPDATE}` writes both"
        ));
    }

    let problems = compare(&measure(Contestants::Own)?, &reference);
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!(
        "worse than benches/target/rows.json:\n  {}\nif that is intended: {UPDATE}",
        problems.join("\n  ")
    ))
}

fn read_readme() -> Outcome<String> {
    fs::read_to_string(readme_path()).map_err(|error| format!("README.md: {error}"))
}

/// `readme` with the tables of `rows`.
fn with_tables(readme: &str, rows: &[Row]) -> Outcome<String> {
    let readme = with_table(readme, Bench::Filters, &table::for_readme(rows))?;
    with_table(&readme, Bench::Family, &table::family_for_readme(rows))
}

/// `readme` with `table` between the markers of `bench`.
fn with_table(readme: &str, bench: Bench, table: &str) -> Outcome<String> {
    let start = format!("<!-- bench {} -->", bench.name());
    let end = format!("<!-- /bench {} -->", bench.name());
    let no_markers = || format!("README.md has no lines `{start}` and `{end}` for the table");
    let (before, rest) = readme.split_once(&start).ok_or_else(no_markers)?;
    let (_, after) = rest.split_once(&end).ok_or_else(no_markers)?;
    Ok(format!("{before}{start}\n{table}{end}{after}"))
}

/// A line for each of our rows that is worse in `measured` than in `reference`, or only in one of them.
fn compare(measured: &[Row], reference: &[Row]) -> Vec<String> {
    let mut problems = Vec::new();
    for (i, row) in measured.iter().enumerate() {
        let contestant = format!("{} {} {}", row.core, row.implementation, row.hash);
        let alignment = if row.aligned { "aligned" } else { "unaligned" };
        let case = format!(
            "{contestant}, {} bytes {alignment}, {}",
            row.key_len, row.op
        );
        let Some(expected) = reference.iter().find(|other| other.is_same_case(row)) else {
            problems.push(format!("{case}: not in the reference"));
            continue;
        };
        if let Some(more) = excess(row.instructions, expected.instructions) {
            let (now, then) = (row.instructions, expected.instructions);
            problems.push(format!(
                "{case}: {now:.1} instructions, was {then:.1} ({more})"
            ));
        }
        // The same in all rows of a contestant: said once.
        let is_first = !measured[..i]
            .iter()
            .any(|other| other.is_same_contestant(row));
        if row.keys < expected.keys && is_first {
            let (now, then) = (row.keys, expected.keys);
            problems.push(format!("{contestant}: holds {now} keys, was {then}"));
        }
        if let Some(more) = excess(row.code_bytes as f64, expected.code_bytes as f64)
            && is_first
        {
            let (now, then) = (row.code_bytes, expected.code_bytes);
            problems.push(format!(
                "{contestant}: {now} bytes of code, was {then} ({more})"
            ));
        }
    }
    for row in reference.iter().filter(|row| row.is_own()) {
        if !measured.iter().any(|other| other.is_same_case(row)) {
            let Row {
                core,
                implementation,
                hash,
                key_len,
                op,
                ..
            } = row;
            problems.push(format!(
                "{core} {implementation} {hash}, {key_len} bytes, {op}: only in the reference"
            ));
        }
    }
    problems
}

/// By how much `now` exceeds `then`, if by more than the tolerance.
fn excess(now: f64, then: f64) -> Option<String> {
    (now > then * (1.0 + TOLERANCE)).then(|| format!("+{:.1} %", (now / then - 1.0) * 100.0))
}

#[cfg(test)]
mod tests {
    use super::{compare, with_table};
    use crate::row::Bench;
    use crate::row::tests::example;

    #[test]
    fn two_percent_more_is_accepted_and_three_is_not() {
        let reference = [example("m0", "hit", 100.0)];
        assert!(compare(&[example("m0", "hit", 102.0)], &reference).is_empty());
        assert!(compare(&[example("m0", "hit", 50.0)], &reference).is_empty());
        let problems = compare(&[example("m0", "hit", 103.0)], &reference);
        assert_eq!(
            problems,
            ["m0 sundew 4096 xxh32, 80 bytes aligned, hit: 103.0 instructions, was 100.0 (+3.0 %)"]
        );
    }

    #[test]
    fn code_size_is_reported_once_a_contestant() {
        let reference = [example("m0", "hit", 1.0), example("m0", "miss", 1.0)];
        let mut measured = reference.clone();
        measured.iter_mut().for_each(|row| row.code_bytes = 600);
        let problems = compare(&measured, &reference);
        assert_eq!(
            problems,
            ["m0 sundew 4096 xxh32: 600 bytes of code, was 500 (+20.0 %)"]
        );
    }

    #[test]
    fn fewer_keys_are_reported_once_a_contestant() {
        let reference = [example("m0", "hit", 1.0), example("m0", "miss", 1.0)];
        let mut measured = reference.clone();
        measured.iter_mut().for_each(|row| row.keys -= 1);
        let problems = compare(&measured, &reference);
        assert_eq!(
            problems,
            ["m0 sundew 4096 xxh32: holds 1215 keys, was 1216"]
        );
    }

    #[test]
    fn rows_on_one_side_only_are_reported() {
        let (m0, m3) = (example("m0", "hit", 1.0), example("m3", "hit", 1.0));
        assert_eq!(compare(&[m0], &[m3]).len(), 2);
    }

    #[test]
    fn the_table_replaces_what_is_between_the_markers() {
        let readme = "a\n<!-- bench target -->\nold\n<!-- /bench target -->\nb\n";
        let new = with_table(readme, Bench::Filters, "| new |\n").unwrap();
        assert_eq!(
            new,
            "a\n<!-- bench target -->\n| new |\n<!-- /bench target -->\nb\n"
        );
        assert_eq!(with_table(&new, Bench::Filters, "| new |\n").unwrap(), new);
        assert!(with_table(&new, Bench::Family, "").is_err());
    }
}
