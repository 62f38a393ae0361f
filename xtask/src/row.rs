//! One measurement, and the JSON it is kept in: an array of flat objects, one a line.

use std::fmt::Write;

use crate::Outcome;

/// What was measured: one operation of one structure on one core.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub bench: Bench,
    pub core: String,
    pub implementation: String,
    pub hash: String,
    pub key_len: u32,
    /// Whether the keys began at multiples of four.
    pub aligned: bool,
    /// "insert", "hit", "miss", "remove" or "estimate".
    pub op: String,
    /// Per call, to a tenth.
    pub instructions: f64,
    /// Of `insert` and `contains` or `estimate` together.
    pub code_bytes: u64,
    /// In percent, to a thousandth.
    pub false_positives: f64,
    /// How many keys it held at that rate; 0 if it is not a set.
    pub keys: u64,
}

/// What a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bench {
    /// Bloom filters of 1.5 KB, ours and others.
    Filters,
    /// The structures of this crate in 8 KB.
    Family,
}

impl Bench {
    const ALL: [Self; 2] = [Self::Filters, Self::Family];

    /// In the JSON and in the README's markers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Filters => "target",
            Self::Family => "family",
        }
    }
}

impl Row {
    /// Whether it measures this crate and not a peer.
    pub fn is_own(&self) -> bool {
        self.bench == Bench::Family || self.implementation.starts_with("sundew")
    }

    /// Whether both measure the same thing.
    pub fn is_same_case(&self, other: &Row) -> bool {
        self.is_same_contestant(other)
            && (self.key_len, self.aligned, &self.op) == (other.key_len, other.aligned, &other.op)
    }

    /// Whether both are of one bench, core, structure and hash.
    pub fn is_same_contestant(&self, other: &Row) -> bool {
        self.bench == other.bench
            && (&self.core, &self.implementation, &self.hash)
                == (&other.core, &other.implementation, &other.hash)
    }
}

pub fn to_json(rows: &[Row]) -> String {
    let mut json = String::from("[\n");
    for (i, row) in rows.iter().enumerate() {
        let Row {
            bench,
            core,
            implementation,
            hash,
            key_len,
            aligned,
            op,
            instructions,
            code_bytes,
            false_positives,
            keys,
        } = row;
        let bench = bench.name();
        let comma = if i + 1 < rows.len() { "," } else { "" };
        writeln!(
            json,
            "{{\"bench\": \"{bench}\", \"core\": \"{core}\", \"impl\": \"{implementation}\", \"hash\": \"{hash}\", \
             \"key_len\": {key_len}, \"aligned\": {aligned}, \"op\": \"{op}\", \
             \"instructions\": {instructions:.1}, \"code_bytes\": {code_bytes}, \
             \"false_positives\": {false_positives:.3}, \"keys\": {keys}}}{comma}"
        )
        .expect("a String takes everything");
    }
    json.push_str("]\n");
    json
}

/// Reads what [`to_json`] wrote.
pub fn from_json(json: &str) -> Outcome<Vec<Row>> {
    json.lines()
        .enumerate()
        .filter(|(_, line)| line.starts_with('{'))
        .map(|(i, line)| {
            row_from_line(line).ok_or_else(|| format!("line {} is no row: {line}", i + 1))
        })
        .collect()
}

fn row_from_line(line: &str) -> Option<Row> {
    let object = line
        .trim_end_matches(',')
        .strip_prefix('{')?
        .strip_suffix('}')?;
    // No value of ours contains a comma or a quotation mark.
    let field = |name: &str| {
        let field = object.split(", ").find_map(|field| {
            let (found, value) = field.split_once(": ")?;
            (found.trim_matches('"') == name).then_some(value)
        })?;
        Some(field.trim_matches('"'))
    };
    let bench = field("bench")?;
    Some(Row {
        bench: Bench::ALL.into_iter().find(|known| known.name() == bench)?,
        core: field("core")?.into(),
        implementation: field("impl")?.into(),
        hash: field("hash")?.into(),
        key_len: field("key_len")?.parse().ok()?,
        aligned: field("aligned")?.parse().ok()?,
        op: field("op")?.into(),
        instructions: field("instructions")?.parse().ok()?,
        code_bytes: field("code_bytes")?.parse().ok()?,
        false_positives: field("false_positives")?.parse().ok()?,
        keys: field("keys")?.parse().ok()?,
    })
}

#[cfg(test)]
pub mod tests {
    use super::{Bench, Row, from_json, to_json};

    pub fn example(core: &str, op: &str, instructions: f64) -> Row {
        Row {
            bench: Bench::Filters,
            core: core.into(),
            implementation: "sundew 4096".into(),
            hash: "xxh32".into(),
            key_len: 80,
            aligned: true,
            op: op.into(),
            instructions,
            code_bytes: 500,
            false_positives: 0.987,
            keys: 1_216,
        }
    }

    #[test]
    fn json_comes_back_as_it_went() {
        let mut rows = [example("m0", "hit", 210.4), example("m3", "insert", 99.0)];
        rows[1].bench = Bench::Family;
        assert_eq!(from_json(&to_json(&rows)).unwrap(), rows);
        assert_eq!(from_json(&to_json(&[])).unwrap(), []);
    }

    #[test]
    fn a_damaged_row_is_an_error() {
        let json = to_json(&[example("m0", "hit", 1.0)]).replace("\"op\"", "\"ops\"");
        assert!(from_json(&json).unwrap_err().starts_with("line 2"));
    }
}
