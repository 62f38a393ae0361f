//! The table of interrupts: on mps2-an385 "byte received on UART 0" is number 0, and no other is used.
#![allow(unsafe_code)]

/// Bit of [`UART0_RX`] in the registers of the interrupt controller.
#[allow(dead_code)] // not every example receives
pub const UART0_RX_BIT: u32 = 1 << 0;

// SAFETY: the linker script `device.x` names a handler for an example that has none.
unsafe extern "C" {
    fn UART0_RX();
}

// SAFETY: cortex-m-rt's linker script puts this section behind the vectors of the exceptions, where the core
// looks for number 0.
#[unsafe(link_section = ".vector_table.interrupts")]
#[unsafe(no_mangle)]
static __INTERRUPTS: [unsafe extern "C" fn(); 1] = [UART0_RX];
