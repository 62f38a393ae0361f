//! The main loop.

use embedded_hal::digital::OutputPin;
use sundew::shell::{Board, Keyspace, Shell};

use crate::log::log;
use crate::receive::Receiver;
use crate::{Machine, Status, clock, memory};

/// What the shell is to know of the board.
pub fn describe<M: Machine>() -> Board {
    Board {
        name: M::NAME,
        static_ram: memory::static_ram(),
        stack_high_water: memory::stack_high_water,
        clock: M::ticks,
        clock_hz: M::CLOCK_HZ,
    }
}

/// Answers for ever. The clock and the UART are running, the interrupt of received bytes may still be held back.
// Called once; as a part of `main` it takes less stack.
#[inline(always)]
pub fn run<M: Machine>(
    keyspace: Keyspace,
    mut receiver: Receiver<M>,
    mut transmitter: impl embedded_io::Write,
    led: impl OutputPin,
) -> ! {
    let mut status = Status::new(led);
    let mut shell = Shell::new(keyspace, describe::<M>());
    log!(
        info,
        "started, {} bytes of static RAM",
        memory::static_ram()
    );

    let mut shown = 0;
    let mut is_active = false;
    loop {
        let packet = receiver.read();
        let received = packet.bytes();
        let now = clock::milliseconds();
        let lost = M::take_lost();
        if lost > 0 {
            log!(warn, "the UART lost {} bytes or more", lost);
            shell.bytes_lost(lost);
        }
        // A UART that waits for its turn to send has no error to give, nor has an LED.
        if received.is_empty() {
            let _ = shell.poll(now, &mut transmitter);
            receiver.sleep();
        } else {
            let _ = shell.feed(received, now, &mut transmitter);
            is_active = true;
        }
        if now != shown {
            let _ = status.show(now, is_active, shell.is_near_capacity());
            shown = now;
            is_active = false;
        }
    }
}
