//! `cargo xtask bench shell`: what one BF.ADD costs the console's firmware, in instructions.

use crate::boards::WHOLE_CONSOLE;
use crate::call::Call;
use crate::{Outcome, setup};

const TARGET: &str = "thumbv7m-none-eabi";

pub fn command(arguments: &[&str]) -> Outcome {
    if !arguments.is_empty() {
        return Err("Usage: cargo xtask bench shell".into());
    }
    setup::set_up_emulator(TARGET)?;
    Call::new(&format!(
        "cargo build --quiet --release --target {TARGET} --target-dir target/firmware --features {WHOLE_CONSOLE} \
         --example shell_cost"
    ))
    .run()?;
    let output = Call::new(&format!(
        "qemu-system-arm -M mps2-an385 -display none -monitor none -serial null \
         -semihosting-config enable=on,target=native -icount shift=8,align=off,sleep=off \
         -kernel target/firmware/{TARGET}/release/examples/shell_cost"
    ))
    .output()
    .ok_or("the firmware did not end well")?;
    println!("one pipelined BF.ADD of an 80-byte item on a Cortex-M3:");
    for line in output.lines() {
        let (what, number) = line.split_once(' ').unwrap_or((line, ""));
        let meaning = match what {
            "bytes" => "bytes on the wire",
            "interrupts" => "instructions in the UART's interrupt",
            "ring" => "instructions to take buffers off the ring",
            "shell" => "instructions to parse, hash, insert and answer",
            _ => "instructions in all",
        };
        println!("{number:>6} {meaning}");
    }
    Ok(())
}
