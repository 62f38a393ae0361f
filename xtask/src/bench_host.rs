//! `cargo xtask bench host`: time on this machine, against peers.

use crate::Outcome;
use crate::call::Call;

pub fn command(arguments: &[&str]) -> Outcome {
    let mut call = Call::new("cargo run --release --manifest-path benches/host/Cargo.toml --");
    for argument in arguments {
        call = call.arg(argument);
    }
    call.run()
}
