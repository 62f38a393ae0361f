//! Copying of bytes, for a few of them.

/// Copies as many bytes as both have, and returns how many.
#[inline(never)]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) -> usize {
    let mut count = 0;
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
        count += 1;
        if cfg!(target_os = "none") {
            // Keeps the compiler from calling `memcpy`, which is 750 bytes of flash and not faster for a few bytes.
            core::hint::black_box(());
        }
    }
    count
}
