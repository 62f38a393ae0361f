//! CF.*, CMS.*, PF*, CBF.* and RBF.*: the answers are those of RedisBloom and Redis where they have the command.

use super::arena::word;
use super::arguments::Arguments;
use super::bloom_commands::{SYNTAX_ERROR, Text, capacity, key_error, rate, wish};
use super::commands::What;
use super::decimal::parse;
use super::families::{REGISTER_UNITS, count_min_units};
use super::keyspace::{KeyError, KeyRef, Wish};
use super::kind::Kind;
use super::reply::Reply;
use super::server::Server;
use super::text::cut;
use crate::sizing::{CountMinPlan, Layout, Plan, Rate, cuckoo_buckets};

pub(super) const WRONG_TYPE: &str =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

/// The key of this name, if it is of this kind; what is wrong otherwise is told.
#[inline(never)]
pub(super) fn find(server: &Server, name: &[u8], kind: Kind, reply: &mut Reply) -> Option<KeyRef> {
    let key = server.keyspace.find(name);
    match key {
        Some(key) if server.keyspace.kind(key) == kind => return Some(key),
        Some(_) => reply.bare_error(WRONG_TYPE),
        None => reply.bare_error(match kind {
            Kind::Bloom => "ERR not found",
            Kind::CountMin => "CMS: key does not exist",
            _ => "Not found",
        }),
    }
    None
}

/// Makes a key of so many units, or says why not.
pub(super) fn create(
    server: &mut Server,
    name: &[u8],
    kind: Kind,
    units: u32,
    reply: &mut Reply,
) -> Option<KeyRef> {
    match server.keyspace.create_units(name, kind, units) {
        Ok(key) => Some(key),
        Err(KeyError::Exists) if kind == Kind::CountMin => {
            reply.bare_error("CMS: key already exists");
            None
        }
        Err(error) => {
            key_error(error, server, reply);
            None
        }
    }
}

pub(super) fn create_cuckoo(
    server: &mut Server,
    name: &[u8],
    capacity: u32,
    reply: &mut Reply,
) -> Option<KeyRef> {
    let units = cuckoo_buckets(capacity as usize).div_ceil(8) as u32;
    let key = create(server, name, Kind::Cuckoo, units, reply)?;
    server.keyspace.set_word(key, word::CAPACITY, capacity);
    Some(key)
}

pub(super) fn run_item(
    what: What,
    key: Option<KeyRef>,
    hash: u32,
    server: &mut Server,
    reply: &mut Reply,
) {
    let now = server.uptime.seconds;
    let keyspace = &mut server.keyspace;
    let Some(key) = key else {
        return match what {
            What::CuckooCount | What::CountingCount => reply.integer(0),
            _ => reply.truth(false, "yes,no"),
        };
    };
    match what {
        What::CuckooAdd | What::CuckooAddNew | What::CuckooInsert | What::CuckooInsertNew => {
            let is_known = matches!(what, What::CuckooAddNew | What::CuckooInsertNew)
                && keyspace.contains_item(What::CuckooHas, key, hash);
            let is_insert = matches!(what, What::CuckooInsert | What::CuckooInsertNew);
            if is_known {
                reply.number_or_truth(what == What::CuckooInsertNew, 0);
            } else if keyspace.add_to_cuckoo(key, hash) {
                reply.number_or_truth(what == What::CuckooInsertNew, 1);
            } else if is_insert {
                reply.minus_one();
            } else {
                reply.bare_error("Filter is full");
            }
        }
        What::CuckooDelete => {
            let is_removed = keyspace.remove_from_cuckoo(key, hash);
            reply.truth(is_removed, "removed,not there");
        }
        What::CountingAdd => {
            let was_there = keyspace.change_counting(key, hash, false);
            reply.truth(!was_there, "new,seen before");
        }
        What::CountingDelete => {
            let was_there = keyspace.change_counting(key, hash, true);
            reply.truth(was_there, "removed,not there");
        }
        What::RotatingAdd => {
            let is_new = keyspace.add_to_rotating(key, hash, now);
            reply.truth(is_new, "new,seen before");
        }
        What::RotatingSeen => {
            let is_new = keyspace.add_to_rotating(key, hash, now);
            reply.truth(!is_new, "seen before,new");
        }
        What::CuckooHas | What::CountingHas | What::RotatingHas => {
            if what == What::RotatingHas {
                keyspace.rotate_if_due(key, now);
            }
            reply.truth(keyspace.contains_item(what, key, hash), "maybe,no");
        }
        _ => reply.integer(keyspace.count_item(what, key, hash)),
    }
}

/// CMS.INCRBY: an item and by how much.
#[inline(never)]
pub(super) fn increment(
    key: Option<KeyRef>,
    hash: u32,
    arguments: &Arguments,
    server: &mut Server,
    reply: &mut Reply,
) {
    match (key, parse(arguments.get(1))) {
        (Some(key), Some(count)) if count > 0 => {
            let estimate = server.keyspace.add_to_count_min(key, hash, count);
            let name = arguments.get(0);
            server.keyspace.offer_to_top(key, hash, name, estimate);
            if estimate == u32::MAX {
                reply.bare_error("CMS: INCRBY overflow");
            } else {
                reply.integer(estimate);
            }
        }
        _ => reply.bare_error("CMS: Cannot parse number"),
    }
}

pub(super) fn cuckoo_reserve(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let wished = match capacity(arguments.get(2)) {
        Ok(capacity) => capacity,
        Err(text) => return reply.error(text),
    };
    // Taken and not followed: buckets have four slots, a walk has 500 steps, a filter does not grow.
    let mut i = 3;
    while i < arguments.len() {
        let is_known = arguments
            .which(i, "BUCKETSIZE MAXITERATIONS EXPANSION")
            .is_some();
        if !is_known || parse(arguments.get(i + 1)).is_none() {
            return reply.error(SYNTAX_ERROR);
        }
        i += 2;
    }
    if create_cuckoo(server, arguments.get(1), wished, reply).is_some() {
        reply.ok();
    }
}

fn info(fields: &str, values: &[u32], reply: &mut Reply) {
    reply.map(values.len() as u32);
    let mut fields = fields.as_bytes();
    for value in values {
        let (name, others) = cut(fields, b',');
        fields = others;
        reply.field_name(name);
        reply.integer(*value);
    }
}

pub(super) fn cuckoo_info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if let Some(key) = find(server, arguments.get(1), Kind::Cuckoo, reply) {
        let header = server.keyspace.header(key);
        let bytes = header[word::UNITS] * 64;
        info(
            "Size,Number of buckets,Number of filters,Number of items inserted,Number of items deleted,Bucket size,Expansion rate,Max iterations",
            &[
                bytes,
                bytes / 8 - 8,
                1,
                header[word::ITEMS],
                header[word::RATE],
                4,
                0,
                500,
            ],
            reply,
        );
    }
}

fn create_count_min(
    server: &mut Server,
    arguments: &Arguments,
    width: u32,
    depth: u32,
    reply: &mut Reply,
) {
    let units = count_min_units(width, depth);
    if let Some(key) = create(server, arguments.get(1), Kind::CountMin, units, reply) {
        server.keyspace.set_word(key, word::CAPACITY, width);
        server.keyspace.set_word(key, word::EXPANSION, depth);
        reply.ok();
    }
}

pub(super) fn count_min_by_dimensions(
    server: &mut Server,
    arguments: &Arguments,
    reply: &mut Reply,
) {
    match (parse(arguments.get(2)), parse(arguments.get(3))) {
        (Some(width @ 1..=65_536), Some(depth @ 1..=32)) => {
            create_count_min(server, arguments, width, depth, reply);
        }
        (Some(1..=65_536), _) => reply.bare_error("CMS: invalid depth"),
        _ => reply.bare_error("CMS: invalid width"),
    }
}

pub(super) fn count_min_by_probability(
    server: &mut Server,
    arguments: &Arguments,
    reply: &mut Reply,
) {
    let plan = |error: Result<Rate, Text>, failure: Result<Rate, Text>| {
        CountMinPlan::try_for_error(error.ok()?, failure.ok()?).ok()
    };
    match plan(rate(arguments.get(2)), rate(arguments.get(3))) {
        Some(plan) => create_count_min(
            server,
            arguments,
            plan.width() as u32,
            plan.depth() as u32,
            reply,
        ),
        None => reply.bare_error("CMS: invalid overestimation or probability value"),
    }
}

pub(super) fn count_min_info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if let Some(key) = find(server, arguments.get(1), Kind::CountMin, reply) {
        let header = server.keyspace.header(key);
        let values = [
            header[word::CAPACITY],
            header[word::EXPANSION],
            header[word::ITEMS],
        ];
        info("width,depth,count", &values, reply);
    }
}

/// SUNDEW.TOP key [n]: the most frequent items of a sketch, and how often they came.
pub(super) fn top(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let most = match arguments.len() {
        2 => Some(u32::MAX),
        _ => parse(arguments.get(2)),
    };
    let Some(most) = most else {
        return reply.error("value is not an integer or out of range");
    };
    if let Some(key) = find(server, arguments.get(1), Kind::CountMin, reply) {
        let keyspace = &server.keyspace;
        let number = keyspace.top_items(key, most, &mut |_, _| {});
        reply.array(number * 2);
        keyspace.top_items(key, most, &mut |name, count| {
            reply.bulk(name);
            reply.integer(count);
        });
    }
}

/// CMS.MERGE to n from... [WEIGHTS w...]: the sum of the sketches, not added to what was there.
pub(super) fn count_min_merge(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(number) = parse(arguments.get(2)).map(|number| number as usize) else {
        return reply.bare_error("CMS: invalid numkeys");
    };
    let has_weights = arguments.is(3 + number, "WEIGHTS");
    let expected = if has_weights {
        4 + 2 * number
    } else {
        3 + number
    };
    if number == 0 || arguments.len() != expected {
        return reply.bare_error("CMS: wrong number of keys/weights");
    }
    let Some(to) = find(server, arguments.get(1), Kind::CountMin, reply) else {
        return;
    };
    let mut includes_itself = 0_u32;
    for i in 0..number {
        let Some(from) = find(server, arguments.get(3 + i), Kind::CountMin, reply) else {
            return;
        };
        let [a, b] = [to, from].map(|key| server.keyspace.header(key));
        if a[word::CAPACITY] != b[word::CAPACITY] || a[word::EXPANSION] != b[word::EXPANSION] {
            return reply.bare_error("CMS: width/depth is not equal");
        }
        if has_weights && parse(arguments.get(4 + number + i)).is_none() {
            return reply.bare_error("CMS: invalid weight value");
        }
        if from == to {
            let weight = weight(arguments, number, has_weights, i);
            includes_itself = includes_itself.saturating_add(weight);
        }
    }
    // Itself first, while it is what it was: so many times more, or none of it.
    if includes_itself == 0 {
        server.keyspace.empty(to);
    } else {
        server.keyspace.merge_count_min(to, to, includes_itself - 1);
    }
    for i in 0..number {
        if let Some(from) = server.keyspace.find(arguments.get(3 + i))
            && from != to
        {
            let weight = weight(arguments, number, has_weights, i);
            server.keyspace.merge_count_min(to, from, weight);
        }
    }
    reply.ok();
}

fn weight(arguments: &Arguments, number: usize, has_weights: bool, i: usize) -> u32 {
    if has_weights {
        parse(arguments.get(4 + number + i)).unwrap_or(0)
    } else {
        1
    }
}

/// Whether all keys that the arguments name are HyperLogLogs, or not there; tells otherwise.
#[inline(never)]
fn are_hyper_log_logs(server: &Server, arguments: &Arguments, reply: &mut Reply) -> bool {
    let keyspace = &server.keyspace;
    let mut keys = arguments.from(1).filter_map(|name| keyspace.find(name));
    let are_all = keys.all(|key| keyspace.kind(key) == Kind::HyperLogLog);
    if !are_all {
        reply.bare_error(WRONG_TYPE);
    }
    are_all
}

pub(super) fn hyper_log_log_count(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if !are_hyper_log_logs(server, arguments, reply) {
        return;
    }
    let keyspace = &server.keyspace;
    let keys = (1..arguments.len()).filter_map(|i| keyspace.find(arguments.get(i)));
    reply.integer(keyspace.estimate_union(keys));
}

pub(super) fn hyper_log_log_merge(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if !are_hyper_log_logs(server, arguments, reply) {
        return;
    }
    let name = arguments.get(1);
    let to = match server.keyspace.find(name) {
        Some(key) => key,
        None => match create(server, name, Kind::HyperLogLog, REGISTER_UNITS, reply) {
            Some(key) => key,
            None => return,
        },
    };
    for name in arguments.from(2) {
        if let Some(from) = server.keyspace.find(name) {
            server.keyspace.merge_hyper_log_log(to, from);
        }
    }
    reply.ok();
}

/// Makes a key that takes what is wished for in each of so many generations; says why not otherwise.
#[inline(never)]
fn reserve(
    server: &mut Server,
    name: &[u8],
    kind: Kind,
    wish: &Wish,
    generations: u32,
    reply: &mut Reply,
) -> Option<KeyRef> {
    let layout = match kind {
        Kind::Counting => Layout::COUNTING,
        _ => Layout::DEFAULT,
    };
    // All generations are asked, so each has its share of the rate.
    let share = (wish.rate.parts_per_billion() / generations).max(1);
    let share = Rate::from_parts_per_billion(share);
    let Ok(plan) = Plan::try_for_keys_in(wish.capacity.into(), share, layout) else {
        key_error(KeyError::TooLarge(u32::MAX), server, reply);
        return None;
    };
    let units = (plan.blocks() as u32).saturating_mul(generations);
    let key = create(server, name, kind, units, reply)?;
    server.keyspace.set_probes(key, plan.k() as u32);
    Some(key)
}

pub(super) fn counting_reserve(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let wish = match wish(arguments) {
        Ok(wish) => wish,
        Err(text) => return reply.error(text),
    };
    if let Some(key) = reserve(server, arguments.get(1), Kind::Counting, &wish, 1, reply) {
        let rate = wish.rate.parts_per_billion();
        server.keyspace.set_word(key, word::CAPACITY, wish.capacity);
        server.keyspace.set_word(key, word::RATE, rate);
        reply.ok();
    }
}

pub(super) fn counting_info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if let Some(key) = find(server, arguments.get(1), Kind::Counting, reply) {
        let header = server.keyspace.header(key);
        let values = [
            header[word::CAPACITY],
            header[word::UNITS] * 64,
            header[word::ITEMS],
        ];
        info("Capacity,Size,Number of items", &values, reply);
    }
}

/// RBF.RESERVE key rate capacity generations [EVERY seconds | AFTER items]: each generation is made for `capacity`
/// items, and rotates after as many unless told otherwise.
pub(super) fn rotating_reserve(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let options = || -> Result<(Wish, u32, u32, u32), Text> {
        let wish = wish(arguments)?;
        let Some(generations @ 2..=32) = parse(arguments.get(4)) else {
            return Err("generations must be from 2 to 32");
        };
        let (mut seconds, mut after) = (0, wish.capacity);
        if arguments.len() > 5 {
            let Some(number @ 1..) = parse(arguments.get(6)) else {
                return Err(SYNTAX_ERROR);
            };
            match arguments.which(5, "EVERY AFTER") {
                Some(0) => seconds = number,
                Some(_) => after = number,
                None => return Err(SYNTAX_ERROR),
            }
        }
        Ok((wish, generations, seconds, after))
    };
    let (wish, generations, seconds, after) = match options() {
        Ok(options) => options,
        Err(text) => return reply.error(text),
    };
    let name = arguments.get(1);
    if let Some(key) = reserve(server, name, Kind::Rotating, &wish, generations, reply) {
        for (word, value) in [
            (word::CAPACITY, after),
            (word::RATE, seconds),
            (word::EXPANSION, generations),
            (word::EXTRA, server.uptime.seconds),
        ] {
            server.keyspace.set_word(key, word, value);
        }
        reply.ok();
    }
}

pub(super) fn rotating_rotate(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if let Some(key) = find(server, arguments.get(1), Kind::Rotating, reply) {
        server.keyspace.rotate(key);
        server
            .keyspace
            .set_word(key, word::EXTRA, server.uptime.seconds);
        reply.ok();
    }
}

pub(super) fn rotating_info(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    if let Some(key) = find(server, arguments.get(1), Kind::Rotating, reply) {
        server.keyspace.rotate_if_due(key, server.uptime.seconds);
        let header = server.keyspace.header(key);
        let values = [
            header[word::EXPANSION] & 0xFF,
            header[word::UNITS] * 64,
            header[word::ITEMS],
            header[word::CAPACITY],
            header[word::RATE],
        ];
        info(
            "Generations,Size,Items in the newest,After items,Every seconds",
            &values,
            reply,
        );
    }
}
