//! Lays out memory for the machine that stands for the core, and hands on which contestant's code size is
//! wanted.

use std::{env, fs, path::PathBuf};

fn main() {
    let target = env::var("TARGET").unwrap();
    let memory = if target.starts_with("thumbv6m") {
        "micro:bit, 16 KB of RAM"
    } else {
        "mps2-an385 and mps2-an386"
    };
    let (flash, ram) = if target.starts_with("thumbv6m") {
        ("256K", "16K")
    } else {
        ("4M", "4M")
    };
    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    let script = format!(
        "/* {memory} */\nMEMORY\n{{\n  FLASH : ORIGIN = 0x00000000, LENGTH = {flash}\n  RAM : ORIGIN = 0x20000000, LENGTH = {ram}\n}}\n"
    );
    fs::write(out.join("memory.x"), script).unwrap();
    println!("cargo::rustc-link-search={}", out.display());

    println!("cargo::rerun-if-env-changed=SUNDEW_CONTESTANT");
    let contestant = env::var("SUNDEW_CONTESTANT").unwrap_or_default();
    println!("cargo::rustc-env=SUNDEW_CONTESTANT={contestant}");
}
