//! The commands: one table for both faces.

use super::arguments::Arguments;
use super::reply::Reply;
use super::server::Server;
use super::text::{cut, fill_in};
use super::{bloom_commands, human_commands, key_commands, server_commands};

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// `name usage\nsummary`, of which only the name must be there: in one piece, for three would take
    /// 16 bytes more each.
    text: &'static str,
    name_length: u8,
    /// The fewest and the most arguments, with the name; 0 for any number.
    arguments: (u8, u8),
    /// What to do with each item, for commands that take them one by one as they arrive.
    pub items: Option<What>,
    /// Runs with all its arguments; `None` when there must be items.
    pub run: Option<Run>,
}

pub(super) type Run = fn(&mut Server, &Arguments, &mut Reply);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Yes when it is new.
    Add,
    /// Yes when it is there.
    Has,
    /// Adds it; yes when it was there.
    Seen,
    /// As `Add`, after options and the word `ITEMS`.
    Insert,
}

const fn name_length(text: &str) -> u8 {
    let text = text.as_bytes();
    let mut length = 0;
    while length < text.len() && text[length] > b' ' {
        length += 1;
    }
    length as u8
}

const fn whole(text: &'static str, arguments: (u8, u8), run: Run) -> Command {
    Command {
        text,
        name_length: name_length(text),
        arguments,
        items: None,
        run: Some(run),
    }
}

const fn items(text: &'static str, arguments: (u8, u8), what: What) -> Command {
    Command {
        text,
        name_length: name_length(text),
        arguments,
        items: Some(what),
        run: None,
    }
}

/// What `help` lists comes first, in its order.
#[rustfmt::skip] // One line each.
pub(super) static COMMANDS: &[Command] = &[
    items("add key item...\nremember items", (3, 0), What::Add),
    items("has key item...\nask for items", (3, 0), What::Has),
    items("seen key item...\nask and remember", (3, 0), What::Seen),
    whole("stats [key]\nhow full, how often wrong", (1, 2), human_commands::stats),
    whole("fill key\ndraw how full the blocks are", (2, 2), human_commands::fill),
    whole("keys [pattern]\nlist the keys", (1, 2), key_commands::keys),
    whole("plan items rate\nRAM for so many at 1%", (3, 3), human_commands::plan),
    whole("clear key\nforget a key's items", (2, 2), human_commands::clear),
    whole("del key...\nremove keys", (2, 0), key_commands::del),
    whole("bench\ntime of one lookup here", (1, 1), human_commands::bench),
    whole("info\nabout the device", (1, 0), server_commands::info),
    whole("version\nof this firmware", (1, 1), server_commands::version),
    whole("help [command]\nthis, or more of one", (1, 2), human_commands::help),
    whole("quit\nend the conversation", (1, 1), server_commands::quit),
    whole("BF.RESERVE key rate capacity [EXPANSION n | NONSCALING]", (4, 7), bloom_commands::reserve),
    items("BF.ADD key item", (3, 3), What::Add),
    items("BF.MADD key item...", (3, 0), What::Add),
    items("BF.EXISTS key item", (3, 3), What::Has),
    items("BF.MEXISTS key item...", (3, 0), What::Has),
    items("BF.INSERT key [CAPACITY n] [ERROR r] [EXPANSION n] [NOCREATE] [NONSCALING] ITEMS item...", (4, 0), What::Insert),
    whole("BF.INFO key [field]", (2, 3), bloom_commands::info),
    whole("BF.CARD key", (2, 2), bloom_commands::card),
    whole("BF.DEBUG key", (2, 2), bloom_commands::debug),
    items("SUNDEW.SEEN key item", (3, 3), What::Seen),
    whole("PING [message]", (1, 2), server_commands::ping),
    whole("ECHO message", (2, 2), server_commands::echo),
    whole("HELLO [2 | 3]", (1, 0), server_commands::hello),
    whole("COMMAND [COUNT | DOCS]", (1, 0), server_commands::command),
    whole("CLIENT subcommand", (2, 0), server_commands::client),
    whole("CONFIG GET name", (2, 0), server_commands::config),
    whole("SELECT 0", (2, 2), server_commands::select),
    whole("DBSIZE", (1, 1), key_commands::dbsize),
    whole("SCAN cursor [MATCH pattern] [COUNT n] [TYPE t]", (2, 0), key_commands::scan),
    whole("TYPE key", (2, 2), key_commands::type_of),
    whole("EXISTS key...", (2, 0), key_commands::exists),
    whole("UNLINK key...", (2, 0), key_commands::del),
    whole("FLUSHDB", (1, 2), key_commands::flush),
    whole("FLUSHALL", (1, 2), key_commands::flush),
    whole("MEMORY USAGE key", (2, 0), key_commands::memory),
    whole("RESET", (1, 1), server_commands::reset),
];

pub(super) fn find(name: &[u8]) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| command.name().eq_ignore_ascii_case(name))
}

impl Command {
    /// In the case in which people write it; any is understood.
    pub fn name(&self) -> &'static [u8] {
        let length = usize::from(self.name_length);
        self.text.as_bytes().get(..length).unwrap_or(&[])
    }

    /// What to write behind the name.
    pub fn usage(&self) -> &'static [u8] {
        cut(self.lines().0, b' ').1
    }

    /// The name with what to write behind it, and what `help` says, which is empty for what is there for clients
    /// only.
    #[inline(never)]
    pub fn lines(&self) -> (&'static [u8], &'static [u8]) {
        cut(self.text.as_bytes(), b'\n')
    }

    /// Whether the command may have so many arguments, its name counted.
    pub fn takes(&self, count: u32) -> bool {
        let (fewest, most) = self.arguments;
        count >= u32::from(fewest) && (most == 0 || count <= u32::from(most))
    }

    /// Whether its answers are an array, whatever their number.
    pub fn is_array(&self) -> bool {
        self.arguments.1 == 0
    }

    /// The fewest arguments, and whether there may be more.
    pub fn arity(&self) -> (u32, bool) {
        let (fewest, most) = self.arguments;
        (u32::from(fewest), fewest != most)
    }
}

#[cold]
#[inline(never)]
pub(super) fn wrong_arity(command: &Command, reply: &mut Reply) {
    let template = "wrong number of arguments for '%l' command";
    reply.error_of(template, command.name(), &[]);
}

#[cold]
pub(super) fn unknown(arguments: &Arguments, reply: &mut Reply) {
    reply.error_by(&|out| {
        let template = "ERR unknown command '%s', with args beginning with: ";
        fill_in(out, template, arguments.get(0), &[]);
        for argument in arguments.from(1).take(2) {
            fill_in(out, "'%s' ", argument, &[]);
        }
    });
}
