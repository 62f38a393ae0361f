//! The main loop.

use embedded_hal::digital::OutputPin;
use sundew::shell::{Board, Keyspace, Shell};

use crate::clock::STEP_MILLISECONDS;
use crate::log::log;
use crate::receive::Receiver;
use crate::transmit::Feeding;
use crate::{Machine, Status, boot, clock, memory, trial};

/// After so many steps of the clock without a byte, six seconds, nothing is left to be done but to wait for one: half a
/// frame or line was given up, a prompt was shown, the light is steady.
const RESTING: u32 = 6_000 / STEP_MILLISECONDS;
/// After so many, every nine days, the shell looks at the clock again, which wraps.
const NAP: u32 = 1 << 24;

/// What the shell is to know of the board.
pub fn describe<M: Machine>() -> Board {
    Board {
        name: M::NAME,
        boot_count: boot::count(),
        reset_reason: boot::reason(),
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
    receiver: Receiver<M>,
    transmitter: impl embedded_io::Write,
    led: impl OutputPin,
) -> ! {
    run_with(keyspace, receiver, transmitter, led, |_| {})
}

/// [`run`] after `prepare` did something with the shell, such as to restore its keys.
#[inline(always)]
pub fn run_with<'a, M: Machine>(
    keyspace: Keyspace<'a>,
    mut receiver: Receiver<M>,
    transmitter: impl embedded_io::Write,
    led: impl OutputPin,
    prepare: impl FnOnce(&mut Shell<'a>),
) -> ! {
    if cfg!(feature = "trial") {
        trial::run(receiver, transmitter);
    }
    boot::start::<M>();
    let mut transmitter = Feeding::<M, _>::new(transmitter);
    let mut status = Status::new(led);
    let mut shell = Shell::new(keyspace, describe::<M>());
    prepare(&mut shell);
    log!(
        info,
        "start {}, {}; {} bytes of static RAM",
        boot::count(),
        boot::reason(),
        memory::static_ram()
    );

    let mut step = 0;
    // Steps that began since the last byte. Not the time: while a command takes its time, bytes may wait.
    let mut quiet = 1_u32;
    loop {
        let now = clock::milliseconds();
        // Only here: the loop went round, and the clock goes on.
        let is_new_step = now != step;
        if is_new_step {
            M::feed_watchdog();
            step = now;
            quiet = quiet.wrapping_add(1);
        }
        receiver.read(|bytes| {
            if !bytes.is_empty() {
                let lost = M::take_lost();
                if lost > 0 {
                    log!(warn, "the UART lost {} bytes or more", lost);
                    shell.bytes_lost(lost);
                }
                quiet = 0;
            }
            if quiet % NAP >= RESTING && !is_saving(&shell) {
                return;
            }
            // A UART that waits for its turn to send has no error to give, nor has an LED.
            let _ = shell.feed(bytes, now, &mut transmitter);
            if is_new_step {
                let _ = status.show(quiet <= 1, shell.is_near_capacity());
            }
        });
        if !is_saving(&shell) {
            receiver.sleep();
        }
    }
}

/// Whether the shell has more to do than to answer.
fn is_saving(shell: &Shell) -> bool {
    #[cfg(feature = "embedded-storage")]
    return shell.is_saving();
    #[cfg(not(feature = "embedded-storage"))]
    {
        let _ = shell;
        false
    }
}
