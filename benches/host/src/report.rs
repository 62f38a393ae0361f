//! The rows, as a table and as JSON.

use std::fmt::Write as _;

use crate::contest::Operation;

/// Median and quartiles over the rounds.
#[derive(Clone, Copy)]
pub struct Quartiles {
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

/// One contestant, one size, one operation.
pub struct Row {
    /// Which of the two sizes it belongs to; `filter_bytes` differs for a contestant that needs more.
    pub contest: &'static str,
    pub name: &'static str,
    pub hash: &'static str,
    pub filter_bytes: usize,
    pub operation: Operation,
    pub ratio: Quartiles,
    /// None for the limit, which answers nothing.
    pub false_positive_rate: Option<f64>,
}

impl Row {
    fn is_same_contestant(&self, other: &Row) -> bool {
        (self.contest, self.name, self.hash) == (other.contest, other.name, other.hash)
    }
}

pub fn quartiles(mut ratios: Vec<f64>) -> Quartiles {
    ratios.sort_by(f64::total_cmp);
    let at = |quarter: usize| ratios[(ratios.len() - 1) * quarter / 4];
    Quartiles {
        low: at(1),
        median: at(2),
        high: at(3),
    }
}

/// A table in Markdown, one line for each contestant and size.
pub fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    writeln!(
        text,
        "| {:7} | {:21} | {:11} | {:>8} | {:>7} | {:19} | {:19} | {:19} |",
        "size", "filter", "hash", "RAM, MB", "false +", "hit", "miss", "insert"
    )
    .and_then(|()| writeln!(text, "|---|---|---|--:|--:|---|---|---|"))
    .expect("writing to a String cannot fail");

    for row in rows.iter().filter(|row| row.operation == Operation::Hit) {
        let cell = |operation| {
            rows.iter()
                .find(|other| other.operation == operation && other.is_same_contestant(row))
                .map_or(String::new(), |row| {
                    let Quartiles { low, median, high } = row.ratio;
                    format!("{median:.2} ({low:.2}-{high:.2})")
                })
        };
        let rate = match row.false_positive_rate {
            Some(rate) => format!("{:.3} %", rate * 100.0),
            None => "-".to_owned(),
        };
        writeln!(
            text,
            "| {:7} | {:21} | {:11} | {:8.2} | {:>7} | {:19} | {:19} | {:19} |",
            row.contest,
            row.name,
            row.hash,
            row.filter_bytes as f64 / 1e6,
            rate,
            cell(Operation::Hit),
            cell(Operation::Miss),
            cell(Operation::Insert)
        )
        .expect("writing to a String cannot fail");
    }
    text
}

/// An array of objects, one for each row. No name holds a character that JSON would escape.
pub fn json(rows: &[Row]) -> String {
    let objects: Vec<String> = rows
        .iter()
        .map(|row| {
            let rate = row
                .false_positive_rate
                .map_or("null".to_owned(), |rate| rate.to_string());
            format!(
                concat!(
                    r#"  {{"contest": "{}", "impl": "{}", "hash": "{}", "filter_bytes": {}, "#,
                    r#""op": "{}", "ratio": {:.4}, "ratio_low": {:.4}, "ratio_high": {:.4}, "#,
                    r#""false_positive_rate": {}}}"#
                ),
                row.contest,
                row.name,
                row.hash,
                row.filter_bytes,
                row.operation.name(),
                row.ratio.median,
                row.ratio.low,
                row.ratio.high,
                rate
            )
        })
        .collect();
    format!("[\n{}\n]\n", objects.join(",\n"))
}
