//! The 64 bytes before a snapshot's payload.

use super::crc32::Crc32;
use super::error::SnapshotError;
use crate::hash::{HashFunction, HashId};

/// What a snapshot says about itself, in its first 64 bytes.
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::snapshot::{Header, Kind, Snapshot};
///
/// let filter: BlockedBloom<3, 7> = BlockedBloom::with_seed(42);
/// let mut bytes = [0; 64 + 3 * 64];
/// filter.snapshot().pull(&mut bytes);
///
/// let header = Header::parse(&bytes)?;
/// assert_eq!((header.kind, header.units, header.probes), (Kind::BLOCKED, 3, 7));
/// assert_eq!(header.seed_check, 42);
/// assert_eq!(header.snapshot_len(), 256);
/// # Ok::<(), sundew::snapshot::SnapshotError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Which structure.
    pub kind: Kind,
    /// Which hash function.
    pub hash: HashId,
    /// How the payload is coded.
    pub encoding: Encoding,
    /// Bits of a unit: of a block, a counter, a fingerprint, a register.
    pub unit_bits: u32,
    /// `N`, how many units; for a count-min sketch, in one row.
    pub units: u32,
    /// `K`, probes per key; for a count-min sketch, rows.
    pub probes: u8,
    /// Stages or generations; 0 where there are none.
    pub parts: u8,
    /// The last stage in use, from 0.
    pub stage: u8,
    /// The rate that a scalable filter stays under, in parts per million; 0 elsewhere.
    pub rate_ppm: u32,
    /// The seed, or a check of it where it is secret: [`HashFunction::seed_check`].
    pub seed_check: u64,
    /// How many keys there are, where the structure knows.
    pub count: Option<u64>,
    /// A number of the structure's own.
    pub state: u64,
    /// Bytes of the payload, as it is coded.
    pub payload_len: u64,
    /// CRC-32 of the payload, as it is coded.
    pub payload_crc: u32,
}

/// The number by which snapshots name a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Kind(pub u8);

impl Kind {
    /// [`BlockedBloom`](crate::BlockedBloom) and `AtomicBloom`.
    pub const BLOCKED: Self = Self(1);
    /// [`ClassicBloom`](crate::ClassicBloom).
    pub const CLASSIC: Self = Self(2);
    /// [`CountingBloom`](crate::CountingBloom).
    pub const COUNTING: Self = Self(3);
    /// [`ScalableBloom`](crate::ScalableBloom).
    pub const SCALABLE: Self = Self(4);
    /// [`RotatingBloom`](crate::RotatingBloom).
    pub const ROTATING: Self = Self(5);
    /// [`CuckooFilter`](crate::CuckooFilter).
    pub const CUCKOO: Self = Self(6);
    /// [`CountMinSketch`](crate::CountMinSketch).
    pub const COUNT_MIN: Self = Self(7);
    /// [`HyperLogLog`](crate::HyperLogLog).
    pub const HYPER_LOG_LOG: Self = Self(8);
    /// [`StreamingHyperLogLog`](crate::StreamingHyperLogLog).
    pub const STREAMING_HYPER_LOG_LOG: Self = Self(9);
}

/// How the payload of a snapshot is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Encoding {
    /// As it lies in memory.
    Plain,
    /// As the Rice codes, of this parameter, of the gaps between bits that are set.
    Rice(u8),
}

pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"SNDW");
pub(crate) const VERSION: u8 = 1;
const UNKNOWN_COUNT: u64 = u64::MAX;

impl Header {
    /// Bytes of a header: one block, so that the payload is aligned if the header is.
    pub const LEN: usize = 64;

    /// What a structure without payload, state and parameters says of itself; the rest is filled in.
    pub(crate) fn new<H: HashFunction>(
        kind: Kind,
        hash: &H,
        unit_bits: u32,
        units: usize,
        probes: usize,
    ) -> Self {
        Self {
            kind,
            hash: H::ID,
            encoding: Encoding::Plain,
            unit_bits,
            units: u32::try_from(units).unwrap_or(u32::MAX),
            probes: probes as u8,
            parts: 0,
            stage: 0,
            rate_ppm: 0,
            seed_check: hash.seed_check(),
            count: None,
            state: 0,
            payload_len: 0,
            payload_crc: 0,
        }
    }

    /// Reads the header at the beginning of a snapshot. Whether the payload is whole is not looked at.
    ///
    /// # Errors
    ///
    /// When there are fewer than 64 bytes, or they are not a header that this crate knows.
    pub fn parse(bytes: &[u8]) -> Result<Self, SnapshotError> {
        match bytes.first_chunk() {
            Some(bytes) => Self::from_bytes(bytes),
            None => Err(SnapshotError::Truncated),
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8; Self::LEN]) -> Result<Self, SnapshotError> {
        let (chunks, _) = bytes.as_chunks::<4>();
        let mut words = [0; 16];
        for (word, chunk) in words.iter_mut().zip(chunks) {
            *word = u32::from_le_bytes(*chunk);
        }
        let [version, ..] = words[1].to_le_bytes();
        if words[0] != MAGIC {
            return Err(SnapshotError::Magic);
        }
        // Before the checksum, which another version may have elsewhere.
        if version != VERSION {
            return Err(SnapshotError::Version);
        }
        let (content, _) = bytes.split_at(Self::LEN - 4);
        if Crc32::of(content) != words[15] {
            return Err(SnapshotError::HeaderChecksum);
        }
        Self::from_words(&words)
    }

    /// Reads the words of a header but the first and the last, and the version.
    pub(crate) fn from_words(words: &[u32; 16]) -> Result<Self, SnapshotError> {
        let [_, kind, hash, encoding] = words[1].to_le_bytes();
        let [probes, parts, stage, parameter] = words[4].to_le_bytes();
        let encoding = match (encoding, parameter) {
            (0, 0) => Encoding::Plain,
            (1, 0..=31) => Encoding::Rice(parameter),
            _ => return Err(SnapshotError::Encoding),
        };
        let long = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        Ok(Self {
            kind: Kind(kind),
            hash: HashId(hash),
            encoding,
            unit_bits: words[2],
            units: words[3],
            probes,
            parts,
            stage,
            rate_ppm: words[5],
            seed_check: long(words[6], words[7]),
            count: Some(long(words[8], words[9])).filter(|count| *count != UNKNOWN_COUNT),
            state: long(words[10], words[11]),
            payload_len: long(words[12], words[13]),
            payload_crc: words[14],
        })
    }

    /// The words but the last, which is their checksum.
    pub(crate) fn to_words(self) -> [u32; 15] {
        let (encoding, parameter) = match self.encoding {
            Encoding::Plain => (0, 0),
            Encoding::Rice(parameter) => (1, parameter),
        };
        let count = self.count.unwrap_or(UNKNOWN_COUNT);
        let low = |long: u64| long as u32;
        let high = |long: u64| (long >> 32) as u32;
        [
            MAGIC,
            u32::from_le_bytes([VERSION, self.kind.0, self.hash.0, encoding]),
            self.unit_bits,
            self.units,
            u32::from_le_bytes([self.probes, self.parts, self.stage, parameter]),
            self.rate_ppm,
            low(self.seed_check),
            high(self.seed_check),
            low(count),
            high(count),
            low(self.state),
            high(self.state),
            low(self.payload_len),
            high(self.payload_len),
            self.payload_crc,
        ]
    }

    /// The 64 bytes.
    pub fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let (chunks, _) = bytes.as_chunks_mut::<4>();
        for (chunk, word) in chunks.iter_mut().zip(self.to_words()) {
            *chunk = word.to_le_bytes();
        }
        let (content, checksum) = bytes.split_at_mut(Self::LEN - 4);
        checksum.copy_from_slice(&Crc32::of(content).to_le_bytes());
        bytes
    }

    /// Bytes of the whole snapshot: to cut it out of a larger slice, of a slot in flash, say.
    pub const fn snapshot_len(&self) -> u64 {
        (Self::LEN as u64).saturating_add(self.payload_len)
    }

    /// Whether this is the snapshot of a structure like that which `own` describes, whose payload has so many
    /// words.
    pub(crate) fn check_fits(&self, own: &Self, num_words: usize) -> Result<(), SnapshotError> {
        if self.kind != own.kind {
            return Err(SnapshotError::Kind);
        }
        if self.hash != own.hash {
            return Err(SnapshotError::Hash);
        }
        let geometry = |header: &Self| {
            let Self {
                unit_bits,
                units,
                probes,
                parts,
                rate_ppm,
                ..
            } = *header;
            (unit_bits, units, probes, parts, rate_ppm)
        };
        if geometry(self) != geometry(own) {
            return Err(SnapshotError::Geometry);
        }
        if self.seed_check != own.seed_check {
            return Err(SnapshotError::Seed);
        }
        if self.encoding == Encoding::Plain && self.payload_len != num_words as u64 * 4 {
            return Err(SnapshotError::Length);
        }
        // Of a blocked filter, those of a key of the console that has grown.
        let stages = match self.kind {
            Kind::SCALABLE | Kind::BLOCKED => self.parts.max(1),
            _ => 1,
        };
        if self.stage >= stages {
            return Err(SnapshotError::State);
        }
        Ok(())
    }
}
