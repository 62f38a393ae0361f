//! From a structure to bytes, in pieces of any size.

use core::fmt;

use super::crc32::Crc32;
use super::header::{Encoding, Header};
use super::parts::Parts;
use super::rice::{self, Encoder};

/// Hands out the bytes of a snapshot in pieces of any size; from [`Snapshot::snapshot`](super::Snapshot::snapshot) or
/// [`snapshot_compressed`](super::Snapshot::snapshot_compressed).
///
/// It borrows the structure, so that nothing changes until all is written.
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::snapshot::Snapshot;
///
/// let filter: BlockedBloom<16, 7> = BlockedBloom::new();
/// let mut sent = 0;
/// let mut writer = filter.snapshot();
/// let mut packet = [0; 20];
/// loop {
///     let length = writer.pull(&mut packet);
///     if length == 0 {
///         break;
///     }
///     sent += packet[..length].len(); // send them
/// }
/// assert_eq!(sent, 64 + 16 * 64);
/// ```
pub struct SnapshotWriter<'a, T: ?Sized> {
    source: &'a T,
    header: Header,
    header_bytes: [u8; Header::LEN],
    /// Bytes handed out so far, header and all.
    position: u64,
    encoder: Option<Encoder>,
}

impl<'a, T: Parts + ?Sized> SnapshotWriter<'a, T> {
    pub(crate) fn plain(source: &'a T) -> Self {
        let mut crc = Crc32::new();
        for index in 0..source.num_words() {
            crc.write(&source.word(index).to_le_bytes());
        }
        Self::new(source, plain_header(source, crc.finish()), None)
    }

    /// Bytes of the payload from `offset` on.
    pub(crate) fn read_payload(source: &T, offset: u64, out: &mut [u8]) -> usize {
        let length = source.num_words() as u64 * 4;
        let mut count = 0;
        for (byte, place) in out.iter_mut().zip(offset..length) {
            // The structure lies in memory, so that a place in it is no larger than an address.
            *byte = byte_at(source, place as usize);
            count += 1;
        }
        count
    }

    pub(crate) fn compressed(source: &'a T) -> Self {
        let num_words = source.num_words();
        let ones = (0..num_words)
            .map(|index| u64::from(source.word(index).count_ones()))
            .sum();
        let parameter = rice::best_parameter(num_words as u64 * 32, ones);
        let encoder = Encoder::new(source, parameter);

        let mut crc = Crc32::new();
        let mut payload_len = 0_u64;
        let mut dry_run = encoder.clone();
        while let Some(byte) = dry_run.next_byte(source) {
            crc.write(&[byte]);
            payload_len += 1;
            if payload_len >= num_words as u64 * 4 {
                return Self::plain(source);
            }
        }
        let header = Header {
            encoding: Encoding::Rice(parameter),
            payload_len,
            payload_crc: crc.finish(),
            ..source.header()
        };
        Self::new(source, header, Some(encoder))
    }

    fn new(source: &'a T, header: Header, encoder: Option<Encoder>) -> Self {
        Self {
            source,
            header,
            header_bytes: header.to_bytes(),
            position: 0,
            encoder,
        }
    }

    /// Fills `out` with the next bytes, and returns how many there were: fewer than there is room for, and then 0,
    /// when the snapshot ends.
    ///
    /// # Cost
    ///
    /// A few instructions for each byte. Compressed, a byte may take a walk over all words that are 0.
    pub fn pull(&mut self, out: &mut [u8]) -> usize {
        let mut length = 0;
        for byte in out {
            match self.next_byte() {
                Some(next) => *byte = next,
                None => break,
            }
            length += 1;
        }
        length
    }

    fn next_byte(&mut self) -> Option<u8> {
        if self.position >= self.header.snapshot_len() {
            return None;
        }
        let byte = match usize::try_from(self.position) {
            Ok(position @ 0..Header::LEN) => self.header_bytes.get(position).copied()?,
            Ok(position) => match &mut self.encoder {
                // Only an atomic filter may run out early, when someone clears it meanwhile.
                Some(encoder) => encoder.next_byte(self.source).unwrap_or(u8::MAX),
                None => byte_at(self.source, position - Header::LEN),
            },
            Err(_) => return None,
        };
        self.position += 1;
        Some(byte)
    }

    /// The header: how long the snapshot is, and what else it says about itself.
    pub const fn header(&self) -> &Header {
        &self.header
    }
}

/// The header of a plain snapshot whose payload has this checksum.
pub(crate) fn plain_header<T: Parts + ?Sized>(source: &T, payload_crc: u32) -> Header {
    Header {
        payload_len: source.num_words() as u64 * 4,
        payload_crc,
        ..source.header()
    }
}

fn byte_at<T: Parts + ?Sized>(source: &T, place: usize) -> u8 {
    (source.word(place / 4) >> (place % 4 * 8)) as u8
}

/// Shows the header, not the bits.
impl<T: ?Sized> fmt::Debug for SnapshotWriter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SnapshotWriter")
            .field("header", &self.header)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
