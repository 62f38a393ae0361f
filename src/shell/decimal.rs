//! Numbers from text, without the machinery of `core`, which is larger than everything here.

/// A number as Redis takes it: digits only, no sign, no leading zero, nothing around it.
#[inline(never)]
pub(super) fn parse(text: &[u8]) -> Option<u32> {
    if text.is_empty() || (text.len() > 1 && text.first() == Some(&b'0')) {
        return None;
    }
    text.iter()
        .try_fold(0_u32, |number, byte| push_digit(number, *byte))
}

/// The number with one more digit.
pub(super) fn push_digit(number: u32, byte: u8) -> Option<u32> {
    let digit = byte.wrapping_sub(b'0');
    if digit > 9 {
        return None;
    }
    number.checked_mul(10)?.checked_add(u32::from(digit))
}

/// A fraction such as `0.01`, `.5`, `1e-4` or `5E-02` in parts of this power of ten, 9 for a billion; what is smaller is
/// cut off.
#[inline(never)]
pub(super) fn parse_parts(text: &[u8], power: i32) -> Option<u32> {
    let mut number = 0_u32;
    // The power of ten of the last digit.
    let mut exponent = power;
    // What a digit adds to that.
    let mut step = 0;
    let mut has_digit = false;
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        match byte {
            b'.' if step == 0 => step = -1,
            b'e' | b'E' => {
                exponent += parse_exponent(rest.as_slice())?;
                break;
            }
            _ => {
                let digit = push_digit(0, byte)?;
                has_digit = true;
                exponent += step;
                if number < u32::MAX / 10 {
                    number = number * 10 + digit;
                } else {
                    exponent += 1;
                }
            }
        }
    }
    while exponent != 0 {
        if exponent > 0 {
            number = number.checked_mul(10)?;
            exponent -= 1;
        } else {
            number /= 10;
            exponent += 1;
        }
    }
    has_digit.then_some(number)
}

/// `-4`, `+2` or `03`, of at most two digits after any zeros.
fn parse_exponent(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] | digits => (1, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number = 0;
    for &byte in digits {
        number = number * 10 + push_digit(0, byte)? as i32;
        if number > 99 {
            return None;
        }
    }
    Some(sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        for number in [0, 1, 9, 10, 4_294_967_295, 1_000_000] {
            assert_eq!(parse(number.to_string().as_bytes()), Some(number));
        }
    }

    #[test]
    fn what_redis_refuses_is_refused() {
        for text in [
            "",
            "01",
            "-1",
            "+1",
            " 1",
            "1 ",
            "4294967296",
            "1a",
            "0x1",
            "99999999999999999999",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn fractions_are_parts_per_billion() {
        for (text, parts) in [
            ("0.01", 10_000_000),
            (".5", 500_000_000),
            ("1", 1_000_000_000),
            ("1e-4", 100_000),
            ("1E-04", 100_000),
            ("12.5e-1", 1_250_000_000),
            ("0.0001", 100_000),
            ("0.000000001", 1),
            ("1e-10", 0),
            ("0", 0),
            ("2.", 2_000_000_000),
            ("0.00000000000000000000000000000001", 0),
            ("0.10000000000000000000000000000000", 100_000_000),
        ] {
            assert_eq!(parse_parts(text.as_bytes(), 9), Some(parts), "{text}");
        }
        for text in [
            "",
            ".",
            "-0.1",
            "0,1",
            "1e",
            "e-4",
            "1e100",
            "nan",
            "inf",
            "5",
            "1e9",
            "1.2.3",
            "1e-4x",
            "99999999999999999999",
        ] {
            assert_eq!(parse_parts(text.as_bytes(), 9), None, "{text}");
        }
    }
}
