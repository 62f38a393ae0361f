//! Commands about the device and the connection.

use super::call::{Call, Face, Outcome};
use super::commands::{COMMANDS, Command};
use super::human_commands;
use super::text::Text;
use super::texts;

pub(super) fn ping(call: &mut Call) -> Outcome {
    if call.num_arguments() > 1 {
        return echo(call);
    }
    call.simple(texts::PONG);
    Ok(())
}

pub(super) fn echo(call: &mut Call) -> Outcome {
    echo_argument(call, 1);
    Ok(())
}

/// An argument as it came.
#[inline(never)]
fn echo_argument(call: &mut Call, i: usize) {
    while call.writes_text() {
        call.out.write(call.server.arguments.get(i));
    }
}

pub(super) fn version(call: &mut Call) -> Outcome {
    call.text(texts::VERSION, &[]);
    Ok(())
}

/// Chooses RESP2 or RESP3. A name or a password may follow; there is nothing to protect.
pub(super) fn hello(call: &mut Call) -> Outcome {
    if call.num_arguments() > 1 {
        call.server.face = match call.number(1) {
            Some(2) => Face::Resp2,
            Some(3) => Face::Resp3,
            _ => return Err(texts::NO_PROTOCOL),
        };
    }
    call.server.commands_at_hello = call.server.commands;
    let is_resp3 = call.server.face == Face::Resp3;
    call.map(7);
    parts(call, texts::HELLO, 5);
    call.integer(2 + u32::from(is_resp3));
    parts(call, texts::HELLO_ID, 1);
    call.integer(1);
    parts(call, texts::HELLO_REST, 5);
    call.array(0);
    Ok(())
}

/// One string for each of the first so many parts of a text.
#[inline(never)]
fn parts(call: &mut Call, text: Text, count: usize) {
    for number in 0..count {
        part(call, text, number);
    }
}

/// A string that is a [part](Call::part) of a text.
#[inline(never)]
fn part(call: &mut Call, text: Text, number: usize) {
    while call.writes_text() {
        call.part(text, number);
    }
}

/// Any name that is not that of a command.
pub(super) fn unknown(_: &mut Call) -> Outcome {
    Err(texts::UNKNOWN)
}

pub(super) fn command(call: &mut Call) -> Outcome {
    let count = COMMANDS.len() as u32;
    let is_documented = call.num_arguments() > 1;
    if !is_documented {
        call.array(count);
    } else if call
        .which(1, texts::COMMAND_WORDS)
        .ok_or(texts::NO_SUBCOMMAND)?
        == 0
    {
        call.integer(count);
        return Ok(());
    } else {
        call.map(count);
    }
    for command in &COMMANDS {
        if !is_documented {
            call.array(6);
        }
        part(call, command.text(), 0);
        if is_documented {
            call.map(3);
            parts(call, texts::SUMMARY, 1);
            part(call, command.text(), 1);
            parts(call, texts::SINCE, 4);
        } else {
            describe(command, call);
        }
    }
    Ok(())
}

/// Arity, flags, and where the keys are.
fn describe(command: &Command, call: &mut Call) {
    let (fewest, may_be_more) = command.arity();
    call.signed(may_be_more, fewest);
    call.array(0);
    for _ in 0..3 {
        call.integer(command.has_key().into());
    }
}

/// Clients introduce themselves; there is only one at a time, so nothing is kept. One that does so other than right
/// behind its `HELLO` is new, and knows nothing of the RESP3 that the last one asked for.
pub(super) fn client(call: &mut Call) -> Outcome {
    let server = &mut *call.server;
    let goes_on = server.commands.wrapping_sub(server.commands_at_hello) == 1;
    if goes_on {
        server.commands_at_hello = server.commands;
    }
    match call.which(1, texts::CLIENT_WORDS) {
        Some(0) => call.null(),
        Some(1) => call.integer(1),
        Some(what) => {
            if what == 2 && call.server.face == Face::Resp3 && !goes_on {
                call.server.face = Face::Resp2;
            }
            call.ok();
        }
        None => return Err(texts::NO_SUBCOMMAND),
    }
    Ok(())
}

/// What benchmarks ask for; there is nothing to set.
pub(super) fn config(call: &mut Call) -> Outcome {
    if call.which(1, texts::GET).is_none() || call.num_arguments() != 3 {
        return Err(texts::NO_SUBCOMMAND);
    }
    let number = call.which(2, texts::CONFIG_WORDS);
    call.map(number.is_some().into());
    if let Some(number) = number {
        echo_argument(call, 2);
        part(call, texts::CONFIG_VALUES, number);
    }
    Ok(())
}

pub(super) fn select(call: &mut Call) -> Outcome {
    match call.number(1) {
        Some(0) => call.ok(),
        Some(_) => return Err(texts::BAD_DATABASE),
        None => return Err(texts::NOT_A_NUMBER),
    }
    Ok(())
}

pub(super) fn reset(call: &mut Call) -> Outcome {
    call.server.is_quitting = true;
    call.simple(texts::RESET);
    Ok(())
}

pub(super) fn quit(call: &mut Call) -> Outcome {
    call.server.is_quitting = true;
    call.ok();
    Ok(())
}

/// All sections, whatever section was asked for: a client finds what it looks for.
pub(super) fn info(call: &mut Call) -> Outcome {
    // Once: writing may raise it, and the second time it is to be as long as the first.
    let stack_high_water = (call.server.board.stack_high_water)();
    while call.writes_text() {
        let server = &*call.server;
        let board = &server.board;
        let arena = server.keyspace.arena();
        let numbers = [
            board.boot_count,
            server.uptime.seconds,
            server.commands,
            server.bytes_lost,
            board.static_ram,
            arena.bytes(),
            arena.bytes() - arena.bytes_free(),
            stack_high_water,
            server.keyspace.num_keys(),
        ];
        call.fill_in(texts::INFO, &numbers);
        human_commands::all_stats(call, true);
        #[cfg(feature = "shell-saves")]
        super::save::tell(call);
    }
    Ok(())
}
