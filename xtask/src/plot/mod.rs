//! `cargo xtask plot`: the pictures of the README, drawn from the same numbers as its tables.

mod lookups;
mod rates;
mod svg;

use std::fs;

use crate::row::{Row, from_json};
use crate::{Outcome, root};

const HELP: &str = "\
Usage: cargo xtask plot

Draws the pictures of the README anew: lookups.svg from benches/target/rows.json, as `cargo xtask bench target
--update` does, and rates.svg from the library's sizing. The tests fail when they are not those of the numbers.";

const ROWS: &str = "benches/target/rows.json";
const LOOKUPS: &str = "docs/lookups.svg";
const RATES: &str = "docs/rates.svg";

pub fn command(arguments: &[&str]) -> Outcome {
    match arguments {
        [] => update(&read_rows()?),
        ["--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => Err(HELP.into()),
    }
}

/// Writes all pictures.
pub fn update(rows: &[Row]) -> Outcome {
    for (path, picture) in pictures(rows) {
        fs::write(root().join(path), picture).map_err(|error| format!("{path}: {error}"))?;
        eprintln!("wrote {path}");
    }
    Ok(())
}

fn pictures(rows: &[Row]) -> [(&'static str, String); 2] {
    [(LOOKUPS, lookups::draw(rows)), (RATES, rates::draw())]
}

fn read_rows() -> Outcome<Vec<Row>> {
    let json = fs::read_to_string(root().join(ROWS)).map_err(|error| format!("{ROWS}: {error}"))?;
    from_json(&json).map_err(|error| format!("{ROWS}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_are_those_of_the_numbers() {
        for (path, picture) in pictures(&read_rows().unwrap()) {
            let drawn = fs::read_to_string(root().join(path)).unwrap_or_default();
            assert!(
                drawn == picture,
                "{path} is out of date; `cargo xtask plot` draws it"
            );
        }
    }
}
