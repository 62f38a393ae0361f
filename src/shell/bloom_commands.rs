//! BF.*: RedisBloom's commands and answers.

use super::arena::{num_probes, word};
use super::arguments::Arguments;
use super::commands::What;
use super::decimal::{parse, parse_parts_per_billion};
use super::family_commands::{self, WRONG_TYPE};
use super::keyspace::{KeyError, KeyRef, Wish};
use super::kind::Kind;
use super::reply::{Face, Reply};
use super::server::Server;
use crate::sizing::Rate;

/// Of an error.
pub(super) type Text = &'static str;

const NOT_FOUND: Text = "not found";
pub(super) const SYNTAX_ERROR: Text = "syntax error";

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
fn options(arguments: &Arguments, first: usize, wish: &mut Wish) -> Result<bool, Text> {
    let mut may_create = true;
    let mut has_expansion = false;
    let mut is_fixed = false;
    let mut i = first;
    while i < arguments.len() {
        let value = arguments.get(i + 1);
        i += 2;
        match arguments.which(i - 2, "CAPACITY ERROR EXPANSION NOCREATE NONSCALING") {
            Some(0) => wish.capacity = capacity(value)?,
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

fn reserve_wish(arguments: &Arguments) -> Result<Wish, Text> {
    let mut wish = Wish {
        rate: rate(arguments.get(2))?,
        capacity: capacity(arguments.get(3))?,
        ..Wish::DEFAULT
    };
    options(arguments, 4, &mut wish)?;
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

/// The key that items go to, made when it is missing; `None` when it is missing and only asked.
pub(super) fn key_for_items(
    what: What,
    arguments: &Arguments,
    server: &mut Server,
    reply: &mut Reply,
) -> Result<Option<KeyRef>, ()> {
    if what.kind() != Kind::Bloom {
        return family_commands::key_for_items(what, arguments, server, reply);
    }
    let mut wish = Wish::DEFAULT;
    let error = match options(arguments, 2, &mut wish) {
        Ok(may_create) => {
            let key = server.keyspace.find(arguments.get(1));
            let is_bloom = key.is_some_and(|key| server.keyspace.kind(key) == Kind::Bloom);
            if is_bloom || what == What::Has {
                return Ok(key.filter(|_| is_bloom));
            }
            if key.is_some() {
                reply.bare_error(WRONG_TYPE);
                return Err(());
            }
            if may_create {
                return create(arguments, &wish, server, reply).map(Some).ok_or(());
            }
            NOT_FOUND
        }
        Err(error) => error,
    };
    reply.error(error);
    Err(())
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
        (None, _) => reply.truth(false, "yes,no"),
        (Some(key), What::Has) => reply.truth(keyspace.contains(key, hash), "maybe,no"),
        (Some(key), what) => match keyspace.insert(key, hash) {
            Ok(is_new) if what != What::Seen => reply.truth(is_new, "new,seen before"),
            Ok(is_new) => reply.truth(!is_new, "seen before,new"),
            Err(error) => key_error(error, server, reply),
        },
    }
}

static FIELDS: [&str; 5] = [
    "Capacity",
    "Size",
    "Number of filters",
    "Number of items inserted",
    "Expansion rate",
];

/// The Bloom filter that the first argument names; what is wrong otherwise is told.
fn find(server: &Server, arguments: &Arguments, reply: &mut Reply) -> Option<KeyRef> {
    let key = server.keyspace.find(arguments.get(1));
    let is_bloom = key.is_some_and(|key| server.keyspace.kind(key) == Kind::Bloom);
    if key.is_none() {
        reply.error(NOT_FOUND);
    } else if !is_bloom {
        reply.bare_error(WRONG_TYPE);
    }
    key.filter(|_| is_bloom)
}

pub(super) fn info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = find(server, arguments, reply) else {
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
    if let Some(key) = find(server, arguments, reply) {
        reply.integer(server.keyspace.summary(key).items);
    }
}

/// One line for the key, and one for each stage.
pub(super) fn debug(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = find(server, arguments, reply) else {
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
