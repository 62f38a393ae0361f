//! Builds the firmware in benches/target, runs it under QEMU and reads its code size.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use object::{Object, ObjectSection, ObjectSymbol};

use crate::call::Call;
use crate::process::Process;
use crate::row::{Bench, Row};
use crate::{Outcome, root};

const DIRECTORY: &str = "benches/target";
const QEMU_LIMIT: Duration = Duration::from_secs(120);

/// `-icount shift=8`: an instruction takes 2^8 ns of QEMU's clock.
const NANOSECONDS_PER_INSTRUCTION: f64 = 256.0;

/// A core, and the machine of QEMU's that has it.
pub struct Core {
    pub name: &'static str,
    target: &'static str,
    machine: &'static str,
    /// Of SysTick.
    hertz: f64,
    has_fastbloom: bool,
    /// Whether the whole family is measured. Not on the Cortex-M4, whose numbers for short keys are the M3's or a few
    /// instructions more: that would only take time.
    has_family: bool,
}

pub const CORES: [Core; 3] = [
    Core {
        name: "m0",
        target: "thumbv6m-none-eabi",
        machine: "microbit",
        hertz: 16e6,
        has_fastbloom: false,
        has_family: true,
    },
    Core {
        name: "m3",
        target: "thumbv7m-none-eabi",
        machine: "mps2-an385",
        hertz: 25e6,
        has_fastbloom: true,
        has_family: true,
    },
    Core {
        name: "m4",
        target: "thumbv7em-none-eabihf",
        machine: "mps2-an386",
        hertz: 25e6,
        has_fastbloom: true,
        has_family: false,
    },
];

/// Which filters to measure.
#[derive(Clone, Copy, PartialEq)]
pub enum Contestants {
    All,
    Own,
}

impl Core {
    /// A line for every peer that is not among this core's rows.
    pub fn absent_peers(&self) -> Option<String> {
        let architecture = self.target.split('-').next().unwrap_or(self.target);
        (!self.has_fastbloom).then(|| {
            format!(
                "{} fastbloom: does not build for {architecture} as published",
                self.name
            )
        })
    }

    /// All rows of this core, in the firmware's order.
    pub fn measure(&self, contestants: Contestants) -> Outcome<Vec<Row>> {
        eprintln!("{}: instructions", self.name);
        let elf = self.build("sundew-bench-target", "release", contestants, "")?;
        let mut rows = self.rows(Bench::Filters, &self.run(&elf)?)?;
        if self.has_family {
            let elf = self.build("family", "release", Contestants::Own, "")?;
            rows.extend(self.rows(Bench::Family, &self.run(&elf)?)?);
        }

        let baseline = self.code_size(contestants, "")?;
        for i in 0..rows.len() {
            let known = rows[..i]
                .iter()
                .find(|row| row.is_same_contestant(&rows[i]));
            rows[i].code_bytes = match known {
                Some(row) => row.code_bytes,
                None => {
                    let contestant = format!("{} {}", rows[i].implementation, rows[i].hash);
                    eprintln!("{}: code size of {contestant}", self.name);
                    let size = self.code_size(contestants, &contestant)?;
                    size.checked_sub(baseline)
                        .filter(|&bytes| bytes > 0)
                        .ok_or_else(|| {
                            format!("{contestant}: {size} bytes, no more than without a filter")
                        })?
                }
            };
        }
        Ok(rows)
    }

    fn build(
        &self,
        binary: &str,
        profile: &str,
        contestants: Contestants,
        contestant: &str,
    ) -> Outcome<PathBuf> {
        let features = match contestants {
            Contestants::Own => "--no-default-features",
            Contestants::All if self.has_fastbloom => "--features fastbloom",
            Contestants::All => "",
        };
        let target = self.target;
        // The directory is named for those who set another one for all their builds.
        Call::new(&format!(
            "cargo build --quiet --bin {binary} --profile {profile} --target {target} \
             --target-dir target {features}"
        ))
        .inside(DIRECTORY)
        .env("SUNDEW_CONTESTANT", contestant)
        .run()?;
        Ok(root().join(format!("{DIRECTORY}/target/{target}/{profile}/{binary}")))
    }

    /// What the firmware prints.
    fn run(&self, elf: &PathBuf) -> Outcome<String> {
        let mut qemu = Command::new("qemu-system-arm");
        qemu.args(["-M", self.machine])
            .args(["-display", "none", "-monitor", "none", "-serial", "none"])
            .args(["-semihosting-config", "enable=on,target=native"])
            .args(["-icount", "shift=8,align=off,sleep=off"])
            .arg("-kernel")
            .arg(elf);
        let ended = Process::start(qemu)
            .map_err(|error| format!("{error}; `cargo xtask test` installs it"))?
            .end(QEMU_LIMIT)?;
        if ended.status.success() {
            Ok(ended.output)
        } else {
            let (status, output) = (ended.status, ended.output);
            Err(format!(
                "{}: QEMU failed, {status}, after printing\n{output}",
                self.name
            ))
        }
    }

    fn rows(&self, bench: Bench, output: &str) -> Outcome<Vec<Row>> {
        let mut rows = Vec::new();
        for line in output.lines() {
            if line == "end" {
                return Ok(rows);
            }
            let row = line
                .strip_prefix("row ")
                .and_then(|fields| self.row(bench, fields));
            rows.push(row.ok_or_else(|| format!("{}: the firmware said: {line}", self.name))?);
        }
        Err(format!(
            "{}: the firmware stopped after {} rows",
            self.name,
            rows.len()
        ))
    }

    /// `IMPL,HASH,KEY_LEN,ALIGNED,OP,CALLS,TICKS,EMPTY_TICKS,FALSE_POSITIVES,LOOKUPS,KEYS`
    fn row(&self, bench: Bench, fields: &str) -> Option<Row> {
        let fields: Vec<&str> = fields.split(',').collect();
        let &[
            implementation,
            hash,
            key_len,
            aligned,
            op,
            calls,
            ticks,
            empty,
            false_positives,
            lookups,
            keys,
        ] = fields.as_slice()
        else {
            return None;
        };
        let number = |field: &str| field.parse::<f64>().ok();
        let seconds = (number(ticks)? - number(empty)?) / self.hertz;
        let instructions = seconds * 1e9 / NANOSECONDS_PER_INSTRUCTION / number(calls)?;
        let false_positives = number(false_positives)? / number(lookups)? * 100.0;
        Some(Row {
            bench,
            core: self.name.into(),
            implementation: implementation.into(),
            hash: hash.into(),
            key_len: key_len.parse().ok()?,
            aligned: aligned.parse().ok()?,
            op: op.into(),
            instructions: (instructions * 10.0).round() / 10.0,
            code_bytes: 0,
            false_positives: (false_positives * 1000.0).round() / 1000.0,
            keys: keys.parse().ok()?,
        })
    }

    /// Bytes of flash for code and constants, of a program with that contestant only. The compiler's `memcpy`
    /// and its like are left out: nearly every program has them anyway.
    fn code_size(&self, contestants: Contestants, contestant: &str) -> Outcome<u64> {
        let path = self.build("code_size", "size", contestants, contestant)?;
        let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let bytes = fs::read(&path).map_err(|error| problem(&error))?;
        let elf = object::File::parse(&*bytes).map_err(|error| problem(&error))?;
        let mut size = 0;
        for name in [".text", ".rodata"] {
            let section = elf.section_by_name(name);
            size += section
                .ok_or_else(|| problem(&format!("has no section {name}")))?
                .size();
        }
        // By address: one function may go by several names.
        let memory_functions: BTreeMap<u64, u64> = elf
            .symbols()
            .filter(|symbol| symbol.name().is_ok_and(is_memory_function))
            .map(|symbol| (symbol.address(), symbol.size()))
            .collect();
        Ok(size - memory_functions.values().sum::<u64>())
    }
}

/// Whether a symbol is `memcpy` or its like, which compiler-builtins brings along.
fn is_memory_function(symbol: &str) -> bool {
    const NAMES: [&str; 5] = ["memcpy", "memmove", "memset", "memcmp", "bcmp"];
    NAMES.contains(&symbol)
        || symbol.starts_with("__aeabi_mem")
        || symbol.starts_with("_ZN17compiler_builtins3mem")
}

#[cfg(test)]
mod tests {
    use super::{CORES, is_memory_function};
    use crate::row::Bench;

    #[test]
    fn ticks_become_instructions() {
        // 16 MHz: 4.096 ticks an instruction.
        let row = CORES[0]
            .row(
                Bench::Filters,
                "sundew,xxh32,80,true,hit,1000,413600,4000,10,500,900",
            )
            .unwrap();
        assert_eq!(
            (row.instructions, row.false_positives, row.keys),
            (100.0, 2.0, 900)
        );
    }

    #[test]
    fn memory_functions_are_told_from_others() {
        assert!(is_memory_function("__aeabi_memclr4"));
        assert!(is_memory_function(
            "_ZN17compiler_builtins3mem6memcpy17h0123456789abcdefE"
        ));
        assert!(!is_memory_function("__aeabi_lmul"));
        assert!(!is_memory_function("memory_filter"));
    }

    #[test]
    fn firmware_that_stops_early_is_an_error() {
        let row = "row sundew,xxh32,80,true,hit,1000,413600,4000,10,1000,1000\n";
        let rows = |output: &str| CORES[0].rows(Bench::Filters, output);
        assert!(rows(row).is_err());
        assert!(rows(&format!("{row}panicked at main.rs\nend\n")).is_err());
        assert_eq!(rows(&format!("{row}end\n")).unwrap().len(), 1);
    }
}
