//! Completion of the word before the cursor.

use embedded_io::Write;

use super::Completer;
use super::screen::{Screen, is_continuation};
use crate::copy::copy;

/// Collects what all candidates have in common, in the place where it goes: the gap of a line.
pub(super) struct Completion<'a> {
    gap: &'a mut [u8],
    num_candidates: usize,
    /// How many bytes of the gap the candidates have in common. The first candidate may exceed the gap.
    common: usize,
}

impl<'a> Completion<'a> {
    pub(super) fn new(gap: &'a mut [u8]) -> Self {
        Self {
            gap,
            num_candidates: 0,
            common: 0,
        }
    }

    /// Adds a candidate, without the part of it that is typed already.
    pub(super) fn add(&mut self, rest: &[u8]) {
        if self.num_candidates == 0 {
            copy(rest, self.gap);
            self.common = rest.len();
        } else {
            self.common = self.common.min(common_prefix(self.gap, rest));
        }
        self.num_candidates += 1;
    }

    pub(super) fn is_ambiguous(&self) -> bool {
        self.num_candidates > 1
    }

    /// What to insert, which is the start of the gap: all or, where it does not fit, nothing. A word that is
    /// complete gets its space.
    pub(super) fn finish(self) -> &'a [u8] {
        let mut count = self.common;
        if self.num_candidates == 1 {
            if let Some(space) = self.gap.get_mut(count) {
                *space = b' ';
            }
            count += 1;
        }
        self.gap.get(..count).unwrap_or_default()
    }
}

/// The length of what both texts start with, in whole characters.
fn common_prefix(text: &[u8], other: &[u8]) -> usize {
    let mut common = text.iter().zip(other).take_while(|(a, b)| a == b).count();
    while common > 0 && other.get(common).is_some_and(|&byte| is_continuation(byte)) {
        common -= 1;
    }
    common
}

/// What follows the last space.
#[inline(never)]
pub(super) fn last_word(text: &[u8]) -> &[u8] {
    text.rsplit(|&byte| byte == b' ').next().unwrap_or_default()
}

/// Writes all candidates for the last word.
pub(super) fn list_candidates<W: Write>(
    before: &[u8],
    complete: &mut Completer<'_>,
    screen: &mut Screen<'_, W>,
) -> Result<(), W::Error> {
    let word = last_word(before);
    let mut written = Ok(());
    complete(before, &mut |candidate| {
        if written.is_ok() && candidate.starts_with(word) {
            written = screen.write(candidate).and_then(|()| screen.write(b"  "));
        }
    });
    written
}
