//! The board under the examples: QEMU's mps2-an385. All `unsafe` of the firmware is in this folder.
#![cfg(target_os = "none")]
#![allow(dead_code)] // no example uses all of it

pub mod clock;
mod crash;
mod interrupts;
pub mod led;
pub mod log;
pub mod memory;
mod register;
pub mod uart;
