//! The status light: it flickers while bytes come and stays lit when a filter is nearly full.

use embedded_hal::digital::{ErrorType, OutputPin};

/// What the light says, on whichever pin.
pub struct Status<P> {
    pin: P,
    /// When bytes began to come, and when they last came.
    first: u32,
    last: u32,
}

impl<P: OutputPin> Status<P> {
    const HALF_PERIOD: u32 = 50;

    /// On this pin.
    pub fn new(pin: P) -> Self {
        Self {
            pin,
            first: 0,
            last: 0,
        }
    }

    /// To be called at every step of the clock: whether bytes came since the last one, and whether a filter is
    /// nearly full. The flicker begins lit, so that a single command shows.
    pub fn show(&mut self, now: u32, is_active: bool, is_full: bool) -> Result<(), P::Error> {
        if is_active {
            if !self.is_recent(now) {
                self.first = now;
            }
            self.last = now;
        }
        let is_lit_half =
            now.wrapping_sub(self.first) % (2 * Self::HALF_PERIOD) < Self::HALF_PERIOD;
        let is_lit = is_full || self.is_recent(now) && is_lit_half;
        self.pin.set_state(is_lit.into())
    }

    fn is_recent(&self, now: u32) -> bool {
        now.wrapping_sub(self.last) < 2 * Self::HALF_PERIOD
    }
}

/// A light that is on when its pin is low.
pub struct Inverted<P>(pub P);

impl<P: ErrorType> ErrorType for Inverted<P> {
    type Error = P::Error;
}

impl<P: OutputPin> OutputPin for Inverted<P> {
    fn set_low(&mut self) -> Result<(), P::Error> {
        self.0.set_high()
    }

    fn set_high(&mut self) -> Result<(), P::Error> {
        self.0.set_low()
    }
}
