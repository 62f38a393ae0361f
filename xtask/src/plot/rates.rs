//! How often a filter is wrong, by its size.

use sundew::sizing::{Layout, Rate, blocked_rate, classic_rate};

use super::svg::{Anchor, GUIDE, OTHER, OWN, SECOND, Svg};

/// Enough that their number makes no difference.
const BITS: u32 = 1 << 22;
const MOST_PROBES: u32 = 16;

/// Bits per key from here to there, and how many points to a bit.
const FEWEST: u32 = 4;
const MOST: u32 = 20;
const POINTS: u32 = 4;

/// The rates shown, from here down to there.
const HIGHEST: f64 = 0.3;
const LOWEST: f64 = 0.000_03;

const LEFT: f64 = 76.0;
const TOP: f64 = 44.0;
const WIDTH: f64 = 610.0;
const HEIGHT: f64 = 330.0;

type RateOf = fn(u64, u32) -> Rate;

const CURVES: [(&str, &str, RateOf); 3] = [
    ("blocks of 512 bits, the default", OWN, |keys, k| {
        blocked_rate(keys, BITS / 512, k, Layout::DEFAULT)
    }),
    ("blocks of 4096 bits", SECOND, |keys, k| {
        blocked_rate(keys, BITS / 4096, k, Layout::new(4096, 32))
    }),
    (
        "classic: one array, as in the textbook",
        OTHER,
        |keys, k| classic_rate(keys, u64::from(BITS), k),
    ),
];

/// One curve for each kind of filter, with the best number of probes at each size.
pub fn draw() -> String {
    let title = "How often a filter is wrong about a key that it never got, by bits of RAM per key";
    let mut svg = Svg::new(720, 430, title);
    for bits in (FEWEST..=MOST).step_by(2) {
        let x = x_of(f64::from(bits));
        svg.line(&[(x, TOP), (x, TOP + HEIGHT)], GUIDE, 1.0);
        svg.text(x, TOP + HEIGHT + 18.0, Anchor::Middle, &bits.to_string());
    }
    let label = "bits per key";
    svg.text(
        LEFT + WIDTH / 2.0,
        TOP + HEIGHT + 38.0,
        Anchor::Middle,
        label,
    );
    for (rate, label) in [
        (0.1, "10 %"),
        (0.01, "1 %"),
        (0.001, "0.1 %"),
        (0.000_1, "0.01 %"),
    ] {
        let y = y_of(rate);
        svg.line(&[(LEFT, y), (LEFT + WIDTH, y)], GUIDE, 1.0);
        svg.text(LEFT - 8.0, y + 4.0, Anchor::End, label);
    }
    for (i, (name, color, rate_of)) in CURVES.into_iter().enumerate() {
        let points: Vec<(f64, f64)> = (FEWEST * POINTS..=MOST * POINTS)
            .map(|quarter| {
                let keys = u64::from(BITS) * u64::from(POINTS) / u64::from(quarter);
                let best = (1..=MOST_PROBES)
                    .map(|k| rate_of(keys, k).parts_per_billion())
                    .min()
                    .unwrap_or(0);
                let bits = f64::from(quarter) / f64::from(POINTS);
                (x_of(bits), y_of(f64::from(best) / 1e9))
            })
            .collect();
        svg.line(&points, color, 2.5);
        let y = TOP + 22.0 + i as f64 * 20.0;
        svg.line(
            &[(LEFT + 320.0, y - 4.0), (LEFT + 344.0, y - 4.0)],
            color,
            2.5,
        );
        svg.text(LEFT + 352.0, y, Anchor::Start, name);
    }
    svg.finish()
}

fn x_of(bits: f64) -> f64 {
    LEFT + (bits - f64::from(FEWEST)) / f64::from(MOST - FEWEST) * WIDTH
}

fn y_of(rate: f64) -> f64 {
    TOP + (HIGHEST / rate.max(LOWEST)).log10() / (HIGHEST / LOWEST).log10() * HEIGHT
}
