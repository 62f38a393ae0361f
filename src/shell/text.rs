//! Numbers for people.

use super::decimal::Decimal;
use crate::key::Sink;
use crate::sizing::Rate;

pub(super) fn number(value: u32, out: &mut dyn Sink) {
    out.write(Decimal::new(value).as_bytes());
}

/// A number with a comma before every third digit.
pub(super) fn grouped(value: u32, out: &mut dyn Sink) {
    let digits = Decimal::new(value);
    let digits = digits.as_bytes();
    for (i, digit) in digits.iter().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.write(b",");
        }
        out.write(&[*digit]);
    }
}

/// A rate as [`Rate`] shows it, but without the space.
pub(super) fn percent(rate: Rate, out: &mut dyn Sink) {
    rate.write_percent(&mut |digits| out.write(digits));
    out.write(b"%");
}

/// `part / whole`, which is not above 1.
pub(super) fn ratio(part: u32, whole: u32) -> Rate {
    let parts = u64::from(part) * 1_000_000_000 / u64::from(whole.max(1));
    Rate::from_parts_per_billion(parts.min(1_000_000_000) as u32)
}

/// Rates of filters that are asked one after the other: a little too high, by their products.
pub(super) fn sum(rates: impl Iterator<Item = Rate>) -> Rate {
    let parts = rates.fold(0_u32, |sum, rate| {
        sum.saturating_add(rate.parts_per_billion())
    });
    Rate::from_parts_per_billion(parts)
}

/// A bar of `width` characters, filled in proportion.
pub(super) fn bar(part: u32, whole: u32, width: u32, out: &mut dyn Sink) {
    let filled = u64::from(part) * u64::from(width) / u64::from(whole.max(1));
    // Something shows as soon as there is something.
    let filled = (filled as u32).clamp(u32::from(part > 0), width);
    for i in 0..width {
        out.write(if i < filled { b"#" } else { b"." });
    }
}
