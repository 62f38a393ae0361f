//! Finds the command that arrives, and runs it: at its end, or item by item as they come.

use super::arguments::Arguments;
use super::bloom_commands;
use super::commands::{self, Command, What};
use super::dump_commands;
use super::families::TOP_NAME;
use super::family_commands;
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
    /// It is an item whose first bytes are kept, too.
    Named,
    /// It is kept, and says how often to count the item before it.
    Number,
    /// It is a chunk of a dump: loaded as it arrives.
    Chunk,
}

/// The command that arrives.
// In this order: what is near the start takes shorter instructions.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Dispatch {
    mode: Mode,
    /// What to do with items.
    what: What,
    /// Whether an item of this command changed its key.
    has_changed: bool,
    /// Nothing, in place of padding, around which the compiler copies with `memcpy` what it could set: 750 bytes.
    _full_word: u8,
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
            has_changed: false,
            _full_word: 0,
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
    pub fn bytes(&mut self, bytes: &[u8], server: &mut Server) {
        match self.mode {
            Mode::Keep | Mode::Number => self.arguments.push(bytes),
            Mode::Skip => {}
            Mode::Item => self.stream.write(bytes),
            Mode::Named => {
                self.stream.write(bytes);
                self.arguments.push_up_to(bytes, TOP_NAME);
            }
            Mode::Chunk => dump_commands::load(server, &self.arguments, bytes),
        }
    }

    /// The current argument is complete.
    #[inline(never)]
    pub fn end_argument(&mut self, server: &mut Server, reply: &mut Reply) {
        match self.mode {
            Mode::Keep => {
                self.arguments.end();
                if self.index == 0 {
                    server.commands = server.commands.wrapping_add(1);
                    self.find_command(reply);
                } else {
                    self.start_items(server, reply);
                }
                if self.index + 1 >= self.count && self.mode == Mode::Keep {
                    self.run(server, reply);
                }
            }
            Mode::Named => {
                self.arguments.end();
                self.mode = Mode::Number;
            }
            Mode::Item => {
                let hash = self.stream.finish();
                if self.what == What::HyperLogLogAdd {
                    self.count_item(hash, server, reply);
                } else {
                    bloom_commands::run_item(self.what, self.key, hash, server, reply);
                }
                self.start_item(server);
            }
            Mode::Number => {
                self.arguments.end();
                let hash = self.stream.finish();
                family_commands::increment(self.key, hash, &self.arguments, server, reply);
                self.arguments.clear();
                self.mode = Mode::Named;
                self.start_item(server);
            }
            Mode::Chunk => dump_commands::end_load(server, &self.arguments, reply),
            Mode::Skip => {}
        }
        self.index += 1;
    }

    /// PFADD answers once, after the last item: whether one of them changed the key.
    fn count_item(&mut self, hash: u32, server: &mut Server, reply: &mut Reply) {
        if let Some(key) = self.key {
            self.has_changed |= server.keyspace.add_to_hyper_log_log(key, hash);
        }
        if self.index + 1 >= self.count {
            reply.integer(self.has_changed.into());
        }
    }

    #[inline(never)]
    fn start_item(&mut self, server: &Server) {
        if self.index + 1 < self.count
            && let Some(key) = self.key
        {
            self.stream.restart(server.keyspace.hash(key));
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
        if what == What::Load {
            if self.index == 2 {
                let is_taken = !self.arguments.is_too_long()
                    && dump_commands::begin_load(server, &self.arguments, reply);
                self.mode = if is_taken { Mode::Chunk } else { Mode::Skip };
            }
            return;
        }
        if what.has_options() {
            if self.index < 2 || !self.arguments.last().eq_ignore_ascii_case(b"ITEMS") {
                return;
            }
            self.arguments.drop_last();
        }
        let mut items_left = self.count.saturating_sub(self.index + 1);
        if self.arguments.is_too_long() || items_left == 0 {
            return;
        }
        if what == What::CountMinIncrement {
            if items_left % 2 == 1 {
                self.mode = Mode::Skip;
                return commands::wrong_arity(command, reply);
            }
            items_left /= 2;
        }
        self.mode = Mode::Skip;
        if let Ok(key) = bloom_commands::key_for_items(what, &self.arguments, server, reply) {
            if command.is_array() && what != What::HyperLogLogAdd {
                reply.array(items_left);
            }
            self.has_changed = false;
            self.mode = Mode::Item;
            if what == What::CountMinIncrement {
                self.arguments.clear();
                self.mode = Mode::Named;
            }
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
