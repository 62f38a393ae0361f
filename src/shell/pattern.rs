//! Patterns for names, as `KEYS` takes them.

/// Whether a name matches: `*` any bytes, `?` one, `[a-c]` and `[^a-c]` one of or not of a set, `\` the next
/// byte as it is.
///
/// # Cost
///
/// At most the product of both lengths: a `*` that went wrong is tried again one byte later, and only the last
/// one.
#[inline(never)]
pub(super) fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    // Where to go on when what follows the last `*` does not fit.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', rest @ ..] = pattern {
            retry = Some((rest, name));
            pattern = rest;
            continue;
        }
        match (one(pattern, name.first()), name) {
            _ if pattern.is_empty() && name.is_empty() => return true,
            (Some(rest), [_, after @ ..]) => {
                pattern = rest;
                name = after;
            }
            _ => match retry {
                Some((after_star, [_, later @ ..])) => {
                    retry = Some((after_star, later));
                    pattern = after_star;
                    name = later;
                }
                _ => return false,
            },
        }
    }
}

/// The rest of the pattern when its first element takes this byte.
fn one<'p>(pattern: &'p [u8], byte: Option<&u8>) -> Option<&'p [u8]> {
    let byte = *byte?;
    match pattern {
        [b'?', rest @ ..] => Some(rest),
        [b'[', set @ ..] => {
            let (is_negated, mut set) = match set {
                [b'^', set @ ..] => (true, set),
                set => (false, set),
            };
            let mut is_in = false;
            loop {
                set = match set {
                    // A set that is not closed ends with the pattern, as in Redis.
                    [] => break,
                    [b']', rest @ ..] => {
                        set = rest;
                        break;
                    }
                    [b'\\', member, rest @ ..] => {
                        is_in |= *member == byte;
                        rest
                    }
                    [low, b'-', high, rest @ ..] if *high != b']' => {
                        is_in |= (*low.min(high)..=*low.max(high)).contains(&byte);
                        rest
                    }
                    [member, rest @ ..] => {
                        is_in |= *member == byte;
                        rest
                    }
                };
            }
            (is_in != is_negated).then_some(set)
        }
        [b'\\', next, rest @ ..] | [next, rest @ ..] => (*next == byte).then_some(rest),
        [] => None,
    }
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
