//! The console's texts as they lie in flash: packed by the compiler, in about half of their bytes.
//!
//! A byte that no text has stands for two others, which may be such bytes again: [`PAIRS`] has them, chosen for the
//! texts that there are. A text is known by where it begins, one number in place of an address and a length, which
//! makes every place that names one smaller, too.

use core::num::NonZero;

use super::commands;
use super::pairs::PAIRS;
use super::texts::TEXTS;

/// A text of the console: the byte behind which it begins. [`texts`](super::texts) has those with names.
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

    /// The text that begins at this byte; none begins at 0.
    pub const fn at(start: u32) -> Self {
        Self(NonZero::<u32>::MIN.saturating_add(start))
    }

    /// Where it begins.
    pub const fn start(self) -> u32 {
        self.0.get() - 1
    }

    /// Its bytes, as they were written but for [`TAB`] and [`LINE_FEED`].
    #[inline(never)]
    pub fn bytes(self) -> Bytes {
        Bytes {
            at: self.start() as usize,
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
const DEPTH: usize = 8;

impl Bytes {
    /// The next byte; [`END`] behind the last.
    #[inline(never)]
    pub fn next_or_end(&mut self) -> u32 {
        let mut byte = if self.waiting > 0 {
            self.waiting -= 1;
            self.second[self.waiting % DEPTH]
        } else {
            self.at += 1;
            BYTES.get(self.at - 1).copied().unwrap_or(END)
        };
        // What the byte stands for, if not for itself.
        while let Some([first, second]) = PAIRS.get(usize::from(byte.wrapping_sub(code(0)))) {
            self.second[self.waiting % DEPTH] = *second;
            self.waiting += 1;
            byte = *first;
        }
        byte.into()
    }
}

impl Iterator for Bytes {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        Some(self.next_or_end() as u8).filter(|byte| *byte != END)
    }
}

/// The byte that stands for the pair of this number: one behind those of ASCII that are printed, or before these three.
const fn code(number: usize) -> u8 {
    b'~'.wrapping_add(1 + number as u8)
}

/// Behind every text.
const END: u8 = 29;
/// A tab in a text, when it comes out.
pub(super) const TAB: u8 = 30;
/// A line feed in a text, when it comes out.
pub(super) const LINE_FEED: u8 = 31;
/// How many pairs there can be.
pub(super) const NUM_PAIRS: usize = 129 + END as usize;

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

// Every pair is looked for at every byte.
#[allow(long_running_const_eval)]
const PACKED: Packed<ROOM> = {
    let phrases = Phrases::of_pairs(&PAIRS);
    // No text begins at 0.
    let mut packed = Packed {
        bytes: [END; ROOM],
        length: 1,
        starts: [0; COUNT],
    };
    let mut number = 0;
    while number < COUNT {
        packed.starts[number] = packed.length as u16;
        let text = plain(number).as_bytes();
        // One that is left out takes not even its end.
        if !text.is_empty() {
            let (bytes, length) = phrases.pack(text);
            let mut i = 0;
            while i < length {
                packed.bytes[packed.length] = bytes[i];
                packed.length += 1;
                i += 1;
            }
        }
        number += 1;
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

/// A byte of a text as it comes out.
const fn comes_out(byte: u8) -> u8 {
    match byte {
        b'\t' => TAB,
        b'\n' => LINE_FEED,
        _ => {
            assert!(matches!(byte, b' '..=b'~'), "texts are ASCII");
            byte
        }
    }
}

/// Bytes of the longest phrase.
const LONGEST_PHRASE: usize = 40;
/// Bytes of the longest text, with its end.
const LONGEST_TEXT: usize = 512;

/// What pairs come out as.
struct Phrases {
    bytes: [[u8; LONGEST_PHRASE]; NUM_PAIRS],
    lengths: [usize; NUM_PAIRS],
}

impl Phrases {
    const NONE: Self = Self {
        bytes: [[END; LONGEST_PHRASE]; NUM_PAIRS],
        lengths: [0; NUM_PAIRS],
    };

    /// Pairs of bytes, or of pairs before them.
    const fn of_pairs(pairs: &[[u8; 2]; NUM_PAIRS]) -> Self {
        let mut phrases = Self::NONE;
        let mut number = 0;
        while number < NUM_PAIRS {
            let mut side = 0;
            while side < 2 {
                phrases.append(number, pairs[number][side]);
                side += 1;
            }
            number += 1;
        }
        phrases
    }

    /// Makes a phrase longer by what this byte comes out as.
    const fn append(&mut self, number: usize, byte: u8) {
        let from = byte.wrapping_sub(code(0)) as usize;
        let is_pair = from < NUM_PAIRS;
        assert!(!is_pair || from < number);
        let length = if is_pair { self.lengths[from] } else { 1 };
        let mut i = 0;
        while i < length {
            self.bytes[number][self.lengths[number]] =
                if is_pair { self.bytes[from][i] } else { byte };
            self.lengths[number] += 1;
            i += 1;
        }
    }

    /// A text and its end in the fewest bytes, and how many.
    const fn pack(&self, text: &[u8]) -> ([u8; LONGEST_TEXT], usize) {
        let mut plain = [END; LONGEST_TEXT + LONGEST_PHRASE];
        // Of what begins at a byte: how many it takes, the first of them, and how much of the text that is.
        let mut takes = [0; LONGEST_TEXT + 1];
        let mut first = [END; LONGEST_TEXT];
        let mut passes = [1; LONGEST_TEXT];
        let mut at = text.len() + 1;
        while at > 0 {
            at -= 1;
            if at < text.len() {
                plain[at] = comes_out(text[at]);
            }
            first[at] = plain[at];
            takes[at] = takes[at + 1] + 1;
            let mut number = 0;
            while number < NUM_PAIRS {
                let phrase = &self.bytes[number];
                let length = self.lengths[number];
                let mut same = 0;
                while same < length && phrase[same] == plain[at + same] {
                    same += 1;
                }
                if same == length && takes[at + length] + 1 < takes[at] {
                    first[at] = code(number);
                    takes[at] = takes[at + length] + 1;
                    passes[at] = length;
                }
                number += 1;
            }
        }
        let mut packed = [END; LONGEST_TEXT];
        let mut length = 0;
        while at <= text.len() {
            packed[length] = first[at];
            length += 1;
            at += passes[at];
        }
        (packed, length)
    }
}

// While what comes first in a pair is unpacked, what comes second waits.
const _: () = {
    let mut depths = [0; 256];
    let mut i = 0;
    while i < PAIRS.len() {
        let first = 1 + depths[PAIRS[i][0] as usize];
        let second = depths[PAIRS[i][1] as usize];
        depths[code(i) as usize] = if first > second { first } else { second };
        assert!(depths[code(i) as usize] <= DEPTH);
        i += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_out_as_they_were_written() {
        for (i, text) in (0..COUNT).map(plain).enumerate() {
            let bytes: Vec<u8> = Text::numbered(i).bytes().collect();
            let expected: Vec<u8> = text.bytes().map(comes_out).collect();
            assert!(text.is_empty() || bytes == expected, "{text:?}");
        }
        assert_eq!(Text::at(u32::MAX).bytes().next(), None);
    }

    /// Of all texts: with fewer features the same pairs serve.
    #[cfg(feature = "shell-saves")]
    mod pairs {
        use std::collections::{BTreeMap, BTreeSet};
        use std::fmt::Write;

        use super::super::*;
        use crate::shell::texts::IN_IMAGES;

        type Phrase = Vec<u8>;

        impl Phrases {
            fn of(phrases: &[Phrase]) -> Self {
                let mut all = Self::NONE;
                for (i, phrase) in phrases.iter().enumerate() {
                    phrase.iter().for_each(|byte| all.append(i, *byte));
                }
                all
            }

            /// Each text, packed, and how much it counts.
            fn packed(&self) -> impl Iterator<Item = (Vec<u8>, usize)> {
                let weight = |i| match IN_IMAGES.get(i) {
                    Some(weight) => *weight,
                    None => commands::in_images(i - TEXTS.len()),
                };
                (0..COUNT).map(move |i| {
                    let (bytes, length) = self.pack(plain(i).as_bytes());
                    (bytes[..length].to_vec(), weight(i))
                })
            }

            fn size(&self) -> usize {
                self.packed()
                    .map(|(bytes, weight)| bytes.len() * weight)
                    .sum()
            }
        }

        fn random(state: &mut u32, below: usize) -> usize {
            *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (*state >> 8) as usize % below
        }

        /// Fills up with the pair that comes most often, again and again; by chance with the next.
        fn fill_up(phrases: &mut Vec<Phrase>, mut chance: Option<&mut u32>) {
            while phrases.len() < NUM_PAIRS {
                let mut counts = BTreeMap::new();
                for (bytes, weight) in Phrases::of(phrases).packed() {
                    for pair in bytes.windows(2) {
                        *counts.entry([pair[0], pair[1]]).or_insert(0) += weight;
                    }
                }
                let mut pairs: Vec<_> = counts.into_iter().collect();
                pairs.sort_by_key(|(_, count)| *count);
                while let Some(([first, second], _)) = pairs.pop() {
                    let half = |byte: u8| match phrases.get(usize::from(byte.wrapping_sub(code(0))))
                    {
                        Some(phrase) => phrase.clone(),
                        None => vec![byte],
                    };
                    let phrase = [half(first), half(second)].concat();
                    if phrase.len() <= LONGEST_PHRASE
                        && !phrases.contains(&phrase)
                        && chance.as_mut().is_none_or(|state| random(state, 3) > 0)
                    {
                        phrases.push(phrase);
                        break;
                    }
                }
            }
        }

        /// Without those that are not made of two others or bytes.
        fn drop_broken(phrases: &mut Vec<Phrase>) {
            phrases.sort_by_key(Vec::len);
            let mut whole = BTreeSet::new();
            phrases.retain(|phrase| {
                let is_there = |half: &[u8]| half.len() == 1 || whole.contains(half);
                let is_whole =
                    (1..phrase.len()).any(|i| is_there(&phrase[..i]) && is_there(&phrase[i..]));
                is_whole && whole.insert(phrase.clone())
            });
        }

        /// As pairs, if no more of them than may be wait for each other.
        fn pairs(phrases: &mut [Phrase]) -> Option<Vec<[u8; 2]>> {
            phrases.sort_by_key(Vec::len);
            let mut depths: Vec<usize> = Vec::new();
            let mut pairs = Vec::new();
            for phrase in &*phrases {
                let half = |half: &[u8]| match phrases.iter().position(|other| other == half) {
                    Some(i) => Some((depths[i], code(i))),
                    None if half.len() == 1 => Some((0, half[0])),
                    None => None,
                };
                let split = |i| {
                    let (first, second) = (half(&phrase[..i])?, half(&phrase[i..])?);
                    Some(((first.0 + 1).max(second.0), [first.1, second.1]))
                };
                let (depth, pair) = (1..phrase.len()).filter_map(split).min().unwrap();
                depths.push(depth);
                pairs.push(pair);
            }
            depths.iter().all(|depth| *depth <= DEPTH).then_some(pairs)
        }

        fn phrases(pairs: &[[u8; 2]; NUM_PAIRS]) -> Vec<Phrase> {
            let all = Phrases::of_pairs(pairs);
            let phrases = all.bytes.iter().zip(all.lengths);
            phrases
                .map(|(bytes, length)| bytes[..length].to_vec())
                .collect()
        }

        fn write(phrases: &mut [Phrase]) {
            let mut source = String::from(
                "//! The pairs of bytes that texts are packed with: written by a test of [`text`](super::text), from the texts.\n\n\
                 use super::text::NUM_PAIRS;\n\n\
                 /// What bytes stand for that no text has.\n\
                 #[rustfmt::skip]\n\
                 pub(super) static PAIRS: [[u8; 2]; NUM_PAIRS] = [\n",
            );
            for row in pairs(phrases).unwrap().chunks(8) {
                let row: Vec<String> = row.iter().map(|[a, b]| format!("[{a}, {b}]")).collect();
                writeln!(source, "    {},", row.join(", ")).unwrap();
            }
            source += "];\n";
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/shell/pairs.rs");
            std::fs::write(path, &source).unwrap();
        }

        /// Some are taken out, and others put in their place, for as many rounds as asked for.
        #[test]
        fn pairs_are_no_worse_than_those_that_come_most_often() {
            let mut greedy = Vec::new();
            fill_up(&mut greedy, None);
            let mut best = phrases(&PAIRS);
            let (here, simple) = (Phrases::of(&best).size(), Phrases::of(&greedy).size());
            if let Ok(rounds) = std::env::var("SUNDEW_PAIRS") {
                let mut size = here;
                if simple < here && pairs(&mut greedy).is_some() {
                    (best, size) = (greedy, simple);
                }
                let rounds: usize = rounds.parse().unwrap();
                let mut state = size as u32;
                let (mut now, mut now_size) = (best.clone(), size);
                for left in (0..rounds).rev() {
                    let mut other = now.clone();
                    for _ in 0..=random(&mut state, 4) {
                        let i = random(&mut state, other.len());
                        other.remove(i);
                    }
                    drop_broken(&mut other);
                    fill_up(&mut other, Some(&mut state));
                    // At first somewhat worse ones are taken, too.
                    let new_size = Phrases::of(&other).size();
                    if new_size <= now_size + 8 * left / rounds && pairs(&mut other).is_some() {
                        (now, now_size) = (other, new_size);
                    }
                    if now_size < size {
                        (best, size) = (now.clone(), now_size);
                    }
                }
                write(&mut best);
                println!("{here} bytes, now {size}");
            } else {
                assert!(
                    here <= simple,
                    "texts have changed: SUNDEW_PAIRS=20000 cargo test --release --all-features --lib pairs"
                );
            }
        }
    }
}
