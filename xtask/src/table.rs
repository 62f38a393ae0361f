//! The measurements as tables: one for the terminal, a compact one for the README.

use crate::row::Row;

const OPS: [&str; 3] = ["hit", "miss", "insert"];

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
        let [hit, miss, insert] = OPS.map(|op| {
            let row = rows
                .iter()
                .find(|other| is_same_line(other) && other.op == op);
            row.map_or("-".into(), |row| format!("{:.0}", row.instructions))
        });
        lines.push([
            row.core.clone(),
            row.implementation.clone(),
            row.hash.clone(),
            row.key_len.to_string(),
            if row.aligned { "yes" } else { "no" }.into(),
            hit,
            miss,
            insert,
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

/// The columns of the README's table: heading, core, key bytes, aligned.
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
    for row in rows {
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
                (row.implementation.as_str(), row.hash.as_str()) == contestant
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
            let cell = cell.map_or("not measured".into(), |counts| counts.join(" / "));
            text.push_str(&format!(" {cell} |"));
        }
        let code = find("m0", 80, true, "hit");
        let code = code.map_or("not measured".into(), |row| row.code_bytes.to_string());
        text.push_str(&format!(" {code} |\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{for_readme, for_terminal};
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
        let expected = "m0 sundew 4096 xxh32 80 yes 10 21 30 0.00 500";
        assert_eq!(cells.join(" "), expected);
        assert_eq!(table.lines().count(), 2);
    }

    #[test]
    fn the_readme_says_where_a_filter_was_not_measured() {
        let rows = ["hit", "miss", "insert"].map(|op| example("m3", op, 12.0));
        let table = for_readme(&rows);
        let line = table.lines().last().unwrap();
        assert!(
            line.starts_with("| sundew 4096 | xxh32 | not measured | 12 / 12 / 12 |"),
            "{line}"
        );
    }
}
