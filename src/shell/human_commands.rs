//! Commands for people: what a device can say about its filters, in words and drawings.

use super::arena::word;
use super::arguments::Arguments;
use super::commands::{self, COMMANDS};
use super::decimal::{parse, parse_parts_per_billion};
use super::family_commands::find;
use super::keyspace::{KeyRef, count_ones};
use super::kind::Kind;
use super::reply::Reply;
use super::server::Server;
use super::text::fill_in;
use crate::hash::HashStream;
use crate::key::Sink;
use crate::sizing::{Layout, Plan, Rate, divide};

const NO_KEY: &str = "no such key; `keys` lists them";

pub(super) fn help(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if arguments.len() == 1 {
        return reply.text_by(&|out| {
            for command in COMMANDS {
                let (line, summary) = command.lines();
                if !summary.is_empty() {
                    out.write(line);
                    (line.len()..20).for_each(|_| out.write(b" "));
                    fill_in(out, "%s\n", summary, &[]);
                }
            }
            out.write(b"and Redis's BF.*, KEYS, INFO ...; help BF.ADD says how");
        });
    }
    let Some(command) = commands::find(arguments.get(1)) else {
        return reply.error("no such command; `help` lists them");
    };
    let (line, summary) = command.lines();
    reply.text_by(&|out| {
        out.write(line);
        if !summary.is_empty() {
            fill_in(out, "\n  %s", summary, &[]);
        }
    });
}

/// About one key, or about all.
pub(super) fn stats(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let server = &*server;
    if arguments.len() == 1 {
        return reply.text_by(&|out| {
            for (i, key) in server.keyspace.keys().enumerate() {
                let template = if i > 0 { "\n%s\n" } else { "%s\n" };
                fill_in(out, template, server.keyspace.name(key), &[]);
                key_stats(server, key, out);
            }
            let numbers = server.lookup_numbers();
            if numbers != [0; 3] {
                let template =
                    "\nSUNDEW.ASK: %g answered here, %g sent on, of which %g were not there";
                fill_in(out, template, &[], &numbers);
            }
        });
    }
    match server.keyspace.find(arguments.get(1)) {
        Some(key) => reply.text_by(&|out| key_stats(server, key, out)),
        None => reply.error(NO_KEY),
    }
}

#[inline(never)]
fn key_stats(server: &Server, key: KeyRef, out: &mut dyn Sink) {
    let keyspace = &server.keyspace;
    let summary = keyspace.summary(key);
    let kind = keyspace.kind(key);
    if kind != Kind::Bloom {
        let numbers = [summary.items, summary.bytes];
        return fill_in(
            out,
            "  %s, %g items, %g bytes",
            kind.type_name().as_bytes(),
            &numbers,
        );
    }
    let (mut estimate, mut rate) = (0_u32, 0_u32);
    for stage in keyspace.stages(key) {
        let stats = keyspace.stats(stage);
        let keys = u32::try_from(stats.estimated_keys()).unwrap_or(u32::MAX);
        estimate = estimate.saturating_add(keys);
        rate = rate.saturating_add(stats.rate().parts_per_billion());
    }
    fill_in(
        out,
        "  [%b] %g of %g items, %g bytes\n  about %g different by its bits; wrong for %p now, %p when full",
        &[],
        &[
            summary.items,
            summary.capacity,
            summary.items,
            summary.capacity,
            summary.bytes,
            estimate,
            rate,
            keyspace.rate_with(key, word::CAPACITY),
        ],
    );
    if summary.is_near_capacity() {
        out.write(b"\r\n  warning: past 90 % of its capacity");
        if summary.expansion == 0 {
            out.write(b"; clear it, or reserve a larger one");
        }
    }
}

/// How many blocks have how many bits set: a good hash makes one hill.
pub(super) fn fill(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = find(server, arguments.get(1), Kind::Bloom, reply) else {
        return;
    };
    let mut histogram = [0_u32; 16];
    for stage in server.keyspace.stages(key) {
        for ones in server.keyspace.blocks(stage).iter().map(count_ones) {
            if let Some(count) = histogram.get_mut((ones / 32).min(15) as usize) {
                *count += 1;
            }
        }
    }
    let most = histogram.iter().copied().max().unwrap_or(0);
    reply.text_by(&|out| {
        out.write(b"bits set in a block of 512, and how many blocks");
        let mut from = 0;
        for count in histogram {
            let template = match from {
                0 => "\n  %n %b %g",
                32..100 => "\n %n %b %g",
                _ => "\n%n %b %g",
            };
            fill_in(out, template, &[], &[from, count, most, count]);
            from += 32;
        }
    });
}

/// `plan 26000 1%`: what a filter would take.
pub(super) fn plan(_: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(items) = parse(arguments.get(1)) else {
        return reply.error("how many items? As in `plan 26000 1%%`");
    };
    let rate = match arguments.get(2) {
        [digits @ .., b'%'] => parse_parts_per_billion(digits).map(|parts| parts / 100),
        text => parse_parts_per_billion(text),
    };
    let Some(rate) = rate.map(Rate::from_parts_per_billion) else {
        return reply.error("what rate? As in `plan 26000 1%%` or `plan 26000 0.01`");
    };
    match Plan::try_for_keys_in(u64::from(items), rate, Layout::DEFAULT) {
        Ok(plan) => reply.text(
            "%g bytes in %g blocks, %n bits per item; wrong for %p when full (a classic filter: %g bytes)",
            &[],
            &[
                plan.bytes() as u32,
                plan.blocks() as u32,
                plan.k() as u32,
                plan.rate().parts_per_billion(),
                (plan.classic_bits() / 8) as u32,
            ],
        ),
        Err(_) => {
            reply.error("no filter of up to 4 MiB does that: fewer items or a higher rate")
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
        return reply.error("there is no key to look into; BF.RESERVE makes one");
    };
    let mut item = [0_u32; 20];
    let start = (server.board.clock)();
    let mut found = 0;
    for i in 0..ROUNDS {
        item[0] = i;
        let mut stream = server.keyspace.stream(key);
        stream.write(bytemuck::cast_slice(&item));
        found += u32::from(server.keyspace.contains(key, stream.finish()));
    }
    let ticks = (server.board.clock)().wrapping_sub(start);
    let nanoseconds = divide(
        u64::from(ticks) * u64::from(1_000_000_000 / ROUNDS),
        u64::from(server.board.clock_hz.max(1)),
    );
    reply.text(
        "%n ns for one lookup of 80 bytes, hash included (1000 of them, %n found)",
        &[],
        &[u32::try_from(nanoseconds).unwrap_or(u32::MAX), found],
    );
}
