//! A line as a command: words between spaces, quoted the way Redis quotes.

/// The line cannot be read: a quote is not closed, or closed in the middle of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnbalancedQuotes;

/// Splits a line: `take` gets the bytes of each word, and `None` at its end.
///
/// A quote in a word opens a quoted part, which ends the word, as in Redis.
#[inline(never)]
pub(super) fn split(line: &[u8], take: &mut dyn FnMut(Option<u8>)) -> Result<(), UnbalancedQuotes> {
    // A space behind the line ends its last word.
    let byte_at = |at: usize| line.get(at).copied().unwrap_or(b' ');
    let mut at = 0;
    let mut is_in_word = false;
    // The quote that is open.
    let mut quote = 0;
    while at <= line.len() {
        let mut byte = byte_at(at);
        at += 1;
        if quote == 0 {
            if byte.is_ascii_whitespace() {
                if is_in_word {
                    take(None);
                }
                is_in_word = false;
                continue;
            }
            is_in_word = true;
            if matches!(byte, b'"' | b'\'') {
                quote = byte;
                continue;
            }
        } else if byte == quote {
            if !byte_at(at).is_ascii_whitespace() {
                return Err(UnbalancedQuotes);
            }
            quote = 0;
            continue;
        } else if byte == b'\\' && (quote == b'"' || byte_at(at) == quote) {
            byte = byte_at(at);
            at += 1;
            if quote == b'"' {
                let (high, low) = (nibble(byte_at(at)), nibble(byte_at(at + 1)));
                byte = match byte {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 0x08,
                    b'a' => 0x07,
                    b'x' if high | low < 16 => {
                        at += 2;
                        high << 4 | low
                    }
                    other => other,
                };
            }
        }
        take(Some(byte));
    }
    if quote != 0 {
        return Err(UnbalancedQuotes);
    }
    Ok(())
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
