//! The way out.

use core::convert::Infallible;
use core::marker::PhantomData;

use embedded_io::{ErrorType, Write};

use crate::Machine;

/// Writes byte by byte with a function that waits for its turn. Bytes are received meanwhile.
pub struct Transmitter<F>(pub F);

impl<F> ErrorType for Transmitter<F> {
    type Error = Infallible;
}

impl<F: FnMut(u8)> Write for Transmitter<F> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        bytes.iter().for_each(|byte| (self.0)(*byte));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Feeds the watchdog of a [`Machine`] with all that is written: on a slow line an answer may take longer than its time.
pub(crate) struct Feeding<M, W>(W, PhantomData<M>);

impl<M, W> Feeding<M, W> {
    pub fn new(inner: W) -> Self {
        Self(inner, PhantomData)
    }
}

impl<M, W: ErrorType> ErrorType for Feeding<M, W> {
    type Error = W::Error;
}

impl<M: Machine, W: Write> Write for Feeding<M, W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, W::Error> {
        M::feed_watchdog();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> Result<(), W::Error> {
        self.0.flush()
    }
}
