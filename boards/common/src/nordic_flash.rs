//! The flash of the nRF51, through its memory controller (NVMC), behind embedded-storage's traits.
//!
//! By address, because the HAL has this for the nRF52 only, whose pages are larger. Self-contained, so that any
//! firmware can include this file.
//!
//! While the controller writes or erases, the core stands still when it fetches from flash: some tens of microseconds
//! for a word, some tens of milliseconds for a page, in which not even an interrupt is served.
#![allow(unsafe_code)]

use core::ops::Range;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use embedded_storage::nor_flash::{
    ErrorType, NorFlash, NorFlashErrorKind, ReadNorFlash, check_erase, check_read, check_write,
};

const WORD: usize = 4;
const PAGE: usize = 1024;

const READY: usize = 0x4001_E400;
const CONFIG: usize = 0x4001_E504;
const ERASE_PAGE: usize = 0x4001_E508;

const READ_ONLY: u32 = 0;
const WRITE_ENABLED: u32 = 1;
const ERASE_ENABLED: u32 = 2;

/// A part of the chip's flash; offsets count from its beginning.
#[derive(Debug)]
pub struct NordicFlash {
    start: usize,
    length: usize,
}

impl NordicFlash {
    /// The flash at these addresses, whole pages.
    ///
    /// # Safety
    ///
    /// The chip is an nRF51 and has flash there, the program has nothing there, neither code nor data, and there is
    /// one of this at a time.
    pub const unsafe fn new(addresses: Range<usize>) -> Self {
        assert!(
            addresses.start.is_multiple_of(PAGE) && addresses.end.is_multiple_of(PAGE),
            "NordicFlash: the addresses must be of whole pages, 1024 bytes each"
        );
        assert!(addresses.start < addresses.end, "NordicFlash: no addresses");
        Self {
            start: addresses.start,
            length: addresses.end - addresses.start,
        }
    }

    /// Lets the controller do something, and waits for the end.
    fn with_controller(&mut self, mode: u32, operation: impl FnOnce()) {
        write(CONFIG, mode);
        operation();
        wait();
        write(CONFIG, READ_ONLY);
    }
}

fn wait() {
    while read(READY) & 1 == 0 {}
}

fn read(address: usize) -> u32 {
    // SAFETY: called with the registers above and with words of the flash that `NordicFlash::new` was promised; both
    // are mapped and aligned.
    unsafe { with_exposed_provenance::<u32>(address).read_volatile() }
}

fn write(address: usize, value: u32) {
    // SAFETY: as for `read`; nothing of the program is there.
    unsafe { with_exposed_provenance_mut::<u32>(address).write_volatile(value) }
}

impl ErrorType for NordicFlash {
    type Error = NorFlashErrorKind;
}

impl ReadNorFlash for NordicFlash {
    const READ_SIZE: usize = WORD;

    fn read(&mut self, offset: u32, bytes: &mut [u8]) -> Result<(), NorFlashErrorKind> {
        check_read(self, offset, bytes.len())?;
        let address = self.start + offset as usize;
        let (words, _) = bytes.as_chunks_mut::<WORD>();
        for (word, address) in words.iter_mut().zip((address..).step_by(WORD)) {
            *word = read(address).to_le_bytes();
        }
        Ok(())
    }

    fn capacity(&self) -> usize {
        self.length
    }
}

impl NorFlash for NordicFlash {
    const WRITE_SIZE: usize = WORD;
    const ERASE_SIZE: usize = PAGE;

    fn erase(&mut self, from: u32, to: u32) -> Result<(), NorFlashErrorKind> {
        check_erase(self, from, to)?;
        for offset in (from..to).step_by(PAGE) {
            let address = self.start + offset as usize;
            self.with_controller(ERASE_ENABLED, || write(ERASE_PAGE, address as u32));
        }
        Ok(())
    }

    fn write(&mut self, offset: u32, bytes: &[u8]) -> Result<(), NorFlashErrorKind> {
        check_write(self, offset, bytes.len())?;
        let address = self.start + offset as usize;
        let (words, _) = bytes.as_chunks::<WORD>();
        for (word, address) in words.iter().zip((address..).step_by(WORD)) {
            self.with_controller(WRITE_ENABLED, || write(address, u32::from_le_bytes(*word)));
        }
        Ok(())
    }
}
