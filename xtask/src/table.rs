//! The measurements as tables: one for the terminal, two compact ones for the README.

use crate::row::{Bench, Row};

const OPS: [&str; 3] = ["hit", "miss", "insert"];
/// Of which a structure has one at most.
const OTHER_OPS: [&str; 2] = ["remove", "estimate"];

/// Every case of `rows` on a line of its own.
pub fn for_terminal(rows: &[Row]) -> String {
    let mut lines = vec![
        [
            "core",
            "impl",
            "hash",
            "key bytes",
            "aligned",
            "hit",
            "miss",
            "insert",
            "remove",
            "estimate",
            "keys",
            "false positives %",
            "code bytes",
        ]
        .map(String::from),
    ];
    for (i, row) in rows.iter().enumerate() {
        let is_same_line = |other: &Row| {
            other.is_same_contestant(row)
                && (other.key_len, other.aligned) == (row.key_len, row.aligned)
        };
        if rows[..i].iter().any(is_same_line) {
            continue;
        }
        let count = |op| {
            let row = rows
                .iter()
                .find(|other| is_same_line(other) && other.op == op);
            row.map_or("-".into(), |row| format!("{:.0}", row.instructions))
        };
        let [hit, miss, insert] = OPS.map(count);
        let [remove, estimate] = OTHER_OPS.map(count);
        lines.push([
            row.core.clone(),
            row.implementation.clone(),
            row.hash.clone(),
            row.key_len.to_string(),
            if row.aligned { "yes" } else { "no" }.into(),
            hit,
            miss,
            insert,
            remove,
            estimate,
            row.keys.to_string(),
            format!("{:.2}", row.false_positives),
            row.code_bytes.to_string(),
        ]);
    }
    aligned_columns(&lines)
}

/// Text columns to the left, numbers to the right.
fn aligned_columns<const N: usize>(lines: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        lines
            .iter()
            .map(|line| line[column].len())
            .max()
            .unwrap_or(0)
    });
    let mut text = String::new();
    for line in lines {
        let mut cells = Vec::new();
        for (i, (cell, width)) in line.iter().zip(widths).enumerate() {
            cells.push(if i < 3 {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            });
        }
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// In place of a count, for a peer that does not build for a core as published.
pub const ABSENT: &str = "does not build";

/// The columns of the README's table of filters: heading, core, key bytes, aligned.
const README_COLUMNS: [(&str, &str, u32, bool); 7] = [
    ("80 B, M0", "m0", 80, true),
    ("80 B, M3", "m3", 80, true),
    ("80 B, M4", "m4", 80, true),
    ("6 B, M0", "m0", 6, true),
    ("6 B, M3", "m3", 6, true),
    ("6 B, M4", "m4", 6, true),
    ("80 B unaligned, M0", "m0", 80, false),
];

/// A line per filter and hash, in Markdown. Cells are "hit / miss / insert".
pub fn for_readme(rows: &[Row]) -> String {
    let mut text = String::from("Instructions per call, hit / miss / insert:\n\n| filter | hash |");
    for (heading, ..) in README_COLUMNS {
        text.push_str(&format!(" {heading} |"));
    }
    text.push_str(" code bytes, M0 |\n|---|---|");
    text.push_str(&"---:|".repeat(README_COLUMNS.len() + 1));
    text.push('\n');

    let mut contestants: Vec<(&str, &str)> = Vec::new();
    for row in rows.iter().filter(|row| row.bench == Bench::Filters) {
        let contestant = (row.implementation.as_str(), row.hash.as_str());
        if !contestants.contains(&contestant) {
            contestants.push(contestant);
        }
    }
    // Ours first, whatever core a peer is missing on.
    contestants.sort_by_key(|(implementation, _)| !implementation.starts_with("sundew"));

    for contestant in contestants {
        let find = |core, key_len, aligned, op: &str| {
            rows.iter().find(|row| {
                row.bench == Bench::Filters
                    && (row.implementation.as_str(), row.hash.as_str()) == contestant
                    && (row.core.as_str(), row.key_len, row.aligned) == (core, key_len, aligned)
                    && row.op == op
            })
        };
        text.push_str(&format!("| {} | {} |", contestant.0, contestant.1));
        for (_, core, key_len, aligned) in README_COLUMNS {
            let cell: Option<Vec<String>> = OPS
                .iter()
                .map(|op| {
                    Some(format!(
                        "{:.0}",
                        find(core, key_len, aligned, op)?.instructions
                    ))
                })
                .collect();
            let cell = cell.map_or(ABSENT.into(), |counts| counts.join(" / "));
            text.push_str(&format!(" {cell} |"));
        }
        let code = find("m0", 80, true, "hit");
        let code = code.map_or(ABSENT.into(), |row| row.code_bytes.to_string());
        text.push_str(&format!(" {code} |\n"));
    }
    text
}

/// The cores in the README's table of the family.
const FAMILY_CORES: [&str; 2] = ["m0", "m3"];

/// A line per structure, in Markdown, with the keys that it holds at 1 %.
pub fn family_for_readme(rows: &[Row]) -> String {
    let mut text = String::from("| structure | keys at 1 % | wrong, measured |");
    for core in FAMILY_CORES.map(str::to_uppercase) {
        text.push_str(&format!(" {core}: hit / miss / insert | {core}: remove |"));
    }
    text.push_str(" code bytes, M0 |\n|---|");
    text.push_str(&"---:|".repeat(2 + 2 * FAMILY_CORES.len() + 1));
    text.push('\n');

    let family = |row: &&Row| row.bench == Bench::Family && row.core == FAMILY_CORES[0];
    let mut names: Vec<&str> = rows
        .iter()
        .filter(family)
        .map(|row| row.implementation.as_str())
        .collect();
    names.dedup();
    for name in names {
        let find = |core: &str, op: &str| {
            rows.iter().find(|row| {
                row.bench == Bench::Family
                    && (
                        row.implementation.as_str(),
                        row.core.as_str(),
                        row.op.as_str(),
                    ) == (name, core, op)
            })
        };
        let count = |core, op| find(core, op).map(|row| thousands(row.instructions.round() as u64));
        let Some(any) = find(FAMILY_CORES[0], "insert") else {
            continue;
        };
        let [keys, wrong] = if any.keys == 0 {
            ["not a set".into(), "-".into()]
        } else {
            [thousands(any.keys), format!("{:.2} %", any.false_positives)]
        };
        text.push_str(&format!("| {name} | {keys} | {wrong} |"));
        for core in FAMILY_CORES {
            let cell = OPS
                .map(|op| count(core, op).unwrap_or("-".into()))
                .join(" / ");
            let other = match (count(core, "remove"), count(core, "estimate")) {
                (Some(remove), _) => remove,
                (None, Some(estimate)) => format!("estimate {estimate}"),
                (None, None) => "-".into(),
            };
            text.push_str(&format!(" {cell} | {other} |"));
        }
        text.push_str(&format!(" {} |\n", thousands(any.code_bytes)));
    }
    text
}

/// With a comma between groups of three digits.
pub fn thousands(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{family_for_readme, for_readme, for_terminal, thousands};
    use crate::row::Bench;
    use crate::row::tests::example;

    #[test]
    fn the_operations_of_a_case_share_a_line() {
        let rows = [
            example("m0", "insert", 30.5),
            example("m0", "hit", 10.4),
            example("m0", "miss", 20.6),
        ];
        let table = for_terminal(&rows);
        let cells: Vec<&str> = table.lines().nth(1).unwrap().split_whitespace().collect();
        let expected = "m0 sundew 4096 xxh32 80 yes 10 21 30 - - 1216 0.99 500";
        assert_eq!(cells.join(" "), expected);
        assert_eq!(table.lines().count(), 2);
    }

    #[test]
    fn the_readme_says_where_a_filter_was_not_measured() {
        let rows = ["hit", "miss", "insert"].map(|op| example("m3", op, 12.0));
        let table = for_readme(&rows);
        let line = table.lines().last().unwrap();
        assert!(
            line.starts_with("| sundew 4096 | xxh32 | does not build | 12 / 12 / 12 |"),
            "{line}"
        );
    }

    #[test]
    fn a_structure_has_its_line_in_the_table_of_the_family_only() {
        let mut rows = [
            example("m0", "insert", 1030.0),
            example("m0", "hit", 10.0),
            example("m0", "miss", 20.0),
            example("m0", "remove", 40.0),
            example("m3", "hit", 5.0),
            example("m0", "insert", 7.0),
            example("m0", "estimate", 9_000.0),
        ];
        rows.iter_mut().for_each(|row| row.bench = Bench::Family);
        for row in &mut rows[5..] {
            row.implementation = "sketch".into();
            row.keys = 0;
        }
        let table = family_for_readme(&rows);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| sundew 4096 | 1,216 | 0.99 % | 10 / 20 / 1,030 | 40 | 5 / - / - | - | 500 |",
                "| sketch | not a set | - | - / - / 7 | estimate 9,000 | - / - / - | - | 500 |"
            ]
        );
        assert!(!for_readme(&rows).contains("sundew 4096"));
    }

    #[test]
    fn digits_are_in_groups_of_three() {
        let texts = [0_u32, 999, 1_000, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }
}
