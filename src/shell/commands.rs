//! The commands: one table for both faces.

use super::arguments::Arguments;
use super::reply::Reply;
use super::server::Server;
use super::{bloom_commands, human_commands, key_commands, server_commands};

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// In the case in which people write it; any is understood.
    pub name: &'static str,
    /// The fewest and the most arguments, with the name; 0 for any number.
    arguments: (u8, u8),
    pub run: Run,
    /// What to write behind the name.
    pub usage: &'static str,
    /// What `help` says; empty for what is there for clients only.
    pub summary: &'static str,
}

/// How a command runs.
#[derive(Debug)]
pub(super) enum Run {
    /// With all its arguments.
    Whole(fn(&mut Server, &Arguments, &mut Reply)),
    /// Item by item.
    Items(ItemCommand),
}

/// What to do with each item.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemCommand {
    pub what: What,
    /// Whether the answers are an array, whatever their number.
    pub is_array: bool,
    /// Whether options and the word `ITEMS` go before the items.
    pub has_options: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Yes when it is new.
    Add,
    /// Yes when it is there.
    Has,
    /// Adds it; yes when it was there.
    Seen,
}

const fn items(what: What, is_array: bool) -> Run {
    Run::Items(ItemCommand {
        what,
        is_array,
        has_options: false,
    })
}

const fn command(
    name: &'static str,
    arguments: (u8, u8),
    run: Run,
    usage: &'static str,
    summary: &'static str,
) -> Command {
    Command {
        name,
        arguments,
        run,
        usage,
        summary,
    }
}

const INSERT: Run = Run::Items(ItemCommand {
    what: What::Add,
    is_array: true,
    has_options: true,
});

/// What `help` lists comes first, in its order.
pub(super) static COMMANDS: &[Command] = {
    use Run::Whole;
    &[
        command(
            "add",
            (3, 0),
            items(What::Add, true),
            "key item...",
            "remember items",
        ),
        command(
            "has",
            (3, 0),
            items(What::Has, true),
            "key item...",
            "ask for items",
        ),
        command(
            "seen",
            (3, 0),
            items(What::Seen, true),
            "key item...",
            "ask and remember",
        ),
        command(
            "stats",
            (1, 2),
            Whole(human_commands::stats),
            "[key]",
            "how full, how often wrong",
        ),
        command(
            "fill",
            (2, 2),
            Whole(human_commands::fill),
            "key",
            "draw how full the blocks are",
        ),
        command(
            "keys",
            (1, 2),
            Whole(key_commands::keys),
            "[pattern]",
            "list the keys",
        ),
        command(
            "plan",
            (3, 3),
            Whole(human_commands::plan),
            "items rate",
            "RAM for so many at 1%",
        ),
        command(
            "clear",
            (2, 2),
            Whole(human_commands::clear),
            "key",
            "forget a key's items",
        ),
        command(
            "del",
            (2, 0),
            Whole(key_commands::del),
            "key...",
            "remove keys",
        ),
        command(
            "bench",
            (1, 1),
            Whole(human_commands::bench),
            "",
            "time of one lookup here",
        ),
        command(
            "info",
            (1, 0),
            Whole(server_commands::info),
            "",
            "about the device",
        ),
        command(
            "version",
            (1, 1),
            Whole(server_commands::version),
            "",
            "of this firmware",
        ),
        command(
            "help",
            (1, 2),
            Whole(human_commands::help),
            "[command]",
            "this, or more of one",
        ),
        command(
            "quit",
            (1, 1),
            Whole(server_commands::quit),
            "",
            "end the conversation",
        ),
        command(
            "BF.RESERVE",
            (4, 7),
            Whole(bloom_commands::reserve),
            "key rate capacity [EXPANSION n | NONSCALING]",
            "",
        ),
        command("BF.ADD", (3, 3), items(What::Add, false), "key item", ""),
        command("BF.MADD", (3, 0), items(What::Add, true), "key item...", ""),
        command("BF.EXISTS", (3, 3), items(What::Has, false), "key item", ""),
        command(
            "BF.MEXISTS",
            (3, 0),
            items(What::Has, true),
            "key item...",
            "",
        ),
        command(
            "BF.INSERT",
            (4, 0),
            INSERT,
            "key [CAPACITY n] [ERROR r] [EXPANSION n] [NOCREATE] [NONSCALING] ITEMS item...",
            "",
        ),
        command(
            "BF.INFO",
            (2, 3),
            Whole(bloom_commands::info),
            "key [field]",
            "",
        ),
        command("BF.CARD", (2, 2), Whole(bloom_commands::card), "key", ""),
        command("BF.DEBUG", (2, 2), Whole(bloom_commands::debug), "key", ""),
        command(
            "SUNDEW.SEEN",
            (3, 3),
            items(What::Seen, false),
            "key item",
            "",
        ),
        command(
            "PING",
            (1, 2),
            Whole(server_commands::ping),
            "[message]",
            "",
        ),
        command("ECHO", (2, 2), Whole(server_commands::echo), "message", ""),
        command(
            "HELLO",
            (1, 0),
            Whole(server_commands::hello),
            "[2 | 3]",
            "",
        ),
        command(
            "COMMAND",
            (1, 0),
            Whole(server_commands::command),
            "[COUNT | DOCS]",
            "",
        ),
        command(
            "CLIENT",
            (2, 0),
            Whole(server_commands::client),
            "subcommand",
            "",
        ),
        command(
            "CONFIG",
            (2, 0),
            Whole(server_commands::config),
            "GET name",
            "",
        ),
        command("SELECT", (2, 2), Whole(server_commands::select), "0", ""),
        command("DBSIZE", (1, 1), Whole(key_commands::dbsize), "", ""),
        command(
            "SCAN",
            (2, 0),
            Whole(key_commands::scan),
            "cursor [MATCH pattern] [COUNT n] [TYPE t]",
            "",
        ),
        command("TYPE", (2, 2), Whole(key_commands::type_of), "key", ""),
        command("EXISTS", (2, 0), Whole(key_commands::exists), "key...", ""),
        command("UNLINK", (2, 0), Whole(key_commands::del), "key...", ""),
        command("FLUSHDB", (1, 2), Whole(key_commands::flush), "", ""),
        command("FLUSHALL", (1, 2), Whole(key_commands::flush), "", ""),
        command(
            "MEMORY",
            (2, 0),
            Whole(key_commands::memory),
            "USAGE key",
            "",
        ),
        command("RESET", (1, 1), Whole(server_commands::reset), "", ""),
    ]
};

pub(super) fn find(name: &[u8]) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| command.name.as_bytes().eq_ignore_ascii_case(name))
}

impl Command {
    /// Whether the command may have so many arguments, its name counted.
    pub fn takes(&self, count: u32) -> bool {
        let (fewest, most) = self.arguments;
        count >= u32::from(fewest) && (most == 0 || count <= u32::from(most))
    }

    /// The number of arguments as Redis tells it: negative when there may be more.
    pub fn arity(&self) -> (bool, u32) {
        (
            self.arguments.0 != self.arguments.1,
            u32::from(self.arguments.0),
        )
    }
}

pub(super) fn wrong_arity(command: &Command, reply: &mut Reply) {
    let mut lower = [0; 16];
    let lower = match lower.get_mut(..command.name.len()) {
        Some(lower) => {
            lower.copy_from_slice(command.name.as_bytes());
            lower.make_ascii_lowercase();
            &*lower
        }
        None => command.name.as_bytes(),
    };
    reply.error_of(&[b"ERR wrong number of arguments for '", lower, b"' command"]);
}

pub(super) fn unknown(arguments: &Arguments, reply: &mut Reply) {
    let [a, b] = [arguments.get(1), arguments.get(2)];
    let [open, close] = [&b"'"[..], b"' "];
    let [open_b, close_b] = if arguments.len() > 2 {
        [open, close]
    } else {
        [&b""[..], b""]
    };
    let [open_a, close_a] = if arguments.len() > 1 {
        [open, close]
    } else {
        [&b""[..], b""]
    };
    reply.error_of(&[
        b"ERR unknown command '",
        arguments.get(0),
        b"', with args beginning with: ",
        open_a,
        a,
        close_a,
        open_b,
        b,
        close_b,
    ]);
}
