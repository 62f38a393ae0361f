//! From bytes, in pieces of any size, to a structure.

use core::fmt;

use super::crc32::Crc32;
use super::error::SnapshotError;
use super::header::{Encoding, Header};
use super::parts::{GROUP, Parts};
use super::rice::Decoder;

/// What becomes of a snapshot's content.
trait Receiver {
    /// The header is there and whole; returns how many words its payload stands for.
    fn open(&mut self, header: &Header) -> Result<usize, SnapshotError>;

    /// Words from `first` on, a multiple of [`GROUP`]; groups that are not told are 0.
    fn words(&mut self, first: usize, words: [u32; GROUP]);
}

/// Where in a snapshot the reader is.
#[derive(Clone, Debug)]
enum Place {
    /// In the header, of which so many bytes are there.
    Header([u8; Header::LEN], usize),
    Payload(Header, Payload),
    /// It was refused.
    Failed(SnapshotError),
}

#[derive(Clone, Debug)]
struct Payload {
    received: u64,
    crc: Crc32,
    decoder: Option<Decoder>,
    /// A code was none. That it is told at the end lets the checksum say first whether the payload was damaged.
    has_wrong_code: bool,
    /// The group of words that is being put together, and its first index.
    words: [u32; GROUP],
    first: usize,
}

impl Place {
    const START: Self = Self::Header([0; Header::LEN], 0);

    fn push(
        &mut self,
        mut bytes: &[u8],
        receiver: &mut impl Receiver,
    ) -> Result<(), SnapshotError> {
        if let Self::Header(buffer, length) = self {
            let room = buffer.get_mut(*length..).unwrap_or_default();
            let (now, later) = bytes.split_at(room.len().min(bytes.len()));
            for (to, from) in room.iter_mut().zip(now) {
                *to = *from;
            }
            *length += now.len();
            bytes = later;
            if *length < Header::LEN {
                return Ok(());
            }
            *self = match Self::open(buffer, receiver) {
                Ok((header, payload)) => Self::Payload(header, payload),
                Err(error) => Self::Failed(error),
            };
        }
        let result = match self {
            Self::Payload(header, payload) => payload.push(bytes, header, receiver),
            Self::Failed(error) => return Err(*error),
            Self::Header(..) => Ok(()),
        };
        if let Err(error) = result {
            *self = Self::Failed(error);
        }
        result
    }

    fn open(
        bytes: &[u8; Header::LEN],
        receiver: &mut impl Receiver,
    ) -> Result<(Header, Payload), SnapshotError> {
        let header = Header::from_bytes(bytes)?;
        let num_words = receiver.open(&header)?;
        let decoder = match header.encoding {
            Encoding::Plain => None,
            Encoding::Rice(parameter) => {
                // On 32 bits, filters above 512 MB do not travel compressed.
                let num_bits = num_words.checked_mul(32).ok_or(SnapshotError::Encoding)?;
                Some(Decoder::new(parameter, num_bits))
            }
        };
        let payload = Payload {
            received: 0,
            crc: Crc32::new(),
            decoder,
            has_wrong_code: false,
            words: [0; GROUP],
            first: 0,
        };
        Ok((header, payload))
    }

    /// The header, when all was received and is whole.
    fn finish(&mut self, receiver: &mut impl Receiver) -> Result<Header, SnapshotError> {
        match self {
            Self::Header(..) => Err(SnapshotError::Truncated),
            Self::Payload(header, payload) => payload.finish(header, receiver).map(|()| *header),
            Self::Failed(error) => Err(*error),
        }
    }
}

impl Payload {
    fn push(
        &mut self,
        bytes: &[u8],
        header: &Header,
        receiver: &mut impl Receiver,
    ) -> Result<(), SnapshotError> {
        let missing = header.payload_len.saturating_sub(self.received);
        if bytes.len() as u64 > missing {
            return Err(SnapshotError::TooLong);
        }
        self.crc.write(bytes);
        for byte in bytes {
            match &mut self.decoder {
                _ if self.has_wrong_code => {}
                Some(decoder) => {
                    let (first, words) = (&mut self.first, &mut self.words);
                    let mut sink = |place: usize| {
                        let index = place / 32;
                        or_word(first, words, index, 1 << (place % 32), receiver);
                    };
                    self.has_wrong_code = decoder.push(*byte, &mut sink).is_err();
                }
                None => {
                    // The structure lies in memory, so the place in it is no larger than an address.
                    let place = self.received as usize;
                    let bits = u32::from(*byte) << (place % 4 * 8);
                    or_word(&mut self.first, &mut self.words, place / 4, bits, receiver);
                }
            }
            self.received += 1;
        }
        Ok(())
    }

    fn finish(
        &mut self,
        header: &Header,
        receiver: &mut impl Receiver,
    ) -> Result<(), SnapshotError> {
        if self.received < header.payload_len {
            return Err(SnapshotError::Truncated);
        }
        if self.crc.finish() != header.payload_crc {
            return Err(SnapshotError::PayloadChecksum);
        }
        if self.has_wrong_code {
            return Err(SnapshotError::Payload);
        }
        if let Some(decoder) = &self.decoder {
            decoder.finish()?;
        }
        receiver.words(self.first, self.words);
        Ok(())
    }
}

/// Sets bits of a word, in the group that is put together; one before it is complete.
fn or_word(
    first: &mut usize,
    words: &mut [u32; GROUP],
    index: usize,
    bits: u32,
    receiver: &mut impl Receiver,
) {
    if index.wrapping_sub(*first) >= GROUP {
        receiver.words(*first, *words);
        *first = index - index % GROUP;
        *words = [0; GROUP];
    }
    if let Some(word) = words.get_mut(index - *first) {
        *word |= bits;
    }
}

/// Tells whether a snapshot is whole and fits a structure, without changing anything; from
/// [`Snapshot::check`](super::Snapshot::check).
///
/// The first of two passes over a snapshot that is too large to be kept in RAM: what it gives,
/// [`Snapshot::restore_checked`](super::Snapshot::restore_checked) takes.
#[derive(Clone, Debug)]
pub struct SnapshotChecker {
    place: Place,
    shape: Shape,
}

#[derive(Clone, Debug)]
struct Shape {
    header: Header,
    num_words: usize,
}

impl Receiver for Shape {
    fn open(&mut self, header: &Header) -> Result<usize, SnapshotError> {
        header.check_fits(&self.header, self.num_words)?;
        Ok(self.num_words)
    }

    fn words(&mut self, _: usize, _: [u32; GROUP]) {}
}

/// The proof that a snapshot is whole and fits, from [`SnapshotChecker::finish`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedSnapshot {
    header: Header,
}

impl CheckedSnapshot {
    /// What the snapshot says about itself.
    pub const fn header(&self) -> &Header {
        &self.header
    }
}

impl SnapshotChecker {
    pub(crate) fn new<T: Parts + ?Sized>(target: &T) -> Self {
        Self {
            place: Place::START,
            shape: Shape {
                header: target.header(),
                num_words: target.num_words(),
            },
        }
    }

    /// Looks at the next bytes.
    ///
    /// # Errors
    ///
    /// As soon as it is known that the snapshot is none, or does not fit. All calls after that give the same error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.place.push(bytes, &mut self.shape)
    }

    /// The proof, after the last byte.
    ///
    /// # Errors
    ///
    /// When bytes are missing, or the checksum is not that of the payload.
    pub fn finish(mut self) -> Result<CheckedSnapshot, SnapshotError> {
        let header = self.place.finish(&mut self.shape)?;
        Ok(CheckedSnapshot { header })
    }
}

/// Takes the bytes of a snapshot in pieces of any size into a structure; from
/// [`Snapshot::restore_checked`](super::Snapshot::restore_checked) and its like.
///
/// Nothing changes before the header is there and fits. What happens when the payload turns out to be damaged is on
/// the method that made the reader. A reader that is dropped before [`finish`](Self::finish) counts as one that got
/// a damaged payload.
pub struct SnapshotReader<'a, T: Parts + ?Sized> {
    place: Place,
    loader: Loader<'a, T>,
}

struct Loader<'a, T: Parts + ?Sized> {
    target: &'a mut T,
    expected: Option<CheckedSnapshot>,
    is_absorbing: bool,
    /// Whether the target holds a part of a snapshot.
    is_begun: bool,
}

impl<T: Parts + ?Sized> Receiver for Loader<'_, T> {
    fn open(&mut self, header: &Header) -> Result<usize, SnapshotError> {
        let num_words = self.target.num_words();
        header.check_fits(&self.target.header(), num_words)?;
        if self.is_absorbing && !T::CAN_ABSORB {
            return Err(SnapshotError::CannotAbsorb);
        }
        if self
            .expected
            .is_some_and(|expected| expected.header != *header)
        {
            return Err(SnapshotError::Changed);
        }
        self.target.prepare(self.is_absorbing);
        self.is_begun = true;
        Ok(num_words)
    }

    fn words(&mut self, first: usize, words: [u32; GROUP]) {
        if self.is_absorbing {
            self.target.absorb_words(first, words);
        } else {
            for (index, word) in (first..).zip(words) {
                self.target.set_word(index, word);
            }
        }
    }
}

impl<'a, T: Parts + ?Sized> SnapshotReader<'a, T> {
    pub(crate) fn new(
        target: &'a mut T,
        expected: Option<CheckedSnapshot>,
        is_absorbing: bool,
    ) -> Self {
        Self {
            place: Place::START,
            loader: Loader {
                target,
                expected,
                is_absorbing,
                is_begun: false,
            },
        }
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    ///
    /// As soon as it is known that the snapshot is none, or does not fit. All calls after that give the same error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.place.push(bytes, &mut self.loader)
    }

    /// Lets go of the structure between two pieces, to go on with [`PausedReader::resume`].
    ///
    /// Until then the structure holds a part of the snapshot: queries may miss keys that the rest brings. Something
    /// that changes it meanwhile makes it neither the snapshot nor what it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use sundew::BlockedBloom;
    /// use sundew::snapshot::Snapshot;
    /// # let mut file = [0; 64 + 16 * 64];
    /// # BlockedBloom::<16, 7>::with_keys(&["a"]).snapshot().pull(&mut file);
    ///
    /// let mut seen: BlockedBloom<16, 7> = BlockedBloom::new();
    /// let mut paused = seen.restore_or_clear().pause();
    /// for packet in file.chunks(100) {
    ///     let mut reader = paused.resume(seen.as_mut_view())?;
    ///     reader.push(packet)?;
    ///     paused = reader.pause();
    /// }
    /// paused.resume(seen.as_mut_view())?.finish()?;
    /// assert!(seen.contains("a"));
    /// # Ok::<(), sundew::snapshot::SnapshotError>(())
    /// ```
    pub fn pause(mut self) -> PausedReader {
        let paused = PausedReader {
            place: self.place.clone(),
            expected: self.loader.expected,
            is_absorbing: self.loader.is_absorbing,
            is_begun: self.loader.is_begun,
        };
        // What is dropped now is not given up.
        self.loader.is_begun = false;
        paused
    }

    /// Concludes, after the last byte.
    ///
    /// # Errors
    ///
    /// When bytes are missing, or the checksum is not that of the payload.
    pub fn finish(mut self) -> Result<(), SnapshotError> {
        let header = self.place.finish(&mut self.loader)?;
        let Loader {
            target,
            is_absorbing,
            is_begun,
            ..
        } = &mut self.loader;
        target.conclude(&header, *is_absorbing);
        *is_begun = false;
        Ok(())
    }
}

/// A [`SnapshotReader`] without its structure, from [`SnapshotReader::pause`]; for pieces that come in commands or
/// interrupts of their own.
///
/// When it is dropped, the structure stays as it is: resume it and drop the reader to give up.
#[derive(Clone, Debug)]
pub struct PausedReader {
    place: Place,
    expected: Option<CheckedSnapshot>,
    is_absorbing: bool,
    is_begun: bool,
}

impl PausedReader {
    /// Goes on with the structure that the reader was made from.
    ///
    /// # Errors
    ///
    /// When the structure is one that the snapshot, as far as it was read, does not fit; nothing is changed. That
    /// it is the same one of several that are alike cannot be seen.
    pub fn resume<T: Parts + ?Sized>(
        self,
        target: &mut T,
    ) -> Result<SnapshotReader<'_, T>, SnapshotError> {
        if let Place::Payload(header, _) = &self.place {
            header.check_fits(&target.header(), target.num_words())?;
        }
        Ok(SnapshotReader {
            place: self.place,
            loader: Loader {
                target,
                expected: self.expected,
                is_absorbing: self.is_absorbing,
                is_begun: self.is_begun,
            },
        })
    }
}

/// Half a snapshot looks like a whole one, and has forgotten keys without a word. An empty structure is at least
/// seen to be empty.
impl<T: Parts + ?Sized> Drop for Loader<'_, T> {
    fn drop(&mut self) {
        if self.is_begun && !self.is_absorbing {
            self.target.prepare(false);
        }
    }
}

/// Shows how far it is, not the bits.
impl<T: Parts + ?Sized> fmt::Debug for SnapshotReader<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnapshotReader")
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
