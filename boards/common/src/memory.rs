//! How much RAM is in use. The stack is painted at the start; what has lost its paint was used.
#![allow(unsafe_code)]

use cortex_m::register::msp;

// SAFETY: cortex-m-rt's linker script defines these; only their addresses mean something.
unsafe extern "C" {
    safe static __sdata: u32;
    safe static __edata: u32;
    safe static __sbss: u32;
    safe static __ebss: u32;
    safe static __euninit: u32;
    safe static _stack_start: u32;
}

/// How far below the start of the stack its use is seen, if there is as much RAM.
const PAINTED: usize = 8 * 1024;
/// Below the stack pointer this much is left alone, for the painter's own calls, and counts as used.
const MARGIN: usize = if cfg!(debug_assertions) { 256 } else { 32 };
const PAINT: u32 = 0xA5A5_5A5A;

/// Bytes of `.data` and `.bss`, and of `.large` on a board that has it.
pub fn static_ram() -> u32 {
    let data = (&raw const __edata).addr() - (&raw const __sdata).addr();
    let bss = (&raw const __ebss).addr() - (&raw const __sbss).addr();
    #[cfg(feature = "large-ram")]
    let bss = bss + crate::large_ram::bytes() as usize;
    (data + bss) as u32
}

/// Paints the free part of the stack. To be called first of all.
#[inline(never)]
pub fn paint_stack() {
    let mut place = painted_end();
    let end = (msp::read() as usize - MARGIN) & !3;
    while place.addr() < end {
        // SAFETY: this is RAM between the statics and the stack pointer, where nothing lives: the stack grows
        // down, and an interrupt that uses it is over before this goes on.
        unsafe { place.write_volatile(PAINT) };
        place = place.wrapping_add(1);
    }
}

/// Most bytes of stack that were in use since [`paint_stack`]; 8 KiB at most, or what the statics leave.
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
    let start = (&raw const _stack_start).cast_mut();
    let statics = (&raw const __euninit).addr();
    start.wrapping_byte_sub(PAINTED.min(start.addr().saturating_sub(statics)))
}
