//! `cargo xtask crawl`: the reference job of a crawler on an emulated device of the 256 MB class.

use std::collections::BTreeMap;

use crate::boards::{self, Firmware};
use crate::call::Call;
use crate::{Outcome, setup};

const HELP: &str = "\
Usage: cargo xtask crawl [--large]

Makes 1,000,000 URLs of 80 bytes on an emulated Cortex-M33 with DDR (mps3-an524), inserts them, asks for all of
them and for as many that never came, and prints the result beside what the literature claims.
  --large  100,000,000 URLs in a filter of 128 MB, with the 64-bit hash; takes some minutes";

const BOARD: &str = "mps3-an524";
/// An instruction takes 256 ns of QEMU's clock, a tick of the device's timer 31.25 ns.
const DECITICKS_PER_INSTRUCTION: f64 = 10.0 * 256.0 / 31.25;

pub fn command(arguments: &[&str]) -> Outcome {
    let is_large = match arguments {
        [] => false,
        ["--large"] => true,
        ["--help" | "-h"] => {
            println!("{HELP}");
            return Ok(());
        }
        _ => return Err(HELP.into()),
    };
    let result = run(is_large)?;
    print!("{}", report(&result, is_large)?);
    result.judge()
}

/// What the firmware printed: names and numbers.
struct Result(BTreeMap<String, u64>);

impl Result {
    fn parse(output: &str) -> Option<Self> {
        let pairs = output.lines().map(|line| {
            let (name, number) = line.split_once(' ')?;
            Some((name.into(), number.parse().ok()?))
        });
        pairs.collect::<Option<_>>().map(Self)
    }

    fn number(&self, name: &str) -> Outcome<u64> {
        let number = self.0.get(name).copied();
        number.ok_or_else(|| format!("the firmware printed no {name}"))
    }

    fn instructions(&self, name: &str) -> Outcome<f64> {
        let ticks = self.number(&format!("{name}_deciticks"))?;
        Ok(ticks as f64 / DECITICKS_PER_INSTRUCTION)
    }

    /// In percent.
    fn false_positive_rate(&self) -> Outcome<f64> {
        Ok(self.number("false_positives")? as f64 * 100.0 / self.number("others")? as f64)
    }

    /// In percent.
    fn predicted_rate(&self) -> Outcome<f64> {
        Ok(self.number("predicted_ppm")? as f64 / 10_000.0)
    }

    /// Fails if a key was forgotten or the rate is not the predicted one.
    fn judge(&self) -> Outcome {
        let lost = self.number("lost_urls")?;
        if lost > 0 {
            return Err(format!("{lost} URLs were forgotten"));
        }
        let (found, predicted) = (self.false_positive_rate()?, self.predicted_rate()?);
        // The deviation of a million answers is 1 % of the rate; the keys are always the same.
        if (found - predicted).abs() > 0.05 * predicted {
            return Err(format!("wrong for {found} %, predicted {predicted} %"));
        }
        Ok(())
    }
}

fn run(is_large: bool) -> Outcome<Result> {
    let board = boards::find(BOARD)?;
    let machine = board.emulated()?;
    setup::set_up_emulator(board.triple)?;
    let elf = board.build(Firmware::Crawl)?;
    let argument = if is_large { ",arg=crawl,arg=large" } else { "" };
    eprintln!("running on an emulated {}", board.core);
    let output = Call::new(&format!(
        "qemu-system-arm -M {} -display none -monitor none -serial null -icount shift=8,align=off,sleep=off \
         -semihosting-config enable=on,target=native{argument} -kernel",
        machine.name
    ))
    .arg(&elf.to_string_lossy())
    .output()
    .ok_or("the firmware did not end well")?;
    Result::parse(&output).ok_or_else(|| format!("the firmware said:\n{output}"))
}

fn report(result: &Result, is_large: bool) -> Outcome<String> {
    let (claimed_ram, claimed_rate) = match is_large {
        false => ("1.2 MB; hash table 128 MB", "0.8 %"),
        true => ("no claim", "no claim"),
    };
    let urls = result.number("urls")?;
    let ram = result.number("filter_bytes")?;
    let rest = result.number("rest_bytes")? + result.number("stack_bytes")?;
    let rate = result.false_positive_rate()?;
    let predicted = result.predicted_rate()?;
    let [insert, hit, miss] = [
        result.instructions("insert")?,
        result.instructions("hit")?,
        result.instructions("miss")?,
    ];
    let lost = result.number("lost_urls")?;
    Ok(format!(
        "{urls} URLs of 80 bytes on an emulated Cortex-M33 (mps3-an524), opt-level \"s\"\n\n\
         | | here | claimed |\n|---|---:|---|\n\
         | RAM of the filter | {ram} bytes | {claimed_ram} |\n\
         | all other RAM | {rest} bytes, of them 5120 for URLs in the making | no claim |\n\
         | URLs forgotten | {lost} | 0 |\n\
         | wrong for other URLs | {rate:.3} % (predicted {predicted:.3} %) | {claimed_rate} |\n\
         | instructions to insert a URL | {insert:.1} | no claim |\n\
         | instructions to find a URL | {hit:.1} | blocked 45 ns, classic 375 ns, hash table 150 ns |\n\
         | instructions not to find one | {miss:.1} | no claim |\n\n\
         Instructions are counted by QEMU and say nothing about nanoseconds, on this core or another.\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Result, report};

    const OUTPUT: &str = "filter_bytes 1250112\nk 7\npredicted_ppm 9925\nurls 1000000\nlost_urls 0\nothers 1000000\n\
         false_positives 9900\ninsert_deciticks 16384\nhit_deciticks 8192\nmiss_deciticks 8192\n\
         rest_bytes 5\nstack_bytes 6\n";

    #[test]
    fn ticks_become_instructions() {
        let result = Result::parse(OUTPUT).unwrap();
        assert_eq!(result.instructions("insert"), Ok(200.0));
        assert!(
            report(&result, false)
                .unwrap()
                .contains("| 0.990 % (predicted 0.993 %)")
        );
    }

    #[test]
    fn a_forgotten_key_and_a_wrong_rate_are_errors() {
        assert!(Result::parse(OUTPUT).unwrap().judge().is_ok());
        for (right, wrong) in [
            ("lost_urls 0", "lost_urls 1"),
            ("positives 9900", "positives 99"),
        ] {
            let result = Result::parse(&OUTPUT.replace(right, wrong)).unwrap();
            assert!(result.judge().is_err(), "{wrong}");
        }
        assert!(Result::parse("panicked at main.rs\n").is_none());
    }
}
