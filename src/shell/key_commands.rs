//! Commands on keys of whatever kind.

use core::ops::Range;

use super::arguments::Arguments;
use super::bloom_commands::SYNTAX_ERROR;
use super::decimal::parse;
use super::keyspace::KeyRef;
use super::pattern::matches;
use super::reply::Reply;
use super::server::Server;

pub(super) const NOT_A_NUMBER: &str = "value is not an integer or out of range";

pub(super) fn keys(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let pattern = if arguments.len() > 1 {
        arguments.get(1)
    } else {
        b"*"
    };
    names(server, reply, pattern, b"", 0..u32::MAX);
}

/// An array of the names that match, of the keys of this type, if one is given, and with these numbers.
fn names(
    server: &Server,
    reply: &mut Reply,
    pattern: &[u8],
    type_name: &[u8],
    numbers: Range<u32>,
) {
    let mut count = 0;
    for is_counting in [true, false] {
        for (key, i) in server.keyspace.keys().zip(0..) {
            let name = server.keyspace.name(key);
            let own_type = server.keyspace.kind(key).type_name();
            let is_of_type =
                type_name.is_empty() || type_name.eq_ignore_ascii_case(own_type.as_bytes());
            if !numbers.contains(&i) || !is_of_type || !matches(pattern, name) {
                continue;
            }
            if is_counting {
                count += 1;
            } else {
                reply.bulk(name);
            }
        }
        if is_counting {
            reply.array(count);
        }
    }
}

/// The cursor is the number of the next key: there are few, and their order is stable.
pub(super) fn scan(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(cursor) = parse(arguments.get(1)) else {
        return reply.error("invalid cursor");
    };
    let mut pattern = &b"*"[..];
    let mut count = 10;
    let mut type_name = &b""[..];
    let mut i = 2;
    while i < arguments.len() {
        let value = arguments.get(i + 1);
        let option = arguments.which(i, "MATCH COUNT TYPE");
        i += 2;
        match option {
            Some(0) if i <= arguments.len() => pattern = value,
            Some(1) if i <= arguments.len() => match parse(value) {
                None => return reply.error(NOT_A_NUMBER),
                Some(0) => return reply.error(SYNTAX_ERROR),
                Some(number) => count = number,
            },
            Some(2) if i <= arguments.len() => type_name = arguments.get(i - 1),
            _ => return reply.error(SYNTAX_ERROR),
        }
    }
    let end = cursor.saturating_add(count);
    let is_last = end >= server.keyspace.num_keys();
    reply.array(2);
    reply.text("%n", &[], &[if is_last { 0 } else { end }]);
    names(server, reply, pattern, type_name, cursor..end);
}

pub(super) fn dbsize(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    reply.integer(server.keyspace.num_keys());
}

fn find(server: &Server, arguments: &Arguments, i: usize) -> Option<KeyRef> {
    server.keyspace.find(arguments.get(i))
}

pub(super) fn type_of(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    reply.simple(
        find(server, arguments, 1)
            .map_or("none", |key| server.keyspace.kind(key).type_name())
            .as_bytes(),
    );
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
            .error("unknown subcommand or wrong number of arguments. Try MEMORY USAGE key");
    }
    match find(server, arguments, 2) {
        Some(key) => reply.integer(server.keyspace.summary(key).bytes),
        None => reply.null(),
    }
}
