//! CRC-32 as in Ethernet, zip and PNG.

/// The CRC-32 of what was written so far, as snapshots have it and Ethernet, zip and PNG.
///
/// By hand, with a table of 64 bytes for half a byte at a time: the crate `crc` has a table of 1 KB, or none and
/// then eight steps for each byte.
///
/// # Examples
///
/// ```
/// use sundew::snapshot::Crc32;
///
/// let mut crc = Crc32::new();
/// crc.write(b"1234");
/// crc.write(b"56789");
/// assert_eq!(crc.finish(), 0xCBF4_3926);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Crc32 {
    /// The register's complement: 0 at the start, so that what is empty is all zeros.
    state: u32,
}

/// The polynomial 0x04C11DB7, its bits in reverse order.
const POLYNOMIAL: u32 = 0xEDB8_8320;

static TABLE: [u32; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 4 {
            value = (value >> 1) ^ (POLYNOMIAL * (value & 1));
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
};

impl Crc32 {
    /// Of no bytes.
    pub const fn new() -> Self {
        Self { state: 0 }
    }

    /// Adds bytes.
    pub fn write(&mut self, bytes: &[u8]) {
        let mut register = !self.state;
        for byte in bytes {
            register ^= u32::from(*byte);
            for _ in 0..2 {
                register = (register >> 4) ^ TABLE[(register & 0xF) as usize];
            }
        }
        self.state = !register;
    }

    /// The checksum; more bytes may follow.
    pub const fn finish(&self) -> u32 {
        self.state
    }

    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> u32 {
        let mut crc = Self::new();
        crc.write(bytes);
        crc.finish()
    }
}

impl Default for Crc32 {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_the_published_ones() {
        // The check value of CRC-32/ISO-HDLC in Greg Cook's catalogue.
        assert_eq!(Crc32::of(b"123456789"), 0xCBF4_3926);
        assert_eq!(Crc32::of(b""), 0);
        assert_eq!(Crc32::of(b"\0\0\0\0"), 0x2144_DF1C);
    }

    #[test]
    fn where_the_bytes_are_cut_does_not_matter() {
        let mut crc = Crc32::new();
        crc.write(b"1234");
        crc.write(b"");
        crc.write(b"56789");
        assert_eq!(crc.finish(), 0xCBF4_3926);
    }
}
