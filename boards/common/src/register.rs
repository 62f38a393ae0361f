//! Access to registers by address, for boards whose chip has no crate that names them.
#![allow(unsafe_code)]

/// A 32-bit register.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    /// # Safety
    ///
    /// At the address there must be a register of 32 bits, at which neither reading nor writing makes the hardware
    /// touch memory.
    pub const unsafe fn at(address: usize) -> Self {
        Self(address)
    }

    /// Reads.
    #[inline(always)]
    pub fn read(self) -> u32 {
        // SAFETY: who made this promised a register here; what a read does there is a matter of the device, not of
        // memory.
        unsafe { core::ptr::with_exposed_provenance::<u32>(self.0).read_volatile() }
    }

    /// Writes.
    #[inline(always)]
    pub fn write(self, value: u32) {
        // SAFETY: as for `read`.
        unsafe { core::ptr::with_exposed_provenance_mut::<u32>(self.0).write_volatile(value) }
    }

    /// Sets these bits.
    pub fn set(self, bits: u32) {
        self.write(self.read() | bits);
    }
}
