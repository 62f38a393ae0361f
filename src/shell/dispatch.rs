//! Finds the command that arrives, and runs it: at its end, or item by item as they come.

use super::arguments::Arguments;
use super::bloom_commands;
use super::commands::{self, Command, What};
use super::keyspace::KeyRef;
use super::reply::Reply;
use super::server::Server;
use crate::hash::{HashFunction, HashStream, Xxh32, Xxh32Stream};
use crate::key::Sink;

/// What becomes of the current argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It is kept.
    Keep,
    /// The command was answered already: it is dropped.
    Skip,
    /// It is an item: hashed as it arrives, whatever its length.
    Item,
}

/// The command that arrives.
#[derive(Debug)]
pub(super) struct Dispatch {
    mode: Mode,
    /// What to do with items.
    what: What,
    command: Option<&'static Command>,
    /// How many arguments the command has, with its name.
    count: u32,
    /// Which one comes.
    index: u32,
    /// The key of items; `None` when there is no such key, and nothing can be in it.
    key: Option<KeyRef>,
    /// The hash of the current item.
    stream: Xxh32Stream,
    arguments: Arguments,
}

impl Dispatch {
    pub const fn new() -> Self {
        Self {
            arguments: const { Arguments::new() },
            command: None,
            count: 0,
            index: 0,
            mode: Mode::Keep,
            what: What::Add,
            key: None,
            stream: Xxh32::UNSEEDED.stream_const(),
        }
    }

    /// A command of so many arguments begins, its name counted.
    pub fn begin(&mut self, count: u32) {
        self.arguments.clear();
        self.command = None;
        self.count = count;
        self.index = 0;
        self.mode = Mode::Keep;
    }

    /// More bytes of the current argument.
    pub fn bytes(&mut self, bytes: &[u8]) {
        match self.mode {
            Mode::Keep => self.arguments.push(bytes),
            Mode::Skip => {}
            Mode::Item => self.stream.write(bytes),
        }
    }

    /// The current argument is complete.
    #[inline(never)]
    pub fn end_argument(&mut self, server: &mut Server, reply: &mut Reply) {
        match self.mode {
            Mode::Keep => {
                self.arguments.end();
                if self.index == 0 {
                    self.find_command(reply);
                } else {
                    self.start_items(server, reply);
                }
                if self.index + 1 >= self.count && self.mode == Mode::Keep {
                    self.run(server, reply);
                }
            }
            Mode::Item => {
                let hash = self.stream.finish();
                bloom_commands::run_item(self.what, self.key, hash, server, reply);
                if self.index + 1 < self.count {
                    self.start_item(server);
                }
            }
            Mode::Skip => {}
        }
        self.index += 1;
    }

    #[inline(never)]
    fn start_item(&mut self, server: &Server) {
        if let Some(key) = self.key {
            self.stream = server.keyspace.stream(key);
        }
    }

    fn find_command(&mut self, reply: &mut Reply) {
        self.command = commands::find(self.arguments.last());
        if let Some(command) = self.command
            && !command.takes(self.count)
        {
            commands::wrong_arity(command, reply);
            self.mode = Mode::Skip;
        }
    }

    /// Where the items of a command begin, answers what can be answered before the first.
    fn start_items(&mut self, server: &mut Server, reply: &mut Reply) {
        let Some(command) = self.command else {
            return;
        };
        let Some(what) = command.items else {
            return;
        };
        if what == What::Insert {
            if self.index < 2 || !self.arguments.last().eq_ignore_ascii_case(b"ITEMS") {
                return;
            }
            self.arguments.drop_last();
        }
        let items_left = self.count.saturating_sub(self.index + 1);
        if self.arguments.is_too_long() || items_left == 0 {
            return;
        }
        self.mode = Mode::Skip;
        if let Ok(key) = bloom_commands::key_for_items(what, &self.arguments, server, reply) {
            if command.is_array() {
                reply.array(items_left);
            }
            self.mode = Mode::Item;
            self.what = what;
            self.key = key;
            self.start_item(server);
        }
    }

    /// All arguments are here.
    fn run(&mut self, server: &mut Server, reply: &mut Reply) {
        match self.command {
            None => commands::unknown(&self.arguments, reply),
            Some(_) if self.arguments.is_too_long() => {
                reply.error("arguments other than items have room for 256 bytes and 16 of them");
            }
            Some(command) => match command.run {
                Some(run) => run(server, &self.arguments, reply),
                // Without a word ITEMS, or nothing behind it.
                None => commands::wrong_arity(command, reply),
            },
        }
    }
}
