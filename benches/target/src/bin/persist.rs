//! Saves a filter in the flash of a micro:bit, one step for each letter that it gets, so that a test can reset it
//! anywhere. `tests/persist_qemu.rs` runs it.
//!
//! Version `v` of the filter holds the keys from 0 to `10 * v`. At boot it prints `boot v`, and `whole` if what was
//! found is exactly that.
//!
//! | letter | does | prints |
//! |---|---|---|
//! | `n` | makes the next version and begins a save | `n` |
//! | `.` | takes a step | `.`, or the version when it is saved |
//! | `!` | saves one version after the other, for ever, what changed or all | each version when it is saved |

#![no_std]
#![no_main]

#[path = "../../../../boards/common/src/nordic_flash.rs"]
mod nordic_flash;

use core::fmt::{self, Write};

use cortex_m_rt::entry;
use nordic_flash::NordicFlash;
use panic_semihosting as _;
use sundew::BlockedBloom;
use sundew::persist::{Progress, Store, StoreError};

/// The last 16 of 256 KB, far behind the program.
const ADDRESSES: core::ops::Range<usize> = 0x3_C000..0x4_0000;
const KEYS: u32 = 10;

/// Small, because a write to flash takes QEMU milliseconds.
type Filter = BlockedBloom<16, 7>;

#[entry]
fn main() -> ! {
    static mut SEEN: Filter = Filter::new();
    static mut EXPECTED: Filter = Filter::new();

    let mut uart = Uart::start();
    // SAFETY: the linker script of the tests puts nothing there that would reach so far; main runs once.
    let flash = unsafe { NordicFlash::new(ADDRESSES) };
    let mut store = Store::open(flash, 0..ADDRESSES.len() as u32, 3).unwrap();
    store.restore(b"seen", SEEN.as_mut_view()).unwrap();
    let mut version = store.last_save().map_or(0, |save| save.stamp as u32);
    (0..version * KEYS).for_each(|key| _ = EXPECTED.insert(&key));
    let verdict = if SEEN == EXPECTED { "whole" } else { "broken" };
    writeln!(uart, "boot {version} {verdict}").unwrap();

    let mut is_endless = false;
    loop {
        let command = if is_endless { b'.' } else { uart.read() };
        match command {
            b'n' => {
                store.begin(u64::from(next_version(SEEN, &mut version)));
                uart.write_char('n').unwrap();
            }
            b'!' => {
                store.begin_changes(u64::from(next_version(SEEN, &mut version)));
                is_endless = true;
            }
            _ => match store.step(b"seen", SEEN.as_view()) {
                Ok(Progress::Working) if is_endless => {}
                Ok(Progress::Working) => uart.write_char('.').unwrap(),
                Ok(Progress::Done) if is_endless => match store.commit() {
                    Ok(()) => {
                        writeln!(uart, "{version}").unwrap();
                        store.begin_changes(u64::from(next_version(SEEN, &mut version)));
                    }
                    Err(StoreError::ChangesFull) => store.begin_changes(version.into()),
                    Err(error) => panic!("{error}"),
                },
                Ok(Progress::Done) => {
                    uart.write_char('.').unwrap();
                    uart.read();
                    store.commit().unwrap();
                    writeln!(uart, "{version}").unwrap();
                }
                Err(StoreError::ChangesFull) => store.begin_changes(version.into()),
                Err(error) => panic!("{error}"),
            },
        }
    }
}

fn next_version(seen: &mut Filter, version: &mut u32) -> u32 {
    (*version * KEYS..(*version + 1) * KEYS).for_each(|key| _ = seen.insert(&key));
    *version += 1;
    *version
}

/// UART 0, asked whether there is a byte again and again.
struct Uart;

impl Uart {
    fn start() -> Self {
        register(0x524, 0x01D7_E000); // 115,200 baud
        register(0x500, 4); // enabled
        register(0x000, 1); // receive
        register(0x008, 1); // transmit
        Self
    }

    fn read(&mut self) -> u8 {
        while value(0x108) == 0 {}
        register(0x108, 0);
        value(0x518) as u8
    }
}

impl Write for Uart {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            register(0x11C, 0);
            register(0x51C, byte.into());
            while value(0x11C) == 0 {}
        }
        Ok(())
    }
}

const UART: usize = 0x4000_2000;

fn register(offset: usize, value: u32) {
    // SAFETY: the micro:bit has its UART here, and nothing else of the program uses it.
    unsafe { core::ptr::with_exposed_provenance_mut::<u32>(UART + offset).write_volatile(value) }
}

fn value(offset: usize) -> u32 {
    // SAFETY: as for `register`.
    unsafe { core::ptr::with_exposed_provenance::<u32>(UART + offset).read_volatile() }
}
