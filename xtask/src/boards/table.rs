//! Every board: the one place that knows them. `tests/boards.rs` includes this file, too.

/// A board, or a machine of QEMU's.
pub struct Board {
    pub name: &'static str,
    pub core: &'static str,
    pub triple: &'static str,
    pub ram: &'static str,
    pub flash: &'static str,
    /// Bytes of the filter `urls`, with the line of its seed.
    pub filter_bytes: u32,
    /// Keys that it holds at 1 %.
    pub capacity: u32,
    pub runs: Runs,
    /// What was seen to work, and where.
    pub tested: &'static str,
}

/// Where the firmware runs besides on the board itself.
#[derive(Clone, Copy, PartialEq)]
pub enum Runs {
    /// On this machine of QEMU's.
    Qemu(Machine),
    /// In rp2040js, an emulator on Node.js.
    Rp2040js,
    /// Nowhere.
    OnSiliconOnly,
}

#[derive(Clone, Copy, PartialEq)]
pub struct Machine {
    pub name: &'static str,
    /// Whether a crash ends the emulator with exit code 1. Firmware for boards that exist resets instead.
    pub exits_after_crash: bool,
    /// Whether the emulator has the watchdog that the firmware uses.
    pub has_watchdog: bool,
}

/// The one that `cargo xtask shell` boots unless told otherwise; it is an example of the library.
pub const DEFAULT: &str = "mps2-an385";

const SHELL_AND_WATCHDOG: &str = "console, crash, reset and watchdog in QEMU";
const BUILT: &str = "built, not run";

pub const BOARDS: [Board; 9] = [
    Board {
        name: DEFAULT,
        core: "Cortex-M3",
        triple: "thumbv7m-none-eabi",
        ram: "4 MB",
        flash: "4 MB",
        filter_bytes: 19_533 * 64,
        capacity: 1_000_000,
        runs: Runs::Qemu(Machine {
            name: "mps2-an385",
            exits_after_crash: true,
            has_watchdog: true,
        }),
        tested: SHELL_AND_WATCHDOG,
    },
    Board {
        name: "mps3-an524",
        core: "Cortex-M33",
        triple: "thumbv8m.main-none-eabi",
        ram: "128 KB + 256 MB of DDR",
        flash: "512 KB",
        filter_bytes: 19_533 * 64,
        capacity: 1_000_000,
        runs: Runs::Qemu(Machine {
            name: "mps3-an524",
            exits_after_crash: true,
            has_watchdog: false,
        }),
        tested: "console, crash, reset and `cargo xtask crawl` in QEMU",
    },
    Board {
        name: "mps2-an500",
        core: "Cortex-M7",
        triple: "thumbv7em-none-eabihf",
        ram: "4 MB + 16 MB of PSRAM",
        flash: "4 MB",
        filter_bytes: 65_537 * 64,
        capacity: 3_318_835,
        runs: Runs::Qemu(Machine {
            name: "mps2-an500",
            exits_after_crash: true,
            has_watchdog: true,
        }),
        tested: SHELL_AND_WATCHDOG,
    },
    Board {
        name: "lm3s6965evb",
        core: "Cortex-M3",
        triple: "thumbv7m-none-eabi",
        ram: "64 KB",
        flash: "256 KB",
        filter_bytes: 513 * 64,
        capacity: 26_427,
        runs: Runs::Qemu(Machine {
            name: "lm3s6965evb",
            exits_after_crash: false,
            has_watchdog: true,
        }),
        tested: SHELL_AND_WATCHDOG,
    },
    Board {
        name: "microbit",
        core: "Cortex-M0",
        triple: "thumbv6m-none-eabi",
        ram: "16 KB",
        flash: "256 KB",
        filter_bytes: 129 * 64,
        capacity: 6_607,
        runs: Runs::Qemu(Machine {
            name: "microbit",
            exits_after_crash: false,
            has_watchdog: false,
        }),
        tested: "console, crash, reset and saves in flash in QEMU; flashed by probe-rs in QEMU",
    },
    Board {
        name: "netduinoplus2",
        core: "Cortex-M4F",
        triple: "thumbv7em-none-eabihf",
        ram: "128 KB",
        flash: "1 MB",
        filter_bytes: 1_537 * 64,
        capacity: 79_258,
        runs: Runs::Qemu(Machine {
            name: "netduinoplus2",
            exits_after_crash: false,
            has_watchdog: false,
        }),
        tested: "console, crash and reset in QEMU; flashed by probe-rs in QEMU, with a stand-in for the flash algorithm",
    },
    Board {
        name: "pico",
        core: "Cortex-M0+",
        triple: "thumbv6m-none-eabi",
        ram: "264 KB",
        flash: "2 MB",
        filter_bytes: 3_073 * 64,
        capacity: 158_446,
        runs: Runs::Rp2040js,
        tested: "console in rp2040js",
    },
    Board {
        name: "nucleo-f411re",
        core: "Cortex-M4F",
        triple: "thumbv7em-none-eabihf",
        ram: "128 KB",
        flash: "512 KB",
        filter_bytes: 1_537 * 64,
        capacity: 79_258,
        runs: Runs::OnSiliconOnly,
        tested: BUILT,
    },
    Board {
        name: "nrf52840-dk",
        core: "Cortex-M4F",
        triple: "thumbv7em-none-eabihf",
        ram: "256 KB",
        flash: "1 MB",
        filter_bytes: 3_073 * 64,
        capacity: 158_446,
        runs: Runs::OnSiliconOnly,
        tested: BUILT,
    },
];

/// Where npm puts [`RP2040JS`], below the root.
pub const RP2040JS_FOLDER: &str = "target/rp2040js";
/// What to install there. MIT licence.
pub const RP2040JS: &str = "rp2040js@1.4.1";

/// The features of the library with which the console has all commands that it can have without flash to save to.
pub const WHOLE_CONSOLE: &str = "shell-families,shell-dumps";

impl Board {
    pub fn find(name: &str) -> Option<&'static Self> {
        BOARDS.iter().find(|board| board.name == name)
    }

    /// The machine of QEMU's that runs it, if there is one.
    pub fn machine(&self) -> Option<Machine> {
        match self.runs {
            Runs::Qemu(machine) => Some(machine),
            Runs::Rp2040js | Runs::OnSiliconOnly => None,
        }
    }

    /// Where cargo builds it, below the repository's root.
    pub fn folder(&self) -> String {
        match self.name {
            DEFAULT => ".".into(),
            name => format!("boards/{name}"),
        }
    }

    /// What cargo is to build there.
    pub fn build_arguments(&self, firmware: Firmware) -> Vec<&'static str> {
        match (self.name, firmware) {
            (DEFAULT, Firmware::Console) => vec!["--example", "shell", "--features", WHOLE_CONSOLE],
            (DEFAULT, Firmware::Trial) => vec!["--example", "board"],
            (name, Firmware::Console) => vec!["--bin", name],
            (_, Firmware::Crawl) => vec!["--bin", "crawl"],
            (name, Firmware::Trial) => vec!["--features", "trial", "--bin", name],
        }
    }

    /// The ELF, below the folder of a profile.
    pub fn elf(&self, firmware: Firmware) -> &'static str {
        match (self.name, firmware) {
            (DEFAULT, Firmware::Console) => "examples/shell",
            (DEFAULT, Firmware::Trial) => "examples/board",
            (_, Firmware::Crawl) => "crawl",
            (name, _) => name,
        }
    }
}

/// Which of a board's firmwares.
#[derive(Clone, Copy, PartialEq)]
pub enum Firmware {
    Console,
    /// Crashes when it is asked to; see boards/common/src/trial.rs.
    Trial,
    /// The crawler's job; mps3-an524 only.
    Crawl,
}

impl Firmware {
    /// Both have the same name, so they are built into different folders below the root.
    pub fn target_folder(self) -> &'static str {
        match self {
            Self::Console | Self::Crawl => "target/firmware",
            Self::Trial => "target/trial",
        }
    }
}
