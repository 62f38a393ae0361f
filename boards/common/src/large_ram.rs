//! RAM besides the one of the stack, for statics in the section `.large`. The start-up code does not touch it.
#![allow(unsafe_code)]

// SAFETY: the board's memory.x defines these; only their addresses mean something.
unsafe extern "C" {
    safe static __slarge: u32;
    safe static __elarge: u32;
}

/// Bytes of the section.
pub fn bytes() -> u32 {
    ((&raw const __elarge).addr() - (&raw const __slarge).addr()) as u32
}

/// Makes all of it zero, which an empty filter and an empty arena are.
///
/// # Safety
///
/// To be called before anything refers to a static in the section.
pub unsafe fn clear() {
    let words = bytes() as usize / 4;
    // SAFETY: the linker gave this RAM to the section, and the caller promises that no one uses it yet.
    unsafe { core::ptr::write_bytes((&raw const __slarge).cast_mut(), 0, words) };
}
