//! In place of a chip's flash algorithm, for machines whose flash is read-only memory in QEMU.
//!
//! To program a chip, probe-rs loads a small program into its RAM and calls its functions; they work the flash
//! controller. Where QEMU has no such controller, the calls are carried out here, through the gdbstub, which can
//! write read-only memory. So nothing is shown about the instructions of the algorithm; all else is as on a chip.

use std::io;
use std::ops::Range;

use super::gdb::{Gdb, LR, PC};

/// What lies before the algorithm in RAM, and where its functions return to: two breakpoint instructions.
const HEADER: [u8; 4] = [0x00, 0xBE, 0x00, 0xBE];

/// A flash algorithm as probe-rs describes it.
pub struct Algorithm {
    pub name: &'static str,
    pub flash: Range<u32>,
    pub erased: u8,
    /// From which offset on sectors are of that size.
    pub sectors: &'static [(u32, u32)],
    /// Offsets of the functions behind the header.
    pub functions: [(u32, Function); 5],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Function {
    Init,
    Uninit,
    EraseAll,
    EraseSector,
    ProgramPage,
}

pub struct FlashStandIn {
    algorithm: &'static Algorithm,
    calls: Vec<Function>,
}

impl FlashStandIn {
    pub fn new(algorithm: &'static Algorithm) -> Self {
        Self {
            algorithm,
            calls: Vec::new(),
        }
    }

    /// How often a function was called.
    pub fn calls(&self, function: Function) -> usize {
        self.calls.iter().filter(|&&call| call == function).count()
    }

    /// If the core is about to execute one of the functions, does what it is to do, and has it returned.
    pub fn serve(&mut self, gdb: &mut Gdb) -> io::Result<bool> {
        let header = gdb.register(LR)? & !1;
        if gdb.read(header, HEADER.len())?.as_deref() != Some(&HEADER) {
            return Ok(false);
        }
        let code = header.wrapping_add(HEADER.len() as u32);
        let offset = gdb.register(PC)?.wrapping_sub(code);
        let functions = &self.algorithm.functions;
        let Some(&(_, function)) = functions.iter().find(|(start, _)| *start == offset) else {
            return Ok(false);
        };
        let arguments = [gdb.register(0)?, gdb.register(1)?, gdb.register(2)?];
        let is_done = self.perform(function, arguments, gdb)?;
        self.calls.push(function);
        gdb.set_register(0, u32::from(!is_done))?;
        gdb.set_register(PC, header)?;
        Ok(true)
    }

    fn perform(&self, function: Function, arguments: [u32; 3], gdb: &mut Gdb) -> io::Result<bool> {
        let flash = &self.algorithm.flash;
        let [address, length, source] = arguments;
        match function {
            Function::Init | Function::Uninit => {}
            Function::EraseAll => {
                gdb.write(flash.start, &vec![self.algorithm.erased; flash.len()])?
            }
            Function::EraseSector => {
                let Some(size) = self.algorithm.sector_size(address) else {
                    return Ok(false);
                };
                gdb.write(address, &vec![self.algorithm.erased; size as usize])?;
            }
            Function::ProgramPage => {
                let end = address.checked_add(length);
                if !flash.contains(&address) || end.is_none_or(|end| end > flash.end) {
                    return Ok(false);
                }
                let Some(new) = gdb.read(source, length as usize)? else {
                    return Ok(false);
                };
                let old = gdb.read(address, length as usize)?.unwrap_or_default();
                gdb.write(address, &programmed(&old, &new))?;
            }
        }
        Ok(true)
    }
}

impl Algorithm {
    /// None if no sector begins there.
    fn sector_size(&self, address: u32) -> Option<u32> {
        let offset = address.checked_sub(self.flash.start)?;
        let &(start, size) = self
            .sectors
            .iter()
            .rev()
            .find(|(start, _)| *start <= offset)?;
        (self.flash.contains(&address) && (offset - start) % size == 0).then_some(size)
    }
}

/// Flash after it was programmed: bits go from one to zero only, so what was not erased shows.
fn programmed(old: &[u8], new: &[u8]) -> Vec<u8> {
    old.iter().zip(new).map(|(old, new)| old & new).collect()
}

#[cfg(test)]
mod tests {
    use super::super::STM32F405;
    use super::programmed;

    #[test]
    fn sectors_of_the_stm32f405_are_of_three_sizes() {
        let algorithm = STM32F405.algorithm.unwrap();
        for (address, size) in [
            (0x0800_0000, Some(0x4000)),
            (0x0800_C000, Some(0x4000)),
            (0x0801_0000, Some(0x1_0000)),
            (0x080E_0000, Some(0x2_0000)),
            (0x0800_2000, None),
            (0x0810_0000, None),
            (0, None),
        ] {
            assert_eq!(algorithm.sector_size(address), size, "{address:#x}");
        }
    }

    #[test]
    fn programming_clears_bits_only() {
        assert_eq!(programmed(&[0xFF, 0x0F], &[0x5A, 0x5A]), [0x5A, 0x0A]);
    }
}
