//! A line as a command: words between spaces, quoted the way Redis quotes.

/// The line cannot be read: a quote is not closed, or closed in the middle of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnbalancedQuotes;

/// Splits a line: `take` gets the bytes of each word, and `None` at its end.
///
/// A quote in a word opens a quoted part, which ends the word, as in Redis.
#[inline(never)]
pub(super) fn split(line: &[u8], take: &mut dyn FnMut(Option<u8>)) -> Result<(), UnbalancedQuotes> {
    let mut rest = line.iter();
    // One of these, or the quote that is open.
    let mut state = BETWEEN_WORDS;
    loop {
        let next = rest.next();
        // A space behind the line ends its last word.
        let mut byte = next.copied().unwrap_or(b' ');
        if state <= CLOSED {
            if byte.is_ascii_whitespace() {
                if state != BETWEEN_WORDS {
                    take(None);
                }
                state = BETWEEN_WORDS;
                if next.is_none() {
                    return Ok(());
                }
                continue;
            }
            if state == CLOSED {
                return Err(UnbalancedQuotes);
            }
            state = IN_WORD;
            if matches!(byte, b'"' | b'\'') {
                state = byte;
                continue;
            }
        } else if next.is_none() {
            return Err(UnbalancedQuotes);
        } else if byte == state {
            state = CLOSED;
            continue;
        } else if byte == b'\\'
            && let Some(&escaped) = rest.as_slice().first()
            && (state == b'"' || escaped == state)
        {
            byte = escaped;
            rest.next();
            if state == b'"' {
                if let Some(place) = CONTROLS.iter().position(|letter| *letter == byte) {
                    byte = 7 + place as u8;
                } else if byte == b'x'
                    && let [high, low, ..] = rest.as_slice()
                    && nibble(*high) | nibble(*low) < 16
                {
                    byte = nibble(*high) << 4 | nibble(*low);
                    rest.nth(1);
                }
            }
        }
        take(Some(byte));
    }
}

const BETWEEN_WORDS: u8 = 0;
const IN_WORD: u8 = 1;
/// Behind a quoted part, which ends its word.
const CLOSED: u8 = 2;

/// The letters of the control bytes from 7 on; two have none.
const CONTROLS: [u8; 7] = *b"abtn\x0b\x0cr";

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
