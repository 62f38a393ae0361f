//! The way in: an interrupt receives into buffers, one after the other, and tells the main loop through a ring how much
//! is in each. No byte is copied on its way.
//!
//! Nothing is lost here without being counted. When all buffers are full the interrupt is held back and the byte stays
//! in the UART. QEMU waits then; a real line does not, and the UART says that it lost something.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use heapless::spsc::{Consumer, Producer, Queue, QueueView};

use crate::Machine;

/// Bytes that are handed on together: one by one through the ring they would cost as much again as the interrupt.
pub const BUFFER_BYTES: usize = 128;
/// One for the main loop to read, and four that take 44 ms to fill at 115,200 baud, 5 ms at 1,000,000.
const BUFFERS: usize = 5;

/// At a multiple of its size, so that the address of a byte tells whether it is the last.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
struct Buffer([u8; BUFFER_BYTES]);

const _: () = assert!(align_of::<Buffer>() == BUFFER_BYTES);

#[allow(unsafe_code)]
static mut ALL: [Buffer; BUFFERS] = [Buffer([0; BUFFER_BYTES]); BUFFERS];

/// How many bytes are in each of the full buffers, from the interrupt to [`Receiver`]; they are filled and read in the
/// order in which they lie. It has room for all but the one that is being filled.
#[allow(unsafe_code, static_mut_refs)]
static mut FULL: (Producer<'static, u8>, Consumer<'static, u8>) = {
    static mut RING: &mut QueueView<u8> = &mut Queue::<u8, BUFFERS>::new();
    // SAFETY: nothing else can name `RING`, and it is split once, by the compiler.
    unsafe { RING.split_const() }
};

/// Where the interrupt receives to. Only the interrupt changes it, or what runs while interrupts are off.
// Addresses: an index would take the interrupt two instructions more for each byte.
#[doc(hidden)]
#[repr(C)]
pub struct Places {
    /// Of the next byte: in the buffer that is being filled, or behind it while the interrupt is held back.
    next: AtomicPtr<u8>,
    /// Of that buffer.
    filling: AtomicPtr<u8>,
}

// Whole, or the compiler makes two variables of it, each with an address of its own.
#[doc(hidden)]
#[used]
pub static PLACES: Places = Places {
    next: AtomicPtr::new(core::ptr::null_mut()),
    filling: AtomicPtr::new(core::ptr::null_mut()),
};

impl Places {
    fn set(&self, buffer: *mut u8) {
        self.next.store(buffer, Ordering::Relaxed);
        self.filling.store(buffer, Ordering::Relaxed);
    }

    /// Bytes in the buffer that is being filled.
    fn num_filled(&self) -> usize {
        let filling = self.filling.load(Ordering::Relaxed);
        self.next.load(Ordering::Relaxed).addr() - filling.addr()
    }
}

fn first_buffer() -> *mut u8 {
    (&raw mut ALL).cast()
}

/// Bytes that the interrupt knows to be lost, since the start.
static LOST: AtomicU32 = AtomicU32::new(0);

/// A byte came. Says whether there is room for another; if not, the interrupt is now held back, and what the UART
/// has is to stay there.
///
/// # Safety
///
/// Only the handler of [`Machine::RECEIVED`] may call it.
#[allow(unsafe_code)]
#[inline(always)]
pub unsafe fn byte<M: Machine>(byte: u8) -> bool {
    let next = PLACES.next.load(Ordering::Relaxed);
    // SAFETY: only the interrupt, which cannot interrupt itself, writes to the buffers. It is not held back, so nothing
    // else refers to this byte, and there is one more in the buffer, or its end.
    let next = unsafe {
        next.write(byte);
        next.add(1)
    };
    PLACES.next.store(next, Ordering::Relaxed);
    if next.addr().is_multiple_of(BUFFER_BYTES) {
        return buffer_is_full::<M>();
    }
    true
}

/// Goes on to the next buffer, or holds the interrupt back. Only the interrupt calls this.
#[doc(hidden)]
#[inline(never)]
pub extern "C" fn buffer_is_full<M: Machine>() -> bool {
    let has_room = hand_on();
    if !has_room {
        // The next byte and its request stay where they are until `Receiver::read` made room.
        NVIC::mask(M::RECEIVED);
    }
    has_room
}

/// Hands on the buffer that is being filled, and goes on to the next; false when there is none. To be called by the
/// interrupt, or with interrupts off.
#[allow(unsafe_code, static_mut_refs)]
#[inline(never)]
fn hand_on() -> bool {
    // SAFETY: nothing else touches this end meanwhile.
    let has_room = unsafe { FULL.0.enqueue(PLACES.num_filled() as u8) }.is_ok();
    if has_room {
        let filling = PLACES.filling.load(Ordering::Relaxed);
        let mut next = filling.wrapping_add(BUFFER_BYTES);
        if next == first_buffer().wrapping_add(BUFFERS * BUFFER_BYTES) {
            next = first_buffer();
        }
        PLACES.set(next);
    }
    has_room
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
    full: &'static mut Consumer<'static, u8>,
    /// Which buffer is to be read next.
    reading: usize,
    machine: PhantomData<M>,
}

impl<M: Machine> Receiver<M> {
    /// Lets the interrupt of received bytes through. The interrupt controller, of which there is one, goes in, so
    /// that this happens once.
    #[allow(unsafe_code, static_mut_refs)]
    pub fn start(_controller: NVIC) -> Self {
        PLACES.set(first_buffer());
        unmask::<M>();
        Self {
            // SAFETY: this runs once, and nothing else touches this end.
            full: unsafe { &mut FULL.1 },
            reading: 0,
            machine: PhantomData,
        }
    }

    /// Shows what has been waiting longest: a full buffer, what there is of one, or nothing.
    #[allow(unsafe_code)]
    pub fn read(&mut self, show: impl FnOnce(&[u8])) {
        cortex_m::interrupt::free(|_| {
            let filled = PLACES.num_filled();
            let is_due = filled == BUFFER_BYTES || (filled > 0 && !self.full.ready());
            if !is_due || hand_on() {
                // It may have been held back for want of room.
                unmask::<M>();
            }
        });
        let length = self.full.peek().map_or(0, |length| usize::from(*length));
        let first = first_buffer().wrapping_add(self.reading * BUFFER_BYTES);
        // SAFETY: so many bytes were received there, and the interrupt writes none of them anew as long as the ring
        // has this buffer.
        show(unsafe { core::slice::from_raw_parts(first, length) });
        if length > 0 {
            let _ = self.full.dequeue();
            self.reading = (self.reading + 1) % BUFFERS;
        }
    }

    /// Whether nothing is waiting; may say so while the interrupt hands something on. [`sleep`](Self::sleep) looks again.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        !self.full.ready() && PLACES.num_filled() == 0
    }

    /// Sleeps until the next interrupt, unless a byte is waiting.
    pub fn sleep(&self) {
        // A byte that comes after the look into the ring stays pending while interrupts are off, and pending
        // is enough to end the sleep.
        cortex_m::interrupt::free(|_| {
            if self.is_empty() {
                cortex_m::asm::wfi();
            }
        });
    }
}

#[allow(unsafe_code)]
fn unmask<M: Machine>() {
    // SAFETY: no critical section relies on the mask of this interrupt; `buffer_is_full` only waits for room.
    unsafe { NVIC::unmask(M::RECEIVED) }
}
