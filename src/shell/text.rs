//! Templates, and numbers for people.

use super::decimal::Decimal;
use crate::key::Sink;
use crate::sizing::{Rate, divide};

/// Writes a template, in which these stand for the text and for the next numbers:
///
/// | | |
/// |---|---|
/// | `%s` | the text |
/// | `%l` | the text in lower case |
/// | `%n` | a number |
/// | `%g` | a number with a comma before every third digit |
/// | `%p` | parts per billion as a percentage |
/// | `%b` | a bar, filled as far as the first of two numbers is of the second |
/// | `%%` | `%` |
///
/// A line feed is written as the two bytes that end a line.
#[inline(never)]
pub(super) fn fill_in(out: &mut dyn Sink, template: &str, text: &[u8], numbers: &[u32]) {
    let mut numbers = numbers.iter().copied();
    let mut next_number = || numbers.next().unwrap_or(0);
    let mut bytes = template.bytes();
    while let Some(mut byte) = bytes.next() {
        let is_directive = byte == b'%';
        if is_directive {
            byte = bytes.next().unwrap_or(b'%');
        }
        match (is_directive, byte) {
            (true, b's') => out.write(text),
            (true, b'l') => text
                .iter()
                .for_each(|byte| out.write(&[byte.to_ascii_lowercase()])),
            (true, b'n' | b'g' | b'p' | b'b') => {
                let number = next_number();
                match byte {
                    b'n' => out.write(Decimal::new(number).as_bytes()),
                    b'g' => grouped(number, out),
                    b'p' => percent(number, out),
                    _ => bar(number, next_number(), out),
                }
            }
            (false, b'\n') => out.write(b"\r\n"),
            _ => out.write(&[byte]),
        }
    }
}

fn grouped(value: u32, out: &mut dyn Sink) {
    let digits = Decimal::new(value);
    let mut left = digits.as_bytes();
    while let [digit, rest @ ..] = left {
        out.write(&[*digit]);
        if matches!(rest.len(), 3 | 6 | 9) {
            out.write(b",");
        }
        left = rest;
    }
}

/// A rate as [`Rate`] shows it, but without the space.
fn percent(parts_per_billion: u32, out: &mut dyn Sink) {
    Rate::from_parts_per_billion(parts_per_billion).write_percent(&mut |digits| out.write(digits));
    out.write(b"%");
}

/// Something shows as soon as there is something.
#[inline(never)]
fn bar(part: u32, whole: u32, out: &mut dyn Sink) {
    const WIDTH: u32 = 40;
    for i in 0..u64::from(WIDTH) {
        let is_filled = u64::from(part) * u64::from(WIDTH) >= u64::from(whole.max(1)) * (i + 1);
        let is_filled = is_filled || (i == 0 && part > 0);
        out.write(if is_filled { b"#" } else { b"." });
    }
}

/// `part / whole` in parts per billion, which is not above 1.
#[inline(never)]
pub(super) fn ratio(part: u32, whole: u32) -> u32 {
    divide(u64::from(part) * 1_000_000_000, u64::from(whole.max(1))).min(1_000_000_000) as u32
}

/// What is before the first of these bytes, and what is behind it.
#[inline(never)]
pub(super) fn cut(text: &[u8], at: u8) -> (&[u8], &[u8]) {
    let mut rest = text;
    while let [first, behind @ ..] = rest {
        if *first == at {
            return (text.get(..text.len() - rest.len()).unwrap_or(text), behind);
        }
        rest = behind;
    }
    (text, rest)
}
