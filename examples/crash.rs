//! Crashes on demand, to show what the handlers in `common/crash.rs` say: send `p` for a panic, `f` for a fault.

#![cfg_attr(target_os = "none", no_std, no_main)]

mod common;

#[cfg(target_os = "none")]
mod firmware {
    use cortex_m_rt::entry;

    use crate::common::uart;

    #[entry]
    fn main() -> ! {
        let core = cortex_m::Peripherals::take().unwrap();
        let (mut receiver, _) = uart::start(core.NVIC);
        loop {
            match receiver.read(&mut [0]) {
                b"p" => panic!("on demand"),
                b"f" => fault(),
                _ => receiver.sleep(),
            }
        }
    }

    #[allow(unsafe_code)]
    fn fault() {
        // SAFETY: it is not; mps2-an385 has nothing at this address, and the core faults.
        unsafe { core::ptr::with_exposed_provenance::<u32>(0xA000_0000).read_volatile() };
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!("firmware: tests/firmware.rs runs it");
}
