//! BF.SCANDUMP, BF.LOADCHUNK and their like: RedisBloom's way to back a key up, in chunks that a client keeps.

use super::call::{Call, Outcome};
use super::decimal::parse;
use super::dump::{HEADER, payload_len, word, write_word};
use super::kind::Kind;
use super::server::Server;
use super::texts;
use crate::snapshot::Crc32;

/// The most words of one chunk.
const CHUNK: usize = 1024;
/// The cursor behind the first header, as RedisBloom has it; behind all else it counts bytes.
const FIRST: u32 = 1;

/// A dump that is being handed out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dump {
    /// Where the next chunk begins.
    position: u32,
    /// Of the stage's payload so far, and what it is to be in the end.
    crc: Crc32,
    expected_crc: u32,
    /// How many stages the key had when it began.
    stages: u32,
}

impl Dump {
    pub const NONE: Self = Self {
        position: 0,
        crc: Crc32::new(),
        expected_crc: 0,
        stages: 0,
    };
}

/// What the command is about; `None` for those that begin with SUNDEW, which take any key.
fn kind_of(server: &Server) -> Option<Kind> {
    match server.arguments.get(0) {
        [b'S' | b's', ..] => None,
        _ => Some(server.dispatch.command.kind()),
    }
}

/// SCANDUMP key cursor: the next cursor and a chunk; 0 and nothing at the end.
pub(super) fn scan_dump(call: &mut Call) -> Outcome {
    let key = match kind_of(call.server) {
        Some(kind) => call.find(1, kind)?,
        None => call.key(1).ok_or(texts::NOT_FOUND)?,
    };
    let cursor = call.number(2).ok_or(texts::INVALID_CURSOR)?;
    let Server {
        keyspace,
        dump,
        uptime,
        ..
    } = &mut *call.server;
    let stages = keyspace.stages(key).count() as u32;
    if cursor == 0 {
        // What is forgotten by now is not to come back.
        keyspace.rotate_if_due(key, uptime.seconds);
        *dump = Dump {
            stages,
            ..Dump::NONE
        };
    }
    let mut position = if cursor == FIRST { HEADER } else { cursor };
    if position != dump.position || stages != dump.stages {
        return Err(texts::BAD_CURSOR);
    }
    // Which stage comes, and how far in it.
    let (mut stage, mut number, mut offset) = (Some(key), 0, position);
    while let Some(here) = stage {
        let length = HEADER + payload_len(keyspace.header(here));
        if offset < length {
            break;
        }
        offset -= length;
        number += 1;
        stage = keyspace.next_stage(here);
    }
    let mut header = [0; 16];
    // The words of the header, or of the payload, that are the chunk.
    let (mut from, mut to) = (0, 0);
    if let Some(stage) = stage {
        let words = payload_len(keyspace.header(stage)) as usize / 4;
        if offset == 0 {
            header = keyspace.stage_words(stage, number, if stages > 1 { stages } else { 0 });
            let mut crc = Crc32::new();
            keyspace.check_payload(stage, 0, words, &mut crc);
            header[word::PAYLOAD_CRC] = crc.finish();
            dump.expected_crc = crc.finish();
            crc = Crc32::new();
            for word in header.iter().take(word::HEADER_CRC) {
                write_word(&mut crc, *word);
            }
            header[word::HEADER_CRC] = crc.finish();
            dump.crc = Crc32::new();
            to = 16;
        } else {
            from = (offset - HEADER) as usize / 4;
            to = words.min(from + CHUNK);
            keyspace.check_payload(stage, from, to, &mut dump.crc);
            if to == words && dump.crc.finish() != dump.expected_crc {
                *dump = Dump::NONE;
                return Err(texts::KEY_CHANGED);
            }
        }
        position += (to - from) as u32 * 4;
    } else {
        if dump.crc.finish() != dump.expected_crc {
            *dump = Dump::NONE;
            return Err(texts::KEY_CHANGED);
        }
        position = 0;
    }
    dump.position = position;
    call.array(2);
    call.integer(if cursor == 0 { FIRST } else { position });
    call.begin_bulk((to - from) as u32 * 4);
    for i in from..to {
        let word = match stage {
            Some(stage) if offset > 0 => call.server.keyspace.payload_word(stage, i),
            _ => header.get(i).copied().unwrap_or(0),
        };
        call.write(&word.to_le_bytes());
    }
    call.end_line();
    Ok(())
}

/// LOADCHUNK key cursor chunk, before the chunk.
#[cold]
#[inline(never)]
pub(super) fn begin_load(call: &mut Call) -> Outcome {
    let Some(cursor @ 1..) = call.number(2) else {
        return Err(texts::INVALID_CURSOR);
    };
    let server = &mut *call.server;
    let name = server.arguments.get(1);
    let is_first = cursor == FIRST;
    server
        .load
        .begin_chunk(name, is_first, &mut server.keyspace);
    Ok(())
}

/// More bytes of the chunk.
#[cold]
#[inline(never)]
pub(super) fn load(server: &mut Server, bytes: &[u8]) {
    let kind = kind_of(server);
    let name = server.arguments.get(1);
    server.load.push(name, kind, bytes, &mut server.keyspace);
}

/// All of the chunk came.
#[cold]
pub(super) fn end_load(call: &mut Call) -> Outcome {
    let server = &mut *call.server;
    let end = parse(server.arguments.get(2)).filter(|cursor| *cursor != FIRST);
    let name = server.arguments.get(1);
    let kind = kind_of(server);
    server
        .load
        .end_chunk(name, kind, end, &mut server.keyspace)?;
    if server.load.is_done() {
        server.keyspace.start_period(name, server.uptime.seconds);
    }
    call.ok();
    Ok(())
}
