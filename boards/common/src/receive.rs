//! The way in: an interrupt receives into packets, and full ones into a ring, from which the main loop takes them.
//!
//! Nothing is lost here without being counted. When the ring is full the interrupt is held back and the byte stays
//! in the UART. QEMU waits then; a real line does not, and the UART says that it lost something.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use heapless::spsc::{Consumer, Producer, Queue, QueueView};

use crate::Machine;

/// Bytes that are handed on together: one by one through the ring they would cost as much again as the interrupt.
pub const PACKET_BYTES: usize = 64;
/// With the packet that is being filled they take 44 ms to fill at 115,200 baud, 5 ms at 1,000,000.
pub const RING_PACKETS: usize = 7;

/// What was received, in the order of time.
#[derive(Clone, Copy)]
pub struct Packet {
    length: usize,
    bytes: [u8; PACKET_BYTES],
}

impl Packet {
    /// The bytes.
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

/// The packet that the interrupt fills, at a multiple of its size, so that the address of a byte tells whether it is
/// the last.
#[repr(C, align(64))]
struct Filling([u8; PACKET_BYTES]);

static mut FILLING: Filling = Filling([0; PACKET_BYTES]);

/// Where its next byte goes: within it, or behind it while the interrupt is held back.
// An address, not an index, which would take the interrupt two instructions more for each byte.
static mut NEXT: *mut u8 = (&raw mut FILLING).cast();

const _: () = assert!(align_of::<Filling>() == PACKET_BYTES);

/// Bytes that the interrupt knows to be lost, since the start.
static LOST: AtomicU32 = AtomicU32::new(0);

#[allow(unsafe_code, static_mut_refs)]
fn ring_for_interrupt() -> &'static mut Producer<'static, Packet> {
    // SAFETY: only the interrupt calls this, which cannot interrupt itself, and nothing else touches the first
    // end.
    unsafe { &mut RING.0 }
}

/// A byte came. Says whether there is room for another; if not, the interrupt is now held back, and what the UART
/// has is to stay there.
///
/// # Safety
///
/// Only the handler of [`Machine::RECEIVED`] may call it.
#[allow(unsafe_code, static_mut_refs)]
#[inline(always)]
pub unsafe fn byte<M: Machine>(byte: u8) -> bool {
    // SAFETY: only the interrupt, which cannot interrupt itself, touches this while interrupts are on. It is not held
    // back, so there is room for a byte.
    let next = unsafe {
        let next = NEXT;
        next.write(byte);
        NEXT = next.add(1);
        NEXT
    };
    if next.addr().is_multiple_of(PACKET_BYTES) {
        return hand_on::<M>();
    }
    true
}

#[inline(never)]
fn hand_on<M: Machine>() -> bool {
    if ring_for_interrupt().enqueue(filling()).is_ok() {
        start_packet();
        return true;
    }
    // The next byte and its request stay where they are until `Receiver::read` made room.
    NVIC::mask(M::RECEIVED);
    false
}

/// The UART says that it lost bytes, so many at least. Only one interrupt calls this.
pub fn lost(count: u32) {
    LOST.store(
        LOST.load(Ordering::Relaxed).wrapping_add(count),
        Ordering::Relaxed,
    );
}

/// How many bytes were reported lost since the last call. Only the main loop calls this.
pub fn take_lost() -> u32 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);

    let lost = LOST.load(Ordering::Relaxed);
    let new = lost.wrapping_sub(TAKEN.load(Ordering::Relaxed));
    TAKEN.store(lost, Ordering::Relaxed);
    new
}

/// What was received.
pub struct Receiver<M> {
    ring: &'static mut Consumer<'static, Packet>,
    machine: PhantomData<M>,
}

impl<M: Machine> Receiver<M> {
    /// Lets the interrupt of received bytes through. The interrupt controller, of which there is one, goes in, so
    /// that this happens once.
    #[allow(unsafe_code, static_mut_refs)]
    pub fn start(_controller: NVIC) -> Self {
        // SAFETY: this runs once, and nothing else touches the second end.
        let ring = unsafe { &mut RING.1 };
        unmask::<M>();
        Self {
            ring,
            machine: PhantomData,
        }
    }

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
        unmask::<M>();
        packet
    }

    /// Whether nothing is waiting.
    pub fn is_empty(&self) -> bool {
        cortex_m::interrupt::free(|_| !self.ring.ready() && is_filling_empty())
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

#[allow(unsafe_code)]
fn unmask<M: Machine>() {
    // SAFETY: no critical section relies on the mask of this interrupt; `hand_on` only waits for room.
    unsafe { NVIC::unmask(M::RECEIVED) }
}

/// To be called with interrupts off.
fn take_filling() -> Packet {
    let packet = filling();
    start_packet();
    packet
}

/// To be called with interrupts off.
fn is_filling_empty() -> bool {
    filling_length() == 0
}

/// To be called with interrupts off, or from the interrupt.
#[allow(unsafe_code)]
fn filling_length() -> usize {
    // SAFETY: as for `filling`.
    let next = unsafe { NEXT };
    next.addr() - (&raw const FILLING).addr()
}

/// To be called with interrupts off, or from the interrupt.
#[allow(unsafe_code)]
fn filling() -> Packet {
    Packet {
        length: filling_length(),
        // SAFETY: the interrupt does not run meanwhile, and no other code touches it.
        bytes: unsafe { FILLING.0 },
    }
}

/// To be called with interrupts off, or from the interrupt.
#[allow(unsafe_code)]
fn start_packet() {
    // SAFETY: as for `filling`.
    unsafe { NEXT = (&raw mut FILLING).cast() };
}
