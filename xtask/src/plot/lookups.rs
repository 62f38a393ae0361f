//! Instructions of a lookup, ours and others'.

use super::svg::{Anchor, OTHER, OWN, Svg};
use crate::row::{Bench, Row};
use crate::table::ABSENT;

/// Those whose rows mean something: bitbloom's do not.
const CONTESTANTS: [(&str, &str); 5] = [
    ("sundew", "xxh32"),
    ("sbbf-rs", "xxh32"),
    ("fastbloom", "foldhash"),
    ("fastbloom", "default"),
    ("textbook", "murmur3_x86_32"),
];
const CORES: [(&str, &str); 2] = [("m3", "Cortex-M3"), ("m0", "Cortex-M0")];

const LEFT: f64 = 170.0;
const WIDTH: f64 = 440.0;
const BAR: f64 = 20.0;

/// One bar for each, for a key of 80 bytes that is there.
pub fn draw(rows: &[Row]) -> String {
    let mut svg = Svg::new(
        720,
        374,
        "Instructions to find a key of 80 bytes (fewer is better)",
    );
    let mut y = 44.0;
    for (core, core_name) in CORES {
        let count = |(implementation, hash): (&str, &str)| {
            rows.iter()
                .find(|row| {
                    row.bench == Bench::Filters
                        && (row.core.as_str(), row.key_len, row.aligned) == (core, 80, true)
                        && (row.implementation.as_str(), row.hash.as_str())
                            == (implementation, hash)
                        && row.op == "hit"
                })
                .map(|row| row.instructions)
        };
        let most = CONTESTANTS
            .into_iter()
            .filter_map(count)
            .fold(1.0, f64::max);
        svg.text(16.0, y + 15.0, Anchor::Start, core_name);
        y += 24.0;
        for contestant in CONTESTANTS {
            let (implementation, hash) = contestant;
            let name = match implementation {
                "textbook" => "textbook: 7 hashes".into(),
                "fastbloom" => format!("fastbloom, {hash}"),
                _ => implementation.to_string(),
            };
            svg.text(LEFT - 8.0, y + 15.0, Anchor::End, &name);
            match count(contestant) {
                Some(instructions) => {
                    let color = if implementation == "sundew" {
                        OWN
                    } else {
                        OTHER
                    };
                    let width = instructions / most * WIDTH;
                    svg.bar(LEFT, y, width, BAR, color);
                    let label = format!("{instructions:.0}");
                    svg.text(LEFT + width + 6.0, y + 15.0, Anchor::Start, &label);
                }
                None => svg.text(LEFT, y + 15.0, Anchor::Start, ABSENT),
            }
            y += BAR + 4.0;
        }
        y += 18.0;
    }
    svg.finish()
}
