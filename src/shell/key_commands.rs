//! Commands on keys of whatever kind.

use super::arguments::Arguments;
use super::decimal::{Decimal, parse};
use super::keyspace::KeyRef;
use super::pattern::matches;
use super::reply::Reply;
use super::server::Server;

/// What RedisBloom calls a Bloom filter.
const BLOOM_TYPE: &str = "MBbloom--";

pub(super) fn keys(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let pattern = if arguments.len() > 1 {
        arguments.get(1)
    } else {
        b"*"
    };
    names(server, reply, |name, _| matches(pattern, name));
}

/// An array of the names that `is_wanted` takes; it gets the name and its number.
fn names(server: &Server, reply: &mut Reply, is_wanted: impl Fn(&[u8], u32) -> bool) {
    let wanted = || {
        let names = server.keyspace.keys().map(|key| server.keyspace.name(key));
        names.zip(0..).filter(|(name, i)| is_wanted(name, *i))
    };
    reply.array(wanted().count() as u32);
    wanted().for_each(|(name, _)| reply.bulk(name));
}

/// The cursor is the number of the next key: there are few, and their order is stable.
pub(super) fn scan(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(cursor) = parse(arguments.get(1)) else {
        return reply.error("ERR invalid cursor");
    };
    let mut pattern = &b"*"[..];
    let mut count = 10;
    let mut is_wanted_type = true;
    let mut i = 2;
    while i < arguments.len() {
        let value = arguments.get(i + 1);
        if i + 1 == arguments.len() {
            return reply.error("ERR syntax error");
        } else if arguments.is(i, "MATCH") {
            pattern = value;
        } else if arguments.is(i, "COUNT") {
            count = match parse(value) {
                None => return reply.error("ERR value is not an integer or out of range"),
                Some(0) => return reply.error("ERR syntax error"),
                Some(count) => count,
            };
        } else if arguments.is(i, "TYPE") {
            is_wanted_type = value.eq_ignore_ascii_case(BLOOM_TYPE.as_bytes());
        } else {
            return reply.error("ERR syntax error");
        }
        i += 2;
    }
    let end = cursor.saturating_add(count);
    let is_last = end as usize >= server.keyspace.keys().count();
    reply.array(2);
    reply.bulk(Decimal::new(if is_last { 0 } else { end }).as_bytes());
    names(server, reply, |name, i| {
        is_wanted_type && i >= cursor && i < end && matches(pattern, name)
    });
}

pub(super) fn dbsize(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    reply.integer(server.keyspace.keys().count() as u32);
}

fn find(server: &Server, arguments: &Arguments, i: usize) -> Option<KeyRef> {
    server.keyspace.find(arguments.get(i))
}

pub(super) fn type_of(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    reply.simple(find(server, arguments, 1).map_or("none", |_| BLOOM_TYPE));
}

pub(super) fn exists(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let found = arguments
        .from(1)
        .filter(|name| server.keyspace.find(name).is_some());
    reply.integer(found.count() as u32);
}

pub(super) fn del(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let removed = arguments
        .from(1)
        .filter(|name| server.keyspace.remove(name));
    reply.integer(removed.count() as u32);
}

pub(super) fn flush(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    server.keyspace.remove_all();
    reply.ok();
}

pub(super) fn memory(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if !arguments.is(1, "USAGE") || arguments.len() < 3 {
        return reply
            .error("ERR unknown subcommand or wrong number of arguments. Try MEMORY USAGE key");
    }
    match find(server, arguments, 2) {
        Some(key) => reply.integer(server.keyspace.summary(key).bytes),
        None => reply.null(),
    }
}
