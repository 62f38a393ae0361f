//! The bytes of Guava's `writeTo`: in, whole or in pieces, and out.

use core::fmt;

use super::bloom::GuavaBloomView;
use super::shape::{Shape, Strategy};

const HEADER: usize = 6;
const WORD: usize = 8;

/// Why bytes are no filter, or none for this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReadError {
    /// The first byte names no strategy of Guava's.
    UnknownStrategy,
    /// The filter has no bits per key (0 hash functions).
    NoHashFunctions,
    /// The number of longs is 0 or negative.
    LengthNotPositive,
    /// The file has more longs than the filter has words, or 2^25 and more.
    DoesNotFit,
    /// The bytes end before the filter does.
    Truncated,
    /// There are bytes after the filter.
    TrailingBytes,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownStrategy => "the first byte names no strategy of guava's",
            Self::NoHashFunctions => "the file says that keys have no bits",
            Self::LengthNotPositive => "the number of longs is not positive",
            Self::DoesNotFit => {
                "the file has more longs than the filter: build it with a larger WORDS, below 2^25"
            }
            Self::Truncated => "the bytes end before the filter does",
            Self::TrailingBytes => "there are bytes after the filter",
        })
    }
}

impl core::error::Error for ReadError {}

impl Shape {
    fn to_header(self) -> [u8; HEADER] {
        let [a, b, c, d] = self.num_words().to_be_bytes();
        [self.strategy() as u8, self.k(), a, b, c, d]
    }

    fn from_header([strategy, k, length @ ..]: [u8; HEADER]) -> Result<Self, ReadError> {
        let strategy = match strategy {
            0 => Strategy::Murmur128Mitz32,
            1 => Strategy::Murmur128Mitz64,
            _ => return Err(ReadError::UnknownStrategy),
        };
        if k == 0 {
            return Err(ReadError::NoHashFunctions);
        }
        u32::try_from(i32::from_be_bytes(length))
            .ok()
            .and_then(|words| Self::new(strategy, k, words))
            .ok_or(ReadError::LengthNotPositive)
    }
}

/// What a whole file says, when it has no more longs than this.
pub(super) fn open(file: &[u8], max_words: usize) -> Result<(Shape, &[[u8; WORD]]), ReadError> {
    let (header, data) = file.split_first_chunk().ok_or(ReadError::Truncated)?;
    let shape = Shape::from_header(*header)?;
    let (longs, rest) = data.as_chunks();
    let expected = shape.num_words() as usize;
    if expected > max_words {
        return Err(ReadError::DoesNotFit);
    }
    if longs.len() < expected {
        return Err(ReadError::Truncated);
    }
    if longs.len() > expected || !rest.is_empty() {
        return Err(ReadError::TrailingBytes);
    }
    Ok((shape, longs))
}

impl<const K: usize> GuavaBloomView<K> {
    /// Replaces this filter by the one in a file: strategy, bits per key, size and bits.
    ///
    /// For a file that comes in pieces there is [`reader`](Self::reader); for one that stays where it is, and is only
    /// asked, [`GuavaBloomRef`](super::GuavaBloomRef).
    ///
    /// # Errors
    ///
    /// Any [`ReadError`]; the filter is as it was. Guava itself does not mind bytes after the filter.
    pub fn read_from(&mut self, file: &[u8]) -> Result<(), ReadError> {
        let (shape, longs) = open(file, self.max_words())?;
        self.reset(shape).map_err(|_| ReadError::DoesNotFit)?;
        for (i, bytes) in longs.iter().enumerate() {
            if let Some(word) = self.word_mut(i) {
                *word = u64::from_be_bytes(*bytes);
            }
        }
        Ok(())
    }

    /// Starts to replace this filter by one whose file comes in pieces.
    ///
    /// There is room for one filter only. So the old one is gone once the header of the new one, 6 bytes, has come
    /// and is good; before that it is as it was.
    pub fn reader(&mut self) -> Reader<'_, K> {
        Reader {
            filter: self,
            shape: None,
            words: 0,
            partial: [0; WORD],
            filled: 0,
        }
    }

    /// How many bytes the file of this filter has.
    pub const fn file_len(&self) -> usize {
        HEADER + self.num_words() as usize * WORD
    }

    /// Copies the bytes of Guava's `writeTo`, from this offset on, and returns how many: as many as `out` holds, or
    /// as there are. So a file can be sent in pieces of any size, and any of them again.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::GuavaBloom;
    ///
    /// let seen: GuavaBloom<2> = GuavaBloom::new();
    /// let mut piece = [0; 16];
    /// assert_eq!(seen.copy_file(0, &mut piece), 16);
    /// assert_eq!(piece[..6], [1, 5, 0, 0, 0, 2]);
    /// assert_eq!(seen.copy_file(16, &mut piece), 6);
    /// assert_eq!(seen.copy_file(22, &mut piece), 0);
    /// ```
    pub fn copy_file(&self, offset: usize, out: &mut [u8]) -> usize {
        let header = self.shape().to_header();
        // Whole words before the offset are skipped without a look.
        let behind = offset.saturating_sub(HEADER);
        let data = (self.words().get(behind / WORD..).unwrap_or(&[]).iter())
            .flat_map(|word| word.to_be_bytes())
            .skip(behind % WORD);
        let bytes = header.into_iter().skip(offset).chain(data);
        let mut copied = 0;
        for (to, from) in out.iter_mut().zip(bytes) {
            *to = from;
            copied += 1;
        }
        copied
    }

    /// Writes the bytes of Guava's `writeTo`.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_to<W: embedded_io::Write>(&self, out: &mut W) -> Result<(), W::Error> {
        out.write_all(&self.shape().to_header())?;
        for word in self.words() {
            out.write_all(&word.to_be_bytes())?;
        }
        Ok(())
    }
}

/// Takes a file of Guava's in pieces of any size; made by [`GuavaBloomView::reader`].
///
/// Dropped before all of a filter has come, it leaves the filter empty and as its type says (once a good header has
/// come) or as it was (before): never half of one, which would deny keys that are in it.
///
/// # Examples
///
/// ```
/// use sundew::GuavaBloom;
///
/// # let mut file = [1, 5, 0, 0, 0, 1].to_vec();
/// # file.extend([0; 8]);
/// let mut seen: GuavaBloom<100> = GuavaBloom::new();
/// let mut reader = seen.reader();
/// for piece in file.chunks(5) {
///     let after = reader.feed(piece)?;
///     assert!(after.is_empty());
/// }
/// reader.finish()?;
/// # Ok::<(), sundew::guava::ReadError>(())
/// ```
#[derive(Debug)]
pub struct Reader<'a, const K: usize> {
    filter: &'a mut GuavaBloomView<K>,
    /// `None` until a good header has come.
    shape: Option<Shape>,
    /// Words that are in the filter.
    words: u32,
    /// The header, or the word, that is not whole yet.
    partial: [u8; WORD],
    filled: usize,
}

impl<const K: usize> Reader<'_, K> {
    /// Takes the next bytes, and returns those that are not part of the filter: none until it is whole.
    ///
    /// # Errors
    ///
    /// What is wrong with the header, now and at every later call; the filter is as it was. Nothing else can be
    /// wrong with a piece.
    pub fn feed<'b>(&mut self, mut bytes: &'b [u8]) -> Result<&'b [u8], ReadError> {
        loop {
            self.take_partial()?;
            if self.is_complete() {
                return Ok(bytes);
            }
            let Some((byte, rest)) = bytes.split_first() else {
                return Ok(bytes);
            };
            if let Some(place) = self.partial.get_mut(self.filled) {
                *place = *byte;
            }
            self.filled += 1;
            bytes = rest;
        }
    }

    /// Takes the header or the word that has come, if it is whole.
    fn take_partial(&mut self) -> Result<(), ReadError> {
        match self.shape {
            None if self.filled >= HEADER => {
                let [a, b, c, d, e, f, ..] = self.partial;
                let shape = Shape::from_header([a, b, c, d, e, f])?;
                self.filter
                    .reset(shape)
                    .map_err(|_| ReadError::DoesNotFit)?;
                self.shape = Some(shape);
                self.filled = 0;
            }
            Some(_) if self.filled >= WORD => {
                if let Some(word) = self.filter.word_mut(self.words as usize) {
                    *word = u64::from_be_bytes(self.partial);
                }
                self.words += 1;
                self.filled = 0;
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether all of the filter has come.
    pub fn is_complete(&self) -> bool {
        self.shape
            .is_some_and(|shape| self.words >= shape.num_words())
    }

    /// Ends the reading.
    ///
    /// # Errors
    ///
    /// [`ReadError::Truncated`] when bytes are missing; the filter is then empty, or as it was if there was no whole
    /// header.
    pub fn finish(self) -> Result<(), ReadError> {
        if self.is_complete() {
            Ok(())
        } else {
            Err(ReadError::Truncated)
        }
    }
}

impl<const K: usize> Drop for Reader<'_, K> {
    fn drop(&mut self) {
        if self.shape.is_some() && !self.is_complete() {
            self.filter.reset_to_new();
        }
    }
}
