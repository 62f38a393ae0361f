//! Drops duplicates on a Cortex-M3, and screens against a deny list in flash:
//! `cargo run --release --target thumbv7m-none-eabi --example seen` under QEMU.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
#[path = "common/interrupts.rs"]
mod interrupts;

#[cfg(target_os = "none")]
mod firmware {
    use cortex_m_rt::entry;
    use cortex_m_semihosting::{debug, hprintln};
    use panic_semihosting as _;
    use sundew::BlockedBloom;
    use sundew::sizing::{Plan, Rate};

    const PLAN: Plan = Plan::for_keys(26_000, Rate::percent(1));
    static BLOCKED: BlockedBloom<1, 7> =
        BlockedBloom::with_keys(&["ads.example", "track.example", "malware.example"]);

    #[entry]
    fn main() -> ! {
        static mut SEEN: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();

        for host in ["example.com", "ads.example", "example.org", "example.com"] {
            let verdict = if BLOCKED.contains(host) {
                "blocked"
            } else if SEEN.insert(host) {
                "new"
            } else {
                "seen before"
            };
            hprintln!("{}: {}", host, verdict);
        }

        for key in 0..26_000_u32 {
            SEEN.insert(&key);
        }
        let stats = SEEN.stats();
        hprintln!(
            "about {} keys, wrong for {}",
            stats.estimated_keys(),
            stats.rate()
        );
        debug::exit(debug::EXIT_SUCCESS);
        loop {
            cortex_m::asm::wfi();
        }
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: cargo run --release --target thumbv7m-none-eabi --example seen");
}
