//! The table of interrupts: on mps2-an385 "byte received on UART 0" is number 0, and no other is used.
#![allow(unsafe_code)]

use sundew_board::interrupt_table;

// SAFETY: the linker script `device.x` names a handler for an example that has none.
unsafe extern "C" {
    fn UART0_RX();
}

interrupt_table!(Uart0Received = 0 => UART0_RX);
