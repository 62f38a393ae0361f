//! Finds the command that arrives, and runs it: at its end, or item by item as they come.

use super::bloom_commands;
use super::call::{Call, Outcome};
use super::commands::{self, Command, Items};
use super::dump_commands;
use super::families::TOP_NAME;
use super::keyspace::KeyRef;
use super::kind::Kind;
use super::server::Server;
use super::texts;
use super::{DUMPS, FAMILIES};
use crate::hash::{HashStream, Xxh32Stream};
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
    /// Whether an item of this command changed its key.
    pub has_changed: bool,
    /// Nothing, in place of padding, around which the compiler copies with `memcpy` what it could set: 750 bytes.
    _full_word: u16,
    pub command: &'static Command,
    /// How many arguments the command has, with its name.
    count: u32,
    /// Which one comes.
    index: u32,
    /// The key of items; `None` when there is no such key, and nothing can be in it.
    pub key: Option<KeyRef>,
    /// The hash of the current item.
    pub hash: u32,
    pub stream: Xxh32Stream,
}

impl Dispatch {
    pub const fn new() -> Self {
        Self {
            command: &commands::UNKNOWN,
            count: 0,
            index: 0,
            mode: Mode::Keep,
            key: None,
            hash: 0,
            has_changed: false,
            _full_word: 0,
            stream: Xxh32Stream::STOPPED,
        }
    }

    /// Whether the current item is the last.
    pub fn is_last(&self) -> bool {
        self.index + 1 >= self.count
    }
}

impl Server<'_> {
    /// A command of so many arguments begins, its name counted.
    pub fn begin(&mut self, count: u32) {
        self.arguments.clear();
        let dispatch = &mut self.dispatch;
        dispatch.count = count;
        dispatch.index = 0;
        dispatch.mode = Mode::Keep;
    }

    /// Whether a command of one item has come up to it: its name and a key.
    pub fn is_before_only_item(&self) -> bool {
        let dispatch = &self.dispatch;
        dispatch.mode == Mode::Item && dispatch.index == 2 && !dispatch.command.is_array()
    }

    /// That command comes again, up to its item.
    pub fn repeat(&mut self) {
        self.commands = self.commands.wrapping_add(1);
        self.dispatch.index = 2;
        if let Some(key) = self.dispatch.key {
            self.start_stream(key);
        }
    }

    /// More bytes of the current argument.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let mode = self.dispatch.mode;
        if let Mode::Item | Mode::Named = mode {
            self.dispatch.stream.write(bytes);
        }
        let most = match mode {
            Mode::Keep | Mode::Number => usize::MAX,
            Mode::Named => TOP_NAME,
            Mode::Chunk if DUMPS => return dump_commands::load(self, bytes),
            Mode::Skip | Mode::Item | Mode::Chunk => return,
        };
        self.arguments.push_up_to(bytes, most);
    }

    fn start_item(&mut self) {
        if !self.dispatch.is_last()
            && let Some(key) = self.dispatch.key
        {
            self.start_stream(key);
        }
    }

    /// Starts to hash an item for this key.
    #[inline(never)]
    pub fn start_stream(&mut self, key: KeyRef) {
        self.dispatch.stream.restart(self.keyspace.hash(key));
    }
}

impl Call<'_, '_> {
    /// The current argument is complete.
    #[inline(never)]
    pub fn end_argument(&mut self) {
        if let Err(error) = self.take_argument() {
            self.error(error);
        }
        self.server.dispatch.index += 1;
    }

    fn take_argument(&mut self) -> Outcome {
        let server = &mut *self.server;
        let dispatch = &mut server.dispatch;
        match dispatch.mode {
            Mode::Keep => {
                server.arguments.end();
                if dispatch.index == 0 {
                    server.commands = server.commands.wrapping_add(1);
                    let name = server.arguments.last();
                    dispatch.command = commands::find(name).unwrap_or(&commands::UNKNOWN);
                    if !dispatch.command.takes(dispatch.count) {
                        return self.refuse();
                    }
                } else {
                    self.start_items()?;
                }
                let dispatch = &self.server.dispatch;
                if dispatch.is_last() && dispatch.mode == Mode::Keep {
                    return self.run();
                }
                Ok(())
            }
            Mode::Named => {
                server.arguments.end();
                dispatch.mode = Mode::Number;
                Ok(())
            }
            Mode::Item | Mode::Number => {
                dispatch.hash = dispatch.stream.finish();
                if dispatch.mode == Mode::Number {
                    server.arguments.end();
                    dispatch.mode = Mode::Named;
                }
                let outcome = (dispatch.command.run)(self);
                if self.server.dispatch.mode == Mode::Named {
                    self.server.arguments.clear();
                }
                self.server.start_item();
                outcome
            }
            Mode::Chunk => (dispatch.command.run)(self),
            Mode::Skip => Ok(()),
        }
    }

    /// It has too few arguments or too many: the rest is dropped.
    fn refuse(&mut self) -> Outcome {
        self.server.dispatch.mode = Mode::Skip;
        Err(texts::WRONG_ARITY)
    }

    /// Where the items of a command begin, answers what can be answered before the first.
    fn start_items(&mut self) -> Outcome {
        let server = &mut *self.server;
        let dispatch = &mut server.dispatch;
        let command = dispatch.command;
        match command.items {
            Items::None => return Ok(()),
            Items::Chunk if DUMPS => {
                if dispatch.index == 2 && !server.arguments.is_too_long() {
                    dispatch.mode = Mode::Skip;
                    dump_commands::begin_load(self)?;
                    self.server.dispatch.mode = Mode::Chunk;
                }
                return Ok(());
            }
            Items::Options => {
                let last = dispatch.index as usize;
                if last < 2 || server.arguments.which(last, texts::ITEMS).is_none() {
                    return Ok(());
                }
                server.arguments.drop_last();
            }
            _ => {}
        }
        let mut items_left = dispatch.count.saturating_sub(dispatch.index + 1);
        if server.arguments.is_too_long() || items_left == 0 {
            return Ok(());
        }
        let is_paired = FAMILIES && command.items == Items::Pairs;
        if is_paired {
            if items_left % 2 == 1 {
                return self.refuse();
            }
            items_left /= 2;
        }
        dispatch.mode = Mode::Skip;
        let key = bloom_commands::key_for_items(self)?;
        if command.is_array() && command.kind() != Kind::HyperLogLog {
            self.array(items_left);
        }
        let server = &mut *self.server;
        server.dispatch.has_changed = false;
        server.dispatch.mode = Mode::Item;
        if is_paired {
            server.arguments.clear();
            server.dispatch.mode = Mode::Named;
        }
        server.dispatch.key = key;
        server.start_item();
        Ok(())
    }

    /// All arguments are here.
    fn run(&mut self) -> Outcome {
        let command = self.server.dispatch.command;
        if self.server.arguments.is_too_long() && !command.is_unknown() {
            return Err(texts::TOO_LONG);
        }
        if command.items != Items::None {
            // Without a word ITEMS, or nothing behind it.
            return Err(texts::WRONG_ARITY);
        }
        (command.run)(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use super::super::frame::Frames;
    use super::Dispatch;

    /// Whatever the length of an item and the number of them; on a core of 32 bits it is 440.
    #[test]
    fn a_frame_takes_at_most_512_bytes_of_ram() {
        let bytes = size_of::<Frames>() + size_of::<Arguments>() + size_of::<Dispatch>();
        assert!(bytes <= 512, "{bytes}");
    }
}
