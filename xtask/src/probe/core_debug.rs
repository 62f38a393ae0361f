//! What a debugger sees of a Cortex-M: its memory, and its debug registers, which QEMU does not have. They are kept
//! here, on top of what QEMU's gdbstub can do: stop, go, step, registers, breakpoints.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::flash_stand_in::FlashStandIn;
use super::gdb::{Gdb, LR, PC, SP, Stop, XPSR};
use super::{Chip, Words};

const PRIVATE_PERIPHERALS: u32 = 0xE000_0000;

const BREAKPOINT_CONTROL: u32 = 0xE000_2000;
const COMPARATORS: usize = 4;
const FIRST_COMPARATOR: u32 = 0xE000_2008;
const LAST_COMPARATOR: u32 = FIRST_COMPARATOR + 4 * (COMPARATORS as u32 - 1);
const VECTOR_TABLE: u32 = 0xE000_ED08;
const RESET_CONTROL: u32 = 0xE000_ED0C;
const FAULT_STATUS: u32 = 0xE000_ED30;
const HALT_CONTROL: u32 = 0xE000_EDF0;
const REGISTER_SELECT: u32 = 0xE000_EDF4;
const REGISTER_DATA: u32 = 0xE000_EDF8;
const MONITOR_CONTROL: u32 = 0xE000_EDFC;
/// Whether there is a floating-point unit. The debugger is told that there is none: its registers are not served.
const FLOAT_FEATURES: u32 = 0xE000_EF40;

// Of HALT_CONTROL.
const HALT_KEY: u32 = 0xA05F;
const DEBUG_ENABLED: u32 = 1 << 0;
const HALT: u32 = 1 << 1;
const STEP: u32 = 1 << 2;
const REGISTER_READY: u32 = 1 << 16;
const HALTED: u32 = 1 << 17;
const LOCKED_UP: u32 = 1 << 19;
const WAS_RESET: u32 = 1 << 25;

// Of RESET_CONTROL.
const RESET_KEY: u32 = 0x05FA;
const RESET_REQUESTS: u32 = 0b101;

// Of MONITOR_CONTROL.
const CATCH_RESET: u32 = 1 << 0;
const CATCH_HARD_FAULT: u32 = 1 << 10;

// Of FAULT_STATUS: why the core halted.
const BY_REQUEST: u32 = 1 << 0;
const BY_BREAKPOINT: u32 = 1 << 1;
const BY_VECTOR_CATCH: u32 = 1 << 3;

/// The entry of HardFault in the vector table.
const HARD_FAULT_VECTOR: u32 = 12;
/// Bit of the program status without which the core knows no instruction.
const THUMB: u32 = 1 << 24;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Halted,
    Running,
    /// Running, but not able to: an empty flash has no vector table. QEMU would abort.
    LockedUp,
}

pub struct CoreDebug {
    gdb: Gdb,
    chip: &'static Chip,
    stand_in: Option<FlashStandIn>,
    state: State,
    is_debugged: bool,
    was_reset: bool,
    register_data: u32,
    monitor_control: u32,
    fault_status: u32,
    is_breakpoint_unit_on: bool,
    comparators: [u32; COMPARATORS],
    /// Where the core halts in the debugger's place, if it is to catch HardFault.
    hard_fault: Option<u32>,
    /// Breakpoint instructions in flash, as of the last reset; None before.
    instructions: Option<BTreeSet<u32>>,
    /// What the debugger wrote to other private peripherals. QEMU lets nobody but the core write them.
    written: BTreeMap<u32, u32>,
}

impl CoreDebug {
    /// Of a core that is stopped.
    pub fn new(gdb: Gdb, chip: &'static Chip) -> Self {
        Self {
            gdb,
            chip,
            stand_in: chip.algorithm.map(FlashStandIn::new),
            state: State::Halted,
            is_debugged: false,
            was_reset: true,
            register_data: 0,
            monitor_control: 0,
            fault_status: 0,
            is_breakpoint_unit_on: false,
            comparators: [0; COMPARATORS],
            hard_fault: None,
            instructions: None,
            written: BTreeMap::new(),
        }
    }

    /// None if there is nothing at that address.
    pub fn read(&mut self, address: u32, length: usize) -> io::Result<Option<Vec<u8>>> {
        if address < PRIVATE_PERIPHERALS {
            return self.while_stopped(|gdb| gdb.read(address, length));
        }
        let start = address & !3;
        let skipped = (address - start) as usize;
        let mut bytes = Vec::new();
        while bytes.len() < skipped + length {
            let register = start.wrapping_add(bytes.len() as u32);
            bytes.extend(self.read_private(register)?.to_le_bytes());
        }
        Ok(Some(bytes[skipped..][..length].to_vec()))
    }

    /// Whether it could be written: RAM can, and what is private to the core.
    ///
    /// Not flash: on a chip it takes an algorithm, which runs on the core. Not peripherals: QEMU's gdbstub would
    /// say that it did and do nothing.
    pub fn write(&mut self, address: u32, data: &[u8]) -> io::Result<bool> {
        if self.chip.is_ram(address, data.len()) {
            self.while_stopped(|gdb| gdb.write(address, data))?;
            return Ok(true);
        }
        let is_aligned = address.is_multiple_of(4) && data.len().is_multiple_of(4);
        if address < PRIVATE_PERIPHERALS || !is_aligned {
            return Ok(false);
        }
        for (i, word) in data.words().enumerate() {
            self.write_private(address.wrapping_add(4 * i as u32), word)?;
        }
        Ok(true)
    }

    /// What the stand-in for the flash algorithm did so far.
    pub fn stand_in(&self) -> Option<&FlashStandIn> {
        self.stand_in.as_ref()
    }

    fn read_private(&mut self, register: u32) -> io::Result<u32> {
        self.notice_stop()?;
        Ok(match register {
            HALT_CONTROL => self.halt_control(),
            REGISTER_DATA => self.register_data,
            MONITOR_CONTROL => self.monitor_control,
            FAULT_STATUS => self.fault_status,
            BREAKPOINT_CONTROL => (COMPARATORS as u32) << 4 | u32::from(self.is_breakpoint_unit_on),
            FIRST_COMPARATOR..=LAST_COMPARATOR => *self.comparator(register),
            FLOAT_FEATURES => 0,
            _ => match self.written.get(&register) {
                Some(&value) => value,
                None => {
                    let bytes = self.while_stopped(|gdb| gdb.read(register, 4))?;
                    bytes.and_then(|bytes| bytes.first_word()).unwrap_or(0)
                }
            },
        })
    }

    fn write_private(&mut self, register: u32, value: u32) -> io::Result<()> {
        self.notice_stop()?;
        match register {
            HALT_CONTROL if value >> 16 == HALT_KEY => self.set_halt_control(value)?,
            REGISTER_SELECT => self.transfer_register(value)?,
            REGISTER_DATA => self.register_data = value,
            MONITOR_CONTROL => self.monitor_control = value,
            FAULT_STATUS => self.fault_status &= !value,
            RESET_CONTROL if value >> 16 == RESET_KEY && value & RESET_REQUESTS != 0 => {
                self.reset()?;
            }
            HALT_CONTROL | RESET_CONTROL => {}
            // The upper bit is the key to the lower.
            BREAKPOINT_CONTROL if value & 2 != 0 => self.is_breakpoint_unit_on = value & 1 != 0,
            BREAKPOINT_CONTROL => {}
            FIRST_COMPARATOR..=LAST_COMPARATOR => *self.comparator(register) = value,
            _ => _ = self.written.insert(register, value),
        }
        Ok(())
    }

    fn comparator(&mut self, register: u32) -> &mut u32 {
        &mut self.comparators[(register - FIRST_COMPARATOR) as usize / 4]
    }

    fn halt_control(&mut self) -> u32 {
        let mut value = REGISTER_READY;
        if self.is_debugged {
            value |= DEBUG_ENABLED;
            if self.state == State::Halted {
                value |= HALTED | HALT;
            }
        }
        if self.state == State::LockedUp {
            value |= LOCKED_UP;
        }
        if std::mem::take(&mut self.was_reset) {
            value |= WAS_RESET;
        }
        value
    }

    fn set_halt_control(&mut self, value: u32) -> io::Result<()> {
        self.is_debugged = value & DEBUG_ENABLED != 0;
        let is_to_halt = self.is_debugged && value & HALT != 0;
        match self.state {
            State::Running if is_to_halt => {
                let stop = self.gdb.interrupt()?;
                self.halted(stop)
            }
            State::LockedUp if is_to_halt => {
                self.state = State::Halted;
                self.fault_status |= BY_REQUEST;
                Ok(())
            }
            State::Halted if self.is_debugged && value & STEP != 0 && !is_to_halt => self.step(),
            State::Halted if !is_to_halt => self.resume(),
            _ => Ok(()),
        }
    }

    /// Between one of the core's registers and [`REGISTER_DATA`].
    fn transfer_register(&mut self, selection: u32) -> io::Result<()> {
        let is_write = selection & 1 << 16 != 0;
        let number = match selection & 0x7F {
            number @ 0..16 => Some(number),
            16 => Some(XPSR),
            // The main stack pointer. The firmware uses no other.
            17 => Some(SP),
            // QEMU 7.2 does not tell the rest: the other stack pointer, masks, the floating-point unit.
            _ => None,
        };
        match number {
            Some(number) if is_write => self.gdb.set_register(number, self.register_data)?,
            Some(number) => self.register_data = self.gdb.register(number)?,
            None if is_write => {}
            None => self.register_data = 0,
        }
        Ok(())
    }

    fn reset(&mut self) -> io::Result<()> {
        if self.state == State::Running {
            self.gdb.interrupt()?;
        }
        self.gdb.reset()?;
        self.state = State::Halted;
        self.was_reset = true;
        self.instructions = Some(self.find_breakpoint_instructions()?);
        if self.is_debugged && self.monitor_control & CATCH_RESET != 0 {
            self.fault_status |= BY_VECTOR_CATCH;
            return Ok(());
        }
        self.resume()
    }

    fn resume(&mut self) -> io::Result<()> {
        if self.is_without_instructions()? {
            return Ok(());
        }
        let breakpoints = self.breakpoints()?;
        self.gdb.set_breakpoints(breakpoints)?;
        if self.is_at_breakpoint_instruction(PC)? {
            if self.is_debugged {
                self.fault_status |= BY_BREAKPOINT;
                return Ok(());
            }
            // The debugger leaves the core where a flash algorithm ended. That is a fault, whose handler has no RAM
            // that was initialized: on a chip it may do anything until the next reset, and QEMU would abort.
            if !self.chip.flash.contains(&self.gdb.register(PC)?) {
                self.state = State::LockedUp;
                return Ok(());
            }
        }
        self.state = State::Running;
        self.gdb.run()
    }

    fn step(&mut self) -> io::Result<()> {
        if self.is_without_instructions()? {
            return Ok(());
        }
        if let Some(stand_in) = &mut self.stand_in
            && stand_in.serve(&mut self.gdb)?
        {
            self.fault_status |= BY_REQUEST;
            return Ok(());
        }
        if self.is_at_breakpoint_instruction(PC)? {
            self.fault_status |= BY_BREAKPOINT;
            return Ok(());
        }
        // They would stop it before the instruction.
        self.gdb.set_breakpoints(BTreeSet::new())?;
        self.gdb.step()?;
        self.fault_status |= BY_REQUEST;
        Ok(())
    }

    /// Whether the core locks up instead of executing its next instruction.
    fn is_without_instructions(&mut self) -> io::Result<bool> {
        let is_thumb = self.gdb.register(XPSR)? & THUMB != 0;
        if !is_thumb {
            self.state = State::LockedUp;
        }
        Ok(!is_thumb)
    }

    /// Where the core is to stop. With no debugger it never does: a breakpoint instruction is a fault then, for
    /// QEMU as on silicon.
    fn breakpoints(&mut self) -> io::Result<BTreeSet<u32>> {
        self.hard_fault = None;
        if !self.is_debugged {
            return Ok(BTreeSet::new());
        }
        if self.instructions.is_none() {
            self.instructions = Some(self.find_breakpoint_instructions()?);
        }
        let mut breakpoints = self.instructions.clone().unwrap_or_default();
        if self.is_breakpoint_unit_on {
            breakpoints.extend(self.comparators.iter().flat_map(|&value| watched(value)));
        }
        // A flash algorithm runs in RAM, and returns to such an instruction.
        if self.is_at_breakpoint_instruction(LR)? {
            breakpoints.insert(self.gdb.register(LR)? & !1);
        }
        if self.monitor_control & CATCH_HARD_FAULT != 0 {
            self.hard_fault = self.hard_fault_handler()?;
            breakpoints.extend(self.hard_fault);
        }
        Ok(breakpoints)
    }

    fn hard_fault_handler(&mut self) -> io::Result<Option<u32>> {
        let Some(table) = self.read_word(VECTOR_TABLE)? else {
            return Ok(None);
        };
        let handler = self.read_word(table.wrapping_add(HARD_FAULT_VECTOR))?;
        Ok(handler
            .map(|handler| handler & !1)
            .filter(|&handler| handler != 0))
    }

    fn read_word(&mut self, address: u32) -> io::Result<Option<u32>> {
        let bytes = self.gdb.read(address, 4)?;
        Ok(bytes.and_then(|bytes| bytes.first_word()))
    }

    fn is_at_breakpoint_instruction(&mut self, register: u32) -> io::Result<bool> {
        let address = self.gdb.register(register)? & !1;
        let instruction = self.gdb.read(address, 2)?;
        Ok(instruction.is_some_and(|bytes| is_breakpoint_instruction(&bytes)))
    }

    /// Constants may look like one; the core never gets to them.
    fn find_breakpoint_instructions(&mut self) -> io::Result<BTreeSet<u32>> {
        let flash = &self.chip.flash;
        let content = self.gdb.read(flash.start, flash.len())?.unwrap_or_default();
        let places = (flash.start..).step_by(2).zip(content.chunks_exact(2));
        Ok(places
            .filter(|(_, bytes)| is_breakpoint_instruction(bytes))
            .map(|(address, _)| address)
            .collect())
    }

    fn notice_stop(&mut self) -> io::Result<()> {
        if self.state == State::Running
            && let Some(stop) = self.gdb.stopped()?
        {
            self.halted(stop)?;
        }
        Ok(())
    }

    fn halted(&mut self, stop: Stop) -> io::Result<()> {
        self.state = State::Halted;
        self.fault_status |= match stop {
            Stop::Interrupted => BY_REQUEST,
            Stop::Trapped if self.hard_fault == Some(self.gdb.register(PC)?) => BY_VECTOR_CATCH,
            Stop::Trapped => BY_BREAKPOINT,
        };
        Ok(())
    }

    /// QEMU's gdbstub answers only while the core is stopped; a running one goes on afterwards.
    fn while_stopped<T>(&mut self, task: impl FnOnce(&mut Gdb) -> io::Result<T>) -> io::Result<T> {
        self.notice_stop()?;
        if self.state != State::Running {
            return task(&mut self.gdb);
        }
        match self.gdb.interrupt()? {
            Stop::Interrupted => {
                let result = task(&mut self.gdb);
                self.gdb.run()?;
                result
            }
            stop @ Stop::Trapped => {
                self.halted(stop)?;
                task(&mut self.gdb)
            }
        }
    }
}

/// BKPT, with any number.
fn is_breakpoint_instruction(bytes: &[u8]) -> bool {
    matches!(bytes, [_, 0xBE])
}

/// The instructions that a comparator of the breakpoint unit stands for: in a word either half, or both.
fn watched(comparator: u32) -> impl Iterator<Item = u32> {
    let word = comparator & 0x1FFF_FFFC;
    let halves = if comparator & 1 != 0 {
        comparator >> 30
    } else {
        0
    };
    [(1, word), (2, word + 2)]
        .into_iter()
        .filter(move |(half, _)| halves & half != 0)
        .map(|(_, address)| address)
}

#[cfg(test)]
mod tests {
    use super::{is_breakpoint_instruction, watched};

    #[test]
    fn comparators_watch_halves_of_a_word() {
        let watched = |comparator| watched(comparator).collect::<Vec<_>>();
        assert_eq!(watched(0x4000_0101), [0x100]);
        assert_eq!(watched(0x8000_0101), [0x102]);
        assert_eq!(watched(0xC000_0101), [0x100, 0x102]);
        // Switched off.
        assert_eq!(watched(0xC000_0100), []);
    }

    #[test]
    fn semihosting_is_a_breakpoint_too() {
        assert!(is_breakpoint_instruction(&[0xAB, 0xBE]));
        assert!(is_breakpoint_instruction(&[0x00, 0xBE]));
        assert!(!is_breakpoint_instruction(&[0xBE, 0x00]));
    }
}
