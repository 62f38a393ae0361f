//! Logging with defmt, which the feature `defmt` turns on; without it no code is left.
//!
//! The frames go to QEMU's standard output by semihosting. They need one more linker script, and a decoder:
//!
//! ```sh
//! cargo install defmt-print
//! cargo run --config .cargo/defmt.toml --release --features defmt --target thumbv7m-none-eabi --example shell |
//!     defmt-print -e target/thumbv7m-none-eabi/release/examples/shell
//! ```

#[cfg(feature = "defmt")]
use defmt_semihosting as _;

#[cfg(feature = "defmt")]
defmt::timestamp!("{=u32} ms", super::clock::milliseconds());

/// `log!(warn, "text {}", value)`; the levels are defmt's.
#[cfg(feature = "defmt")]
macro_rules! log {
    ($level:ident, $($arguments:tt)*) => { ::defmt::$level!($($arguments)*) };
}

#[cfg(not(feature = "defmt"))]
macro_rules! log {
    ($level:ident, $text:literal $(, $value:expr)*) => { { $(let _ = &$value;)* } };
}

pub(crate) use log;
