//! Commands about the device and the connection.

use super::arena::word;
use super::arguments::Arguments;
use super::commands::{COMMANDS, Command};
use super::key_commands::NOT_A_NUMBER;
use super::keyspace::KeyRef;
use super::kind::Kind;
use super::reply::{Face, Reply};
use super::server::Server;
use super::text::{fill_in, ratio};
use crate::key::Sink;

pub(super) fn ping(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if arguments.len() > 1 {
        reply.bulk(arguments.get(1));
    } else {
        reply.simple(b"PONG");
    }
}

pub(super) fn echo(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    reply.bulk(arguments.get(1));
}

pub(super) fn version(_: &mut Server, _: &Arguments, reply: &mut Reply) {
    reply.bulk(concat!("sundew ", env!("CARGO_PKG_VERSION")).as_bytes());
}

/// Chooses RESP2 or RESP3. A name or a password may follow; there is nothing to protect.
pub(super) fn hello(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match arguments.get(1) {
        b"" if arguments.len() == 1 => {}
        b"2" => *reply.face = Face::Resp2,
        b"3" => *reply.face = Face::Resp3,
        _ => return reply.error_by(&|out| out.write(b"NOPROTO unsupported protocol version")),
    }
    server.commands_at_hello = server.commands;
    let protocol = if *reply.face == Face::Resp3 { 3 } else { 2 };
    reply.map(7);
    // The Redis whose replies these are, for clients that choose by version.
    reply.bulks("server redis version 7.4.0 proto");
    reply.integer(protocol);
    reply.bulks("id");
    reply.integer(1);
    reply.bulks("mode standalone role master modules");
    reply.array(0);
}

pub(super) fn command(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let count = COMMANDS.len() as u32;
    if arguments.len() == 1 {
        reply.array(count);
        COMMANDS.iter().for_each(|command| describe(command, reply));
        return;
    }
    match arguments.which(1, "COUNT DOCS") {
        Some(0) => reply.integer(count),
        Some(_) => {
            reply.map(count);
            COMMANDS.iter().for_each(|command| document(command, reply));
        }
        None => reply.error("unknown subcommand. Try COMMAND COUNT or COMMAND DOCS"),
    }
}

/// Name, arity, flags, and where the keys are.
fn describe(command: &Command, reply: &mut Reply) {
    reply.array(6);
    reply.bulk(command.name());
    reply.arity(command.arity());
    reply.array(0);
    let has_key = u32::from(command.usage().starts_with(b"key"));
    for position in [has_key; 3] {
        reply.integer(position);
    }
}

fn document(command: &Command, reply: &mut Reply) {
    reply.bulk(command.name());
    reply.map(3);
    reply.bulk(b"summary");
    reply.bulk(command.usage());
    reply.bulks(concat!("since ", env!("CARGO_PKG_VERSION"), " group"));
    reply.bulk(match command.items {
        Some(_) => b"bf",
        None => b"server",
    });
}

/// How many commands after `HELLO` a client still introduces itself.
const HANDSHAKE: u32 = 3;

/// Clients introduce themselves; there is only one at a time, so nothing is kept. One that does so without a
/// `HELLO` is new, and knows nothing of the RESP3 that the last one asked for.
pub(super) fn client(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match arguments.which(1, "GETNAME ID SETINFO SETNAME NO-EVICT NO-TOUCH") {
        Some(0) => reply.null(),
        Some(1) => reply.integer(1),
        Some(what) => {
            let since_hello = server.commands.wrapping_sub(server.commands_at_hello);
            if what == 2 && *reply.face == Face::Resp3 && since_hello > HANDSHAKE {
                *reply.face = Face::Resp2;
            }
            reply.ok();
        }
        None => reply.error_of("unknown subcommand '%s'", arguments.get(1), &[]),
    }
}

/// What benchmarks ask for; there is nothing to set.
pub(super) fn config(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if !arguments.is(1, "GET") || arguments.len() != 3 {
        return reply.error("only CONFIG GET name is known");
    }
    let value = match arguments.which(2, "save appendonly") {
        Some(0) => &b""[..],
        Some(_) => b"no",
        None => return reply.map(0),
    };
    reply.map(1);
    reply.bulk(arguments.get(2));
    reply.bulk(value);
}

pub(super) fn select(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match arguments.get(1) {
        b"0" => reply.ok(),
        text if super::decimal::parse(text).is_some() => {
            reply.error("DB index is out of range");
        }
        _ => reply.error(NOT_A_NUMBER),
    }
}

pub(super) fn reset(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    server.is_quitting = true;
    reply.simple(b"RESET");
}

pub(super) fn quit(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    server.is_quitting = true;
    reply.ok();
}

/// All sections, whatever section was asked for: a client finds what it looks for.
pub(super) fn info(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    let board = &server.board;
    let arena = server.keyspace.arena();
    let (bytes, free) = (arena.bytes(), arena.bytes_free());
    let numbers = [
        board.boot_count,
        server.uptime.seconds,
        server.commands,
        server.bytes_lost,
        board.static_ram,
        bytes,
        bytes - free,
        free,
        (board.stack_high_water)(),
        server.keyspace.num_keys(),
    ];
    let server = &*server;
    reply.text_by(&|out| {
        const BEGIN: &str = concat!(
            "# Server\nredis_version:7.4.0\nredis_mode:standalone\narch_bits:32\nsundew_version:",
            env!("CARGO_PKG_VERSION"),
            "\nboard:%s\n",
        );
        const REST: &str = "reset_reason:%s\nboot_count:%n\nuptime_in_seconds:%n\ntotal_commands_processed:%n\n\
             rx_bytes_lost:%n\nstatic_ram_bytes:%n\narena_bytes:%n\narena_used_bytes:%n\narena_free_bytes:%n\n\
             stack_high_water_bytes:%n\ncluster_enabled:0\n# Keyspace\ndb0:keys=%n,expires=0\n";
        let board = &server.board;
        fill_in(out, BEGIN, board.name.as_bytes(), &[]);
        fill_in(out, REST, board.reset_reason.as_bytes(), &numbers);
        for key in server.keyspace.keys() {
            key_info(server, key, out);
        }
    });
}

/// One line about a key, from its counts alone: reading a large filter would take too long for a client that
/// asks every second.
fn key_info(server: &Server, key: KeyRef, out: &mut dyn Sink) {
    let summary = server.keyspace.summary(key);
    let kind = server.keyspace.kind(key);
    if kind != Kind::Bloom {
        fill_in(out, "key_%s:type=", server.keyspace.name(key), &[]);
        let numbers = [summary.items, summary.bytes];
        return fill_in(
            out,
            "%s,items=%n,bytes=%n\n",
            kind.type_name().as_bytes(),
            &numbers,
        );
    }
    fill_in(
        out,
        "key_%s:items=%n,capacity=%n,bytes=%n,full=%p,rate=%p\n",
        server.keyspace.name(key),
        &[
            summary.items,
            summary.capacity,
            summary.bytes,
            ratio(summary.items, summary.capacity),
            server.keyspace.rate_with(key, word::ITEMS),
        ],
    );
}
