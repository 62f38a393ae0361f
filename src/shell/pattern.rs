//! Patterns for names, as `KEYS` takes them.

use core::slice::Iter;

/// Whether a name matches: `*` any bytes, `?` one, `[a-c]` and `[^a-c]` one of or not of a set, `\` the next
/// byte as it is.
///
/// # Cost
///
/// At most the product of both lengths: a `*` that went wrong is tried again one byte later, and only the last
/// one.
#[inline(never)]
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern.iter(), name.iter());
    // Where to go on when what follows the last `*` does not fit.
    let mut after_star = pattern.clone();
    let mut later = [].iter();
    loop {
        let element = pattern.next();
        if element == Some(&b'*') {
            after_star = pattern.clone();
            later = name.clone();
            continue;
        }
        let is_match = match (element, name.next()) {
            (None, None) => return true,
            (Some(element), Some(byte)) => takes(*element, &mut pattern, *byte),
            _ => false,
        };
        if !is_match {
            if later.next().is_none() {
                return false;
            }
            pattern = after_star.clone();
            name = later.clone();
        }
    }
}

/// Whether an element of the pattern takes this byte. What else belongs to the element is passed over.
fn takes(element: u8, rest: &mut Iter<u8>, byte: u8) -> bool {
    if element != b'[' {
        return element == b'?' || literal(element, rest) == byte;
    }
    let is_negated = rest.as_slice().first() == Some(&b'^');
    if is_negated {
        rest.next();
    }
    let mut is_in = false;
    // A set that is not closed ends with the pattern, as in Redis.
    while let Some(&member) = rest.next()
        && member != b']'
    {
        let low = literal(member, rest);
        let mut high = low;
        if let [b'-', end, ..] = rest.as_slice()
            && member != b'\\'
            && *end != b']'
        {
            high = *end;
            rest.nth(1);
        }
        // Between the ends, whichever is the lower, the differences have no different signs.
        let byte = i32::from(byte);
        is_in |= (byte - i32::from(low)) * (i32::from(high) - byte) >= 0;
    }
    is_in != is_negated
}

/// A byte that stands for itself, or the one behind `\`.
fn literal(byte: u8, rest: &mut Iter<u8>) -> u8 {
    if byte == b'\\' {
        return rest.next().copied().unwrap_or(byte);
    }
    byte
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_are_those_of_redis() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "urls", true),
            ("", "", true),
            ("", "a", false),
            ("u*", "urls", true),
            ("*s", "urls", true),
            ("*r*s", "urls", true),
            ("*x*", "urls", false),
            ("u?ls", "urls", true),
            ("u?", "urls", false),
            ("u[rs]ls", "urls", true),
            ("u[a-s]ls", "urls", true),
            ("u[^r]ls", "urls", false),
            ("u[^r]ls", "uxls", true),
            (r"\*", "*", true),
            (r"\*", "a", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXb", false),
            ("[", "a", false),
            ("[a", "a", true),
            ("a\\", "a", false),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), name.as_bytes()),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn many_stars_do_not_explode() {
        let pattern = b"*a".repeat(40);
        assert!(!matches(&pattern, &[b'a'; 39]));
        assert!(!matches(b"*a*a*a*a*a*a*a*a*b", &[b'a'; 200]));
    }
}
