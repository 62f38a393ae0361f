//! The way in: an interrupt receives into a buffer, and hands full ones through a ring to the main loop, which gives
//! them back through another. No byte is copied on its way.
//!
//! Nothing is lost here without being counted. When there is no empty buffer the interrupt is held back and the byte
//! stays in the UART. QEMU waits then; a real line does not, and the UART says that it lost something.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use cortex_m::peripheral::NVIC;
use heapless::spsc::{Consumer, Producer, Queue, QueueView};

use crate::Machine;

/// Bytes that are handed on together: one by one through the ring they would cost as much again as the interrupt.
pub const BUFFER_BYTES: usize = 128;
/// One for the main loop to read, and four that take 44 ms to fill at 115,200 baud, 5 ms at 1,000,000.
const BUFFERS: usize = 5;

/// At a multiple of its size, so that the address of a byte tells whether it is the last.
#[repr(C, align(128))]
struct Buffer([u8; BUFFER_BYTES]);

const _: () = assert!(align_of::<Buffer>() == BUFFER_BYTES);

/// Whoever has it owns the buffer.
type Handle = &'static mut Buffer;

/// A ring with room for all buffers but one, and its two ends.
macro_rules! ring {
    () => {{
        static mut QUEUE: &mut QueueView<Handle> = &mut Queue::<Handle, BUFFERS>::new();
        // SAFETY: nothing else can name `QUEUE`, and it is split once, by the compiler.
        #[allow(static_mut_refs)]
        unsafe {
            QUEUE.split_const()
        }
    }};
}

/// Full buffers, from the interrupt to [`Receiver`].
#[allow(unsafe_code)]
static mut FULL: (Producer<'static, Handle>, Consumer<'static, Handle>) = ring!();
/// Empty buffers, from [`Receiver`] to the interrupt.
#[allow(unsafe_code)]
static mut EMPTY: (Producer<'static, Handle>, Consumer<'static, Handle>) = ring!();

/// The buffer that the interrupt fills.
static mut FILLING: Option<Handle> = None;
/// Where its next byte goes: within it, or behind it while the interrupt is held back.
// An address, not an index, which would take the interrupt two instructions more for each byte.
static mut NEXT: *mut u8 = core::ptr::null_mut();

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
    // SAFETY: only the interrupt, which cannot interrupt itself, touches this while interrupts are on. It is not held
    // back, so there is room for a byte.
    let next = unsafe {
        let next = NEXT;
        next.write(byte);
        NEXT = next.add(1);
        NEXT
    };
    if next.addr().is_multiple_of(BUFFER_BYTES) {
        return hand_on::<M>();
    }
    true
}

#[allow(unsafe_code, static_mut_refs)]
#[inline(never)]
fn hand_on<M: Machine>() -> bool {
    let Some(filled) = take_filling() else {
        // The next byte and its request stay where they are until `Receiver::read` made room.
        NVIC::mask(M::RECEIVED);
        return false;
    };
    // SAFETY: only the interrupt calls this, which cannot interrupt itself, and nothing else touches this end. There is
    // room for all buffers but the one that is being filled.
    let _ = unsafe { FULL.0.enqueue(filled) };
    true
}

/// Takes the buffer that is being filled, for which an empty one takes its place, if there is one. To be called with
/// interrupts off, or from the interrupt.
#[allow(unsafe_code, static_mut_refs)]
fn take_filling() -> Option<Handle> {
    // SAFETY: the interrupt does not run meanwhile, and no other code touches these.
    unsafe {
        let empty = EMPTY.1.dequeue()?;
        NEXT = empty.0.as_mut_ptr();
        FILLING.replace(empty)
    }
}

/// Bytes in the buffer that is being filled. To be called with interrupts off.
#[allow(unsafe_code, static_mut_refs)]
fn num_filled() -> usize {
    // SAFETY: as for `take_filling`.
    unsafe {
        match &FILLING {
            Some(buffer) => NEXT.addr() - buffer.0.as_ptr().addr(),
            None => 0,
        }
    }
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
    full: &'static mut Consumer<'static, Handle>,
    empty: &'static mut Producer<'static, Handle>,
    machine: PhantomData<M>,
}

impl<M: Machine> Receiver<M> {
    /// Lets the interrupt of received bytes through. The interrupt controller, of which there is one, goes in, so
    /// that this happens once.
    #[allow(unsafe_code, static_mut_refs)]
    pub fn start(_controller: NVIC) -> Self {
        static mut ALL: [Buffer; BUFFERS] = [const { Buffer([0; BUFFER_BYTES]) }; BUFFERS];

        // SAFETY: this runs once, before the interrupt may, and nothing else touches these.
        let (full, empty, all) = unsafe { (&mut FULL.1, &mut EMPTY.0, &mut ALL) };
        let [first, others @ ..] = all;
        // SAFETY: as above.
        unsafe {
            NEXT = first.0.as_mut_ptr();
            FILLING = Some(first);
        }
        for buffer in others {
            // There is room for all but one.
            let _ = empty.enqueue(buffer);
        }
        unmask::<M>();
        Self {
            full,
            empty,
            machine: PhantomData,
        }
    }

    /// Shows what has been waiting longest: a full buffer, or what there is of one.
    pub fn read(&mut self, show: impl FnOnce(&[u8])) {
        let mut length = BUFFER_BYTES;
        let buffer = cortex_m::interrupt::free(|_| {
            self.full.dequeue().or_else(|| {
                length = num_filled();
                let filling = take_filling();
                // It may have been held back for want of room.
                unmask::<M>();
                filling
            })
        });
        if let Some(buffer) = buffer {
            show(buffer.0.get(..length).unwrap_or_default());
            // There is room for all but the one that is being filled.
            let _ = self.empty.enqueue(buffer);
        }
    }

    /// Whether nothing is waiting.
    pub fn is_empty(&self) -> bool {
        cortex_m::interrupt::free(|_| !self.full.ready() && num_filled() == 0)
    }

    /// Sleeps until the next interrupt, unless a byte is waiting.
    pub fn sleep(&self) {
        // A byte that comes after the look into the ring stays pending while interrupts are off, and pending
        // is enough to end the sleep.
        cortex_m::interrupt::free(|_| {
            if !self.full.ready() && num_filled() == 0 {
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
