//! The debug port as it appears on its two wires (SWD), bit by bit: probe-rs connects in this way, before it uses
//! commands.

use super::debug_port::DebugPort;

/// So many ones in a row reset the line.
const LINE_RESET: u32 = 50;
/// The answer to every request that is understood.
const OK: u64 = 0b001;
const ACKNOWLEDGE_BITS: u32 = 3;

pub struct Wire {
    phase: Phase,
    /// In a row.
    ones: u32,
    /// What the target drives onto the wire, the lowest bit first.
    reply: Bits,
}

#[derive(Clone, Copy, Default)]
struct Bits {
    value: u64,
    count: u32,
}

enum Phase {
    /// After a protocol error, and at first: nothing but a line reset is heard.
    Deaf,
    /// A line reset, until the line is low.
    Reset,
    Request(Bits),
    /// A value of 32 bits for this register, and its parity.
    Data(u32, Bits),
}

impl Wire {
    pub fn new() -> Self {
        Self {
            phase: Phase::Deaf,
            ones: 0,
            reply: Bits::default(),
        }
    }

    /// What the debugger sends.
    pub fn out(&mut self, bits: u32, count: u32, port: &mut DebugPort) {
        for i in 0..count.min(32) {
            self.bit(bits >> i & 1 != 0, port);
        }
    }

    /// What the target sends; ones when it sends nothing.
    pub fn input(&mut self, count: u32) -> u32 {
        let mut bits = 0;
        for i in 0..count.min(32) {
            bits |= u32::from(self.reply.take().unwrap_or(true)) << i;
        }
        bits
    }

    fn bit(&mut self, bit: bool, port: &mut DebugPort) {
        if let Phase::Data(register, bits) = &mut self.phase {
            bits.push(bit);
            if bits.count == 33 {
                port.write(*register, bits.value as u32);
                self.phase = Phase::Request(Bits::default());
            }
            return;
        }

        self.ones = if bit { self.ones + 1 } else { 0 };
        if self.ones >= LINE_RESET {
            self.phase = Phase::Reset;
            return;
        }
        match &mut self.phase {
            Phase::Reset if !bit => self.phase = Phase::Request(Bits::default()),
            // A request begins with a one.
            Phase::Request(bits) if bits.count > 0 || bit => {
                bits.push(bit);
                if bits.count == 8 {
                    let request = bits.value;
                    self.request(request, port);
                }
            }
            _ => {}
        }
    }

    /// From the lowest bit: start, access port, read, address 2 and 3, parity, stop, park.
    fn request(&mut self, request: u64, port: &DebugPort) {
        let is_parity_right = (request >> 1 & 0x1F).count_ones().is_multiple_of(2);
        let is_access_port = request & 2 != 0;
        if !is_parity_right || request & 0xC1 != 0x81 || is_access_port {
            self.phase = Phase::Deaf;
            return;
        }
        self.ones = 0;
        let register = (request >> 3 & 3) as u32 * 4;
        self.reply = Bits {
            value: OK,
            count: ACKNOWLEDGE_BITS,
        };
        if request & 4 != 0 {
            let value = port.read(register);
            let parity = u64::from(value.count_ones() % 2);
            self.reply.value |= (u64::from(value) | parity << 32) << ACKNOWLEDGE_BITS;
            self.reply.count += 33;
            self.phase = Phase::Request(Bits::default());
        } else {
            self.phase = Phase::Data(register, Bits::default());
        }
    }
}

impl Bits {
    fn push(&mut self, bit: bool) {
        self.value |= u64::from(bit) << self.count;
        self.count += 1;
    }

    fn take(&mut self) -> Option<bool> {
        self.count = self.count.checked_sub(1)?;
        let bit = self.value & 1 != 0;
        self.value >>= 1;
        Some(bit)
    }
}

#[cfg(test)]
mod tests {
    use super::super::debug_port::{DebugPort, Identity};
    use super::Wire;

    static IDENTITY: Identity = Identity {
        debug_port: 0x0BB1_1477,
        access_port: 0,
    };
    /// Read of register 0 of the debug port.
    const READ_IDENTITY: u32 = 0xA5;

    fn reset(wire: &mut Wire, port: &mut DebugPort) {
        wire.out(u32::MAX, 32, port);
        wire.out(u32::MAX, 20, port);
        wire.out(0, 3, port);
    }

    #[test]
    fn identity_is_read_after_a_line_reset_only() {
        let (mut wire, mut port) = (Wire::new(), DebugPort::new(&IDENTITY));
        wire.out(READ_IDENTITY, 8, &mut port);
        assert_eq!(wire.input(3), 0b111);
        reset(&mut wire, &mut port);
        wire.out(READ_IDENTITY, 8, &mut port);
        assert_eq!(wire.input(3), 0b001);
        assert_eq!(wire.input(32), 0x0BB1_1477);
        // It has 15 ones.
        assert_eq!(wire.input(1), 1);
    }

    #[test]
    fn a_register_is_written() {
        let (mut wire, mut port) = (Wire::new(), DebugPort::new(&IDENTITY));
        reset(&mut wire, &mut port);
        wire.out(0xA9, 8, &mut port);
        assert_eq!(wire.input(3), 0b001);
        wire.out(0x5000_0000, 32, &mut port);
        wire.out(0, 1, &mut port);
        assert_eq!(port.read(4), 0xF000_0000);
    }

    #[test]
    fn wrong_parity_makes_it_deaf() {
        let (mut wire, mut port) = (Wire::new(), DebugPort::new(&IDENTITY));
        reset(&mut wire, &mut port);
        wire.out(READ_IDENTITY ^ 0x20, 8, &mut port);
        wire.out(READ_IDENTITY, 8, &mut port);
        assert_eq!(wire.input(3), 0b111);
    }
}
