//! The UART without DMA that nRF51 and nRF52 share: 6 bytes of receive buffer, a divider of fixed steps.
//!
//! By address, because no HAL serves here. That of the nRF51 hangs in its first write under QEMU and knows no
//! receive interrupt; that of the nRF52 knows the UART with DMA only, which waits for a fixed number of bytes.

use crate::receive;
use crate::register::Register;
use crate::{BAUD, Machine, Transmitter};

const BASE: usize = 0x4000_2000;

const START_RX: usize = 0x000;
const START_TX: usize = 0x008;
const RX_READY: usize = 0x108;
const TX_READY: usize = 0x11C;
const ERROR: usize = 0x124;
const INTERRUPT_ENABLE: usize = 0x304;
const ERROR_SOURCE: usize = 0x480;
const ENABLE: usize = 0x500;
const PIN_TX: usize = 0x50C;
const PIN_RX: usize = 0x514;
const RXD: usize = 0x518;
const TXD: usize = 0x51C;
const BAUD_RATE: usize = 0x524;

const INTERRUPT_RX_READY: u32 = 1 << 2;
const ENABLED: u32 = 4;
/// As the manuals have it: a fraction of 16 MHz in 2^32nds, to the next 2^12.
const RATE: u32 = ((((BAUD as u64) << 32) / 16_000_000 + 0x800) & !0xFFF) as u32;
/// The manuals' own value.
const _: () = assert!(BAUD != 115_200 || RATE == 0x01D7_E000);
const _: () = assert!(BAUD != 1_000_000 || RATE == 0x1000_0000);
const ERROR_OVERRUN: u32 = 1 << 0;

#[allow(unsafe_code)]
const fn register(offset: usize) -> Register {
    // SAFETY: both families have this UART at this address; it has no DMA.
    unsafe { Register::at(BASE + offset) }
}

/// Starts it on these pins of port 0, at [`BAUD`]. The pins are set up: `tx` as an output, `rx` as an input.
pub fn start(tx: u32, rx: u32) -> Transmitter<impl FnMut(u8)> {
    register(PIN_TX).write(tx);
    register(PIN_RX).write(rx);
    register(BAUD_RATE).write(RATE);
    register(ENABLE).write(ENABLED);
    register(INTERRUPT_ENABLE).write(INTERRUPT_RX_READY);
    register(START_RX).write(1);
    register(START_TX).write(1);
    Transmitter(write)
}

/// Sends and waits until it is done.
fn write(byte: u8) {
    register(TX_READY).write(0);
    register(TXD).write(byte.into());
    while register(TX_READY).read() == 0 {}
}

/// For [`Machine::write_last_word`].
pub fn write_last_word(byte: u8) {
    register(TX_READY).write(0);
    register(TXD).write(byte.into());
    let mut patience = 100_000;
    while register(TX_READY).read() == 0 && patience > 0 {
        patience -= 1;
    }
}

/// To be called by the interrupt of the UART.
///
/// # Safety
///
/// Only the handler of [`Machine::RECEIVED`] may call it.
#[allow(unsafe_code)]
pub unsafe fn interrupt<M: Machine>() {
    if register(ERROR).read() != 0 {
        register(ERROR).write(0);
        let source = register(ERROR_SOURCE);
        let errors = source.read();
        source.write(errors);
        if errors & ERROR_OVERRUN != 0 {
            receive::lost(1);
        }
    }
    while register(RX_READY).read() != 0 {
        // In this order: reading may bring up the next byte of the buffer, which is a new event.
        register(RX_READY).write(0);
        let byte = register(RXD).read() as u8;
        // SAFETY: the caller is the handler.
        if !unsafe { receive::byte::<M>(byte) } {
            return;
        }
    }
}
