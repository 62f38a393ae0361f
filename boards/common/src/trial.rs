//! Firmware that tries the board instead of answering: it echoes what it receives, but for some letters.
//!
//! `p` is a panic, `f` a fault, `o` uses up the stack, `s` is busy for half a second, `w` for ever, and `b` tells
//! which start this is and why.

use embedded_io::Write;

use crate::receive::Receiver;
use crate::{Machine, boot, clock};

/// Goes on until it is told to crash. The clock and the UART are running.
pub fn run<M: Machine>(mut receiver: Receiver<M>, mut transmitter: impl Write) -> ! {
    boot::start::<M>();
    loop {
        M::feed_watchdog();
        receiver.sleep();
        receiver.read(|bytes| {
            bytes
                .iter()
                .for_each(|byte| try_byte(*byte, &mut transmitter))
        });
    }
}

fn try_byte(byte: u8, transmitter: &mut impl Write) {
    match byte {
        b'p' => panic!("on demand"),
        b'f' => fault(),
        b'o' => _ = overflow(1),
        b's' => stall(500),
        b'w' => stall(u32::MAX),
        // A UART that waits for its turn to send has no error to give.
        b'b' => _ = tell_start(transmitter),
        byte => _ = transmitter.write_all(&[byte]),
    }
}

#[allow(unsafe_code)]
fn fault() {
    // SAFETY: it is not; no machine has anything at this address, and the core faults.
    unsafe { core::ptr::with_exposed_provenance::<u32>(0xA000_0000).read_volatile() };
    // Unless it is emulated without such a fault.
    cortex_m::asm::udf();
}

#[allow(unconditional_recursion)]
#[inline(never)]
fn overflow(depth: u32) -> u32 {
    let frame = core::hint::black_box([depth; 16]);
    // Not the last call, so that the frame is still in use.
    overflow(depth.wrapping_add(1)).wrapping_add(frame[depth as usize % 16])
}

fn stall(milliseconds: u32) {
    let start = clock::milliseconds();
    while clock::milliseconds().wrapping_sub(start) < milliseconds {}
}

fn tell_start<W: Write>(transmitter: &mut W) -> Result<(), W::Error> {
    let digit = b'0' + (boot::count() % 10) as u8;
    transmitter.write_all(&[digit, b' '])?;
    transmitter.write_all(boot::reason().as_bytes())?;
    transmitter.write_all(b"\n")
}
