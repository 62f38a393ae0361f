//! Commands for people: what a device can say about its filters, in words and drawings.

use super::arena::{UNIT_BYTES, word};
use super::call::{Call, Outcome};
use super::commands::{self, COMMANDS, Command, FIRST_LISTED};
use super::decimal::parse_parts;
use super::keyspace::{KeyRef, count_ones};
use super::kind::Kind;
use super::{FAMILIES, text, texts};
use crate::hash::HashStream;
use crate::key::Sink;
use crate::sizing::{Layout, Plan, Rate, classic_bits};

pub(super) fn help(call: &mut Call) -> Outcome {
    let mut command = None;
    if call.num_arguments() > 1 {
        command = Some(commands::find(call.argument(1)).ok_or(texts::NO_COMMAND)?);
    }
    while call.writes_text() {
        if let Some(command) = command {
            usage(command, call, false);
            continue;
        }
        for command in COMMANDS.iter().skip(FIRST_LISTED) {
            usage(command, call, true);
            call.end_line();
        }
        call.fill_in(texts::HELP_END, &[]);
    }
    Ok(())
}

/// Writes the name, what goes behind it and, in the second column or a line of its own, the summary.
#[inline(never)]
fn usage(command: &Command, call: &mut Call, is_list: bool) {
    let mut column = call.out.length + 20;
    let mut has_usage = false;
    for byte in command.text().bytes() {
        if byte != text::TAB {
            call.put(byte);
        } else if !has_usage {
            call.put(b' ');
            has_usage = true;
        } else {
            if !is_list {
                call.end_line();
                column = call.out.length + 2;
            }
            while call.out.length < column {
                call.put(b' ');
            }
        }
    }
}

/// About one key, or about all.
pub(super) fn stats(call: &mut Call) -> Outcome {
    let mut key = None;
    if call.num_arguments() > 1 {
        key = Some(call.key(1).ok_or(texts::NO_KEY)?);
    }
    while call.writes_text() {
        match key {
            Some(key) => key_stats(key, call, false),
            None => all_stats(call, false),
        }
    }
    Ok(())
}

/// About each key, and what `SUNDEW.ASK` and `SUNDEW.TOLD` came to.
#[inline(never)]
pub(super) fn all_stats(call: &mut Call, is_brief: bool) {
    let mut last = None;
    while let Some(key) = call.server.keyspace.next_key(last) {
        if !is_brief {
            if last.is_some() {
                call.end_line();
            }
            call.fill_in(texts::KEY_LINE, &[key.number()]);
        }
        key_stats(key, call, is_brief);
        last = Some(key);
    }
    let numbers = call.server.lookup_numbers();
    if is_brief {
        call.fill_in(texts::INFO_LOOKUPS, &numbers);
    } else if numbers != [0; 3] {
        call.fill_in(texts::LOOKUPS, &numbers);
    }
}

/// What there is to say about a key; in brief for `INFO`, from its counts alone: reading a large filter would take too
/// long for a client that asks every second.
#[inline(never)]
pub(super) fn key_stats(key: KeyRef, call: &mut Call, is_brief: bool) {
    let server = &mut *call.server;
    let keyspace = &mut server.keyspace;
    if FAMILIES {
        keyspace.rotate_if_due(key, server.uptime.seconds);
    }
    let summary = keyspace.summary(key);
    let kind = keyspace.kind(key);
    if kind != Kind::Bloom {
        let type_name = kind.type_name().start();
        let numbers = [key.number(), type_name, summary.items, summary.bytes];
        return if is_brief {
            call.fill_in(texts::INFO_OTHER_KEY, &numbers);
        } else {
            call.fill_in(texts::STATS_OF_OTHERS, &numbers[1..]);
        };
    }
    let counted = if is_brief {
        word::ITEMS
    } else {
        word::CAPACITY
    };
    let expected_rate = keyspace.rate_with(key, counted);
    if is_brief {
        let numbers = [
            key.number(),
            summary.items,
            summary.capacity,
            summary.bytes,
            Rate::of(summary.items.into(), summary.capacity.into()).parts_per_billion(),
            expected_rate,
        ];
        return call.fill_in(texts::INFO_KEY, &numbers);
    }
    let (mut estimate, mut rate) = (0_u32, 0_u32);
    for stage in keyspace.stages(key) {
        let stats = keyspace.stats(stage);
        estimate = estimate.saturating_add(stats.estimated_keys() as u32);
        rate = rate.saturating_add(stats.rate().parts_per_billion());
    }
    let numbers = [
        summary.items,
        summary.capacity,
        summary.items,
        summary.capacity,
        summary.bytes,
        estimate,
        rate,
        expected_rate,
    ];
    call.fill_in(texts::STATS, &numbers);
    if summary.is_near_capacity() {
        call.fill_in(texts::NEARLY_FULL, &[]);
        if summary.expansion == 0 {
            call.fill_in(texts::NEARLY_FULL_FIXED, &[]);
        }
    }
}

/// How many blocks have how many bits set: a good hash makes one hill.
pub(super) fn fill(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Bloom)?;
    let mut histogram = [0_u32; 16];
    let mut most = 0;
    for stage in call.server.keyspace.stages(key) {
        for block in call.server.keyspace.blocks(stage) {
            if let Some(count) = histogram.get_mut((count_ones(block) / 32).min(15) as usize) {
                *count += 1;
                most = most.max(*count);
            }
        }
    }
    while call.writes_text() {
        call.fill_in(texts::FILL, &[]);
        let mut from = 0;
        for &count in &histogram {
            call.end_line();
            if from < 100 {
                call.put(b' ');
            }
            if from == 0 {
                call.put(b' ');
            }
            call.fill_in(texts::FILL_LINE, &[from, count, most, count]);
            from += 32;
        }
    }
    Ok(())
}

/// `plan 26000 1%`: what a filter would take.
pub(super) fn plan(call: &mut Call) -> Outcome {
    let items = call.number(1).ok_or(texts::PLAN_WHAT)?;
    let (digits, power) = match call.argument(2) {
        [digits @ .., b'%'] => (digits, 7),
        digits => (digits, 9),
    };
    let Some(parts @ 0..1_000_000_000) = parse_parts(digits, power) else {
        return Err(texts::PLAN_WHAT);
    };
    let rate = Rate::from_parts_per_billion(parts);
    let items = u64::from(items);
    let Ok(plan) = &Plan::try_for_keys_in(items, rate, Layout::DEFAULT) else {
        return Err(texts::NO_PLAN);
    };
    let blocks = plan.blocks() as u32;
    let rate = plan.rate();
    let numbers = [
        blocks * UNIT_BYTES,
        blocks,
        plan.k() as u32,
        rate.parts_per_billion(),
        (classic_bits(items, rate) / 8) as u32,
    ];
    call.text(texts::PLAN, &numbers);
    Ok(())
}

pub(super) fn clear(call: &mut Call) -> Outcome {
    let key = call.key(1).ok_or(texts::NO_KEY)?;
    call.server.keyspace.empty(key);
    call.ok();
    Ok(())
}

/// How long a lookup of 80 bytes takes on this machine, by its own clock.
pub(super) fn bench(call: &mut Call) -> Outcome {
    const ROUNDS: u32 = 1_000;
    let server = &mut *call.server;
    let key = server
        .keyspace
        .next_key(None)
        .ok_or(texts::NO_KEY_TO_BENCH)?;
    let mut item = [0_u32; 20];
    let start = (server.board.clock)();
    let mut found = 0;
    for i in 0..ROUNDS {
        item[0] = i;
        server.start_stream(key);
        let stream = &mut server.dispatch.stream;
        stream.write(bytemuck::cast_slice(&item));
        let hash = stream.finish();
        found += u32::from(server.keyspace.contains(key, hash));
    }
    let ticks = (server.board.clock)().wrapping_sub(start);
    // Nanoseconds are parts per billion of a second.
    let all_rounds = u64::from(server.board.clock_hz) * u64::from(ROUNDS);
    let nanoseconds = Rate::of(ticks.into(), all_rounds).parts_per_billion();
    call.text(texts::BENCH, &[nanoseconds, found]);
    Ok(())
}
