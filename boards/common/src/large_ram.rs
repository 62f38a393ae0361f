//! RAM besides the one of the stack, for statics in the section `.large`. The start-up code does not touch it.
#![allow(unsafe_code)]

use core::cell::UnsafeCell;

// SAFETY: the board's memory.x defines these; only their addresses mean something.
unsafe extern "C" {
    safe static __slarge: u32;
    safe static __elarge: u32;
}

/// Bytes of the section.
pub fn bytes() -> u32 {
    ((&raw const __elarge).addr() - (&raw const __slarge).addr()) as u32
}

/// A static of the section: `#[unsafe(link_section = ".large")] static NAME: Large<T> = Large::new(..)`.
pub struct Large<T>(UnsafeCell<T>);

// SAFETY: there is no way to it but `take`.
unsafe impl<T> Sync for Large<T> {}

impl<T> Large<T> {
    /// With a value of zeros only, such as an empty filter; another one would be lost.
    pub const fn new(zeros: T) -> Self {
        Self(UnsafeCell::new(zeros))
    }

    /// The value.
    ///
    /// # Safety
    ///
    /// To be called once, after [`clear`].
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn take(&'static self) -> &'static mut T {
        // SAFETY: there is no other reference, because this is called once.
        unsafe { &mut *self.0.get() }
    }
}

/// Makes all of it zero.
///
/// # Safety
///
/// To be called once, before any [`Large::take`].
pub unsafe fn clear() {
    let words = bytes() as usize / 4;
    // SAFETY: the linker gave this RAM to the section, and no one refers to it yet.
    unsafe { core::ptr::write_bytes((&raw const __slarge).cast_mut(), 0, words) };
}
