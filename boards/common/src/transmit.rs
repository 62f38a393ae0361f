//! The way out.

use core::convert::Infallible;

/// Writes byte by byte with a function that waits for its turn. Bytes are received meanwhile.
pub struct Transmitter<F>(pub F);

impl<F> embedded_io::ErrorType for Transmitter<F> {
    type Error = Infallible;
}

impl<F: FnMut(u8)> embedded_io::Write for Transmitter<F> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        bytes.iter().for_each(|byte| (self.0)(*byte));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
