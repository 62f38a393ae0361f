//! How much RAM is in use. The stack is painted at the start; what has lost its paint was used.
#![allow(unsafe_code)]

use cortex_m::register::msp;

// SAFETY: cortex-m-rt's linker script defines these; only their addresses mean something.
unsafe extern "C" {
    safe static __sdata: u32;
    safe static __ebss: u32;
    safe static _stack_start: u32;
}

/// How far below the start of the stack its use is seen.
const PAINTED: usize = 8 * 1024;
/// Below the stack pointer this much is left alone: the painter's own calls, in a build without optimization.
const MARGIN: usize = 256;
const PAINT: u32 = 0xA5A5_5A5A;

/// Bytes of `.data` and `.bss`, which follow each other.
pub fn static_ram() -> u32 {
    (&raw const __ebss).addr() as u32 - (&raw const __sdata).addr() as u32
}

/// Paints the free part of the stack. To be called before interrupts are on.
#[inline(never)]
pub fn paint_stack() {
    let mut place = painted_end();
    let end = (msp::read() as usize - MARGIN) & !3;
    while place.addr() < end {
        // SAFETY: this is RAM between the statics and the stack pointer, where nothing lives: the stack grows
        // down, and an interrupt that would use it is not yet on. The map has megabytes there.
        unsafe { place.write_volatile(PAINT) };
        place = place.wrapping_add(1);
    }
}

/// Most bytes of stack that were in use since [`paint_stack`], 8 KiB at most.
pub fn stack_high_water() -> u32 {
    let start = (&raw const _stack_start).addr();
    let mut place = painted_end();
    // SAFETY: as in `paint_stack`; reading what others may write is why it is volatile.
    while place.addr() < start && unsafe { place.read_volatile() } == PAINT {
        place = place.wrapping_add(1);
    }
    (start - place.addr()) as u32
}

fn painted_end() -> *mut u32 {
    (&raw const _stack_start).cast_mut().wrapping_byte_sub(PAINTED)
}
