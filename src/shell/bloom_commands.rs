//! BF.*: RedisBloom's commands and answers.

use super::arguments::Arguments;
use super::commands::{ItemCommand, What};
use super::decimal::{Decimal, parse, parse_parts_per_billion};
use super::keyspace::{KeyError, KeyRef, Wish};
use super::reply::{Face, Reply};
use super::server::Server;
use crate::sizing::Rate;

const NOT_FOUND: &str = "ERR not found";

pub(super) fn key_error(error: KeyError, server: &Server, reply: &mut Reply) {
    match error {
        KeyError::Exists => reply.error("ERR item exists"),
        KeyError::NameTooLong => reply.error("ERR the name of a key has at most 40 bytes"),
        KeyError::Full => reply.error("ERR non scaling filter is full"),
        KeyError::TooLarge(needed) => {
            let free = Decimal::new(server.keyspace.arena().bytes_free());
            let needed = Decimal::new(needed);
            reply.error_of(&[
                b"ERR operation exceeds bloom object memory limit: ",
                free.as_bytes(),
                b" bytes free, needs ",
                needed.as_bytes(),
            ]);
        }
    }
}

/// Reads `CAPACITY`, `ERROR` and the like from argument `first` on; a wrong one is answered.
fn options(
    arguments: &Arguments,
    first: usize,
    mut wish: Wish,
    may_create: &mut bool,
    reply: &mut Reply,
) -> Result<Wish, ()> {
    let mut has_expansion = false;
    let mut is_fixed = false;
    let mut i = first;
    while i < arguments.len() {
        let value = arguments.get(i + 1);
        if arguments.is(i, "NONSCALING") {
            is_fixed = true;
            i += 1;
        } else if arguments.is(i, "NOCREATE") {
            *may_create = false;
            i += 1;
        } else if arguments.is(i, "EXPANSION") {
            wish.expansion = match parse(value) {
                Some(0) | None => return fail(reply, "ERR bad expansion"),
                Some(expansion) => expansion,
            };
            has_expansion = true;
            i += 2;
        } else if arguments.is(i, "CAPACITY") {
            wish.capacity = capacity(value, reply)?;
            i += 2;
        } else if arguments.is(i, "ERROR") {
            wish.rate = rate(value, reply)?;
            i += 2;
        } else {
            return fail(reply, "ERR syntax error");
        }
    }
    if is_fixed {
        if has_expansion {
            return fail(reply, "ERR Nonscaling filters cannot expand");
        }
        wish.expansion = 0;
    }
    Ok(wish)
}

fn fail<T>(reply: &mut Reply, text: &str) -> Result<T, ()> {
    reply.error(text);
    Err(())
}

fn rate(text: &[u8], reply: &mut Reply) -> Result<Rate, ()> {
    match parse_parts_per_billion(text) {
        None => fail(reply, "ERR bad error rate"),
        Some(0) => fail(reply, "ERR (0 < error rate range < 1)"),
        Some(parts) if parts >= 1_000_000_000 => fail(reply, "ERR (0 < error rate range < 1)"),
        Some(parts) => Ok(Rate::from_parts_per_billion(parts)),
    }
}

fn capacity(text: &[u8], reply: &mut Reply) -> Result<u32, ()> {
    match parse(text) {
        None => fail(reply, "ERR bad capacity"),
        Some(0) => fail(reply, "ERR (capacity should be larger than 0)"),
        Some(capacity) => Ok(capacity),
    }
}

fn reserve_wish(arguments: &Arguments, reply: &mut Reply) -> Result<Wish, ()> {
    let wish = Wish {
        rate: rate(arguments.get(2), reply)?,
        capacity: capacity(arguments.get(3), reply)?,
        ..Wish::DEFAULT
    };
    options(arguments, 4, wish, &mut true, reply)
}

pub(super) fn reserve(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if let Ok(wish) = reserve_wish(arguments, reply) {
        match server.keyspace.create(arguments.get(1), wish) {
            Ok(_) => reply.ok(),
            Err(error) => key_error(error, server, reply),
        }
    }
}

/// The key that items go to, made when it is missing; `None` when it is missing and only asked.
pub(super) fn key_for_items(
    command: &ItemCommand,
    arguments: &Arguments,
    server: &mut Server,
    reply: &mut Reply,
) -> Result<Option<KeyRef>, ()> {
    let name = arguments.get(1);
    let mut may_create = true;
    let wish = options(arguments, 2, Wish::DEFAULT, &mut may_create, reply)?;
    let key = server.keyspace.find(name);
    if key.is_some() || command.what == What::Has {
        return Ok(key);
    }
    if !may_create {
        return fail(reply, NOT_FOUND);
    }
    match server.keyspace.create(name, wish) {
        Ok(key) => Ok(Some(key)),
        Err(error) => {
            key_error(error, server, reply);
            Err(())
        }
    }
}

pub(super) fn run_item(
    command: &ItemCommand,
    key: Option<KeyRef>,
    hash: u32,
    server: &mut Server,
    reply: &mut Reply,
) {
    let keyspace = &mut server.keyspace;
    match (key, command.what) {
        (None, _) => reply.truth(false, ["yes", "no"]),
        (Some(key), What::Has) => reply.truth(keyspace.contains(key, hash), ["maybe", "no"]),
        (Some(key), what) => match keyspace.insert(key, hash) {
            Ok(is_new) if what == What::Add => reply.truth(is_new, ["new", "seen before"]),
            Ok(is_new) => reply.truth(!is_new, ["seen before", "new"]),
            Err(error) => key_error(error, server, reply),
        },
    }
}

pub(super) fn info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = server.keyspace.find(arguments.get(1)) else {
        return reply.error(NOT_FOUND);
    };
    let summary = server.keyspace.summary(key);
    let fields = [
        ("CAPACITY", "Capacity", Some(summary.capacity)),
        ("SIZE", "Size", Some(summary.bytes)),
        ("FILTERS", "Number of filters", Some(summary.stages)),
        ("ITEMS", "Number of items inserted", Some(summary.items)),
        (
            "EXPANSION",
            "Expansion rate",
            (summary.expansion > 0).then_some(summary.expansion),
        ),
    ];
    let is_wanted = |word: &str| arguments.len() < 3 || arguments.is(2, word);
    let wanted = fields.iter().filter(|(word, ..)| is_wanted(word)).count() as u32;
    if wanted == 0 {
        return reply.error("ERR Invalid information value");
    }
    // One field alone comes without its name in RESP2.
    let is_bare = arguments.len() == 3 && reply.face == Face::Resp2;
    if is_bare {
        reply.array(1);
    } else {
        reply.map(wanted);
    }
    for (_, name, value) in fields.iter().filter(|(word, ..)| is_wanted(word)) {
        if !is_bare {
            reply.field_name(name);
        }
        match value {
            Some(value) => reply.integer(*value),
            None => reply.null(),
        }
    }
}

pub(super) fn card(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let key = server.keyspace.find(arguments.get(1));
    reply.integer(key.map_or(0, |key| server.keyspace.summary(key).items));
}

/// One line for the key, and one for each stage.
pub(super) fn debug(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = server.keyspace.find(arguments.get(1)) else {
        return reply.error(NOT_FOUND);
    };
    let summary = server.keyspace.summary(key);
    reply.array(summary.stages + 1);
    reply.text(&|out| {
        out.write(b"size:");
        out.write(Decimal::new(summary.items).as_bytes());
    });
    for stage in server.keyspace.stages(key) {
        let bytes = stage.num_blocks() * 64;
        reply.text(&|out| {
            for (name, value) in [
                (&b"bytes:"[..], bytes),
                (b" bits:", bytes * 8),
                (b" hashes:", stage.k),
                (b" hashwidth:", 32),
                (b" capacity:", stage.capacity),
                (b" size:", stage.items),
            ] {
                out.write(name);
                out.write(Decimal::new(value).as_bytes());
            }
            out.write(b" ratio:0.5");
        });
    }
}
