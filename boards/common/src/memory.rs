//! How much RAM is in use. The stack is painted at the start; what has lost its paint was used.
#![allow(unsafe_code)]

use cortex_m::register::msp;

// SAFETY: cortex-m-rt's linker script and the board's memory.x define these; only their addresses mean something.
unsafe extern "C" {
    safe static __sdata: u32;
    safe static __euninit: u32;
    safe static _stack_start: u32;
    safe static _stack_end: u32;
}

/// Below the stack pointer this much is left alone, for the painter's own calls, and counts as used.
const MARGIN: usize = if cfg!(debug_assertions) { 256 } else { 32 };
const PAINT: u32 = 0xA5A5_5A5A;

/// Bytes at the end of the stack that nothing may touch, where the core has a memory protection unit.
const GUARD: usize = 256;
/// The core stores so many bytes at a fault.
const FRAME_BYTES: usize = 32;

/// Bytes of `.data`, `.bss` and `.uninit`, which follow each other, and of `.large` on a board that has it.
pub fn static_ram() -> u32 {
    let bytes = (&raw const __euninit).addr() - (&raw const __sdata).addr();
    #[cfg(feature = "large-ram")]
    let bytes = bytes + crate::large_ram::bytes() as usize;
    bytes as u32
}

/// The lowest address of the stack. It lies at the start of RAM, so that what overflows leaves RAM instead of
/// writing over statics.
pub fn stack_end() -> usize {
    (&raw const _stack_end).addr()
}

/// Paints the free part of the stack and closes its end. To be called first of all.
#[inline(never)]
pub fn prepare_stack() {
    let mut place = painted_end();
    let end = (msp::read() as usize - MARGIN) & !3;
    while place.addr() < end {
        // SAFETY: this is RAM between the end of the stack and the stack pointer, where nothing lives: the stack
        // grows down, and an interrupt that uses it is over before this goes on.
        unsafe { place.write_volatile(PAINT) };
        place = place.wrapping_add(1);
    }
    guard_stack();
}

/// Forbids the last bytes of the stack, if the core has a memory protection unit. Writes that skip the guard are
/// beyond RAM, which is a fault on chips, though not in every emulator.
#[cfg(not(feature = "stack-limit"))]
fn guard_stack() {
    use crate::register::Register;

    const MPU_TYPE: Register = mpu(0x90);
    const MPU_CONTROL: Register = mpu(0x94);
    const MPU_BASE: Register = mpu(0x9C);
    const MPU_SIZE: Register = mpu(0xA0);

    const fn mpu(offset: usize) -> Register {
        // SAFETY: every core has these registers, and reads them as zero if it has no such unit.
        unsafe { Register::at(0xE000_ED00 + offset) }
    }

    /// Nothing may be read, written or executed; 2 to the power of 7 + 1 bytes; on.
    const NO_ACCESS: u32 = 1 << 28 | 7 << 1 | 1;
    /// On; what no region says is as without the unit.
    const ON: u32 = 1 << 2 | 1;
    const VALID_REGION_0: u32 = 1 << 4;

    if MPU_TYPE.read() & 0xFF00 != 0 {
        MPU_BASE.write(stack_end() as u32 | VALID_REGION_0);
        MPU_SIZE.write(NO_ACCESS);
        MPU_CONTROL.write(ON);
        cortex_m::asm::dsb();
        cortex_m::asm::isb();
    }
}

/// Forbids the stack pointer to go lower.
#[cfg(feature = "stack-limit")]
fn guard_stack() {
    // SAFETY: the stack pointer is well above.
    unsafe { cortex_m::register::msplim::write((stack_end() + GUARD) as u32) };
}

/// Whether the stack was used up when a fault left the stack pointer here.
pub(crate) fn is_beyond_stack(stack_pointer: usize) -> bool {
    stack_pointer < stack_end() + GUARD + FRAME_BYTES
}

/// Most bytes of stack that were in use since [`prepare_stack`].
pub fn stack_high_water() -> u32 {
    let start = (&raw const _stack_start).addr();
    let mut place = painted_end();
    // SAFETY: as in `prepare_stack`; reading what others may write is why it is volatile.
    while place.addr() < start && unsafe { place.read_volatile() } == PAINT {
        place = place.wrapping_add(1);
    }
    (start - place.addr()) as u32
}

fn painted_end() -> *mut u32 {
    (&raw const _stack_end).cast_mut().wrapping_byte_add(GUARD)
}
