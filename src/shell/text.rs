//! The console's texts as they lie in flash: packed by the compiler, in about 60 % of their bytes.
//!
//! A byte that is not ASCII, or a control byte that no text has, stands for two others, which may be such bytes again:
//! [`PAIRS`] has them, chosen for the texts that there are. A text is known by where it begins, one number in place of an address and a length, which makes
//! every place that names one smaller, too.

use core::num::NonZero;

use super::commands;
use super::pairs::PAIRS;
use super::texts::TEXTS;

/// A text of the console. [`texts`](super::texts) has those with names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text(NonZero<u32>);

impl Text {
    /// The text with this number in [`TEXTS`].
    pub const fn numbered(number: usize) -> Self {
        Self::at(PACKED.starts[number] as u32)
    }

    /// The text of the [command](commands::plain) with this number.
    pub const fn of_command(number: usize) -> Self {
        Self::numbered(TEXTS.len() + number)
    }

    /// The text that begins at this byte; one of no bytes if none does.
    pub const fn at(start: u32) -> Self {
        match NonZero::new(start) {
            Some(start) => Self(start),
            None => Self(NonZero::<u32>::MAX),
        }
    }

    /// Where it begins.
    pub const fn start(self) -> u32 {
        self.0.get()
    }

    /// Its bytes, as they were written.
    #[inline(never)]
    pub fn bytes(self) -> Bytes {
        Bytes {
            at: self.0.get() as usize,
            second: [0; DEPTH],
            waiting: 0,
        }
    }
}

/// Unpacks a text.
#[derive(Clone)]
pub(super) struct Bytes {
    at: usize,
    waiting: usize,
    /// The second bytes of pairs whose first one is being unpacked.
    second: [u8; DEPTH],
}

/// How many pairs may begin with one another.
const DEPTH: usize = 12;

impl Bytes {
    /// The next byte; [`END`] behind the last.
    #[inline(never)]
    fn take_next(&mut self) -> u8 {
        let mut byte = if self.waiting > 0 {
            self.waiting -= 1;
            self.second.get(self.waiting).copied().unwrap_or(END)
        } else {
            let byte = BYTES.get(self.at).copied().unwrap_or(END);
            self.at += 1;
            byte
        };
        while let Some([first, second]) = pair(byte) {
            if let Some(place) = self.second.get_mut(self.waiting) {
                *place = second;
            }
            self.waiting += 1;
            byte = first;
        }
        byte
    }
}

impl Iterator for Bytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        Some(self.take_next()).filter(|byte| *byte != END)
    }
}

/// What a byte stands for, if not for itself.
fn pair(byte: u8) -> Option<[u8; 2]> {
    let number = match byte {
        FIRST_CONTROL..b' ' => byte - FIRST_CONTROL,
        128.. => byte - 128 + NUM_CONTROLS,
        _ => return None,
    };
    PAIRS.get(usize::from(number)).copied()
}

/// The byte that stands for the pair of this number.
const fn code(number: usize) -> u8 {
    let number = number as u8;
    if number < NUM_CONTROLS {
        FIRST_CONTROL + number
    } else {
        number - NUM_CONTROLS + 128
    }
}

/// Behind every text.
const END: u8 = 0;
/// The first of the control bytes that stand for pairs, up to a space; tabs and line feeds are texts' own.
const FIRST_CONTROL: u8 = b'\n' + 1;
const NUM_CONTROLS: u8 = b' ' - FIRST_CONTROL;
/// How many pairs there can be.
pub(super) const NUM_PAIRS: usize = NUM_CONTROLS as usize + 128;

const COUNT: usize = TEXTS.len() + commands::COUNT;

struct Packed<const ROOM: usize> {
    bytes: [u8; ROOM],
    length: usize,
    starts: [u16; COUNT],
}

const ROOM: usize = {
    let (mut i, mut sum) = (0, 1);
    while i < COUNT {
        sum += plain(i).len() + 1;
        i += 1;
    }
    sum
};

// Every pair is looked for in every text.
#[allow(long_running_const_eval)]
const PACKED: Packed<ROOM> = {
    // No text begins at 0.
    let mut packed = Packed {
        bytes: [END; ROOM],
        length: 1,
        starts: [0; COUNT],
    };
    let mut i = 0;
    while i < COUNT {
        packed.starts[i] = packed.length as u16;
        pack(plain(i).as_bytes(), &mut packed);
        i += 1;
    }
    assert!(packed.length < 1 << 16);
    packed
};

static BYTES: [u8; PACKED.length] = {
    let mut bytes = [END; PACKED.length];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = PACKED.bytes[i];
        i += 1;
    }
    bytes
};

const fn plain(number: usize) -> &'static str {
    if number < TEXTS.len() {
        TEXTS[number]
    } else {
        commands::plain(number - TEXTS.len()).text
    }
}

/// Appends a text: as it is, then with one pair after the other in place of its bytes.
const fn pack<const ROOM: usize>(text: &[u8], packed: &mut Packed<ROOM>) {
    let start = packed.length;
    let mut length = text.len();
    let mut i = 0;
    while i < length {
        assert!(
            matches!(text[i], b'\t' | b'\n' | b' '..=b'~'),
            "texts are ASCII"
        );
        packed.bytes[start + i] = text[i];
        i += 1;
    }
    let mut number = 0;
    while number < PAIRS.len() {
        let [first, second] = PAIRS[number];
        let (mut from, mut to) = (start, start);
        while from < start + length {
            let byte = packed.bytes[from];
            from += 1;
            packed.bytes[to] = byte;
            if byte == first && from < start + length && packed.bytes[from] == second {
                packed.bytes[to] = code(number);
                from += 1;
            }
            to += 1;
        }
        length = to - start;
        number += 1;
    }
    packed.bytes[start + length] = END;
    packed.length = start + length + 1;
}

const _: () = {
    let mut depths = [0; 256];
    let mut i = 0;
    while i < PAIRS.len() {
        depths[code(i) as usize] = 1 + depths[PAIRS[i][0] as usize];
        assert!(depths[code(i) as usize] <= DEPTH);
        i += 1;
    }
};

#[cfg(test)]
mod tests {
    #[cfg(feature = "shell-saves")]
    use std::{collections::BTreeMap, fmt::Write};

    use super::*;

    fn texts() -> impl Iterator<Item = &'static str> {
        (0..COUNT).map(plain)
    }

    #[test]
    fn texts_come_out_as_they_were_written() {
        for (i, text) in texts().enumerate() {
            let bytes: Vec<u8> = Text::numbered(i).bytes().collect();
            assert_eq!(bytes, text.as_bytes());
        }
        assert_eq!(Text::at(u32::MAX).bytes().next(), None);
    }

    /// The pair that comes most often becomes a byte, again and again.
    #[cfg(feature = "shell-saves")]
    fn best_pairs() -> Vec<[u8; 2]> {
        let mut texts: Vec<Vec<u8>> = texts().map(|text| text.as_bytes().to_vec()).collect();
        let mut pairs = Vec::new();
        while pairs.len() < PAIRS.len() {
            let mut counts = BTreeMap::new();
            for pair in texts.iter().flat_map(|text| text.windows(2)) {
                *counts.entry([pair[0], pair[1]]).or_insert(0) += 1;
            }
            let (pair, _) = counts.into_iter().max_by_key(|(_, count)| *count).unwrap();
            let byte = code(pairs.len());
            for text in &mut texts {
                let mut from = 0;
                while from + 1 < text.len() {
                    if text[from..from + 2] == pair {
                        text.splice(from..from + 2, [byte]);
                    }
                    from += 1;
                }
            }
            pairs.push(pair);
        }
        println!(
            "{} bytes",
            texts.iter().map(|text| text.len() + 1).sum::<usize>()
        );
        pairs
    }

    /// Of all texts: with fewer features the same pairs serve.
    #[cfg(feature = "shell-saves")]
    #[test]
    fn pairs_are_those_of_the_texts() {
        let pairs = best_pairs();
        let mut source = String::from(
            "//! The pairs of bytes that texts are packed with: written by a test of [`text`](super::text), from the texts.\n\n\
             use super::text::NUM_PAIRS;\n\n\
             /// What bytes stand for that no text has.\n\
             #[rustfmt::skip]\n\
             pub(super) static PAIRS: [[u8; 2]; NUM_PAIRS] = [\n",
        );
        for row in pairs.chunks(8) {
            let row: Vec<String> = row.iter().map(|[a, b]| format!("[{a}, {b}]")).collect();
            writeln!(source, "    {},", row.join(", ")).unwrap();
        }
        source += "];\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/shell/pairs.rs");
        if std::env::var_os("SUNDEW_PAIRS").is_some() {
            std::fs::write(path, &source).unwrap();
        }
        let is_there = std::fs::read_to_string(path).unwrap() == source;
        assert!(
            is_there,
            "texts have changed: SUNDEW_PAIRS=1 cargo test --all-features --lib pairs"
        );
    }
}
