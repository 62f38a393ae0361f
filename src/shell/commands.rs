//! The commands: one table for both faces.

use super::arguments::Arguments;
use super::kind::Kind;
use super::reply::Reply;
#[cfg(feature = "embedded-storage")]
use super::save;
use super::server::Server;
use super::text::{cut, fill_in};
use super::{
    bloom_commands, dump_commands, family_commands, human_commands, key_commands, server_commands,
};

/// A command.
#[derive(Debug)]
pub(super) struct Command {
    /// `name usage\nsummary`, of which only the name must be there: in one piece, for three would take
    /// 16 bytes more each.
    text: &'static str,
    /// [`sign`] of the name, so that a search compares few names.
    sign: u8,
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
    /// As `Has`, and counts whether the other end must look it up.
    Ask,
    /// As `Add`, after options and the word `ITEMS`.
    Insert,
    CuckooAdd,
    /// As `CuckooAdd`, unless it is there.
    CuckooAddNew,
    CuckooInsert,
    CuckooInsertNew,
    CuckooHas,
    CuckooDelete,
    CuckooCount,
    /// An item and then by how much.
    CountMinIncrement,
    CountMinQuery,
    /// One answer for all items.
    HyperLogLogAdd,
    CountingAdd,
    CountingDelete,
    CountingHas,
    CountingCount,
    RotatingAdd,
    RotatingHas,
    RotatingSeen,
    /// A chunk of a dump, behind a cursor.
    Load,
}

impl What {
    /// What the key must be.
    pub fn kind(self) -> Kind {
        match self {
            Self::Add | Self::Has | Self::Seen | Self::Ask | Self::Insert | Self::Load => {
                Kind::Bloom
            }
            Self::CountMinIncrement | Self::CountMinQuery => Kind::CountMin,
            Self::HyperLogLogAdd => Kind::HyperLogLog,
            Self::CountingAdd | Self::CountingDelete | Self::CountingHas | Self::CountingCount => {
                Kind::Counting
            }
            Self::RotatingAdd | Self::RotatingHas | Self::RotatingSeen => Kind::Rotating,
            _ => Kind::Cuckoo,
        }
    }

    /// Whether nothing can change, so that no key is nothing to complain about.
    pub fn is_question(self) -> bool {
        matches!(
            self,
            Self::Has
                | Self::Ask
                | Self::CuckooHas
                | Self::CuckooCount
                | Self::CountingHas
                | Self::CountingCount
                | Self::RotatingHas
        )
    }

    /// Whether a key that is missing is made.
    pub fn makes_keys(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Seen
                | Self::Insert
                | Self::CuckooAdd
                | Self::CuckooAddNew
                | Self::CuckooInsert
                | Self::CuckooInsertNew
                | Self::HyperLogLogAdd
        )
    }

    /// Whether options and the word `ITEMS` go before the items.
    pub fn has_options(self) -> bool {
        matches!(
            self,
            Self::Insert | Self::CuckooInsert | Self::CuckooInsertNew
        )
    }
}

const fn whole(text: &'static str, arguments: (u8, u8), run: Run) -> Command {
    Command {
        text,
        sign: sign(name_of(text)),
        arguments,
        items: None,
        run: Some(run),
    }
}

const fn items(text: &'static str, arguments: (u8, u8), what: What) -> Command {
    Command {
        text,
        sign: sign(name_of(text)),
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
    items("SUNDEW.ASK key item", (3, 3), What::Ask),
    whole("SUNDEW.TOLD 0 | 1", (2, 2), bloom_commands::told),
    whole("BF.SCANDUMP key cursor", (3, 3), dump_commands::scan_dump),
    items("BF.LOADCHUNK key cursor chunk", (4, 4), What::Load),
    whole("CF.SCANDUMP key cursor", (3, 3), dump_commands::scan_dump),
    items("CF.LOADCHUNK key cursor chunk", (4, 4), What::Load),
    whole("CMS.SCANDUMP key cursor", (3, 3), dump_commands::scan_dump),
    items("CMS.LOADCHUNK key cursor chunk", (4, 4), What::Load),
    whole("SUNDEW.SCANDUMP key cursor", (3, 3), dump_commands::scan_dump),
    items("SUNDEW.LOADCHUNK key cursor chunk", (4, 4), What::Load),
    #[cfg(feature = "embedded-storage")]
    whole("SUNDEW.SAVE [stamp]", (1, 2), save::save),
    #[cfg(feature = "embedded-storage")]
    whole("SUNDEW.RESTORE", (1, 1), save::restore),
    #[cfg(feature = "embedded-storage")]
    whole("SUNDEW.LASTSAVE", (1, 1), save::last_save),
    whole("CF.RESERVE key capacity", (3, 9), family_commands::cuckoo_reserve),
    items("CF.ADD key item", (3, 3), What::CuckooAdd),
    items("CF.ADDNX key item", (3, 3), What::CuckooAddNew),
    items("CF.INSERT key [CAPACITY n] [NOCREATE] ITEMS item...", (4, 0), What::CuckooInsert),
    items("CF.INSERTNX key [CAPACITY n] [NOCREATE] ITEMS item...", (4, 0), What::CuckooInsertNew),
    items("CF.EXISTS key item", (3, 3), What::CuckooHas),
    items("CF.MEXISTS key item...", (3, 0), What::CuckooHas),
    items("CF.DEL key item", (3, 3), What::CuckooDelete),
    items("CF.COUNT key item", (3, 3), What::CuckooCount),
    whole("CF.INFO key", (2, 2), family_commands::cuckoo_info),
    whole("CMS.INITBYDIM key width depth", (4, 4), family_commands::count_min_by_dimensions),
    whole("CMS.INITBYPROB key error failure", (4, 4), family_commands::count_min_by_probability),
    items("CMS.INCRBY key item n...", (4, 0), What::CountMinIncrement),
    items("CMS.QUERY key item...", (3, 0), What::CountMinQuery),
    whole("CMS.MERGE to n key... [WEIGHTS w...]", (4, 0), family_commands::count_min_merge),
    whole("CMS.INFO key", (2, 2), family_commands::count_min_info),
    whole("SUNDEW.TOP key [n]", (2, 3), family_commands::top),
    items("PFADD key item...", (3, 0), What::HyperLogLogAdd),
    whole("PFCOUNT key...", (2, 0), family_commands::hyper_log_log_count),
    whole("PFMERGE to key...", (2, 0), family_commands::hyper_log_log_merge),
    whole("CBF.RESERVE key rate capacity", (4, 4), family_commands::counting_reserve),
    items("CBF.ADD key item", (3, 3), What::CountingAdd),
    items("CBF.DEL key item", (3, 3), What::CountingDelete),
    items("CBF.EXISTS key item", (3, 3), What::CountingHas),
    items("CBF.COUNT key item", (3, 3), What::CountingCount),
    whole("CBF.INFO key", (2, 2), family_commands::counting_info),
    whole("RBF.RESERVE key rate capacity generations [EVERY seconds | AFTER items]", (5, 7), family_commands::rotating_reserve),
    items("RBF.ADD key item", (3, 3), What::RotatingAdd),
    items("RBF.EXISTS key item", (3, 3), What::RotatingHas),
    items("RBF.SEEN key item", (3, 3), What::RotatingSeen),
    whole("RBF.ROTATE key", (2, 2), family_commands::rotating_rotate),
    whole("RBF.INFO key", (2, 2), family_commands::rotating_info),
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

/// How many of them `help` lists.
const NUM_LISTED: usize = 14;

pub(super) fn find(name: &[u8]) -> Option<&'static Command> {
    let sign = sign(name);
    // What is for people is searched last: they wait for nothing.
    let (for_people, for_clients) = COMMANDS.split_at(NUM_LISTED);
    for_clients
        .iter()
        .chain(for_people)
        .find(|command| command.sign == sign && command.is_named(name))
}

/// The name that a command's text begins with.
const fn name_of(text: &str) -> &[u8] {
    let text = text.as_bytes();
    let mut len = 0;
    while len < text.len() && text[len] > b' ' {
        len += 1;
    }
    text.split_at(len).0
}

/// A few bits of a name that are the same in upper and lower case: of its length and three of its bytes, which tell
/// nearly all commands apart.
const fn sign(name: &[u8]) -> u8 {
    let (Some(first), Some(last)) = (name.first(), name.last()) else {
        return 0;
    };
    let middle = name[name.len() / 2];
    without_case(*first)
        .wrapping_add(without_case(middle).wrapping_mul(5))
        .wrapping_add(without_case(*last).wrapping_mul(8))
        .wrapping_add((name.len() as u8).wrapping_mul(9))
}

/// The same for a letter in upper and lower case, and for no two other bytes above a space of which one is in the name
/// of a command.
const fn without_case(byte: u8) -> u8 {
    byte | 0x20
}

impl Command {
    fn is_named(&self, name: &[u8]) -> bool {
        let mut text = self.text.bytes();
        name.iter().all(|byte| {
            byte > &b' '
                && text
                    .next()
                    .is_some_and(|own| without_case(own) == without_case(*byte))
        }) && text.next().is_none_or(|end| end <= b' ')
    }

    /// In the case in which people write it; any is understood.
    #[inline(never)]
    pub fn name(&self) -> &'static [u8] {
        cut(self.lines().0, b' ').0
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_help_lists_comes_first() {
        let listed = COMMANDS.iter().map(|command| !command.lines().1.is_empty());
        assert!(listed.eq((0..COMMANDS.len()).map(|i| i < NUM_LISTED)));
    }

    #[test]
    fn every_command_is_found_by_its_name_in_any_case() {
        for command in COMMANDS {
            for name in [
                command.name().to_ascii_lowercase(),
                command.name().to_ascii_uppercase(),
            ] {
                assert_eq!(find(&name).unwrap().text, command.text);
            }
        }
        for name in [
            &b""[..],
            b"BF",
            b"BF.ADD ",
            b"BF\x0EADD",
            b"BF.ADDS",
            b"PIN\x27",
        ] {
            assert!(find(name).is_none(), "{}", name.escape_ascii());
        }
    }
}
