//! UART 0: an interrupt receives into a ring, writing waits.
//!
//! Nothing is lost here without being counted. When the ring is full the interrupt is held back and the byte
//! stays in the UART. QEMU waits then; a real line does not, and the UART says that it lost something.
//!
//! The UART of the CMSDK cannot tell a BREAK from a byte of zeros, so no one calls `Shell::line_break` here.

use core::convert::Infallible;

use cortex_m::peripheral::NVIC;
use heapless::spsc::{Consumer, Producer, Queue, QueueView};

use super::interrupts::UART0_RX_BIT;
use super::register::{
    INTERRUPT_DISABLE, INTERRUPT_ENABLE, UART_BAUD_DIVIDER, UART_CONTROL, UART_DATA,
    UART_INTERRUPT_CLEAR, UART_STATE,
};

const CLOCK_HZ: u32 = 25_000_000;
const BAUD: u32 = 115_200;

const STATE_CANNOT_SEND: u32 = 1 << 0;
const STATE_LOST_RECEIVED: u32 = 1 << 3;
const CONTROL_SEND: u32 = 1 << 0;
const CONTROL_RECEIVE: u32 = 1 << 1;
const CONTROL_RECEIVE_INTERRUPT: u32 = 1 << 3;
const INTERRUPT_RECEIVED: u32 = 1 << 1;

/// At 115,200 baud it takes 44 ms to fill.
const RING_BYTES: usize = 512;

/// The two ends of the ring, the first for the interrupt, the second for [`Receiver`].
#[allow(unsafe_code)]
static mut RING: (Producer<'static, u8>, Consumer<'static, u8>) = {
    static mut QUEUE: &mut QueueView<u8> = &mut Queue::<u8, RING_BYTES>::new();
    // SAFETY: nothing else can name `QUEUE`, and it is split once, by the compiler.
    #[allow(static_mut_refs)]
    unsafe {
        QUEUE.split_const()
    }
};

/// Starts the UART: 115,200 baud, 8 data bits, no parity, 1 stop bit.
///
/// It takes the interrupt controller because there is only one, so that no one starts the UART twice.
pub fn start(_controller: NVIC) -> (Receiver, Transmitter) {
    UART_BAUD_DIVIDER.write(CLOCK_HZ / BAUD);
    UART_CONTROL.write(CONTROL_SEND | CONTROL_RECEIVE | CONTROL_RECEIVE_INTERRUPT);
    INTERRUPT_ENABLE.write(UART0_RX_BIT);
    (
        Receiver {
            ring: ring_for_receiver(),
        },
        Transmitter,
    )
}

#[allow(unsafe_code)]
fn ring_for_receiver() -> &'static mut Consumer<'static, u8> {
    // SAFETY: only `start` calls this, which runs once, and nothing else touches the second end.
    unsafe { &mut *(&raw mut RING.1) }
}

#[allow(unsafe_code)]
fn ring_for_interrupt() -> &'static mut Producer<'static, u8> {
    // SAFETY: only the interrupt calls this, which cannot interrupt itself, and nothing else touches the first
    // end.
    unsafe { &mut *(&raw mut RING.0) }
}

/// A byte came.
// SAFETY: the name stands for this interrupt in the table, nothing else has it.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
extern "C" fn UART0_RX() {
    let ring = ring_for_interrupt();
    if !ring.ready() {
        // The byte and the request stay where they are until `Receiver::read` made room.
        INTERRUPT_DISABLE.write(UART0_RX_BIT);
        return;
    }
    // In this order: the next byte may come as soon as this one is read, and it must raise a new request.
    UART_INTERRUPT_CLEAR.write(INTERRUPT_RECEIVED);
    let byte = UART_DATA.read() as u8;
    // SAFETY: there is room, and only this interrupt fills it.
    unsafe { ring.enqueue_unchecked(byte) };
}

/// What was received.
pub struct Receiver {
    ring: &'static mut Consumer<'static, u8>,
}

impl Receiver {
    /// Moves waiting bytes to `chunk` and returns its filled part.
    pub fn read<'a>(&mut self, chunk: &'a mut [u8]) -> &'a [u8] {
        let mut count = 0;
        for place in &mut *chunk {
            let Some(byte) = self.ring.dequeue() else {
                break;
            };
            *place = byte;
            count += 1;
        }
        if count > 0 {
            // It may have been held back for want of room.
            INTERRUPT_ENABLE.write(UART0_RX_BIT);
        }
        chunk.get(..count).unwrap_or_default()
    }

    /// How many bytes the UART lost since the last call, at least: it tells that it happened, not how often.
    pub fn take_lost(&mut self) -> u32 {
        if UART_STATE.read() & STATE_LOST_RECEIVED == 0 {
            return 0;
        }
        UART_STATE.write(STATE_LOST_RECEIVED);
        1
    }

    /// Sleeps until the next interrupt, unless a byte is waiting.
    pub fn sleep(&self) {
        // A byte that comes after the look into the ring stays pending while interrupts are off, and pending
        // is enough to end the sleep.
        cortex_m::interrupt::free(|_| {
            if !self.ring.ready() {
                cortex_m::asm::wfi();
            }
        });
    }
}

/// Writes, waiting while the UART is busy. Bytes are received meanwhile.
pub struct Transmitter;

impl embedded_io::ErrorType for Transmitter {
    type Error = Infallible;
}

impl embedded_io::Write for Transmitter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Infallible> {
        for &byte in bytes {
            while UART_STATE.read() & STATE_CANNOT_SEND != 0 {}
            UART_DATA.write(byte.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        while UART_STATE.read() & STATE_CANNOT_SEND != 0 {}
        Ok(())
    }
}

/// Writes when the firmware is beyond saving: also before [`start`], and not for ever if no one takes it.
pub fn write_last_words(bytes: &[u8]) {
    UART_BAUD_DIVIDER.write(CLOCK_HZ / BAUD);
    UART_CONTROL.write(CONTROL_SEND);
    for &byte in bytes {
        let mut patience = 100_000;
        while UART_STATE.read() & STATE_CANNOT_SEND != 0 && patience > 0 {
            patience -= 1;
        }
        UART_DATA.write(byte.into());
    }
}
