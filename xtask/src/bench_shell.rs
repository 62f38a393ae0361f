//! `cargo xtask bench shell`: what a command with one item costs the console's firmware, in instructions.

use std::fmt::Write;

use crate::boards::WHOLE_CONSOLE;
use crate::call::Call;
use crate::{Outcome, setup};

const TARGET: &str = "thumbv7m-none-eabi";

/// What `examples/shell_cost.rs` calls its numbers.
const ROWS: [(&str, &str); 5] = [
    ("bytes", "bytes on the wire"),
    ("interrupts", "in the UART's interrupt"),
    ("ring", "to take buffers off the ring"),
    ("shell", "to parse, hash, look up or insert, and answer"),
    ("all", "in all"),
];

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
    print!("{}", table(&output)?);
    Ok(())
}

/// Of lines such as `again ring 44` and `turns ring 44`.
fn table(output: &str) -> Outcome<String> {
    let number = |series: &str, part: &str| -> Outcome<u32> {
        let start = format!("{series} {part} ");
        let number = output.lines().find_map(|line| line.strip_prefix(&start));
        let number = number.and_then(|number| number.parse().ok());
        number.ok_or_else(|| format!("the firmware did not print `{start}`:\n{output}"))
    };
    let mut table = String::from(
        "a pipelined command with an 80-byte item on a Cortex-M3, in instructions:\n\
         BF.ADD in a row    by turns with BF.EXISTS\n",
    );
    for (part, meaning) in ROWS {
        let (again, turns) = (number("again", part)?, number("turns", part)?);
        writeln!(table, "{again:>15} {turns:>26}  {meaning}").map_err(|error| error.to_string())?;
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn both_series_are_in_one_table() {
        let output = "again bytes 113\nagain interrupts 1165\nagain ring 44\nagain shell 1272\nagain all 2481\n\
                      turns bytes 114\nturns interrupts 1180\nturns ring 44\nturns shell 2708\nturns all 3933\n";
        let table = table(output).unwrap();
        assert!(
            table.ends_with("           2481                       3933  in all\n"),
            "{table}"
        );
    }

    #[test]
    fn a_number_that_is_missing_is_an_error() {
        assert!(table("again bytes 113\n").is_err());
    }
}
