//! Golomb-Rice codes of the gaps between bits that are set: the compressed payload.
//!
//! Golomb, "Run-Length Encodings", 1966; Rice and Plaunt, "Adaptive Variable-Length Coding for Efficient Compression
//! of Spacecraft Television Data", 1971. That a sparse Bloom filter compresses to about its entropy is from
//! Mitzenmacher, "Compressed Bloom Filters", 2001.

use super::error::SnapshotError;
use super::parts::Parts;

const WORD_BITS: usize = 32;
/// The longest run of 1s that fills up the last byte.
const MAX_FILLING: u32 = 7;
const MAX_PARAMETER: u32 = 31;

/// The parameter with the least bound on the length of the code, which is `ones * (1 + r) + zeros / 2^r` bits.
pub(crate) fn best_parameter(num_bits: u64, ones: u64) -> u8 {
    let zeros = num_bits.saturating_sub(ones);
    let bound = |r: u32| {
        ones.saturating_mul(u64::from(r) + 1)
            .saturating_add(zeros >> r)
    };
    (0..=MAX_PARAMETER).min_by_key(|r| bound(*r)).unwrap_or(0) as u8
}

/// Codes a structure's words byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct Encoder {
    parameter: u32,
    /// The word that is being read, and what is left of it.
    index: usize,
    word: u32,
    /// The first place that no code speaks of yet.
    place: usize,
    /// What is left of a code: 1s, and then the bits of a number.
    ones: usize,
    rest: u32,
    rest_bits: u32,
}

impl Encoder {
    pub(crate) fn new<T: Parts + ?Sized>(source: &T, parameter: u8) -> Self {
        Self {
            parameter: u32::from(parameter).min(MAX_PARAMETER),
            index: 0,
            word: source.word(0),
            place: 0,
            ones: 0,
            rest: 0,
            rest_bits: 0,
        }
    }

    /// The next byte; none when all is told.
    pub(crate) fn next_byte<T: Parts + ?Sized>(&mut self, source: &T) -> Option<u8> {
        let mut byte = 0;
        for bit in 0..8 {
            if self.ones == 0 && self.rest_bits == 0 && !self.begin_code(source) {
                // The last byte is filled up with 1s, which no 0 follows: not a code.
                return (bit > 0).then_some(byte | u8::MAX << bit);
            }
            if self.ones > 0 {
                self.ones -= 1;
                byte |= 1 << bit;
            } else {
                byte |= ((self.rest & 1) as u8) << bit;
                self.rest >>= 1;
                self.rest_bits -= 1;
            }
        }
        Some(byte)
    }

    /// Takes up the next bit that is set; false when there is none.
    fn begin_code<T: Parts + ?Sized>(&mut self, source: &T) -> bool {
        while self.word == 0 {
            if self.index + 1 >= source.num_words() {
                return false;
            }
            self.index += 1;
            self.word = source.word(self.index);
        }
        let place = self.index * WORD_BITS + self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        // Bits may come behind the place when someone sets them meanwhile, in an atomic filter.
        let gap = place.saturating_sub(self.place);
        self.place = place + 1;
        self.ones = gap >> self.parameter;
        // A 0, and the lower bits of the gap.
        self.rest = (gap as u32 & ((1 << self.parameter) - 1)) << 1;
        self.rest_bits = 1 + self.parameter;
        true
    }
}

/// Finds the places of bits that are set, byte by byte.
#[derive(Clone, Debug)]
pub(crate) struct Decoder {
    parameter: u32,
    num_bits: usize,
    /// The place that a gap of what was read of the code would lead to.
    place: usize,
    /// 1s of this code, while it is at them.
    ones: u32,
    /// Which of the lower bits of the gap comes next; none while it is at the 1s.
    bit: Option<u32>,
}

impl Decoder {
    pub(crate) const fn new(parameter: u8, num_bits: usize) -> Self {
        Self {
            parameter: parameter as u32,
            num_bits,
            place: 0,
            ones: 0,
            bit: None,
        }
    }

    /// Takes a byte, and tells the places of the bits that it completes.
    // Not inlined: its size in the firmware is measured.
    #[inline(never)]
    pub(crate) fn push(
        &mut self,
        byte: u8,
        sink: &mut impl FnMut(usize),
    ) -> Result<(), SnapshotError> {
        let mut bits = u32::from(byte);
        for _ in 0..8 {
            let is_set = bits & 1 != 0;
            bits >>= 1;
            let next = match self.bit {
                None if is_set => {
                    // May lead beyond the end as long as no 0 follows.
                    self.ones = self.ones.saturating_add(1);
                    self.skip(self.parameter)?;
                    continue;
                }
                None => 0,
                Some(bit) => {
                    if is_set {
                        self.skip(bit)?;
                    }
                    bit + 1
                }
            };
            self.ones = 0;
            self.bit = Some(next);
            if next >= self.parameter {
                if self.place >= self.num_bits {
                    return Err(SnapshotError::Payload);
                }
                sink(self.place);
                self.place += 1;
                self.bit = None;
            }
        }
        Ok(())
    }

    /// Moves on by a power of two. Not far beyond the end: that is as wrong as farther.
    fn skip(&mut self, log2: u32) -> Result<(), SnapshotError> {
        let step = 1_usize.checked_shl(log2).unwrap_or(usize::MAX);
        self.place = self.place.saturating_add(step);
        // Filling up the last byte may lead beyond the end, but not more of it.
        if self.place > self.num_bits && self.ones > MAX_FILLING {
            return Err(SnapshotError::Payload);
        }
        Ok(())
    }

    /// Whether the bytes may end here: between codes, but for what fills up the last byte.
    pub(crate) fn finish(&self) -> Result<(), SnapshotError> {
        if self.bit.is_some() || self.ones > MAX_FILLING {
            return Err(SnapshotError::Payload);
        }
        Ok(())
    }
}
