//! `cargo xtask`: every task of this repository that is more than one cargo command.

#![forbid(unsafe_code)]

mod bench_host;
mod bench_shell;
mod bench_target;
mod boards;
mod call;
mod clients;
mod crawl;
mod emulated_board;
mod firmware;
mod plot;
mod probe;
mod probe_rs;
mod process;
mod reference;
mod row;
mod setup;
mod shell;
mod size;
mod table;
mod test;
mod test_flash;

use std::path::Path;
use std::process::ExitCode;

/// The error is a message for the user.
type Outcome<T = ()> = Result<T, String>;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  shell           boots the console under QEMU, on this terminal; --tcp puts it on a port
  boards          which boards there are, and what was tested where
  size            flash and RAM of every board
  crawl           a million URLs on an emulated device of the 256 MB class
  test            installs what is missing, then runs every check; CI runs the same
  test flash      probe-rs flashes the boards' firmware to machines of QEMU
  test clients    Redis clients against the console: redis-cli, redis-benchmark, redis-py
  test guava      Guava's own library, in Java, against GuavaBloom
  bench target    instructions and code size on Cortex-M0, M3 and M4 under QEMU
  bench shell     instructions of one BF.ADD through the console's firmware
  bench host      time on this machine; further arguments go to benches/host
  plot            draws the pictures of the README anew

`cargo xtask COMMAND --help` says more.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["--help" | "-h" | "help"] => {
            println!("{HELP}");
            Ok(())
        }
        ["shell", rest @ ..] => shell::command(rest),
        ["test", rest @ ..] => test::command(rest),
        ["boards", rest @ ..] => boards::command(rest),
        ["size", rest @ ..] => size::command(rest),
        ["crawl", rest @ ..] => crawl::command(rest),
        ["bench", "target", rest @ ..] => bench_target::command(rest),
        ["bench", "shell", rest @ ..] => bench_shell::command(rest),
        ["bench", "host", rest @ ..] => bench_host::command(rest),
        ["plot", rest @ ..] => plot::command(rest),
        _ => Err(HELP.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root.
fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
