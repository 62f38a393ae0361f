//! A debug probe for machines of QEMU: the unmodified probe-rs takes it for a Black Magic Probe on a TCP port.
//!
//! ```text
//! probe-rs -- remote protocol --> this -- gdb's protocol --> QEMU
//! ```
//!
//! It shows that probe-rs accepts an image, programs it, and finds its log and its stack. It shows nothing about USB,
//! the wires, a chip's debug unit or the time that flash takes: it is not a test on hardware.

mod core_debug;
mod debug_port;
pub mod flash_stand_in;
mod gdb;
mod remote;
mod wire;

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::thread;

use core_debug::CoreDebug;
use debug_port::{DebugPort, Identity};
use flash_stand_in::{Algorithm, Function};
use gdb::Gdb;
use remote::{Answer, Command};
use wire::Wire;

/// A chip of a machine of QEMU's.
pub struct Chip {
    identity: Identity,
    pub flash: Range<u32>,
    ram: Range<u32>,
    /// Which flash algorithm is replaced, if QEMU cannot execute the one of probe-rs.
    algorithm: Option<&'static Algorithm>,
}

/// QEMU has its flash controller, so the algorithm of probe-rs works.
pub static NRF51822: Chip = Chip {
    identity: Identity {
        debug_port: 0x0BB1_1477,
        access_port: 0x0477_0021,
    },
    flash: 0..0x4_0000,
    ram: 0x2000_0000..0x2000_4000,
    algorithm: None,
};

pub static STM32F405: Chip = Chip {
    identity: Identity {
        debug_port: 0x2BA0_1477,
        access_port: 0x2477_0011,
    },
    flash: 0x0800_0000..0x0810_0000,
    // QEMU 7.2 does not have the other 64 KB, at 0x10000000.
    ram: 0x2000_0000..0x2002_0000,
    algorithm: Some(&Algorithm {
        name: "stm32f4xx_1024",
        flash: 0x0800_0000..0x0810_0000,
        erased: 0xFF,
        sectors: &[(0, 0x4000), (0x1_0000, 0x1_0000), (0x2_0000, 0x2_0000)],
        functions: [
            (0x1C, Function::Init),
            (0x4E, Function::Uninit),
            (0x5C, Function::EraseAll),
            (0x88, Function::EraseSector),
            (0xD4, Function::ProgramPage),
        ],
    }),
};

impl Chip {
    fn is_ram(&self, address: u32, length: usize) -> bool {
        let end = u64::from(address) + length as u64;
        self.ram.contains(&address) && end <= u64::from(self.ram.end)
    }
}

/// A probe, connected to one machine, for one debugger after the other.
pub struct Probe {
    port: u16,
    chip: &'static Chip,
    core: Arc<Mutex<CoreDebug>>,
}

impl Probe {
    /// `machine` is QEMU's gdbstub. The core stays stopped until a debugger lets it run.
    pub fn start(machine: TcpStream, chip: &'static Chip) -> io::Result<Self> {
        let core = Arc::new(Mutex::new(CoreDebug::new(Gdb::new(machine)?, chip)));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::clone(&core);
        // It ends with the process.
        thread::spawn(move || {
            for debugger in listener.incoming() {
                let result = debugger.and_then(|debugger| serve(debugger, &shared, chip));
                match result {
                    // A debugger may be killed.
                    Err(error) if has_hung_up(&error) => {}
                    Err(error) => eprintln!("probe: {error}"),
                    Ok(()) => {}
                }
            }
        });
        Ok(Self { port, chip, core })
    }

    /// For probe-rs's option `--probe`, or its environment variable.
    pub fn selector(&self) -> String {
        format!("1d50:6018:127.0.0.1:{}", self.port)
    }

    /// Which flash algorithm is replaced, if one is.
    pub fn stand_in(&self) -> Option<&'static str> {
        self.chip.algorithm.map(|algorithm| algorithm.name)
    }

    /// How often the stand-in for the flash algorithm carried out a function; None where there is no stand-in.
    pub fn stand_in_calls(&self, function: Function) -> Option<usize> {
        let core = lock(&self.core);
        core.stand_in().map(|stand_in| stand_in.calls(function))
    }
}

/// A debugger that panicked the thread has left the core in some state, as one does that was killed.
fn lock(core: &Mutex<CoreDebug>) -> std::sync::MutexGuard<'_, CoreDebug> {
    core.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn has_hung_up(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
    )
}

/// Until the debugger hangs up.
fn serve(mut debugger: TcpStream, core: &Mutex<CoreDebug>, chip: &'static Chip) -> io::Result<()> {
    debugger.set_nodelay(true)?;
    let is_traced = std::env::var_os("SUNDEW_TRACE_PROBE").is_some();
    let mut commands = BufReader::new(debugger.try_clone()?);
    let mut port = DebugPort::new(&chip.identity);
    let mut wire = Wire::new();
    let mut received = Vec::new();
    loop {
        received.clear();
        if commands.read_until(b'#', &mut received)? == 0 {
            return Ok(());
        }
        // What stands before the start is noise, or a `#` to end a command that was cut off.
        let text = String::from_utf8_lossy(&received);
        let Some((_, text)) = text.trim_end_matches('#').rsplit_once('!') else {
            continue;
        };
        let answer = match Command::parse(text) {
            Some(command) => perform(command, &mut port, &mut wire, &mut lock(core))?,
            None => Answer::Unsupported,
        };
        if is_traced || answer == Answer::Unsupported || answer == Answer::Failed {
            eprintln!("probe: {text} -> {}", answer.encode());
        }
        debugger.write_all(answer.encode().as_bytes())?;
    }
}

fn perform(
    command: Command,
    port: &mut DebugPort,
    wire: &mut Wire,
    core: &mut CoreDebug,
) -> io::Result<Answer> {
    Ok(match command {
        Command::Name => Answer::Text("Black Magic Probe in front of QEMU"),
        Command::ProtocolVersion => Answer::Number(3),
        Command::ClockKilohertz => Answer::Number(4_000),
        Command::NoEffect | Command::WriteAccessPort => Answer::DONE,
        Command::WireOut { bits, count } => {
            wire.out(bits, count, port);
            Answer::DONE
        }
        Command::WireIn { count } => Answer::Number(wire.input(count)),
        Command::ReadDebugPort { register } => Answer::register(port.read(register)),
        Command::WriteDebugPort { register, value } => {
            port.write(register, value);
            Answer::DONE
        }
        Command::ReadAccessPort {
            port: number,
            register,
        } => Answer::register(port.read_access_port(number, register)),
        Command::ReadMemory { address, length } => match core.read(address, length as usize)? {
            Some(data) => Answer::Data(data),
            None => Answer::Failed,
        },
        Command::WriteMemory { address, data } => {
            if core.write(address, &data)? {
                Answer::DONE
            } else {
                Answer::Failed
            }
        }
    })
}

/// Bytes as little-endian words.
trait Words {
    fn words(&self) -> impl Iterator<Item = u32>;

    fn first_word(&self) -> Option<u32> {
        self.words().next()
    }
}

impl Words for [u8] {
    fn words(&self) -> impl Iterator<Item = u32> {
        let (words, _) = self.as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word))
    }
}
