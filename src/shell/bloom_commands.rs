//! BF.*: RedisBloom's commands and answers.

use super::arena::{num_probes, word};
use super::arguments::Arguments;
use super::commands::What;
use super::decimal::{parse, parse_parts_per_billion};
use super::families::REGISTER_UNITS;
use super::family_commands::{self, find};
use super::keyspace::{KeyError, KeyRef, Wish};
use super::kind::Kind;
use super::reply::{Face, Reply};
use super::server::Server;
use crate::sizing::Rate;

/// Of an error.
pub(super) type Text = &'static str;

pub(super) const SYNTAX_ERROR: Text = "syntax error";
/// RedisBloom's, of a cuckoo filter that is not there.
const CUCKOO_CAPACITY: u32 = 1024;

#[cold]
#[inline(never)]
pub(super) fn key_error(error: KeyError, server: &Server, reply: &mut Reply) {
    match error {
        KeyError::Exists => reply.error("item exists"),
        KeyError::NameTooLong => reply.error("the name of a key has at most 36 bytes"),
        KeyError::Full => reply.error("non scaling filter is full"),
        KeyError::TooLarge(needed) => {
            let free = server.keyspace.arena().bytes_free();
            let template = "operation exceeds bloom object memory limit: %n bytes free, needs %n";
            reply.error_of(template, &[], &[free, needed]);
        }
    }
}

/// Reads `CAPACITY`, `ERROR` and the like from argument `first` on, over what is wished for so far; and whether a
/// key may be made.
#[inline(never)]
fn options(arguments: &Arguments, first: usize, kind: Kind, wish: &mut Wish) -> Result<bool, Text> {
    let mut may_create = true;
    let mut has_expansion = false;
    let mut is_fixed = false;
    let mut i = first;
    while i < arguments.len() {
        let value = arguments.get(i + 1);
        i += 2;
        match arguments.which(i - 2, "CAPACITY ERROR EXPANSION NOCREATE NONSCALING") {
            Some(0) => wish.capacity = capacity(value)?,
            Some(1 | 2 | 4) if kind != Kind::Bloom => return Err(SYNTAX_ERROR),
            Some(1) => wish.rate = rate(value)?,
            Some(2) => {
                wish.expansion = match parse(value) {
                    Some(0) | None => return Err("bad expansion"),
                    Some(expansion) => expansion,
                };
                has_expansion = true;
            }
            Some(flag) => {
                may_create &= flag != 3;
                is_fixed |= flag == 4;
                i -= 1;
            }
            None => return Err(SYNTAX_ERROR),
        }
    }
    if is_fixed {
        if has_expansion {
            return Err("Nonscaling filters cannot expand");
        }
        wish.expansion = 0;
    }
    Ok(may_create)
}

#[inline(never)]
pub(super) fn rate(text: &[u8]) -> Result<Rate, Text> {
    match parse_parts_per_billion(text) {
        None => Err("bad error rate"),
        Some(parts @ 1..1_000_000_000) => Ok(Rate::from_parts_per_billion(parts)),
        Some(_) => Err("(0 < error rate range < 1)"),
    }
}

#[inline(never)]
pub(super) fn capacity(text: &[u8]) -> Result<u32, Text> {
    match parse(text) {
        None => Err("bad capacity"),
        Some(0) => Err("(capacity should be larger than 0)"),
        Some(capacity) => Ok(capacity),
    }
}

/// The rate and the capacity that are arguments 2 and 3.
#[inline(never)]
pub(super) fn wish(arguments: &Arguments) -> Result<Wish, Text> {
    Ok(Wish {
        rate: rate(arguments.get(2))?,
        capacity: capacity(arguments.get(3))?,
        ..Wish::DEFAULT
    })
}

fn reserve_wish(arguments: &Arguments) -> Result<Wish, Text> {
    let mut wish = wish(arguments)?;
    options(arguments, 4, Kind::Bloom, &mut wish)?;
    Ok(wish)
}

pub(super) fn reserve(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match reserve_wish(arguments) {
        Ok(wish) => {
            if create(arguments, &wish, server, reply).is_some() {
                reply.ok();
            }
        }
        Err(text) => reply.error(text),
    }
}

/// Makes the key that the first argument names; says why when that fails.
#[inline(never)]
fn create(
    arguments: &Arguments,
    wish: &Wish,
    server: &mut Server,
    reply: &mut Reply,
) -> Option<KeyRef> {
    match server.keyspace.create(arguments.get(1), wish) {
        Ok(key) => Some(key),
        Err(error) => {
            key_error(error, server, reply);
            None
        }
    }
}

/// The key that items go to, made when it is missing and they may make it; `None` when it is missing and only
/// asked.
pub(super) fn key_for_items(
    what: What,
    arguments: &Arguments,
    server: &mut Server,
    reply: &mut Reply,
) -> Result<Option<KeyRef>, ()> {
    let kind = what.kind();
    let key = server.keyspace.find(arguments.get(1));
    if arguments.len() == 2
        && let Some(key) = key
        && server.keyspace.kind(key) == kind
    {
        return Ok(Some(key));
    }
    make_key_for_items(what, key.is_some(), arguments, server, reply)
}

/// The same when there are options, or there is no such key.
#[inline(never)]
fn make_key_for_items(
    what: What,
    is_there: bool,
    arguments: &Arguments,
    server: &mut Server,
    reply: &mut Reply,
) -> Result<Option<KeyRef>, ()> {
    let kind = what.kind();
    let mut wish = Wish::DEFAULT;
    if kind == Kind::Cuckoo {
        wish.capacity = CUCKOO_CAPACITY;
    }
    let may_create = match options(arguments, 2, kind, &mut wish) {
        Ok(may_create) => may_create && what.makes_keys(),
        Err(text) => {
            reply.error(text);
            return Err(());
        }
    };
    let name = arguments.get(1);
    if !is_there && what.is_question() {
        return Ok(None);
    }
    let key = if is_there || !may_create {
        find(server, name, kind, reply)
    } else {
        match kind {
            Kind::Bloom => create(arguments, &wish, server, reply),
            Kind::Cuckoo => family_commands::create_cuckoo(server, name, wish.capacity, reply),
            _ => family_commands::create(server, name, kind, REGISTER_UNITS, reply),
        }
    };
    key.map(Some).ok_or(())
}

pub(super) fn run_item(
    what: What,
    key: Option<KeyRef>,
    hash: u32,
    server: &mut Server,
    reply: &mut Reply,
) {
    if what.kind() != Kind::Bloom {
        return family_commands::run_item(what, key, hash, server, reply);
    }
    let keyspace = &mut server.keyspace;
    match (key, what) {
        (key, What::Ask) => {
            let may_be_there = key.is_some_and(|key| keyspace.contains(key, hash));
            if !may_be_there {
                server.lookups.count_filter();
            }
            reply.truth(may_be_there, "ask,new");
        }
        (None, _) => reply.truth(false, "yes,no"),
        (Some(key), What::Has) => reply.truth(keyspace.contains(key, hash), "maybe,no"),
        (Some(key), what) => match keyspace.insert(key, hash) {
            Ok(is_new) if what != What::Seen => reply.truth(is_new, "new,seen before"),
            Ok(is_new) => reply.truth(!is_new, "seen before,new"),
            Err(error) => key_error(error, server, reply),
        },
    }
}

/// SUNDEW.TOLD: what the exact store at the other end said after `SUNDEW.ASK` sent it there.
pub(super) fn told(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match arguments.get(1) {
        b"0" => server.lookups.count_store(false),
        b"1" => server.lookups.count_store(true),
        _ => return reply.error("tell 1 when the item was there, or 0"),
    }
    reply.ok();
}

static FIELDS: [&str; 5] = [
    "Capacity",
    "Size",
    "Number of filters",
    "Number of items inserted",
    "Expansion rate",
];

pub(super) fn info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = find(server, arguments.get(1), Kind::Bloom, reply) else {
        return;
    };
    let summary = server.keyspace.summary(key);
    let wanted = arguments.which(2, "CAPACITY SIZE FILTERS ITEMS EXPANSION");
    let is_one = arguments.len() == 3;
    if is_one && wanted.is_none() {
        return reply.error("Invalid information value");
    }
    // One field alone comes without its name in RESP2.
    let is_bare = is_one && *reply.face == Face::Resp2;
    if is_bare {
        reply.array(1);
    } else {
        reply.map(if is_one { 1 } else { 5 });
    }
    let values = [
        summary.capacity,
        summary.bytes,
        summary.stages,
        summary.items,
        summary.expansion,
    ];
    for (i, (name, value)) in FIELDS.iter().zip(values).enumerate() {
        if is_one && wanted != Some(i) {
            continue;
        }
        if !is_bare {
            reply.field_name(name.as_bytes());
        }
        if i == 4 && value == 0 {
            reply.null();
        } else {
            reply.integer(value);
        }
    }
}

pub(super) fn card(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if server.keyspace.find(arguments.get(1)).is_none() {
        return reply.integer(0);
    }
    if let Some(key) = find(server, arguments.get(1), Kind::Bloom, reply) {
        reply.integer(server.keyspace.summary(key).items);
    }
}

/// One line for the key, and one for each stage.
pub(super) fn debug(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = find(server, arguments.get(1), Kind::Bloom, reply) else {
        return;
    };
    let summary = server.keyspace.summary(key);
    reply.array(summary.stages + 1);
    reply.text("size:%n", &[], &[summary.items]);
    for stage in server.keyspace.stages(key) {
        let header = server.keyspace.header(stage);
        let bytes = (header[word::UNITS] - 1) * 64;
        reply.text(
            "bytes:%n bits:%n hashes:%n hashwidth:32 capacity:%n size:%n ratio:0.5",
            &[],
            &[
                bytes,
                bytes * 8,
                num_probes(header),
                header[word::CAPACITY],
                header[word::ITEMS],
            ],
        );
    }
}
