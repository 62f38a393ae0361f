//! Commands about the device and the connection.

use super::arguments::Arguments;
use super::commands::{COMMANDS, Command, Run};
use super::decimal::Decimal;
use super::keyspace::KeyRef;
use super::reply::{Face, Reply};
use super::server::Server;
use super::text::{number, percent, ratio};
use crate::key::Sink;
use crate::sizing::{Layout, blocked_rate};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The Redis whose replies these are, for clients that choose by version.
const REDIS_VERSION: &str = "7.4.0";

pub(super) fn ping(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if arguments.len() > 1 {
        reply.bulk(arguments.get(1));
    } else {
        reply.simple("PONG");
    }
}

pub(super) fn echo(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    reply.bulk(arguments.get(1));
}

pub(super) fn version(_: &mut Server, _: &Arguments, reply: &mut Reply) {
    reply.text(&|out| {
        out.write(b"sundew ");
        out.write(VERSION.as_bytes());
    });
}

/// Chooses RESP2 or RESP3. A name or a password may follow; there is nothing to protect.
pub(super) fn hello(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match arguments.get(1) {
        b"" if arguments.len() == 1 => {}
        b"2" => reply.face = Face::Resp2,
        b"3" => reply.face = Face::Resp3,
        _ => return reply.error("NOPROTO unsupported protocol version"),
    }
    server.commands_at_hello = server.commands;
    let protocol = if reply.face == Face::Resp3 { 3 } else { 2 };
    reply.map(7);
    for (name, value) in [("server", "redis"), ("version", REDIS_VERSION)] {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
    for (name, value) in [("proto", protocol), ("id", 1)] {
        reply.bulk(name.as_bytes());
        reply.integer(value);
    }
    for (name, value) in [("mode", "standalone"), ("role", "master")] {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
    reply.bulk(b"modules");
    reply.array(0);
}

pub(super) fn command(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let count = COMMANDS.len() as u32;
    if arguments.len() == 1 {
        reply.array(count);
        COMMANDS.iter().for_each(|command| describe(command, reply));
    } else if arguments.is(1, "COUNT") {
        reply.integer(count);
    } else if arguments.is(1, "DOCS") {
        reply.map(count);
        COMMANDS.iter().for_each(|command| document(command, reply));
    } else {
        reply.error("ERR unknown subcommand. Try COMMAND COUNT or COMMAND DOCS");
    }
}

/// Name, arity, flags, and where the keys are.
fn describe(command: &Command, reply: &mut Reply) {
    reply.array(6);
    reply.bulk(command.name.as_bytes());
    let (is_negative, arity) = command.arity();
    reply.signed(is_negative, arity);
    reply.array(0);
    let has_key = u32::from(command.usage.starts_with("key"));
    for position in [has_key; 3] {
        reply.integer(position);
    }
}

fn document(command: &Command, reply: &mut Reply) {
    reply.bulk(command.name.as_bytes());
    reply.map(3);
    let group = match command.run {
        Run::Items(_) => "bf",
        Run::Whole(_) => "server",
    };
    for (name, value) in [
        ("summary", command.usage),
        ("since", VERSION),
        ("group", group),
    ] {
        reply.bulk(name.as_bytes());
        reply.bulk(value.as_bytes());
    }
}

/// How many commands after `HELLO` a client still introduces itself.
const HANDSHAKE: u32 = 3;

/// Clients introduce themselves; there is only one at a time, so nothing is kept. One that does so without a
/// `HELLO` is new, and knows nothing of the RESP3 that the last one asked for.
pub(super) fn client(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let since_hello = server.commands.wrapping_sub(server.commands_at_hello);
    if arguments.is(1, "SETINFO") && reply.face == Face::Resp3 && since_hello > HANDSHAKE {
        reply.face = Face::Resp2;
    }
    if ["SETINFO", "SETNAME", "NO-EVICT", "NO-TOUCH"]
        .iter()
        .any(|word| arguments.is(1, word))
    {
        reply.ok();
    } else if arguments.is(1, "ID") {
        reply.integer(1);
    } else if arguments.is(1, "GETNAME") {
        reply.null();
    } else {
        reply.error_of(&[b"ERR unknown subcommand '", arguments.get(1), b"'"]);
    }
}

/// What benchmarks ask for; there is nothing to set.
pub(super) fn config(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if !arguments.is(1, "GET") || arguments.len() != 3 {
        return reply.error("ERR only CONFIG GET name is known");
    }
    let value = match arguments.get(2) {
        b"save" => "",
        b"appendonly" => "no",
        _ => return reply.map(0),
    };
    reply.map(1);
    reply.bulk(arguments.get(2));
    reply.bulk(value.as_bytes());
}

pub(super) fn select(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match arguments.get(1) {
        b"0" => reply.ok(),
        text if super::decimal::parse(text).is_some() => {
            reply.error("ERR DB index is out of range");
        }
        _ => reply.error("ERR value is not an integer or out of range"),
    }
}

pub(super) fn reset(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    server.is_quitting = true;
    reply.simple("RESET");
}

pub(super) fn quit(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    server.is_quitting = true;
    reply.ok();
}

/// All sections, whatever section was asked for: a client finds what it looks for.
pub(super) fn info(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    let stack = (server.board.stack_high_water)();
    let server = &*server;
    reply.text(&|out| {
        let arena = server.keyspace.arena();
        let (bytes, free) = (arena.bytes(), arena.bytes_free());
        out.write(b"# Server\r\nredis_version:");
        out.write(REDIS_VERSION.as_bytes());
        out.write(b"\r\nredis_mode:standalone\r\narch_bits:32\r\nsundew_version:");
        out.write(VERSION.as_bytes());
        out.write(b"\r\nboard:");
        out.write(server.board.name.as_bytes());
        for (name, value) in [
            ("uptime_in_seconds", server.uptime.seconds),
            ("total_commands_processed", server.commands),
            ("rx_bytes_lost", server.bytes_lost),
            ("static_ram_bytes", server.board.static_ram),
            ("arena_bytes", bytes),
            ("arena_used_bytes", bytes - free),
            ("arena_free_bytes", free),
            ("stack_high_water_bytes", stack),
            ("cluster_enabled", 0),
        ] {
            out.write(b"\r\n");
            out.write(name.as_bytes());
            out.write(b":");
            number(value, out);
        }
        out.write(b"\r\n# Keyspace\r\ndb0:keys=");
        number(server.keyspace.keys().count() as u32, out);
        out.write(b",expires=0\r\n");
        server
            .keyspace
            .keys()
            .for_each(|key| key_info(server, key, out));
    });
}

/// One line about a key, from its counts alone: reading a large filter would take too long for a client that
/// asks every second.
fn key_info(server: &Server, key: KeyRef, out: &mut dyn Sink) {
    let summary = server.keyspace.summary(key);
    out.write(b"key_");
    out.write(server.keyspace.name(key));
    for (name, value) in [
        (&b":items="[..], summary.items),
        (b",capacity=", summary.capacity),
        (b",bytes=", summary.bytes),
    ] {
        out.write(name);
        out.write(Decimal::new(value).as_bytes());
    }
    out.write(b",full=");
    percent(ratio(summary.items, summary.capacity), out);
    out.write(b",rate=");
    let stages = server.keyspace.stages(key);
    let rates = stages.map(|stage| {
        blocked_rate(
            u64::from(stage.items),
            stage.num_blocks(),
            stage.k,
            Layout::DEFAULT,
        )
    });
    percent(super::text::sum(rates), out);
    out.write(b"\r\n");
}
