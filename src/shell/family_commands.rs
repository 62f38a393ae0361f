//! CF.*, CMS.*, PF*, CBF.* and RBF.*: the answers are those of RedisBloom and Redis where they have the command.

use super::arena::{num_probes, word};
use super::bloom_commands::{capacity, create, make, rate, rate_and_capacity};
use super::call::{Call, Face, Outcome};
use super::commands::Items;
use super::families::{NUM_REGISTERS, Part, REMOVE, count_and_name, sum};
use super::keyspace::Wish;
use super::kind::Kind;
use super::text::Text;
use super::texts;
use crate::sizing::CountMinPlan;

/// Adds the current item, so often when the key is a sketch, or takes it off with [`REMOVE`], or with 0 only asks; how
/// often it may have been there before, 0 when there is no key. What changes a cuckoo filter or a HyperLogLog answers 1
/// if it did.
#[inline(never)]
pub(super) fn change(call: &mut Call, step: u32) -> Outcome<u32> {
    let server = &mut *call.server;
    let Some(key) = server.dispatch.key else {
        return Ok(0);
    };
    let hash = server.dispatch.hash;
    let keyspace = &mut server.keyspace;
    if keyspace.kind(key) != Kind::Bloom {
        keyspace.rotate_if_due(key, server.uptime.seconds);
        return Ok(keyspace.change_slots(key, hash, step));
    }
    let was_there = if step == 0 {
        keyspace.contains(key, hash)
    } else {
        !keyspace.insert(key, hash)?
    };
    Ok(was_there.into())
}

/// Changes the key by the current item, and tells whether it was there, or was not.
fn tell(call: &mut Call, step: u32, was_there: bool, words: Text) -> Outcome {
    let is_so = (change(call, step)? > 0) == was_there;
    call.truth(is_so, words);
    Ok(())
}

/// EXISTS of every kind.
pub(super) fn has(call: &mut Call) -> Outcome {
    tell(call, 0, true, texts::MAYBE)
}

/// COUNT of every kind, and CMS.QUERY.
pub(super) fn count(call: &mut Call) -> Outcome {
    let count = change(call, 0)?;
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
    let is_there = is_for_new && change(call, 0)? > 0;
    let is_added = !is_there && change(call, 1)? > 0;
    if !is_there && !is_added {
        if !is_insert {
            return Err(texts::CUCKOO_FULL);
        }
        if call.server.face != Face::Resp3 {
            call.signed(true, 1);
            return Ok(());
        }
    } else if is_insert && is_for_new {
        call.integer(is_added.into());
        return Ok(());
    }
    call.truth(is_added, texts::ADDED);
    Ok(())
}

/// CF.DEL and CBF.DEL.
pub(super) fn delete(call: &mut Call) -> Outcome {
    tell(call, REMOVE, true, texts::REMOVED)
}

/// ADD of Bloom filters, and of those that count or rotate.
pub(super) fn add(call: &mut Call) -> Outcome {
    tell(call, 1, false, texts::NEW)
}

/// SEEN of Bloom filters, and of those that rotate.
pub(super) fn rotating_seen(call: &mut Call) -> Outcome {
    tell(call, 1, true, texts::SEEN)
}

/// PFADD answers once, after the last item: whether one of them changed the key.
pub(super) fn hyper_log_log_add(call: &mut Call) -> Outcome {
    let is_changed = change(call, 1)? > 0;
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
    let count = call.number(1).ok_or(texts::CMS_NO_NUMBER)?;
    let estimate = change(call, count)?.saturating_add(count);
    let server = &mut *call.server;
    if let Some(key) = server.dispatch.key {
        let name = server.arguments.get(0);
        let hash = server.dispatch.hash;
        server.keyspace.offer_to_top(key, hash, name, estimate);
    }
    if estimate == u32::MAX {
        return Err(texts::CMS_OVERFLOW);
    }
    call.integer(estimate);
    Ok(())
}

pub(super) fn cuckoo_reserve(call: &mut Call) -> Outcome {
    let wish = Wish {
        capacity: capacity(call, 2)?,
        ..Wish::DEFAULT
    };
    // Taken and not followed: buckets have four slots, a walk has 500 steps, a filter does not grow.
    let mut i = 3;
    while i < call.num_arguments() {
        if call.which(i, texts::CUCKOO_OPTIONS).is_none() || call.number(i + 1).is_none() {
            return Err(texts::SYNTAX_ERROR);
        }
        i += 2;
    }
    make(call, Kind::Cuckoo, &wish)
}

#[inline(never)]
fn create_count_min(call: &mut Call, width: u32, depth: u32) -> Outcome {
    let wish = Wish {
        capacity: width,
        expansion: depth,
        ..Wish::DEFAULT
    };
    make(call, Kind::CountMin, &wish)
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

/// Values of `INFO` that are not a word of the header.
mod value {
    pub const BYTES: u8 = 16;
    pub const BUCKETS: u8 = 17;
    pub const GENERATIONS: u8 = 18;
    pub const PROBES: u8 = 19;
    pub const KICKS: u8 = 20;
    /// And above: how far above.
    pub const CONSTANT: u8 = 32;
}

/// What `INFO` says of the kinds behind [`Kind::Bloom`], in their order: names, and where the values are.
const FIELDS: [(Text, &[u8]); 5] = {
    use value::{BUCKETS, BYTES, CONSTANT, GENERATIONS, KICKS, PROBES};
    const CAPACITY: u8 = word::CAPACITY as u8;
    const ITEMS: u8 = word::ITEMS as u8;
    const RATE: u8 = word::RATE as u8;
    const FOUR: u8 = CONSTANT + 4;
    const ONE: u8 = CONSTANT + 1;
    [
        (
            texts::CUCKOO_FIELDS,
            &[BYTES, BUCKETS, ONE, ITEMS, RATE, FOUR, CONSTANT, KICKS],
        ),
        (texts::CMS_FIELDS, &[CAPACITY, PROBES, ITEMS]),
        // Redis has no such command.
        (texts::LAST_ERROR, &[]),
        (texts::COUNTING_FIELDS, &[CAPACITY, BYTES, ITEMS]),
        (
            texts::ROTATING_FIELDS,
            &[GENERATIONS, BYTES, ITEMS, CAPACITY, RATE],
        ),
    ]
};

/// INFO of every kind but Bloom filters.
pub(super) fn info(call: &mut Call) -> Outcome {
    let kind = call.kind();
    let key = call.find(1, kind)?;
    let server = &mut *call.server;
    server.keyspace.rotate_if_due(key, server.uptime.seconds);
    let Some((names, values)) = FIELDS.get((kind as usize).wrapping_sub(1)) else {
        return Ok(());
    };
    call.map(values.len() as u32);
    for (i, value) in values.iter().enumerate() {
        call.field_name(*names, i);
        let header = call.server.keyspace.header(key);
        let units = header[word::UNITS];
        let number = match *value {
            value::BYTES => units * 64,
            value::BUCKETS => units * 8 - 8,
            value::GENERATIONS => header[word::EXPANSION] & 0xFF,
            value::PROBES => num_probes(header),
            value::KICKS => 500,
            value => match header.get(usize::from(value)) {
                Some(word) => *word,
                None => u32::from(value - value::CONSTANT),
            },
        };
        call.integer(number);
    }
    Ok(())
}

/// SUNDEW.TOP key [n]: the most frequent items of a sketch, and how often they came.
pub(super) fn top(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::CountMin)?;
    let mut most = u32::MAX;
    if call.num_arguments() > 2 {
        most = call.number(2).ok_or(texts::NOT_A_NUMBER)?;
    }
    let mut number = 0;
    while call.server.keyspace.top_item(key, number).is_some() {
        number += 1;
    }
    let number = number.min(most as usize);
    call.array(number as u32 * 2);
    for i in 0..number {
        if let Some(&item) = call.server.keyspace.top_item(key, i) {
            let (count, name) = count_and_name(&item);
            call.bulk(name);
            call.integer(count);
        }
    }
    Ok(())
}

/// CMS.MERGE to n from... [WEIGHTS w...]: the sum of the sketches, not added to what was there.
pub(super) fn count_min_merge(call: &mut Call) -> Outcome {
    let number = call.number(2).ok_or(texts::CMS_NUMBER_OF_KEYS)?;
    // There are at most 16 arguments.
    let number = number.min(16) as usize;
    let end = 3 + number;
    let has_weights = call.which(end, texts::WEIGHTS).is_some();
    let expected = if has_weights { end + 1 + number } else { end };
    if number == 0 || call.num_arguments() != expected {
        return Err(texts::CMS_KEYS_AND_WEIGHTS);
    }
    let to = call.find(1, Kind::CountMin)?;
    // Nothing changes before all is known to be right.
    let shape = |call: &Call, key| {
        let header = call.server.keyspace.header(key);
        (header[word::CAPACITY], num_probes(header))
    };
    let (width, depth) = shape(call, to);
    let mut parts = [None; 16];
    let mut items = 0;
    for (i, part) in parts.iter_mut().take(number).enumerate() {
        let from = call.find(3 + i, Kind::CountMin)?;
        let mut weight = 1;
        if has_weights {
            weight = call.number(end + 1 + i).ok_or(texts::CMS_WEIGHT)?;
        }
        if shape(call, from) != (width, depth) {
            return Err(texts::CMS_NOT_EQUAL);
        }
        if weight > 0 {
            *part = Some((from, weight));
            items = sum(
                items,
                call.server.keyspace.header(from)[word::ITEMS],
                weight,
            );
        }
    }
    let keyspace = &mut call.server.keyspace;
    keyspace.note_change();
    keyspace.merge(to, &parts, (width * depth) as usize);
    keyspace.merge_tops(to, &parts);
    keyspace.set_word(to, word::ITEMS, items);
    call.ok();
    Ok(())
}

/// Finds the keys that the arguments name: HyperLogLogs, or not there.
#[inline(never)]
fn hyper_log_logs(call: &Call, keys: &mut [Part; 16]) -> Outcome {
    for i in 1..call.num_arguments() {
        if call.key(i).is_some() {
            let key = call.find(i, Kind::HyperLogLog)?;
            if let Some(place) = keys.get_mut(i) {
                *place = Some((key, 1));
            }
        }
    }
    Ok(())
}

pub(super) fn hyper_log_log_count(call: &mut Call) -> Outcome {
    let mut keys = [None; 16];
    hyper_log_logs(call, &mut keys)?;
    let estimate = call.server.keyspace.estimate_union(&keys);
    call.integer(estimate);
    Ok(())
}

pub(super) fn hyper_log_log_merge(call: &mut Call) -> Outcome {
    let mut keys = [None; 16];
    hyper_log_logs(call, &mut keys)?;
    let to = match keys[1] {
        Some((key, _)) => key,
        None => create(call, Kind::HyperLogLog, &Wish::DEFAULT)?,
    };
    call.server.keyspace.merge(to, &keys, NUM_REGISTERS);
    call.ok();
    Ok(())
}

/// RBF.RESERVE key rate capacity generations [EVERY seconds | AFTER items]: each generation is made for `capacity`
/// items, and rotates after as many unless told otherwise.
pub(super) fn rotating_reserve(call: &mut Call) -> Outcome {
    let mut wish = Wish::DEFAULT;
    rate_and_capacity(call, &mut wish)?;
    let Some(generations @ 2..=32) = call.number(4) else {
        return Err(texts::GENERATIONS);
    };
    wish.expansion = generations;
    // Seconds and items, in the order of the options.
    let mut periods = [0, wish.capacity];
    if call.num_arguments() > 5 {
        let (Some(unit), Some(period @ 1..)) =
            (call.which(5, texts::ROTATING_OPTIONS), call.number(6))
        else {
            return Err(texts::SYNTAX_ERROR);
        };
        periods = [0; 2];
        periods[unit & 1] = period;
    }
    let key = create(call, Kind::Rotating, &wish)?;
    let server = &mut *call.server;
    let (header, _) = server.keyspace.run_mut(key);
    [header[word::RATE], header[word::CAPACITY]] = periods;
    header[word::EXTRA] = server.uptime.seconds;
    call.ok();
    Ok(())
}

pub(super) fn rotating_rotate(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Rotating)?;
    let server = &mut *call.server;
    server.keyspace.rotate_if_due(key, server.uptime.seconds);
    server.keyspace.rotate(key);
    server
        .keyspace
        .set_word(key, word::EXTRA, server.uptime.seconds);
    call.ok();
    Ok(())
}
