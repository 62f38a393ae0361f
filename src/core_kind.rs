//! Which way to compute the same result costs the fewest instructions on this core.

/// Whether this is an ARMv6-M core (Cortex-M0, M0+, M1): 8 low registers, no unaligned loads, no upper word
/// of a product.
///
/// Stable Rust does not tell the architecture version; but of the Arm targets only ARMv6-M lacks
/// compare-and-swap. A wrong guess costs instructions, never correctness.
pub(crate) const IS_ARMV6M: bool = cfg!(all(target_arch = "arm", not(target_has_atomic = "32")));

/// Whether the core guesses branches and runs ahead of them, as 64-bit ones do. A Cortex-M does best to stop
/// at the first bit that is not set.
pub(crate) const RUNS_AHEAD: bool = cfg!(target_pointer_width = "64");
