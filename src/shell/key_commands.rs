//! Commands on keys of whatever kind.

use super::call::{Call, Outcome};
use super::keyspace::KeyRef;
use super::pattern::matches;
use super::texts;

/// Which keys `KEYS` and `SCAN` name.
struct Choice {
    /// The argument that is the pattern, and the one that is the type; 0 for any.
    pattern: usize,
    type_name: usize,
    /// The number of the first that is looked at, and of the first behind them.
    first: u32,
    end: u32,
}

pub(super) fn keys(call: &mut Call) -> Outcome {
    names(
        call,
        &Choice {
            pattern: call.num_arguments() - 1,
            type_name: 0,
            first: 0,
            end: u32::MAX,
        },
    );
    Ok(())
}

/// An array of the names that are chosen.
#[inline(never)]
fn names(call: &mut Call, choice: &Choice) {
    let count = each_name(call, choice, false);
    call.array(count);
    each_name(call, choice, true);
}

/// Counts the names that are chosen, and writes them.
#[inline(never)]
fn each_name(call: &mut Call, choice: &Choice, is_written: bool) -> u32 {
    let mut count = 0;
    let mut number = 0_u32;
    let mut last = None;
    while let Some(key) = call.server.keyspace.next_key(last) {
        last = Some(key);
        if (choice.first..choice.end).contains(&number) && is_chosen(call, choice, key) {
            count += 1;
            if is_written {
                call.text(texts::KEY, &[key.number()]);
            }
        }
        number += 1;
    }
    count
}

/// Whether a key is of the type, and its name like the pattern.
fn is_chosen(call: &Call, choice: &Choice, key: KeyRef) -> bool {
    let keyspace = &call.server.keyspace;
    if choice.type_name > 0 {
        let type_name = keyspace.kind(key).type_name();
        if call.which(choice.type_name, type_name).is_none() {
            return false;
        }
    }
    choice.pattern == 0 || matches(call.argument(choice.pattern), keyspace.name(key))
}

/// From the last key to the first, and the cursor is how many are left: removing a key moves only those behind it, and a
/// new one is the last. So each key is named that is there all the time, also to a client that removes what it is told.
pub(super) fn scan(call: &mut Call) -> Outcome {
    let cursor = call.number(1).ok_or(texts::INVALID_CURSOR)?;
    let (mut pattern, mut type_name, mut count) = (0, 0, 10);
    let mut i = 2;
    while i + 1 < call.num_arguments() {
        let value = i + 1;
        match call.which(i, texts::SCAN_OPTIONS) {
            Some(0) => pattern = value,
            Some(1) => count = call.number(value).ok_or(texts::NOT_A_NUMBER)?,
            Some(_) => type_name = value,
            None => break,
        }
        i += 2;
    }
    // An option that is unknown, or one without a value, is left.
    if i < call.num_arguments() || count == 0 {
        return Err(texts::SYNTAX_ERROR);
    }
    let mut end = call.server.keyspace.num_keys();
    if cursor > 0 {
        end = end.min(cursor);
    }
    let first = end.saturating_sub(count);
    call.array(2);
    call.text(texts::NUMBER, &[first]);
    names(
        call,
        &Choice {
            pattern,
            type_name,
            first,
            end,
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
    count_keys(call, false);
    Ok(())
}

pub(super) fn del(call: &mut Call) -> Outcome {
    count_keys(call, true);
    Ok(())
}

/// How many of these keys there are, or were before they are removed.
#[inline(never)]
fn count_keys(call: &mut Call, is_removal: bool) {
    let mut count = 0;
    for i in 1..call.num_arguments() {
        if call.key(i).is_some() {
            count += 1;
            if is_removal {
                let server = &mut *call.server;
                server.keyspace.remove(server.arguments.get(i));
            }
        }
    }
    call.integer(count);
}

/// Not with anything else behind it: whoever names a key does not mean all of them.
pub(super) fn flush(call: &mut Call) -> Outcome {
    if call.num_arguments() > 1 && call.which(1, texts::FLUSH_WORDS).is_none() {
        return Err(texts::SYNTAX_ERROR);
    }
    call.server.keyspace.remove_all();
    call.ok();
    Ok(())
}

pub(super) fn memory(call: &mut Call) -> Outcome {
    if call.which(1, texts::USAGE).is_none() || call.num_arguments() < 3 {
        return Err(texts::NO_SUBCOMMAND);
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
