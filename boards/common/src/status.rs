//! The status light: it flickers while bytes come and stays lit when a filter that cannot grow is nearly full.

use embedded_hal::digital::{ErrorType, OutputPin};

/// What the light says, on whichever pin.
pub struct Status<P> {
    pin: P,
    /// Whether bytes came before the last step.
    was_active: bool,
    /// Whether the flicker is lit.
    is_lit: bool,
}

impl<P: OutputPin> Status<P> {
    /// On this pin.
    pub fn new(pin: P) -> Self {
        Self {
            pin,
            was_active: false,
            is_lit: false,
        }
    }

    /// To be called at every step of the clock: whether bytes came since the last one, and whether a filter is
    /// nearly full. The flicker changes at every step and begins lit, so that a single command shows.
    pub fn show(&mut self, is_active: bool, is_full: bool) -> Result<(), P::Error> {
        self.is_lit = (is_active || self.was_active) && !self.is_lit;
        self.was_active = is_active;
        self.pin.set_state((is_full || self.is_lit).into())
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
