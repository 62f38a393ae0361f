//! What all structures that are read in place check first.

use super::crc32::Crc32;
use super::error::SnapshotError;
use super::header::{Encoding, Header, Kind};
use crate::hash::{HashFunction, HashValue};

/// The header and the payload of a plain snapshot of this kind and hash that is whole.
pub(crate) fn open<'a, H: HashFunction>(
    bytes: &'a [u8],
    kind: Kind,
    hash: &H,
) -> Result<(Header, &'a [u8]), SnapshotError> {
    let header = Header::parse(bytes)?;
    if header.kind != kind {
        return Err(SnapshotError::Kind);
    }
    if header.hash != H::ID {
        return Err(SnapshotError::Hash);
    }
    if header.seed_check != hash.seed_check() {
        return Err(SnapshotError::Seed);
    }
    if header.encoding != Encoding::Plain {
        return Err(SnapshotError::Encoding);
    }
    let payload = bytes.get(Header::LEN..).unwrap_or_default();
    if (payload.len() as u64) < header.payload_len {
        return Err(SnapshotError::Truncated);
    }
    if payload.len() as u64 > header.payload_len {
        return Err(SnapshotError::TooLong);
    }
    Ok((header, payload))
}

/// Whether `N` units of so many bits are what the payload has, and not more than the hash serves; and whether `K` is
/// that of the reader.
pub(crate) fn check_bits<const K: usize, H: HashFunction>(
    header: &Header,
) -> Result<(), SnapshotError> {
    let num_bits = u64::from(header.units) * u64::from(header.unit_bits);
    if num_bits == 0
        || num_bits > H::Value::MAX_FILTER_BITS
        || usize::from(header.probes) != K
        || header.parts != 0
    {
        return Err(SnapshotError::Geometry);
    }
    check_len(header, num_bits)
}

pub(crate) fn check_len(header: &Header, num_bits: u64) -> Result<(), SnapshotError> {
    if header.payload_len != num_bits / 8 {
        return Err(SnapshotError::Length);
    }
    Ok(())
}

pub(crate) fn check_payload(header: &Header, payload: &[u8]) -> Result<(), SnapshotError> {
    if Crc32::of(payload) != header.payload_crc {
        return Err(SnapshotError::PayloadChecksum);
    }
    Ok(())
}

/// The payload as words, each little-endian.
pub(crate) fn words(payload: &[u8]) -> Result<&[u32], SnapshotError> {
    bytemuck::try_cast_slice(payload).map_err(|_| SnapshotError::Unaligned)
}
