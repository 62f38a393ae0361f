//! Access to the registers of mps2-an385: every address that the firmware touches is in this file.
#![allow(unsafe_code)]

/// A 32-bit register.
#[derive(Clone, Copy)]
pub struct Register(usize);

impl Register {
    pub fn read(self) -> u32 {
        // SAFETY: only this file makes a `Register`, from the addresses below, which are aligned and mapped on
        // the board; what a read does there is a matter of the device, not of memory.
        unsafe { core::ptr::with_exposed_provenance::<u32>(self.0).read_volatile() }
    }

    pub fn write(self, value: u32) {
        // SAFETY: as for `read`; no register here makes the hardware write to memory.
        unsafe { core::ptr::with_exposed_provenance_mut::<u32>(self.0).write_volatile(value) }
    }
}

/// Timer 0 of the Cortex-M System Design Kit (CMSDK), which counts down.
pub const TIMER_CONTROL: Register = Register(0x4000_0000);
pub const TIMER_VALUE: Register = Register(0x4000_0004);
pub const TIMER_RELOAD: Register = Register(0x4000_0008);

/// UART 0 of the same kit.
pub const UART_DATA: Register = Register(0x4000_4000);
pub const UART_STATE: Register = Register(0x4000_4004);
pub const UART_CONTROL: Register = Register(0x4000_4008);
pub const UART_INTERRUPT_CLEAR: Register = Register(0x4000_400C);
pub const UART_BAUD_DIVIDER: Register = Register(0x4000_4010);

/// The two LEDs of the board, bits 0 and 1.
pub const LEDS: Register = Register(0x4002_8000);

/// The interrupt controller: a 1 lets an interrupt through, or holds it back.
pub const INTERRUPT_ENABLE: Register = Register(0xE000_E100);
pub const INTERRUPT_DISABLE: Register = Register(0xE000_E180);

/// Which fault it was, and the address that could not be accessed.
pub const FAULT_STATUS: Register = Register(0xE000_ED28);
pub const FAULT_ADDRESS: Register = Register(0xE000_ED38);
