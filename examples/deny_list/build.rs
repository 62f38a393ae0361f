//! Builds the list on the host, as a snapshot that the firmware includes.

use std::{env, fs, path::PathBuf};

use sundew::BlockedBloom;
use sundew::sizing::{Plan, Rate};
use sundew::snapshot::Snapshot;

#[path = "src/domains.rs"]
mod domains;

const PLAN: Plan = Plan::for_keys(domains::NUM_DOMAINS as u64, Rate::percent(1));

fn main() {
    let mut list: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
    for number in 0..domains::NUM_DOMAINS {
        list.insert(&domains::domain(number));
    }
    let mut writer = list.snapshot();
    let mut bytes = vec![0; writer.header().snapshot_len() as usize];
    writer.pull(&mut bytes);

    let out = PathBuf::from(env::var("OUT_DIR").unwrap());
    fs::write(out.join("deny_list.snapshot"), bytes).unwrap();
    // The linker finds memory.x in this folder when it is built here, and by this otherwise.
    fs::copy("memory.x", out.join("memory.x")).unwrap();
    println!("cargo::rustc-link-search={}", out.display());
    for file in ["src/domains.rs", "memory.x", "build.rs"] {
        println!("cargo::rerun-if-changed={file}");
    }
}
