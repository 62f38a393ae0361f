//! BF.*: RedisBloom's commands and answers.

use super::arena::{num_probes, word};
use super::call::{Call, Face, Outcome};
use super::commands::Items;
use super::decimal::{parse, parse_parts};
use super::family_commands;
pub(super) use super::family_commands::{add, rotating_seen as seen};
use super::keyspace::{KeyRef, Wish};
use super::kind::Kind;
use super::texts;
use crate::sizing::Rate;

/// RedisBloom's, of a cuckoo filter that is not there.
const CUCKOO_CAPACITY: u32 = 1024;

/// Reads `CAPACITY`, `ERROR` and the like from argument `first` on, over what is wished for so far.
#[inline(never)]
fn options(call: &Call, first: usize, kind: Kind, wish: &mut Wish) -> Outcome {
    /// In the order of the words.
    mod option {
        pub const CAPACITY: usize = 0;
        pub const ERROR: usize = 1;
        pub const EXPANSION: usize = 2;
        pub const NOCREATE: usize = 3;
        pub const NONSCALING: usize = 4;
    }
    // A bit for each option that was given.
    let mut given = 0_u32;
    let is_given = |given: u32, option: usize| given >> option & 1 == 1;
    let mut i = first;
    while i < call.num_arguments() {
        let option = call.which(i, texts::BLOOM_OPTIONS);
        let option = option.ok_or(texts::SYNTAX_ERROR)?;
        given |= 1 << option;
        let others = given & !(1 << option::CAPACITY | 1 << option::NOCREATE);
        if kind != Kind::Bloom && others != 0 {
            return Err(texts::SYNTAX_ERROR);
        }
        i += 1;
        match option {
            option::CAPACITY => wish.capacity = capacity(call, i)?,
            option::ERROR => wish.rate = rate(call, i)?,
            option::EXPANSION => match call.number(i) {
                Some(0) | None => return Err(texts::BAD_EXPANSION),
                Some(expansion) => wish.expansion = expansion,
            },
            _ => continue,
        }
        i += 1;
    }
    wish.may_create = !is_given(given, option::NOCREATE);
    if is_given(given, option::NONSCALING) {
        if is_given(given, option::EXPANSION) {
            return Err(texts::CANNOT_EXPAND);
        }
        wish.expansion = 0;
    }
    Ok(())
}

/// The rate that argument number `i` is.
#[inline(never)]
pub(super) fn rate(call: &Call, i: usize) -> Outcome<Rate> {
    match parse_parts(call.argument(i), 9) {
        None => Err(texts::BAD_RATE),
        Some(parts @ 1..1_000_000_000) => Ok(Rate::from_parts_per_billion(parts)),
        Some(_) => Err(texts::RATE_RANGE),
    }
}

/// The capacity that argument number `i` is.
#[inline(never)]
pub(super) fn capacity(call: &Call, i: usize) -> Outcome<u32> {
    match parse(call.argument(i)) {
        None => Err(texts::BAD_CAPACITY),
        Some(0) => Err(texts::CAPACITY_RANGE),
        Some(capacity) => Ok(capacity),
    }
}

/// Reads the rate and the capacity that are arguments 2 and 3.
#[inline(never)]
pub(super) fn rate_and_capacity(call: &Call, wish: &mut Wish) -> Outcome {
    wish.rate = rate(call, 2)?;
    wish.capacity = capacity(call, 3)?;
    Ok(())
}

/// BF.RESERVE and CBF.RESERVE.
pub(super) fn reserve(call: &mut Call) -> Outcome {
    let mut wish = Wish::DEFAULT;
    rate_and_capacity(call, &mut wish)?;
    let kind = call.kind();
    options(call, 4, kind, &mut wish)?;
    make(call, kind, &wish)
}

/// Makes the key that the first argument names.
#[inline(never)]
pub(super) fn create(call: &mut Call, kind: Kind, wish: &Wish) -> Outcome<KeyRef> {
    let server = &mut *call.server;
    server.keyspace.create(server.arguments.get(1), kind, wish)
}

/// The same, and that is all that the command does.
#[inline(never)]
pub(super) fn make(call: &mut Call, kind: Kind, wish: &Wish) -> Outcome {
    create(call, kind, wish)?;
    call.ok();
    Ok(())
}

/// The key that items go to, made when it is missing and they may make it; `None` when it is missing and only
/// asked.
pub(super) fn key_for_items(call: &mut Call) -> Outcome<Option<KeyRef>> {
    let key = call.key(1);
    if call.num_arguments() == 2
        && let Some(key) = key
        && call.server.keyspace.kind(key) == call.kind()
    {
        return Ok(Some(key));
    }
    make_key_for_items(key.is_some(), call)
}

/// The same when there are options, or there is no such key.
#[inline(never)]
fn make_key_for_items(is_there: bool, call: &mut Call) -> Outcome<Option<KeyRef>> {
    let command = call.server.dispatch.command;
    let kind = call.kind();
    let mut wish = Wish::DEFAULT;
    if kind == Kind::Cuckoo {
        wish.capacity = CUCKOO_CAPACITY;
    }
    options(call, 2, kind, &mut wish)?;
    let may_create = wish.may_create && matches!(command.items, Items::Make | Items::Options);
    if !is_there && command.items == Items::Ask {
        return Ok(None);
    }
    let key = if is_there || !may_create {
        call.find(1, kind)
    } else {
        create(call, kind, &wish)
    };
    key.map(Some)
}

/// SUNDEW.ASK: whether the exact store at the other end has to be asked.
pub(super) fn ask(call: &mut Call) -> Outcome {
    let may_be_there = family_commands::change(call, 0)? > 0;
    if !may_be_there {
        call.server.lookups.count_filter();
    }
    call.truth(may_be_there, texts::ASK);
    Ok(())
}

/// SUNDEW.TOLD: what the exact store at the other end said after `SUNDEW.ASK` sent it there.
pub(super) fn told(call: &mut Call) -> Outcome {
    match call.number(1) {
        Some(told @ 0..=1) => call.server.lookups.count_store(told == 1),
        _ => return Err(texts::TELL),
    }
    call.ok();
    Ok(())
}

pub(super) fn info(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Bloom)?;
    let summary = call.server.keyspace.summary(key);
    let values = [
        summary.capacity,
        summary.bytes,
        summary.stages,
        summary.items,
        summary.expansion,
    ];
    let mut first = 0;
    let mut number = values.len();
    if call.num_arguments() == 3 {
        let wanted = call.which(2, texts::BLOOM_FIELD_WORDS);
        first = wanted.ok_or(texts::INVALID_INFORMATION)?;
        number = 1;
    }
    // One field alone comes without its name in RESP2.
    let is_bare = number == 1 && call.server.face == Face::Resp2;
    if is_bare {
        call.array(1);
    } else {
        call.map(number as u32);
    }
    for i in first..first + number {
        if !is_bare {
            call.field_name(texts::BLOOM_FIELDS, i);
        }
        match values.get(i) {
            Some(0) if i == 4 => call.null(),
            Some(value) => call.integer(*value),
            None => {}
        }
    }
    Ok(())
}

pub(super) fn card(call: &mut Call) -> Outcome {
    let mut items = 0;
    if call.key(1).is_some() {
        let key = call.find(1, Kind::Bloom)?;
        items = call.server.keyspace.summary(key).items;
    }
    call.integer(items);
    Ok(())
}

/// One line for the key, and one for each stage.
pub(super) fn debug(call: &mut Call) -> Outcome {
    let key = call.find(1, Kind::Bloom)?;
    let summary = call.server.keyspace.summary(key);
    call.array(summary.stages + 1);
    call.text(texts::DEBUG, &[summary.items]);
    let mut next = Some(key);
    while let Some(stage) = next {
        let header = call.server.keyspace.header(stage);
        let bytes = (header[word::UNITS] - 1) * 64;
        let numbers = [
            bytes,
            bytes * 8,
            num_probes(header),
            header[word::CAPACITY],
            header[word::ITEMS],
        ];
        call.text(texts::DEBUG_STAGE, &numbers);
        next = call.server.keyspace.next_stage(stage);
    }
    Ok(())
}
