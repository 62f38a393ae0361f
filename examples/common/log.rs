//! Where defmt's log goes, which the feature `defmt` turns on: to QEMU's standard output by semihosting.
//!
//! It needs one more linker script, and a decoder:
//!
//! ```sh
//! cargo install defmt-print
//! cargo run --config .cargo/defmt.toml --release --features defmt --target thumbv7m-none-eabi --example shell |
//!     defmt-print -e target/thumbv7m-none-eabi/release/examples/shell
//! ```

#[cfg(feature = "defmt")]
use defmt_semihosting as _;
