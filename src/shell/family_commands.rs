//! CF.*, CMS.*, PF*, CBF.* and RBF.*: the answers are those of RedisBloom and Redis where they have the command.

use super::arena::word;
use super::bloom_commands::{capacity, rate, wish};
use super::call::{Call, Face, Outcome};
use super::commands::Items;
use super::families::{REGISTER_UNITS, count_min_units};
use super::keyspace::{KeyRef, Wish};
use super::kind::Kind;
use super::texts;
use crate::sizing::{CountMinPlan, Layout, Plan, Rate, cuckoo_buckets};

/// Makes the key that the first argument names, of so many units.
#[inline(never)]
pub(super) fn create(call: &mut Call, kind: Kind, units: u32) -> Outcome<KeyRef> {
    let server = &mut *call.server;
    let name = server.arguments.get(1);
    server
        .keyspace
        .create_units(name, kind, units)
        .map_err(|error| match error {
            texts::ITEM_EXISTS if kind == Kind::CountMin => texts::CMS_EXISTS,
            error => error,
        })
}

pub(super) fn create_cuckoo(call: &mut Call, capacity: u32) -> Outcome<KeyRef> {
    let units = cuckoo_buckets(capacity as usize).div_ceil(8) as u32;
    let key = create(call, Kind::Cuckoo, units)?;
    call.server.keyspace.set_word(key, word::CAPACITY, capacity);
    Ok(key)
}

/// The key of the current item, and its hash.
pub(super) fn item(call: &Call) -> Outcome<(KeyRef, u32)> {
    let dispatch = &call.server.dispatch;
    match dispatch.key {
        Some(key) => Ok((key, dispatch.hash)),
        None => Err(texts::NOT_FOUND),
    }
}

/// Whether the current item is there; not when there is no key.
#[inline(never)]
pub(super) fn contains(call: &mut Call) -> bool {
    let server = &mut *call.server;
    let Some(key) = server.dispatch.key else {
        return false;
    };
    if server.keyspace.kind(key) == Kind::Rotating {
        server.keyspace.rotate_if_due(key, server.uptime.seconds);
    }
    server.keyspace.contains_item(key, server.dispatch.hash)
}

/// EXISTS of every kind.
pub(super) fn has(call: &mut Call) -> Outcome {
    let may_be_there = contains(call);
    call.truth(may_be_there, texts::MAYBE);
    Ok(())
}

/// COUNT of every kind, and CMS.QUERY.
pub(super) fn count(call: &mut Call) -> Outcome {
    let server = &call.server;
    let count = server.dispatch.key.map_or(0, |key| {
        server.keyspace.count_item(key, server.dispatch.hash)
    });
    call.integer(count);
    Ok(())
}

pub(super) fn cuckoo_add(call: &mut Call) -> Outcome {
    add_to_cuckoo(call, false)
}

/// CF.ADDNX and CF.INSERTNX: unless it is there.
pub(super) fn cuckoo_add_new(call: &mut Call) -> Outcome {
    add_to_cuckoo(call, true)
}

#[inline(never)]
fn add_to_cuckoo(call: &mut Call, is_for_new: bool) -> Outcome {
    let is_insert = call.server.dispatch.command.items == Items::Options;
    let is_added = if is_for_new && contains(call) {
        false
    } else {
        let (key, hash) = item(call)?;
        if !call.server.keyspace.add_to_cuckoo(key, hash) {
            if !is_insert {
                return Err(texts::CUCKOO_FULL);
            }
            match call.server.face {
                Face::Resp3 => call.truth(false, texts::ADDED),
                _ => call.signed(true, 1),
            }
            return Ok(());
        }
        true
    };
    if is_insert && is_for_new {
        call.integer(is_added.into());
    } else {
        call.truth(is_added, texts::ADDED);
    }
    Ok(())
}

/// CF.DEL and CBF.DEL.
pub(super) fn delete(call: &mut Call) -> Outcome {
    let (key, hash) = item(call)?;
    let keyspace = &mut call.server.keyspace;
    let was_there = match keyspace.kind(key) {
        Kind::Cuckoo => keyspace.remove_from_cuckoo(key, hash),
        _ => keyspace.change_counting(key, hash, true),
    };
    call.truth(was_there, texts::REMOVED);
    Ok(())
}

pub(super) fn counting_add(call: &mut Call) -> Outcome {
    let (key, hash) = item(call)?;
    let was_there = call.server.keyspace.change_counting(key, hash, false);
    call.truth(!was_there, texts::NEW);
    Ok(())
}

/// Adds the current item to a rotating key; whether it is new.
fn rotate_in(call: &mut Call) -> Outcome<bool> {
    let (key, hash) = item(call)?;
    let now = call.server.uptime.seconds;
    Ok(call.server.keyspace.add_to_rotating(key, hash, now))
}

pub(super) fn rotating_add(call: &mut Call) -> Outcome {
    let is_new = rotate_in(call)?;
    call.truth(is_new, texts::NEW);
    Ok(())
}

pub(super) fn rotating_seen(call: &mut Call) -> Outcome {
    let is_new = rotate_in(call)?;
    call.truth(!is_new, texts::SEEN);
    Ok(())
}

/// PFADD answers once, after the last item: whether one of them changed the key.
pub(super) fn hyper_log_log_add(call: &mut Call) -> Outcome {
    let (key, hash) = item(call)?;
    let is_changed = call.server.keyspace.add_to_hyper_log_log(key, hash);
    let dispatch = &mut call.server.dispatch;
    dispatch.has_changed |= is_changed;
    if dispatch.is_last() {
        let has_changed = dispatch.has_changed;
        call.integer(has_changed.into());
    }
    Ok(())
}

/// CMS.INCRBY: an item and by how much.
pub(super) fn increment(call: &mut Call) -> Outcome {
    let (key, hash) = item(call)?;
    let Some(count @ 1..) = call.number(1) else {
        return Err(texts::CMS_NO_NUMBER);
    };
    let server = &mut *call.server;
    let estimate = server.keyspace.add_to_count_min(key, hash, count);
    let name = server.arguments.get(0);
    server.keyspace.offer_to_top(key, hash, name, estimate);
    if estimate == u32::MAX {
        return Err(texts::CMS_OVERFLOW);
    }
    call.integer(estimate);
    Ok(())
}

pub(super) fn cuckoo_reserve(call: &mut Call) -> Outcome {
    let wished = capacity(call, 2)?;
    // Taken and not followed: buckets have four slots, a walk has 500 steps, a filter does not grow.
    for i in (3..call.num_arguments()).step_by(2) {
        if call.which(i, texts::CUCKOO_OPTIONS).is_none() || call.number(i + 1).is_none() {
            return Err(texts::SYNTAX_ERROR);
        }
    }
    create_cuckoo(call, wished)?;
    call.ok();
    Ok(())
}

pub(super) fn cuckoo_info(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Cuckoo)?;
    let header = call.server.keyspace.header(key);
    let bytes = header[word::UNITS] * 64;
    let values = [
        bytes,
        bytes / 8 - 8,
        1,
        header[word::ITEMS],
        header[word::RATE],
        4,
        0,
        500,
    ];
    call.fields(texts::CUCKOO_FIELDS, &values);
    Ok(())
}

fn create_count_min(call: &mut Call, width: u32, depth: u32) -> Outcome {
    let key = create(call, Kind::CountMin, count_min_units(width, depth))?;
    let keyspace = &mut call.server.keyspace;
    keyspace.set_word(key, word::CAPACITY, width);
    keyspace.set_word(key, word::EXPANSION, depth);
    call.ok();
    Ok(())
}

pub(super) fn count_min_by_dimensions(call: &mut Call) -> Outcome {
    match (call.number(2), call.number(3)) {
        (Some(width @ 1..=65_536), Some(depth @ 1..=32)) => create_count_min(call, width, depth),
        (Some(1..=65_536), _) => Err(texts::CMS_DEPTH),
        _ => Err(texts::CMS_WIDTH),
    }
}

pub(super) fn count_min_by_probability(call: &mut Call) -> Outcome {
    if let (Ok(error), Ok(failure)) = (rate(call, 2), rate(call, 3))
        && let Ok(plan) = CountMinPlan::try_for_error(error, failure)
    {
        return create_count_min(call, plan.width() as u32, plan.depth() as u32);
    }
    Err(texts::CMS_PROBABILITY)
}

pub(super) fn count_min_info(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::CountMin)?;
    let header = call.server.keyspace.header(key);
    let values = [
        header[word::CAPACITY],
        header[word::EXPANSION],
        header[word::ITEMS],
    ];
    call.fields(texts::CMS_FIELDS, &values);
    Ok(())
}

/// SUNDEW.TOP key [n]: the most frequent items of a sketch, and how often they came.
pub(super) fn top(call: &mut Call) -> Outcome {
    let mut most = u32::MAX;
    if call.num_arguments() > 2 {
        most = call.number(2).ok_or(texts::NOT_A_NUMBER)?;
    }
    let key = call.find(1, Kind::CountMin)?;
    let number = call.server.keyspace.num_top(key).min(most);
    call.array(number * 2);
    for more_frequent in 0..number {
        if let Some(item) = call.server.keyspace.top_item(key, more_frequent) {
            call.bulk(item.name());
            call.integer(item.count());
        }
    }
    Ok(())
}

/// CMS.MERGE to n from... [WEIGHTS w...]: the sum of the sketches, not added to what was there.
pub(super) fn count_min_merge(call: &mut Call) -> Outcome {
    let Some(number) = call.number(2).map(|number| number as usize) else {
        return Err(texts::CMS_NUMBER_OF_KEYS);
    };
    // There are at most 16 arguments.
    let has_weights = call
        .which(number.saturating_add(3), texts::WEIGHTS)
        .is_some();
    let expected = match has_weights {
        true => 4 + 2 * number,
        false => number.saturating_add(3),
    };
    if number == 0 || call.num_arguments() != expected {
        return Err(texts::CMS_KEYS_AND_WEIGHTS);
    }
    let weight = |call: &Call, i: usize| match has_weights {
        true => call.number(4 + number + i),
        false => Some(1),
    };
    let to = call.find(1, Kind::CountMin)?;
    let mut includes_itself = 0_u32;
    for i in 0..number {
        let from = call.find(3 + i, Kind::CountMin)?;
        let [a, b] = [to, from].map(|key| call.server.keyspace.header(key));
        if a[word::CAPACITY] != b[word::CAPACITY] || a[word::EXPANSION] != b[word::EXPANSION] {
            return Err(texts::CMS_NOT_EQUAL);
        }
        let weight = weight(call, i).ok_or(texts::CMS_WEIGHT)?;
        if from == to {
            includes_itself = includes_itself.saturating_add(weight);
        }
    }
    // Itself first, while it is what it was: so many times more, or none of it.
    if includes_itself == 0 {
        call.server.keyspace.empty(to);
    } else {
        call.server
            .keyspace
            .merge_count_min(to, to, includes_itself - 1);
    }
    for i in 0..number {
        if let Some(from) = call.key(3 + i)
            && from != to
        {
            let weight = weight(call, i).unwrap_or(0);
            call.server.keyspace.merge_count_min(to, from, weight);
        }
    }
    call.ok();
    Ok(())
}

/// Whether all keys that the arguments name are HyperLogLogs, or not there.
#[inline(never)]
fn check_hyper_log_logs(call: &Call) -> Outcome {
    for i in 1..call.num_arguments() {
        if call.key(i).is_some() {
            call.find(i, Kind::HyperLogLog)?;
        }
    }
    Ok(())
}

pub(super) fn hyper_log_log_count(call: &mut Call) -> Outcome {
    check_hyper_log_logs(call)?;
    let keys = (1..call.num_arguments()).filter_map(|i| call.key(i));
    let estimate = call.server.keyspace.estimate_union(keys);
    call.integer(estimate);
    Ok(())
}

pub(super) fn hyper_log_log_merge(call: &mut Call) -> Outcome {
    check_hyper_log_logs(call)?;
    let to = match call.key(1) {
        Some(key) => key,
        None => create(call, Kind::HyperLogLog, REGISTER_UNITS)?,
    };
    for i in 2..call.num_arguments() {
        if let Some(from) = call.key(i) {
            call.server.keyspace.merge_hyper_log_log(to, from);
        }
    }
    call.ok();
    Ok(())
}

/// Makes a key that takes what is wished for in each of so many generations.
#[inline(never)]
fn reserve(call: &mut Call, kind: Kind, wish: &Wish, generations: u32) -> Outcome<KeyRef> {
    let layout = match kind {
        Kind::Counting => Layout::COUNTING,
        _ => Layout::DEFAULT,
    };
    // All generations are asked, so each has its share of the rate.
    let share = (wish.rate.parts_per_billion() / generations).max(1);
    let share = Rate::from_parts_per_billion(share);
    let Ok(plan) = Plan::try_for_keys_in(wish.capacity.into(), share, layout) else {
        return Err(call.server.keyspace.far_too_large());
    };
    let units = (plan.blocks() as u32).saturating_mul(generations);
    let key = create(call, kind, units)?;
    call.server.keyspace.set_probes(key, plan.k() as u32);
    Ok(key)
}

pub(super) fn counting_reserve(call: &mut Call) -> Outcome {
    let wish = wish(call)?;
    let key = reserve(call, Kind::Counting, &wish, 1)?;
    let keyspace = &mut call.server.keyspace;
    keyspace.set_word(key, word::CAPACITY, wish.capacity);
    keyspace.set_word(key, word::RATE, wish.rate.parts_per_billion());
    call.ok();
    Ok(())
}

pub(super) fn counting_info(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Counting)?;
    let header = call.server.keyspace.header(key);
    let values = [
        header[word::CAPACITY],
        header[word::UNITS] * 64,
        header[word::ITEMS],
    ];
    call.fields(texts::COUNTING_FIELDS, &values);
    Ok(())
}

/// RBF.RESERVE key rate capacity generations [EVERY seconds | AFTER items]: each generation is made for `capacity`
/// items, and rotates after as many unless told otherwise.
pub(super) fn rotating_reserve(call: &mut Call) -> Outcome {
    let wish = wish(call)?;
    let Some(generations @ 2..=32) = call.number(4) else {
        return Err(texts::GENERATIONS);
    };
    let (mut seconds, mut after) = (0, wish.capacity);
    if call.num_arguments() > 5 {
        match (call.which(5, texts::ROTATING_OPTIONS), call.number(6)) {
            (Some(0), Some(number @ 1..)) => seconds = number,
            (Some(_), Some(number @ 1..)) => after = number,
            _ => return Err(texts::SYNTAX_ERROR),
        }
    }
    let key = reserve(call, Kind::Rotating, &wish, generations)?;
    for (word, value) in [
        (word::CAPACITY, after),
        (word::RATE, seconds),
        (word::EXPANSION, generations),
        (word::EXTRA, call.server.uptime.seconds),
    ] {
        call.server.keyspace.set_word(key, word, value);
    }
    call.ok();
    Ok(())
}

pub(super) fn rotating_rotate(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Rotating)?;
    let server = &mut *call.server;
    server.keyspace.rotate(key);
    server
        .keyspace
        .set_word(key, word::EXTRA, server.uptime.seconds);
    call.ok();
    Ok(())
}

pub(super) fn rotating_info(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Rotating)?;
    let server = &mut *call.server;
    server.keyspace.rotate_if_due(key, server.uptime.seconds);
    let header = server.keyspace.header(key);
    let values = [
        header[word::EXPANSION] & 0xFF,
        header[word::UNITS] * 64,
        header[word::ITEMS],
        header[word::CAPACITY],
        header[word::RATE],
    ];
    call.fields(texts::ROTATING_FIELDS, &values);
    Ok(())
}
