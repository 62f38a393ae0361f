//! Logging with defmt, which the feature `defmt` turns on; without it no code is left.

#[cfg(feature = "defmt")]
defmt::timestamp!("{=u32} ms", crate::clock::milliseconds());

/// `log!(warn, "text {}", value)`; the levels are defmt's.
#[cfg(feature = "defmt")]
macro_rules! log {
    ($level:ident, $($arguments:tt)*) => { ::defmt::$level!($($arguments)*) };
}

#[cfg(not(feature = "defmt"))]
macro_rules! log {
    ($level:ident, $text:literal $(, $value:expr)*) => {
        // Never read, not even a volatile or atomic value.
        if false { $(let _ = &$value;)* }
    };
}

pub(crate) use log;
