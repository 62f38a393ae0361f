//! The commands: one table for both faces.

use super::call::{Call, Outcome};
use super::kind::Kind;
#[cfg(feature = "shell-saves")]
use super::save;
use super::text::Text;
use super::{
    DUMPS, FAMILIES, bloom_commands, dump_commands, family_commands, human_commands, key_commands,
    server_commands,
};

/// A command as the table has it.
pub(super) struct Plain {
    /// Name, usage and, for what `help` lists, a summary, between tabs.
    pub text: &'static str,
    /// The fewest and the most arguments, with the name; 0 for any number.
    arguments: (u8, u8),
    kind: Kind,
    items: Items,
    run: Run,
}

/// A command in eight bytes.
#[derive(Debug)]
pub(super) struct Command {
    /// Where its text begins and, in the highest three bits, the fewest arguments.
    text_and_fewest: u16,
    /// The most arguments; above these four bits the number of its kind and, in the highest bit, whether the first
    /// argument is a key.
    most_and_kind: u8,
    pub items: Items,
    /// Runs with all its arguments, or with every item.
    pub run: Run,
}

pub(super) type Run = fn(&mut Call) -> Outcome;

/// How a command takes items: one by one, as they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Items {
    /// It has none.
    None,
    /// Nothing can change, so that a key that is missing is nothing to complain about.
    Ask,
    /// They may change the key.
    Change,
    /// The same, and a key that is missing is made.
    Make,
    /// The same, and options and the word `ITEMS` go before them.
    Options,
    /// Every item has a number behind it.
    Pairs,
    /// The item is a chunk of a dump.
    Chunk,
}

const fn whole(text: &'static str, arguments: (u8, u8), run: Run) -> Plain {
    items(text, arguments, Kind::Bloom, Items::None, run)
}

const fn items(
    text: &'static str,
    arguments: (u8, u8),
    kind: Kind,
    items: Items,
    run: Run,
) -> Plain {
    Plain {
        text,
        arguments,
        kind,
        items,
        run,
    }
}

/// Bloom filters.
#[rustfmt::skip] // One line each.
const BLOOM: &[Plain] = &[
    whole("BF.RESERVE\tkey rate capacity [EXPANSION n | NONSCALING]", (4, 7), bloom_commands::reserve),
    items("BF.ADD\tkey item", (3, 3), Kind::Bloom, Items::Make, bloom_commands::add),
    items("BF.MADD\tkey item...", (3, 0), Kind::Bloom, Items::Make, bloom_commands::add),
    items("BF.EXISTS\tkey item", (3, 3), Kind::Bloom, Items::Ask, family_commands::has),
    items("BF.MEXISTS\tkey item...", (3, 0), Kind::Bloom, Items::Ask, family_commands::has),
    items("BF.INSERT\tkey [CAPACITY n] [ERROR r] [EXPANSION n] [NOCREATE] [NONSCALING] ITEMS item...", (4, 0), Kind::Bloom, Items::Options, bloom_commands::add),
    whole("BF.INFO\tkey [field]", (2, 3), bloom_commands::info),
    whole("BF.CARD\tkey", (2, 2), bloom_commands::card),
    whole("BF.DEBUG\tkey", (2, 2), bloom_commands::debug),
    items("SUNDEW.SEEN\tkey item", (3, 3), Kind::Bloom, Items::Make, bloom_commands::seen),
    items("SUNDEW.ASK\tkey item", (3, 3), Kind::Bloom, Items::Ask, bloom_commands::ask),
    whole("SUNDEW.TOLD\t0 | 1", (2, 2), bloom_commands::told),
];

/// Dumps of keys.
#[rustfmt::skip] // One line each.
const DUMP: &[Plain] = &[
    whole("BF.SCANDUMP\tkey cursor", (3, 3), dump_commands::scan_dump),
    items("BF.LOADCHUNK\tkey cursor chunk", (4, 4), Kind::Bloom, Items::Chunk, dump_commands::end_load),
    items("CF.SCANDUMP\tkey cursor", (3, 3), Kind::Cuckoo, Items::None, dump_commands::scan_dump),
    items("CF.LOADCHUNK\tkey cursor chunk", (4, 4), Kind::Cuckoo, Items::Chunk, dump_commands::end_load),
    items("CMS.SCANDUMP\tkey cursor", (3, 3), Kind::CountMin, Items::None, dump_commands::scan_dump),
    items("CMS.LOADCHUNK\tkey cursor chunk", (4, 4), Kind::CountMin, Items::Chunk, dump_commands::end_load),
    whole("SUNDEW.SCANDUMP\tkey cursor", (3, 3), dump_commands::scan_dump),
    items("SUNDEW.LOADCHUNK\tkey cursor chunk", (4, 4), Kind::Bloom, Items::Chunk, dump_commands::end_load),
];

#[cfg(not(feature = "shell-saves"))]
const SAVE: &[Plain] = &[];
/// Saves in flash.
#[cfg(feature = "shell-saves")]
#[rustfmt::skip] // One line each.
const SAVE: &[Plain] = &[
    whole("SUNDEW.SAVE\t[stamp]", (1, 2), save::save),
    whole("SUNDEW.RESTORE", (1, 1), save::restore),
    whole("SUNDEW.LASTSAVE", (1, 1), save::last_save),
];

/// The other kinds of keys.
#[rustfmt::skip] // One line each.
const FAMILY: &[Plain] = &[
    whole("CF.RESERVE\tkey capacity", (3, 9), family_commands::cuckoo_reserve),
    items("CF.ADD\tkey item", (3, 3), Kind::Cuckoo, Items::Make, family_commands::cuckoo_add),
    items("CF.ADDNX\tkey item", (3, 3), Kind::Cuckoo, Items::Make, family_commands::cuckoo_add_new),
    items("CF.INSERT\tkey [CAPACITY n] [NOCREATE] ITEMS item...", (4, 0), Kind::Cuckoo, Items::Options, family_commands::cuckoo_add),
    items("CF.INSERTNX\tkey [CAPACITY n] [NOCREATE] ITEMS item...", (4, 0), Kind::Cuckoo, Items::Options, family_commands::cuckoo_add_new),
    items("CF.EXISTS\tkey item", (3, 3), Kind::Cuckoo, Items::Ask, family_commands::has),
    items("CF.MEXISTS\tkey item...", (3, 0), Kind::Cuckoo, Items::Ask, family_commands::has),
    items("CF.DEL\tkey item", (3, 3), Kind::Cuckoo, Items::Change, family_commands::delete),
    items("CF.COUNT\tkey item", (3, 3), Kind::Cuckoo, Items::Ask, family_commands::count),
    items("CF.INFO\tkey", (2, 2), Kind::Cuckoo, Items::None, family_commands::info),
    whole("CMS.INITBYDIM\tkey width depth", (4, 4), family_commands::count_min_by_dimensions),
    whole("CMS.INITBYPROB\tkey error failure", (4, 4), family_commands::count_min_by_probability),
    items("CMS.INCRBY\tkey item n...", (4, 0), Kind::CountMin, Items::Pairs, family_commands::increment),
    items("CMS.QUERY\tkey item...", (3, 0), Kind::CountMin, Items::Change, family_commands::count),
    whole("CMS.MERGE\tto n key... [WEIGHTS w...]", (4, 0), family_commands::count_min_merge),
    items("CMS.INFO\tkey", (2, 2), Kind::CountMin, Items::None, family_commands::info),
    whole("SUNDEW.TOP\tkey [n]", (2, 3), family_commands::top),
    items("PFADD\tkey item...", (3, 0), Kind::HyperLogLog, Items::Make, family_commands::hyper_log_log_add),
    whole("PFCOUNT\tkey...", (2, 0), family_commands::hyper_log_log_count),
    whole("PFMERGE\tto key...", (2, 0), family_commands::hyper_log_log_merge),
    items("CBF.RESERVE\tkey rate capacity", (4, 4), Kind::Counting, Items::None, bloom_commands::reserve),
    items("CBF.ADD\tkey item", (3, 3), Kind::Counting, Items::Change, family_commands::add),
    items("CBF.DEL\tkey item", (3, 3), Kind::Counting, Items::Change, family_commands::delete),
    items("CBF.EXISTS\tkey item", (3, 3), Kind::Counting, Items::Ask, family_commands::has),
    items("CBF.COUNT\tkey item", (3, 3), Kind::Counting, Items::Ask, family_commands::count),
    items("CBF.INFO\tkey", (2, 2), Kind::Counting, Items::None, family_commands::info),
    whole("RBF.RESERVE\tkey rate capacity generations [EVERY seconds | AFTER items]", (5, 7), family_commands::rotating_reserve),
    items("RBF.ADD\tkey item", (3, 3), Kind::Rotating, Items::Change, family_commands::add),
    items("RBF.EXISTS\tkey item", (3, 3), Kind::Rotating, Items::Ask, family_commands::has),
    items("RBF.SEEN\tkey item", (3, 3), Kind::Rotating, Items::Change, family_commands::rotating_seen),
    whole("RBF.ROTATE\tkey", (2, 2), family_commands::rotating_rotate),
    items("RBF.INFO\tkey", (2, 2), Kind::Rotating, Items::None, family_commands::info),
];

/// The device and its keys.
#[rustfmt::skip] // One line each.
const SERVER: &[Plain] = &[
    whole("PING\t[message]", (1, 2), server_commands::ping),
    whole("ECHO\tmessage", (2, 2), server_commands::echo),
    whole("HELLO\t[2 | 3]", (1, 0), server_commands::hello),
    whole("COMMAND\t[COUNT | DOCS]", (1, 0), server_commands::command),
    whole("CLIENT\tsubcommand", (2, 0), server_commands::client),
    whole("CONFIG\tGET name", (2, 0), server_commands::config),
    whole("SELECT\t0", (2, 2), server_commands::select),
    whole("DBSIZE", (1, 1), key_commands::dbsize),
    whole("SCAN\tcursor [MATCH pattern] [COUNT n] [TYPE t]", (2, 0), key_commands::scan),
    whole("TYPE\tkey", (2, 2), key_commands::type_of),
    whole("EXISTS\tkey...", (2, 0), key_commands::exists),
    whole("UNLINK\tkey...", (2, 0), key_commands::del),
    whole("FLUSHDB", (1, 2), key_commands::flush),
    whole("FLUSHALL", (1, 2), key_commands::flush),
    whole("MEMORY\tUSAGE key", (2, 0), key_commands::memory),
    whole("RESET", (1, 1), server_commands::reset),
];

/// What `help` lists, in its order.
#[rustfmt::skip] // One line each.
const PEOPLE: &[Plain] = &[
    items("add\tkey item...\tremember items", (3, 0), Kind::Bloom, Items::Make, bloom_commands::add),
    items("has\tkey item...\task for items", (3, 0), Kind::Bloom, Items::Ask, family_commands::has),
    items("seen\tkey item...\task and remember", (3, 0), Kind::Bloom, Items::Make, bloom_commands::seen),
    whole("stats\t[key]\thow full, how often wrong", (1, 2), human_commands::stats),
    whole("fill\tkey\tdraw how full the blocks are", (2, 2), human_commands::fill),
    whole("keys\t[pattern]\tlist the keys", (1, 2), key_commands::keys),
    whole("plan\titems rate\tRAM for so many at 1%", (3, 3), human_commands::plan),
    whole("clear\tkey\tforget a key's items", (2, 2), human_commands::clear),
    whole("del\tkey...\tremove keys", (2, 0), key_commands::del),
    whole("bench\t\ttime of one lookup here", (1, 1), human_commands::bench),
    whole("info\t\tabout the device", (1, 0), server_commands::info),
    whole("version\t\tof this firmware", (1, 1), server_commands::version),
    whole("help\t[command]\tthis, or more of one", (1, 2), human_commands::help),
    whole("quit\t\tend the conversation", (1, 1), server_commands::quit),
];

/// People's come last: they do not mind the longer search.
const GROUPS: &[&[Plain]] = &[
    BLOOM,
    if DUMPS { DUMP } else { &[] },
    SAVE,
    if FAMILIES { FAMILY } else { &[] },
    SERVER,
    PEOPLE,
];

/// In how many images the command with this number is, as `IN_IMAGES` has it for [`texts`](super::texts).
#[cfg(all(test, feature = "shell-saves"))]
pub(super) fn in_images(number: usize) -> usize {
    let weights = [3, 1, 1, 2, 3, 3];
    let each = |(group, weight): (&&[Plain], usize)| vec![weight; group.len()];
    let all: Vec<usize> = GROUPS.iter().zip(weights).flat_map(each).collect();
    all[number]
}

/// How many commands there are.
pub(super) const COUNT: usize = {
    let (mut group, mut count) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// The number of the first that `help` lists.
pub(super) const FIRST_LISTED: usize = COUNT - PEOPLE.len();

/// The command with this number, as it was written.
pub(super) const fn plain(number: usize) -> &'static Plain {
    let (mut group, mut number) = (0, number);
    while number >= GROUPS[group].len() {
        number -= GROUPS[group].len();
        group += 1;
    }
    &GROUPS[group][number]
}

pub(super) static COMMANDS: [Command; COUNT] = {
    let mut commands = [const { Command::new(0) }; COUNT];
    let mut i = 0;
    while i < commands.len() {
        commands[i] = Command::new(i);
        i += 1;
    }
    commands
};

/// In place of a command that there is not.
pub(super) static UNKNOWN: Command = Command {
    text_and_fewest: 0,
    most_and_kind: 0,
    items: Items::None,
    run: server_commands::unknown,
};

/// The [`sum`] of each name, so that hardly any name has to be unpacked that is not the right one.
static SUMS: [u8; COUNT] = {
    let mut sums = [0; COUNT];
    let mut i = 0;
    while i < sums.len() {
        sums[i] = sum(name_of(plain(i).text));
        i += 1;
    }
    sums
};

/// The same for a name in upper and lower case.
const fn sum(name: &[u8]) -> u8 {
    let (mut sum, mut i) = (0_u8, 0);
    while i < name.len() {
        sum = sum.wrapping_mul(3).wrapping_add(without_case(name[i]));
        i += 1;
    }
    sum
}

pub(super) fn find(name: &[u8]) -> Option<&'static Command> {
    let sum = sum(name);
    let mut commands = SUMS.iter().zip(&COMMANDS);
    let found = commands.find(|(own, command)| **own == sum && command.is_named(name));
    found.map(|(_, command)| command)
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

/// The same for a letter in upper and lower case, and for no two other bytes above a space of which one is in the name
/// of a command.
const fn without_case(byte: u8) -> u8 {
    byte | 0x20
}

impl Command {
    const fn new(number: usize) -> Self {
        let Plain {
            text,
            arguments: (fewest, most),
            kind,
            items,
            run,
        } = *plain(number);
        let text_start = Text::of_command(number).start() as u16;
        assert!(text_start < 1 << TEXT_BITS && fewest < 8 && most < 16);
        let name_length = name_of(text).len();
        assert!(name_length <= LONGEST);
        // No other usage begins with this letter.
        let has_key = text.len() > name_length + 1 && text.as_bytes()[name_length + 1] == b'k';
        Self {
            text_and_fewest: (fewest as u16) << TEXT_BITS | text_start,
            most_and_kind: (has_key as u8) << 7 | (kind as u8) << 4 | most,
            items,
            run,
        }
    }

    /// Whether it is [`UNKNOWN`].
    pub fn is_unknown(&self) -> bool {
        self.text_and_fewest == 0
    }

    /// Name, usage and summary, between tabs.
    pub fn text(&self) -> Text {
        Text::at(u32::from(self.text_and_fewest) & ((1 << TEXT_BITS) - 1))
    }

    /// What the key must be.
    pub fn kind(&self) -> Kind {
        Kind::of_number((self.most_and_kind >> 4 & 7).into())
    }

    /// Whether this is its name, in whatever case.
    #[inline(never)]
    pub fn is_named(&self, name: &[u8]) -> bool {
        let mut text = self.text().bytes();
        for byte in name {
            let own = text.next_or_end() as u8;
            if own.min(*byte) <= b' ' || without_case(own) != without_case(*byte) {
                return false;
            }
        }
        text.next_or_end() <= u32::from(b' ')
    }

    /// Its name in the case in which people write it; any is understood.
    pub fn name<'b>(&self, room: &'b mut [u8; LONGEST]) -> &'b [u8] {
        let mut length = 0;
        for byte in self.text().bytes() {
            if byte <= b' ' || length == room.len() {
                break;
            }
            room[length] = byte;
            length += 1;
        }
        room.get(..length).unwrap_or(&[])
    }

    fn fewest_and_most(&self) -> (u32, u32) {
        (
            (self.text_and_fewest >> TEXT_BITS).into(),
            (self.most_and_kind & 15).into(),
        )
    }

    /// Whether the command may have so many arguments, its name counted.
    pub fn takes(&self, count: u32) -> bool {
        let (fewest, most) = self.fewest_and_most();
        count >= fewest && (most == 0 || count <= most)
    }

    /// Whether its answers are an array, whatever their number.
    pub fn is_array(&self) -> bool {
        self.most_and_kind & 15 == 0
    }

    /// Whether its first argument is a key.
    pub fn has_key(&self) -> bool {
        self.most_and_kind >> 7 == 1
    }

    /// The fewest arguments, and whether there may be more.
    pub fn arity(&self) -> (u32, bool) {
        let (fewest, most) = self.fewest_and_most();
        (fewest, fewest != most)
    }
}

const TEXT_BITS: u32 = 13;

/// Bytes of the longest name.
pub(super) const LONGEST: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_found_by_its_name_in_any_case() {
        for command in &COMMANDS {
            let mut room = [0; LONGEST];
            let name = command.name(&mut room);
            for name in [name.to_ascii_lowercase(), name.to_ascii_uppercase()] {
                assert_eq!(find(&name).unwrap().text(), command.text());
            }
        }
        for name in [
            &b""[..],
            b"BF",
            b"BF.ADD ",
            b"BF\x0EADD",
            b"BF.ADDS",
            b"PIN\x27",
            b"info)",
            b"info>",
            b"quit=",
        ] {
            assert!(find(name).is_none(), "{}", name.escape_ascii());
        }
    }
}
