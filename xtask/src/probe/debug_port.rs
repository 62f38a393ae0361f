//! The registers by which a debugger finds out what it is connected to (Arm Debug Interface, version 5): the debug
//! port and its only access port, which leads to the memory of a Cortex-M.

const CONTROL: u32 = 4;
const SELECT: u32 = 8;

const POWER_REQUESTS: u32 = 1 << 28 | 1 << 30;

/// Numbers that tell the parts of a debug interface.
pub struct Identity {
    pub debug_port: u32,
    pub access_port: u32,
}

pub struct DebugPort {
    identity: &'static Identity,
    control: u32,
    select: u32,
}

impl DebugPort {
    pub fn new(identity: &'static Identity) -> Self {
        Self {
            identity,
            control: 0,
            select: 0,
        }
    }

    pub fn read(&self, register: u32) -> u32 {
        match register & 0xC {
            0 => self.identity.debug_port,
            // The acknowledgement of a power request is the bit above it.
            CONTROL if self.is_first_bank() => self.control | (self.control & POWER_REQUESTS) << 1,
            _ => 0,
        }
    }

    pub fn write(&mut self, register: u32, value: u32) {
        match register & 0xC {
            // Only what is stored: the power requests, and whether overruns are to be noticed.
            CONTROL if self.is_first_bank() => self.control = value & (POWER_REQUESTS | 1),
            SELECT => self.select = value,
            _ => {}
        }
    }

    pub fn read_access_port(&self, port: u32, register: u32) -> u32 {
        match (port, register) {
            (0, 0xFC) => self.identity.access_port,
            // Where the table of debug components is: present, and in the usual place of a Cortex-M.
            (0, 0xF8) => 0xE00F_F003,
            // Enabled, 32 bits wide.
            (0, 0x00) => 0x2300_0042,
            _ => 0,
        }
    }

    fn is_first_bank(&self) -> bool {
        self.select & 0xF == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{DebugPort, Identity};

    #[test]
    fn power_requests_are_acknowledged() {
        static IDENTITY: Identity = Identity {
            debug_port: 1,
            access_port: 2,
        };
        let mut port = DebugPort::new(&IDENTITY);
        port.write(4, 0x5000_0000);
        assert_eq!(port.read(4), 0xF000_0000);
        port.write(8, 1);
        assert_eq!(port.read(4), 0);
    }
}
