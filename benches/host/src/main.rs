//! Compares sundew's blocked Bloom filter with its peers on a 64-bit host; `--help` says how.

mod arguments;
mod contest;
mod filters;
mod keys;
mod report;

use std::process::ExitCode;

use arguments::{Arguments, HELP};

fn main() -> ExitCode {
    match arguments::parse(std::env::args().skip(1)) {
        Ok(Arguments { help: true, .. }) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Ok(arguments) => run(&arguments),
        Err(message) => {
            eprintln!("error: {message}; see --help");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> ExitCode {
    let rows = contest::run(arguments.quick);
    print!("{}", report::table(&rows));
    if let Some(path) = &arguments.json
        && let Err(error) = std::fs::write(path, report::json(&rows))
    {
        eprintln!(
            "error: cannot write {path}: {error}; give --json a path in a folder that exists"
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
