//! UART 0: an interrupt receives into packets, and full ones into a ring; writing waits.
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

/// Bytes that are handed on together: one by one through the ring they would cost as much again as the interrupt.
const PACKET_BYTES: usize = 64;
/// With the packet that is being filled they take 44 ms to fill at 115,200 baud.
const RING_PACKETS: usize = 7;

/// What was received, in the order of time.
#[derive(Clone, Copy)]
pub struct Packet {
    length: usize,
    bytes: [u8; PACKET_BYTES],
}

impl Packet {
    const EMPTY: Self = Self {
        length: 0,
        bytes: [0; PACKET_BYTES],
    };

    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// The two ends of the ring of full packets, the first for the interrupt, the second for [`Receiver`].
#[allow(unsafe_code)]
static mut RING: (Producer<'static, Packet>, Consumer<'static, Packet>) = {
    static mut QUEUE: &mut QueueView<Packet> = &mut Queue::<Packet, { RING_PACKETS + 1 }>::new();
    // SAFETY: nothing else can name `QUEUE`, and it is split once, by the compiler.
    #[allow(static_mut_refs)]
    unsafe {
        QUEUE.split_const()
    }
};

/// The packet that the interrupt fills. It is full only while the interrupt is held back.
static mut FILLING: Packet = Packet::EMPTY;

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

#[allow(unsafe_code, static_mut_refs)]
fn ring_for_receiver() -> &'static mut Consumer<'static, Packet> {
    // SAFETY: only `start` calls this, which runs once, and nothing else touches the second end.
    unsafe { &mut RING.1 }
}

#[allow(unsafe_code, static_mut_refs)]
fn ring_for_interrupt() -> &'static mut Producer<'static, Packet> {
    // SAFETY: only the interrupt calls this, which cannot interrupt itself, and nothing else touches the first
    // end.
    unsafe { &mut RING.0 }
}

/// A byte came.
// SAFETY: the name stands for this interrupt in the table, nothing else has it.
#[allow(unsafe_code, static_mut_refs)]
#[unsafe(no_mangle)]
extern "C" fn UART0_RX() {
    // SAFETY: only the interrupt, which cannot interrupt itself, touches this while interrupts are on.
    let filling = unsafe { &mut FILLING };
    // In this order: the next byte may come as soon as this one is read, and it must raise a new request.
    UART_INTERRUPT_CLEAR.write(INTERRUPT_RECEIVED);
    let byte = UART_DATA.read() as u8;
    // It is not full, so the remainder changes nothing but that no check is left.
    let length = filling.length % PACKET_BYTES;
    filling.bytes[length] = byte;
    filling.length = length + 1;
    if filling.length == PACKET_BYTES {
        hand_on(filling);
    }
}

#[inline(never)]
fn hand_on(filling: &mut Packet) {
    if ring_for_interrupt().enqueue(*filling).is_ok() {
        filling.length = 0;
    } else {
        // The next byte and its request stay where they are until `Receiver::read` made room.
        INTERRUPT_DISABLE.write(UART0_RX_BIT);
    }
}

/// What was received.
pub struct Receiver {
    ring: &'static mut Consumer<'static, Packet>,
}

impl Receiver {
    /// Takes what has been waiting longest: a full packet, or what there is of one.
    pub fn read(&mut self) -> Packet {
        if let Some(packet) = self.ring.dequeue() {
            return packet;
        }
        let packet = cortex_m::interrupt::free(|_| match self.ring.dequeue() {
            // Handed on since the look into the ring.
            Some(packet) => packet,
            None => take_filling(),
        });
        // It may have been held back for want of room.
        INTERRUPT_ENABLE.write(UART0_RX_BIT);
        packet
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
            if !self.ring.ready() && is_filling_empty() {
                cortex_m::asm::wfi();
            }
        });
    }
}

/// To be called with interrupts off.
#[allow(unsafe_code, static_mut_refs)]
fn take_filling() -> Packet {
    // SAFETY: interrupts are off, and no other code touches it.
    let filling = unsafe { &mut FILLING };
    let packet = *filling;
    filling.length = 0;
    packet
}

/// To be called with interrupts off.
#[allow(unsafe_code, static_mut_refs)]
fn is_filling_empty() -> bool {
    // SAFETY: interrupts are off, and no other code touches it.
    unsafe { FILLING.length == 0 }
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
