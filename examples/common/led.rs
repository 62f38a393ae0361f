//! The status light: it flickers while bytes come and stays lit when a filter is nearly full.

use core::convert::Infallible;

use embedded_hal::digital::{ErrorType, OutputPin};

use super::register::LEDS;

/// The board's first LED.
pub struct Led;

impl ErrorType for Led {
    type Error = Infallible;
}

// The second LED is not used: both share a register.
impl OutputPin for Led {
    fn set_low(&mut self) -> Result<(), Infallible> {
        LEDS.write(0);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        LEDS.write(1);
        Ok(())
    }
}

/// What the light says, on whichever pin.
pub struct Status<P> {
    pin: P,
    nearly_full: bool,
    first: u32,
    last: u32,
}

impl<P: OutputPin> Status<P> {
    const HALF_PERIOD: u32 = 50;

    pub fn new(pin: P) -> Self {
        Self {
            pin,
            nearly_full: false,
            first: 0,
            last: 0,
        }
    }

    /// Bytes came. The flicker begins lit, so that a single command shows.
    pub fn active(&mut self, now: u32, nearly_full: bool) -> Result<(), P::Error> {
        if !self.is_recent(now) {
            self.first = now;
        }
        self.last = now;
        self.nearly_full = nearly_full;
        self.show(now)
    }

    /// To be called every now and then when nothing came.
    pub fn show(&mut self, now: u32) -> Result<(), P::Error> {
        let is_lit_half = now.wrapping_sub(self.first) / Self::HALF_PERIOD % 2 == 0;
        self.pin
            .set_state((self.nearly_full || self.is_recent(now) && is_lit_half).into())
    }

    fn is_recent(&self, now: u32) -> bool {
        now.wrapping_sub(self.last) < 2 * Self::HALF_PERIOD
    }
}
