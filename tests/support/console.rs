//! The console without hardware.

use sundew::BlockedBloom;
use sundew::shell::{Arena, Board, Fixed, Keyspace, Shell};

pub const BOARD: Board = Board {
    name: "test",
    boot_count: 3,
    reset_reason: "watchdog",
    static_ram: 1_000,
    stack_high_water: || 500,
    clock: || 0,
    clock_hz: 1_000,
};

/// A shell with a fixed key `urls` and an arena of 64 KiB, and the time.
pub struct Console<'a> {
    pub shell: Shell<'a>,
    pub now: u32,
}

/// Runs a test on a fresh console.
pub fn with_console(test: impl FnOnce(&mut Console)) {
    with_urls::<128>(6_000, test);
}

/// The same, where `urls` has so many blocks for so many items.
pub fn with_urls<const N: usize>(capacity: u32, test: impl FnOnce(&mut Console)) {
    let mut urls: BlockedBloom<N, 7> = BlockedBloom::new();
    let mut fixed = [Fixed::blocked("urls", capacity, &mut urls)];
    let mut arena = Arena::<1024>::new();
    let keyspace = Keyspace::new(&mut fixed, arena.as_mut_view());
    test(&mut Console {
        shell: Shell::new(keyspace, BOARD),
        now: 1_000,
    });
}

impl Console<'_> {
    pub fn send(&mut self, input: impl AsRef<[u8]>) -> String {
        String::from_utf8(self.exchange(input.as_ref())).expect("replies are text here")
    }

    /// Sends bytes, and returns what comes back.
    pub fn exchange(&mut self, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        self.shell.feed(input, self.now, &mut out).unwrap();
        out
    }

    /// Nothing comes for so long.
    pub fn wait(&mut self, milliseconds: u32) -> String {
        let mut out = Vec::new();
        self.shell.poll(self.now, &mut out).unwrap();
        self.now = self.now.wrapping_add(milliseconds);
        self.shell.poll(self.now, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Sends a frame.
    pub fn call(&mut self, arguments: &[&str]) -> String {
        self.send(frame(arguments))
    }

    #[track_caller]
    pub fn expect(&mut self, arguments: &[&str], reply: &str) {
        assert_eq!(self.call(arguments), reply, "{arguments:?}");
    }
}

pub fn frame(arguments: &[&str]) -> String {
    let mut frame = format!("*{}\r\n", arguments.len());
    for argument in arguments {
        frame += &format!("${}\r\n{argument}\r\n", argument.len());
    }
    frame
}
