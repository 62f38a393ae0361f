//! Restores a compressed snapshot on the target: the test reads the decoder's size from the ELF, and that it works from
//! what is printed.

#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use panic_semihosting as _;
use sundew::BlockedBloom;
use sundew::snapshot::Snapshot;

#[entry]
fn main() -> ! {
    let mut saved: BlockedBloom<64, 7> = BlockedBloom::new();
    for key in 0..30_u32 {
        saved.insert(&key);
    }
    let mut packets = saved.snapshot_compressed();
    let mut restored: BlockedBloom<64, 7> = BlockedBloom::new();
    let mut reader = restored.restore_or_clear();
    let mut packet = [0; 20];
    let mut sent = 0;
    loop {
        let length = packets.pull(&mut packet);
        if length == 0 {
            break;
        }
        sent += length;
        reader.push(&packet[..length]).unwrap();
    }
    reader.finish().unwrap();
    assert!(restored == saved);
    hprintln!("restored 4096 bytes from {}", sent);
    debug::exit(debug::EXIT_SUCCESS);
    loop {
        cortex_m::asm::wfi();
    }
}
