//! A NOR flash that is as strict as the strictest: a word is written once after an erase, whole, and only to clear
//! bits. Its power can be cut in the middle of any operation, and it can fail as flash does.
#![allow(dead_code)] // no test uses all of it

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use embedded_storage::nor_flash::{ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash};

#[derive(Clone, Debug)]
pub struct Nor<const WRITE: usize, const ERASE: usize> {
    pub bytes: Vec<u8>,
    /// Words that were not touched since they were erased.
    is_blank: Vec<bool>,
    /// Everything that changed the flash, or was to.
    pub operations: Vec<Operation>,
    /// How often each page was erased.
    pub erases: Vec<u32>,
    pub bytes_written: u64,
    /// Shared, to be looked at while a store has the flash.
    pub reads: Rc<Cell<u64>>,
    cut: Option<Cut>,
    is_off: bool,
    /// Pages that report an error.
    pub refuses_writes: HashSet<usize>,
    pub refuses_erases: HashSet<usize>,
    pub refuses_reads: HashSet<usize>,
    /// Bits that stay 0 whatever is done: byte and mask.
    pub stuck: Vec<(usize, u8)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    Erase(Range<u32>),
    Write(Range<u32>),
}

/// The power fails in the operation with this number, which is left half done in a way that the seed decides.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub operation: usize,
    pub seed: u64,
}

/// Sebastiano Vigna's SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

impl<const WRITE: usize, const ERASE: usize> Nor<WRITE, ERASE> {
    /// Flash with arbitrary content, as it is when another firmware was there before.
    pub fn new(pages: usize) -> Self {
        let mut random = Random(1);
        Self::with_bytes((0..pages * ERASE).map(|_| random.next() as u8).collect())
    }

    fn with_bytes(bytes: Vec<u8>) -> Self {
        Self {
            is_blank: vec![false; bytes.len() / WRITE],
            operations: Vec::new(),
            erases: vec![0; bytes.len() / ERASE],
            bytes_written: 0,
            reads: Rc::default(),
            bytes,
            cut: None,
            is_off: false,
            refuses_writes: HashSet::new(),
            refuses_erases: HashSet::new(),
            refuses_reads: HashSet::new(),
            stuck: Vec::new(),
        }
    }

    /// Cuts the power in an operation to come, counted from now.
    pub fn cut(&mut self, cut: Cut) {
        self.operations.clear();
        self.cut = Some(cut);
    }

    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// Power comes back.
    pub fn power_on(&mut self) {
        self.cut = None;
        self.is_off = false;
    }

    /// Notes an operation; gives what decides over half of it when the power fails now.
    fn begin(&mut self, operation: Operation) -> Result<Option<Random>, NorFlashErrorKind> {
        if self.is_off {
            return Err(NorFlashErrorKind::Other);
        }
        let number = self.operations.len();
        self.operations.push(operation);
        let cut = self.cut.filter(|cut| cut.operation == number);
        self.is_off = cut.is_some();
        Ok(cut.map(|cut| Random(cut.seed)))
    }

    fn apply_stuck_bits(&mut self) {
        for (byte, mask) in &self.stuck {
            self.bytes[*byte] &= !mask;
        }
    }
}

impl<const WRITE: usize, const ERASE: usize> ErrorType for Nor<WRITE, ERASE> {
    type Error = NorFlashErrorKind;
}

impl<const WRITE: usize, const ERASE: usize> ReadNorFlash for Nor<WRITE, ERASE> {
    const READ_SIZE: usize = WRITE;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        let offset = offset as usize;
        assert!(offset.is_multiple_of(WRITE) && bytes.len().is_multiple_of(WRITE));
        if self.is_off || self.refuses_reads.contains(&(offset / ERASE)) {
            return Err(NorFlashErrorKind::Other);
        }
        self.reads.set(self.reads.get() + 1);
        bytes.copy_from_slice(&self.bytes[offset..][..bytes.len()]);
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.bytes.len()
    }
}

impl<const WRITE: usize, const ERASE: usize> NorFlash for Nor<WRITE, ERASE> {
    const WRITE_SIZE: usize = WRITE;
    const ERASE_SIZE: usize = ERASE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        let range = from as usize..to as usize;
        assert!(range.start.is_multiple_of(ERASE) && range.end.is_multiple_of(ERASE));
        assert!(range.start < range.end && range.end <= self.bytes.len());
        let cut = self.begin(Operation::Erase(from..to))?;
        let page = range.start / ERASE;
        self.erases[page] += 1;
        if self.refuses_erases.contains(&page) {
            return Err(NorFlashErrorKind::Other);
        }
        let words = range.start / WRITE..range.end / WRITE;
        let Some(mut random) = cut else {
            self.bytes[range].fill(u8::MAX);
            self.is_blank[words].fill(true);
            self.apply_stuck_bits();
            return Ok(());
        };
        self.is_blank[words].fill(false);
        let style = random.below(5);
        let edge = random.below(ERASE + 1);
        for (i, byte) in self.bytes[range].iter_mut().enumerate() {
            match style {
                0 => *byte |= random.next() as u8,
                1 => *byte = random.next() as u8,
                // Few bits differ from what was there, or from the end.
                2 if random.below(100) == 0 => *byte |= 1 << random.below(8),
                3 => {
                    let holds = random.below(100) == 0;
                    *byte = if holds {
                        !(1 << random.below(8))
                    } else {
                        u8::MAX
                    };
                }
                4 if i < edge => *byte = u8::MAX,
                _ => {}
            }
        }
        Err(NorFlashErrorKind::Other)
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        let start = offset as usize;
        assert!(start.is_multiple_of(WRITE) && bytes.len().is_multiple_of(WRITE));
        assert!(start + bytes.len() <= self.bytes.len());
        let end = offset + bytes.len() as u32;
        let cut = self.begin(Operation::Write(offset..end))?;
        if self.refuses_writes.contains(&(start / ERASE)) {
            return Err(NorFlashErrorKind::Other);
        }
        let words = start / WRITE..end as usize / WRITE;
        assert!(
            self.is_blank[words.clone()].iter().all(|blank| *blank),
            "words at {offset:#x} are written without an erase before"
        );
        self.bytes_written += bytes.len() as u64;
        let target = &mut self.bytes[start..][..bytes.len()];
        let Some(mut random) = cut else {
            self.is_blank[words].fill(false);
            for (old, new) in target.iter_mut().zip(bytes) {
                *old &= new;
            }
            self.apply_stuck_bits();
            return Ok(());
        };
        // Words up to one are there, that one is half there, the others may be, too, on a chip with a buffer.
        let edge = random.below(words.len());
        let style = random.below(4);
        for (i, (old, new)) in target
            .chunks_mut(WRITE)
            .zip(bytes.chunks(WRITE))
            .enumerate()
        {
            let torn = i == edge || style == 3;
            if i > edge && !torn {
                continue;
            }
            self.is_blank[words.start + i] = false;
            for (old, new) in old.iter_mut().zip(new) {
                *old = match style {
                    _ if !torn => *new,
                    0 | 3 => *new | random.next() as u8,
                    1 => random.next() as u8,
                    // All but a bit is there.
                    _ => *new | u8::from(random.below(2 * WRITE) == 0) << random.below(8),
                };
            }
        }
        Err(NorFlashErrorKind::Other)
    }
}
