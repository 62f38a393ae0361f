//! Commands on keys of whatever kind.

use super::call::{Call, Outcome};
use super::kind::Kind;
use super::pattern::matches;
use super::texts;

/// Which keys `KEYS` and `SCAN` name.
struct Choice {
    /// The argument that is the pattern, and the one that is the type; 0 for any.
    pattern: usize,
    type_name: usize,
    /// The first, and how many are looked at.
    first: u32,
    count: u32,
}

pub(super) fn keys(call: &mut Call) -> Outcome {
    names(
        call,
        &Choice {
            pattern: call.num_arguments() - 1,
            type_name: 0,
            first: 0,
            count: u32::MAX,
        },
    );
    Ok(())
}

/// An array of the names that are chosen.
fn names(call: &mut Call, choice: &Choice) {
    let mut count = 0;
    for is_counting in [true, false] {
        let mut number = 0_u32;
        let mut last = None;
        while let Some(key) = call.server.keyspace.next_key(last) {
            last = Some(key);
            let keyspace = &call.server.keyspace;
            let pattern = call.argument(choice.pattern);
            let is_chosen = number.wrapping_sub(choice.first) < choice.count
                && (choice.type_name == 0
                    || is_of_type(call, choice.type_name, keyspace.kind(key)))
                && (choice.pattern == 0 || matches(pattern, keyspace.name(key)));
            number += 1;
            if is_chosen && is_counting {
                count += 1;
            } else if is_chosen {
                call.text(texts::KEY, &[key.number()]);
            }
        }
        if is_counting {
            call.array(count);
        }
    }
}

/// Whether argument number `i` names this kind.
fn is_of_type(call: &Call, i: usize, kind: Kind) -> bool {
    call.which(i, kind.type_name()).is_some()
}

/// The cursor is the number of the next key: there are few, and their order is stable.
pub(super) fn scan(call: &mut Call) -> Outcome {
    let cursor = call.number(1).ok_or(texts::INVALID_CURSOR)?;
    let (mut pattern, mut type_name, mut count) = (0, 0, 10);
    for i in (2..call.num_arguments()).step_by(2) {
        let value = i + 1;
        if value >= call.num_arguments() {
            return Err(texts::SYNTAX_ERROR);
        }
        match call.which(i, texts::SCAN_OPTIONS) {
            Some(0) => pattern = value,
            Some(1) => count = call.number(value).ok_or(texts::NOT_A_NUMBER)?,
            Some(_) => type_name = value,
            None => return Err(texts::SYNTAX_ERROR),
        }
    }
    if count == 0 {
        return Err(texts::SYNTAX_ERROR);
    }
    let end = cursor.saturating_add(count);
    let is_last = end >= call.server.keyspace.num_keys();
    call.array(2);
    call.text(texts::NUMBER, &[if is_last { 0 } else { end }]);
    names(
        call,
        &Choice {
            pattern,
            type_name,
            first: cursor,
            count,
        },
    );
    Ok(())
}

pub(super) fn dbsize(call: &mut Call) -> Outcome {
    let number = call.server.keyspace.num_keys();
    call.integer(number);
    Ok(())
}

pub(super) fn type_of(call: &mut Call) -> Outcome {
    let key = call.key(1);
    let name = key.map_or(texts::NO_TYPE, |key| {
        call.server.keyspace.kind(key).type_name()
    });
    call.simple(name);
    Ok(())
}

pub(super) fn exists(call: &mut Call) -> Outcome {
    let mut count = 0;
    for i in 1..call.num_arguments() {
        count += u32::from(call.key(i).is_some());
    }
    call.integer(count);
    Ok(())
}

pub(super) fn del(call: &mut Call) -> Outcome {
    let server = &mut *call.server;
    let mut count = 0;
    for i in 1..server.arguments.len() {
        count += u32::from(server.keyspace.remove(server.arguments.get(i)));
    }
    call.integer(count);
    Ok(())
}

pub(super) fn flush(call: &mut Call) -> Outcome {
    call.server.keyspace.remove_all();
    call.ok();
    Ok(())
}

pub(super) fn memory(call: &mut Call) -> Outcome {
    if call.which(1, texts::USAGE).is_none() || call.num_arguments() < 3 {
        return Err(texts::MEMORY_SUBCOMMAND);
    }
    match call.key(2) {
        Some(key) => {
            let bytes = call.server.keyspace.summary(key).bytes;
            call.integer(bytes);
        }
        None => call.null(),
    }
    Ok(())
}
