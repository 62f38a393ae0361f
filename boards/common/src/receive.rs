//! The way in: an interrupt receives into a ring, and the main loop reads what is there. No byte is copied on its way.
//!
//! Nothing is lost here without being counted. When the ring is full the interrupt is held back and the byte stays in
//! the UART. QEMU waits then; a real line does not, and the UART says that it lost something.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering, compiler_fence};

use cortex_m::peripheral::NVIC;

use crate::Machine;

/// So often the interrupt looks whether there is room: for every byte that would cost as much again as the rest.
pub const BUFFER_BYTES: usize = 128;
/// One that the main loop reads, one so that a full ring is none that looks empty, and four that take 44 ms to fill at
/// 115,200 baud, 5 ms at 1,000,000.
const BUFFERS: usize = 6;
const RING_BYTES: usize = BUFFERS * BUFFER_BYTES;

/// At a multiple of a buffer's size, so that the address of a byte tells whether it is the last.
#[repr(C, align(128))]
struct Ring([u8; RING_BYTES]);

const _: () = assert!(align_of::<Ring>() == BUFFER_BYTES);

#[allow(unsafe_code)]
static mut RING: Ring = Ring([0; RING_BYTES]);

/// Addresses in the ring: an index would take the interrupt two instructions more for each byte.
#[doc(hidden)]
#[repr(C)]
pub struct Places {
    /// Where the interrupt puts the next byte, which it alone changes. While it is held back there is no room there.
    next: AtomicPtr<u8>,
    /// The byte that was waiting longest, which the main loop alone changes; if it is `next`, nothing waits.
    unread: AtomicPtr<u8>,
}

// Whole, or the compiler makes two variables of it, each with an address of its own.
#[doc(hidden)]
#[used]
pub static PLACES: Places = Places {
    next: AtomicPtr::new(core::ptr::null_mut()),
    unread: AtomicPtr::new(core::ptr::null_mut()),
};

fn start() -> *mut u8 {
    (&raw mut RING).cast()
}

/// Where the bytes go on: the end of the ring is its start.
fn around(place: *mut u8) -> *mut u8 {
    if place == start().wrapping_add(RING_BYTES) {
        start()
    } else {
        place
    }
}

/// Whether another buffer can be filled, and not all of the ring with it.
fn has_room() -> bool {
    let next = PLACES.next.load(Ordering::Relaxed).addr();
    let unread = PLACES.unread.load(Ordering::Relaxed).addr();
    let room = if unread > next { 0 } else { RING_BYTES } + unread - next;
    room > BUFFER_BYTES
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
    // SAFETY: only the interrupt, which cannot interrupt itself, writes to the ring. It is not held back, so nothing
    // else refers to this byte, and there is one more in the ring, or its end.
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
    PLACES.next.store(
        around(PLACES.next.load(Ordering::Relaxed)),
        Ordering::Relaxed,
    );
    let has_room = has_room();
    if !has_room {
        // The next byte and its request stay where they are until `Receiver::read` made room.
        NVIC::mask(M::RECEIVED);
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
    machine: PhantomData<M>,
}

impl<M: Machine> Receiver<M> {
    /// Lets the interrupt of received bytes through. The interrupt controller, of which there is one, goes in, so
    /// that this happens once.
    pub fn start(_controller: NVIC) -> Self {
        PLACES.next.store(start(), Ordering::Relaxed);
        PLACES.unread.store(start(), Ordering::Relaxed);
        unmask::<M>();
        Self {
            machine: PhantomData,
        }
    }

    /// Shows what has been waiting longest: up to the end of a buffer, or what there is of one.
    #[allow(unsafe_code)]
    pub fn read(&mut self, show: impl FnOnce(&[u8])) {
        let unread = PLACES.unread.load(Ordering::Relaxed);
        let in_buffer = BUFFER_BYTES - unread.addr() % BUFFER_BYTES;
        // If the interrupt is in this buffer, it is ahead by less; if it went round, by a number below 0.
        let ahead = PLACES
            .next
            .load(Ordering::Relaxed)
            .addr()
            .wrapping_sub(unread.addr());
        let length = ahead.min(in_buffer);
        // Between an interrupt and what it interrupts, only the compiler could put them in another order.
        compiler_fence(Ordering::Acquire);
        // SAFETY: these bytes were received, and the interrupt writes none of them anew before `unread` went on.
        show(unsafe { core::slice::from_raw_parts(unread, length) });
        compiler_fence(Ordering::Release);
        cortex_m::interrupt::free(|_| {
            PLACES
                .unread
                .store(around(unread.wrapping_add(length)), Ordering::Relaxed);
            if has_room() {
                // It may have been held back.
                unmask::<M>();
            }
        });
    }

    /// Whether nothing is waiting.
    pub fn is_empty(&self) -> bool {
        PLACES.next.load(Ordering::Relaxed) == PLACES.unread.load(Ordering::Relaxed)
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
