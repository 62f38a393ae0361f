//! BF.SCANDUMP, BF.LOADCHUNK and their like: RedisBloom's way to back a key up, in chunks that a client keeps.

use super::arguments::Arguments;
use super::bloom_commands::key_error;
use super::decimal::parse;
use super::dump::{HEADER, LoadError, Segment};
use super::family_commands::{WRONG_TYPE, find};
use super::keyspace::KeyRef;
use super::kind::Kind;
use super::reply::Reply;
use super::server::Server;
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
pub(super) fn kind_of(arguments: &Arguments) -> Option<Kind> {
    match arguments.get(0) {
        [b'B' | b'b', ..] => Some(Kind::Bloom),
        [b'C' | b'c', b'F' | b'f', ..] => Some(Kind::Cuckoo),
        [b'C' | b'c', ..] => Some(Kind::CountMin),
        _ => None,
    }
}

/// A key of the kind that the command is about; what is wrong otherwise is told.
fn find_any(server: &Server, arguments: &Arguments, reply: &mut Reply) -> Option<KeyRef> {
    let name = arguments.get(1);
    let key = server.keyspace.find(name);
    let own = key.map_or(Kind::Bloom, |key| server.keyspace.kind(key));
    find(server, name, kind_of(arguments).unwrap_or(own), reply)
}

/// SCANDUMP key cursor: the next cursor and a chunk; 0 and nothing at the end.
pub(super) fn scan_dump(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let Some(key) = find_any(server, arguments, reply) else {
        return;
    };
    let Some(cursor) = parse(arguments.get(2)) else {
        return reply.error("invalid cursor");
    };
    let position = if cursor == FIRST { HEADER } else { cursor };
    let stages = server.keyspace.stages(key).count() as u32;
    if position == 0 {
        server.dump = Dump {
            stages,
            ..Dump::NONE
        };
    }
    if position != server.dump.position || stages != server.dump.stages {
        return reply.error(
            "the cursor does not follow the last chunk, or the key has changed; begin at 0",
        );
    }
    match server.keyspace.segment(key, position) {
        None => {
            server.dump = Dump::NONE;
            reply.array(2);
            reply.integer(0);
            reply.bulk(&[]);
        }
        Some(segment) if position == segment.start => dump_header(server, key, &segment, reply),
        Some(segment) => dump_payload(server, &segment, reply),
    }
}

fn dump_header(server: &mut Server, key: KeyRef, segment: &Segment, reply: &mut Reply) {
    let header = server.keyspace.snapshot_header(key, segment);
    server.dump.crc = Crc32::new();
    server.dump.expected_crc = header.payload_crc;
    server.dump.position += HEADER;
    reply.array(2);
    reply.integer(match segment.start {
        0 => FIRST,
        start => start + HEADER,
    });
    reply.bulk(&header.to_bytes());
}

fn dump_payload(server: &mut Server, segment: &Segment, reply: &mut Reply) {
    let payload = segment.start + HEADER;
    let from = server.dump.position - payload;
    let to = (segment.length - HEADER).min(from + CHUNK);
    let (keyspace, dump) = (&server.keyspace, &mut server.dump);
    keyspace.payload(segment.stage, from, to, &mut |bytes| dump.crc.write(bytes));
    dump.position = payload + to;
    if payload + to == segment.start + segment.length && dump.crc.finish() != dump.expected_crc {
        *dump = Dump::NONE;
        return reply.error("the key has changed since its dump began; begin at 0");
    }
    reply.array(2);
    reply.integer(payload + to);
    reply.text_by(&|out| {
        keyspace.payload(segment.stage, from, to, &mut |bytes| out.write(bytes));
    });
}

/// LOADCHUNK key cursor chunk, before the chunk: false when it is refused already.
#[cold]
#[inline(never)]
pub(super) fn begin_load(server: &mut Server, arguments: &Arguments, reply: &mut Reply) -> bool {
    let Some(cursor @ 1..) = parse(arguments.get(2)) else {
        reply.error("invalid cursor");
        return false;
    };
    let name = arguments.get(1);
    let is_first = cursor == FIRST;
    server
        .load
        .begin_chunk(name, is_first, &mut server.keyspace);
    true
}

/// More bytes of the chunk.
#[cold]
#[inline(never)]
pub(super) fn load(server: &mut Server, arguments: &Arguments, bytes: &[u8]) {
    let kind = kind_of(arguments);
    let name = arguments.get(1);
    server.load.push(name, kind, bytes, &mut server.keyspace);
}

#[cold]
#[inline(never)]
pub(super) fn end_load(server: &mut Server, arguments: &Arguments, reply: &mut Reply) {
    let end = parse(arguments.get(2)).filter(|cursor| *cursor != FIRST);
    let name = arguments.get(1);
    match server.load.end_chunk(name, end, &mut server.keyspace) {
        Ok(()) => {
            if server.load.is_done() {
                server.keyspace.start_period(name, server.uptime.seconds);
            }
            reply.ok();
        }
        Err(error) => load_error(error, server, reply),
    }
}

#[cold]
fn load_error(error: LoadError, server: &Server, reply: &mut Reply) {
    match error {
        LoadError::Snapshot(error) => reply.error(error.as_str()),
        LoadError::Key(error) => key_error(error, server, reply),
        LoadError::WrongType => reply.bare_error(WRONG_TYPE),
        LoadError::OutOfOrder => {
            reply.error(
                "the chunk does not follow the last; begin with the first, whose cursor is 1",
            );
        }
        LoadError::FixedDamaged => {
            reply.error(
                "the snapshot's payload is damaged; `clear` the key, which took it, and load again",
            );
        }
    }
}
