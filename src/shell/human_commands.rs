//! Commands for people: what a device can say about its filters, in words and drawings.

use super::arguments::Arguments;
use super::commands::{self, COMMANDS};
use super::decimal::{parse, parse_parts_per_billion};
use super::keyspace::{KeyRef, Stage};
use super::reply::Reply;
use super::server::Server;
use super::text::{bar, grouped, number, percent, sum};
use crate::hash::HashStream;
use crate::key::Sink;
use crate::sizing::{Layout, Plan, Rate};

const NO_KEY: &str = "ERR no such key; `keys` lists them";

pub(super) fn help(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if arguments.len() == 1 {
        return reply.text(&|out| {
            for command in COMMANDS
                .iter()
                .filter(|command| !command.summary.is_empty())
            {
                let words = [command.name, " ", command.usage];
                words.iter().for_each(|word| out.write(word.as_bytes()));
                let width: usize = words.iter().map(|word| word.len()).sum();
                (width..20).for_each(|_| out.write(b" "));
                out.write(command.summary.as_bytes());
                out.write(b"\r\n");
            }
            out.write(b"and Redis's BF.*, KEYS, INFO ...; help BF.ADD says how");
        });
    }
    match commands::find(arguments.get(1)) {
        Some(command) => reply.text(&|out| {
            out.write(command.name.as_bytes());
            out.write(b" ");
            out.write(command.usage.as_bytes());
            if !command.summary.is_empty() {
                out.write(b"\r\n  ");
                out.write(command.summary.as_bytes());
            }
        }),
        None => reply.error("ERR no such command; `help` lists them"),
    }
}

/// About one key, or about all.
pub(super) fn stats(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let server = &*server;
    if arguments.len() == 1 {
        return reply.text(&|out| {
            for (i, key) in server.keyspace.keys().enumerate() {
                if i > 0 {
                    out.write(b"\r\n");
                }
                out.write(server.keyspace.name(key));
                out.write(b"\r\n");
                key_stats(server, key, out);
            }
        });
    }
    match server.keyspace.find(arguments.get(1)) {
        Some(key) => reply.text(&|out| key_stats(server, key, out)),
        None => reply.error(NO_KEY),
    }
}

fn key_stats(server: &Server, key: KeyRef, out: &mut dyn Sink) {
    let summary = server.keyspace.summary(key);
    let stages = || server.keyspace.stages(key);
    out.write(b"  [");
    bar(summary.items, summary.capacity, 40, out);
    out.write(b"] ");
    grouped(summary.items, out);
    out.write(b" of ");
    grouped(summary.capacity, out);
    out.write(b" items, ");
    grouped(summary.bytes, out);
    out.write(b" bytes\r\n  about ");
    let estimate: u64 = stages().map(|stage| stage.stats().estimated_keys()).sum();
    grouped(estimate.min(u64::from(u32::MAX)) as u32, out);
    out.write(b" different by its bits; wrong for ");
    percent(sum(stages().map(|stage| stage.stats().rate())), out);
    out.write(b" now, ");
    percent(sum(stages().map(|stage| stage.rate_at_capacity())), out);
    out.write(b" when full");
    if server.keyspace.is_near_capacity(key) {
        out.write(b"\r\n  warning: past 90 % of its capacity");
        if summary.expansion == 0 {
            out.write(b"; clear it, or reserve a larger one");
        }
    }
}

/// How many blocks have how many bits set: a good hash makes one hill.
pub(super) fn fill(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = server.keyspace.find(arguments.get(1)) else {
        return reply.error(NO_KEY);
    };
    let mut histogram = [0_u32; 16];
    for ones in server.keyspace.stages(key).flat_map(ones_in_blocks) {
        if let Some(count) = histogram.get_mut((ones / 32).min(15) as usize) {
            *count += 1;
        }
    }
    let most = histogram.iter().copied().max().unwrap_or(0);
    reply.text(&|out| {
        out.write(b"bits set in a block of 512, and how many blocks");
        for (count, from) in histogram.iter().zip((0..).step_by(32)) {
            out.write(b"\r\n");
            (from..100).step_by(90).for_each(|_| out.write(b" "));
            if from < 10 {
                out.write(b" ");
            }
            number(from, out);
            out.write(b" ");
            bar(*count, most, 40, out);
            out.write(b" ");
            grouped(*count, out);
        }
    });
}

fn ones_in_blocks(stage: Stage<'_>) -> impl Iterator<Item = u32> {
    (0..stage.num_blocks()).map(move |i| stage.ones(i))
}

/// `plan 26000 1%`: what a filter would take.
pub(super) fn plan(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(items) = parse(arguments.get(1)) else {
        return reply.error("ERR how many items? As in `plan 26000 1%`");
    };
    let rate = match arguments.get(2) {
        [digits @ .., b'%'] => parse_parts_per_billion(digits).map(|parts| parts / 100),
        text => parse_parts_per_billion(text),
    };
    let Some(rate) = rate.map(Rate::from_parts_per_billion) else {
        return reply.error("ERR what rate? As in `plan 26000 1%` or `plan 26000 0.01`");
    };
    match Plan::try_for_keys_in(u64::from(items), rate, Layout::DEFAULT) {
        Ok(plan) => reply.text(&|out| {
            grouped(plan.bytes() as u32, out);
            out.write(b" bytes in ");
            grouped(plan.blocks() as u32, out);
            out.write(b" blocks, ");
            number(plan.k() as u32, out);
            out.write(b" bits per item; wrong for ");
            percent(plan.rate(), out);
            out.write(b" when full (a classic filter: ");
            grouped((plan.classic_bits() / 8) as u32, out);
            out.write(b" bytes)");
        }),
        Err(_) => {
            reply.error("ERR no filter of up to 4 MiB does that: fewer items or a higher rate")
        }
    }
}

pub(super) fn clear(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    match server.keyspace.find(arguments.get(1)) {
        Some(key) => {
            server.keyspace.empty(key);
            reply.ok();
        }
        None => reply.error(NO_KEY),
    }
}

/// How long a lookup of 80 bytes takes on this machine, by its own clock.
pub(super) fn bench(server: &mut Server, _: &Arguments, reply: &mut Reply) {
    const ROUNDS: u32 = 1_000;
    let Some(key) = server.keyspace.keys().next() else {
        return reply.error("ERR there is no key to look into; BF.RESERVE makes one");
    };
    let mut item = [b'x'; 80];
    let start = (server.board.clock)();
    let mut found = 0;
    for i in 0..ROUNDS {
        item[0] = i as u8;
        item[1] = (i >> 8) as u8;
        let mut stream = server.keyspace.stream(key);
        stream.write(&item);
        found += u32::from(server.keyspace.contains(key, stream.finish()));
    }
    let ticks = (server.board.clock)().wrapping_sub(start);
    let nanoseconds = u64::from(ticks) * (1_000_000_000 / ROUNDS) as u64
        / u64::from(server.board.clock_hz.max(1));
    reply.text(&|out| {
        number(nanoseconds.min(u64::from(u32::MAX)) as u32, out);
        out.write(b" ns for one lookup of 80 bytes, hash included (");
        number(ROUNDS, out);
        out.write(b" of them, ");
        number(found, out);
        out.write(b" found)");
    });
}
