//! SipHash-1-3, the keyed hash for keys that an attacker may choose.

use core::hash::Hasher as _;

use siphasher::sip::SipHasher13;

use super::{HashFunction, HashId, HashStream};
use crate::key::Sink;

/// SipHash-1-3 with a secret key of 128 bits.
///
/// Whoever knows the hash of a filter can craft keys that fill it, or that it wrongly reports as seen.
/// Without the key of this one they cannot. Draw the key from the hardware's random generator and keep it
/// with the filter: a filter can only be read with the key it was filled with.
///
/// # Examples
///
/// ```
/// use sundew::BlockedBloom;
/// use sundew::hash::SipHash13;
///
/// let key = [0x5A; 16]; // from the random generator of your chip
/// let mut seen: BlockedBloom<64, 7, SipHash13> = BlockedBloom::with_hash(SipHash13::with_key(key));
/// assert!(seen.insert("nonce 17"));
/// assert!(seen.contains("nonce 17"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SipHash13 {
    key: [u8; 16],
}

impl SipHash13 {
    /// The function with this secret key.
    pub const fn with_key(key: [u8; 16]) -> Self {
        Self { key }
    }
}

/// Does not show the key.
impl core::fmt::Debug for SipHash13 {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("SipHash13(..)")
    }
}

impl HashFunction for SipHash13 {
    const ID: HashId = HashId::SIPHASH_1_3;
    /// With the all-zero key, which protects against nothing: fine for tests, and for filters whose key
    /// comes with a snapshot.
    const UNSEEDED: Self = Self::with_key([0; 16]);
    type Value = u64;
    type Stream = SipHash13Stream;

    fn hash(&self, bytes: &[u8]) -> u64 {
        SipHasher13::new_with_key(&self.key).hash(bytes)
    }

    fn stream(&self) -> SipHash13Stream {
        SipHash13Stream(SipHasher13::new_with_key(&self.key))
    }
}

/// [`SipHash13`] fed piece by piece.
#[derive(Clone)]
pub struct SipHash13Stream(SipHasher13);

/// Does not show the state, from which the key could be found.
impl core::fmt::Debug for SipHash13Stream {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("SipHash13Stream(..)")
    }
}

impl Sink for SipHash13Stream {
    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }
}

impl HashStream for SipHash13Stream {
    type Value = u64;

    fn finish(&self) -> u64 {
        self.0.finish()
    }
}
