//! A line as a command: words between spaces, quoted the way Redis quotes.

/// The line cannot be read: a quote is not closed, or closed in the middle of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnbalancedQuotes;

/// Splits a line: `take` gets the bytes of each word, and `None` at its end.
#[inline(never)]
pub(super) fn split(line: &[u8], take: &mut dyn FnMut(Option<u8>)) -> Result<(), UnbalancedQuotes> {
    let mut rest = line;
    loop {
        rest = rest.trim_ascii_start();
        if rest.is_empty() {
            return Ok(());
        }
        rest = word(rest, take)?;
        take(None);
    }
}

/// A word up to a space; a quote in it opens a quoted part, which ends the word, as in Redis.
fn word<'l>(
    mut rest: &'l [u8],
    take: &mut dyn FnMut(Option<u8>),
) -> Result<&'l [u8], UnbalancedQuotes> {
    while let Some((next, after)) = rest.split_first() {
        match next {
            b'"' | b'\'' => {
                rest = quoted(after, *next, take)?;
                if rest.first().is_some_and(|next| !next.is_ascii_whitespace()) {
                    return Err(UnbalancedQuotes);
                }
            }
            next if next.is_ascii_whitespace() => break,
            _ => {
                take(Some(*next));
                rest = after;
            }
        }
    }
    Ok(rest)
}

/// The rest of a quoted part, and what follows its closing quote.
fn quoted<'l>(
    mut rest: &'l [u8],
    quote: u8,
    take: &mut dyn FnMut(Option<u8>),
) -> Result<&'l [u8], UnbalancedQuotes> {
    loop {
        match rest {
            [next, after @ ..] if *next == quote => return Ok(after),
            [b'\\', b'x', high, low, after @ ..]
                if quote == b'"' && nibble(*high) < 16 && nibble(*low) < 16 =>
            {
                take(Some(nibble(*high) << 4 | nibble(*low)));
                rest = after;
            }
            [b'\\', escaped, after @ ..] if quote == b'"' => {
                take(Some(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    other => *other,
                }));
                rest = after;
            }
            [b'\\', b'\'', after @ ..] if quote == b'\'' => {
                take(Some(b'\''));
                rest = after;
            }
            [next, after @ ..] => {
                take(Some(*next));
                rest = after;
            }
            [] => return Err(UnbalancedQuotes),
        }
    }
}

/// The value of a hexadecimal digit; 16 or more when it is none.
#[inline(never)]
fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        _ => (digit | 0x20).wrapping_sub(b'a').saturating_add(10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Vec<Vec<u8>>, UnbalancedQuotes> {
        let mut words = Vec::new();
        let mut word = Vec::new();
        split(line.as_bytes(), &mut |byte| match byte {
            Some(byte) => word.push(byte),
            None => words.push(std::mem::take(&mut word)),
        })?;
        Ok(words)
    }

    #[test]
    fn words_are_split_as_redis_splits_them() {
        assert_eq!(words("").unwrap(), Vec::<Vec<u8>>::new());
        assert_eq!(words("  a\tbc  ").unwrap(), [&b"a"[..], b"bc"]);
        assert_eq!(
            words(r#""a b" 'c d' """#).unwrap(),
            [&b"a b"[..], b"c d", b""]
        );
        assert_eq!(
            words(r#""\x41\n\"\\" 'it\'s \n'"#).unwrap(),
            [&b"A\n\"\\"[..], b"it's \\n"]
        );
        assert_eq!(words(r#"a"b c""#).unwrap(), [b"ab c"]);
        assert_eq!(words(r#""\xZZ""#).unwrap(), [b"xZZ"]);
    }

    #[test]
    fn open_quotes_are_errors() {
        for line in [r#""a"#, "'a", r#""a"b"#, r#"a"b"#, r#""\"#] {
            assert_eq!(words(line), Err(UnbalancedQuotes), "{line}");
        }
    }
}
