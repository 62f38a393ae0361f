//! BF.SCANDUMP, BF.LOADCHUNK and their like: RedisBloom's way to back a key up, in chunks that a client keeps.

use super::arguments::Arguments;
use super::call::{Call, Outcome};
use super::decimal::parse;
use super::dump::{HEADER, Segment};
use super::keyspace::KeyRef;
use super::kind::Kind;
use super::server::Server;
use super::texts;
use crate::snapshot::Crc32;

/// The most bytes of one chunk.
const CHUNK: u32 = 4096;
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

/// What a command is about, by the first letters of its name; `None` for SUNDEW, which takes any.
fn kind_of(arguments: &Arguments) -> Option<Kind> {
    match arguments.get(0) {
        [b'B' | b'b', ..] => Some(Kind::Bloom),
        [b'C' | b'c', b'F' | b'f', ..] => Some(Kind::Cuckoo),
        [b'C' | b'c', ..] => Some(Kind::CountMin),
        _ => None,
    }
}

/// SCANDUMP key cursor: the next cursor and a chunk; 0 and nothing at the end.
pub(super) fn scan_dump(call: &mut Call) -> Outcome {
    let server = &*call.server;
    let own = call
        .key(1)
        .map_or(Kind::Bloom, |key| server.keyspace.kind(key));
    let key = call.find(1, kind_of(&server.arguments).unwrap_or(own))?;
    let cursor = call.number(2).ok_or(texts::INVALID_CURSOR)?;
    let server = &mut *call.server;
    let position = if cursor == FIRST { HEADER } else { cursor };
    let stages = server.keyspace.stages(key).count() as u32;
    if position == 0 {
        server.dump = Dump {
            stages,
            ..Dump::NONE
        };
    }
    if position != server.dump.position || stages != server.dump.stages {
        return Err(texts::BAD_CURSOR);
    }
    match server.keyspace.segment(key, position) {
        None => {
            server.dump = Dump::NONE;
            call.array(2);
            call.integer(0);
            call.bulk(&[]);
            Ok(())
        }
        Some(segment) if position == segment.start => {
            dump_header(call, key, &segment);
            Ok(())
        }
        Some(segment) => dump_payload(call, &segment),
    }
}

fn dump_header(call: &mut Call, key: KeyRef, segment: &Segment) {
    let server = &mut *call.server;
    let header = server.keyspace.snapshot_header(key, segment);
    server.dump.crc = Crc32::new();
    server.dump.expected_crc = header.payload_crc;
    server.dump.position += HEADER;
    call.array(2);
    call.integer(match segment.start {
        0 => FIRST,
        start => start + HEADER,
    });
    call.bulk(&header.to_bytes());
}

fn dump_payload(call: &mut Call, segment: &Segment) -> Outcome {
    let server = &mut *call.server;
    let payload = segment.start + HEADER;
    let from = server.dump.position - payload;
    let to = (segment.length - HEADER).min(from + CHUNK);
    let (keyspace, dump) = (&server.keyspace, &mut server.dump);
    keyspace.payload(segment.stage, from, to, &mut |bytes| dump.crc.write(bytes));
    dump.position = payload + to;
    if payload + to == segment.start + segment.length && dump.crc.finish() != dump.expected_crc {
        *dump = Dump::NONE;
        return Err(texts::KEY_CHANGED);
    }
    call.array(2);
    call.integer(payload + to);
    call.text_by(&|call| {
        let Call { server, out } = call;
        let mut take = |bytes: &[u8]| out.write(bytes);
        server.keyspace.payload(segment.stage, from, to, &mut take);
    });
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
    let kind = kind_of(&server.arguments);
    let name = server.arguments.get(1);
    server.load.push(name, kind, bytes, &mut server.keyspace);
}

/// All of the chunk came.
#[cold]
pub(super) fn end_load(call: &mut Call) -> Outcome {
    let server = &mut *call.server;
    let end = parse(server.arguments.get(2)).filter(|cursor| *cursor != FIRST);
    let name = server.arguments.get(1);
    server.load.end_chunk(name, end, &mut server.keyspace)?;
    if server.load.is_done() {
        server.keyspace.start_period(name, server.uptime.seconds);
    }
    call.ok();
    Ok(())
}
