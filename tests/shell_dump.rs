//! Backing keys up over the console and loading them again: nothing is lost, and nothing damaged gets in.

mod support;

use sundew::snapshot::{Header, Snapshot};
use sundew::{
    BlockedBloom, CountMinSketch, CountingBloom, CuckooFilter, HyperLogLog11, RotatingBloom,
};
use support::console::{Console, frame, with_console};

/// A chunk of a dump, and the cursor that came with it.
type Chunk = (u32, Vec<u8>);

/// The chunk behind a cursor, or the error.
fn scan(console: &mut Console, family: &str, key: &str, cursor: u32) -> Result<Chunk, String> {
    let command = format!("{family}.SCANDUMP");
    let reply = console.exchange(frame(&[&command, key, &cursor.to_string()]).as_bytes());
    let Some(rest) = reply.strip_prefix(b"*2\r\n:") else {
        return Err(String::from_utf8(reply).unwrap());
    };
    let mut lines = rest.splitn(3, |byte| *byte == b'\n');
    let mut number = |mark: &str| -> u32 {
        let line = std::str::from_utf8(lines.next().unwrap()).unwrap();
        line.trim_end().trim_start_matches(mark).parse().unwrap()
    };
    let (cursor, length) = (number(""), number("$") as usize);
    let bytes = lines.next().unwrap();
    assert_eq!(&bytes[length..], b"\r\n");
    Ok((cursor, bytes[..length].to_vec()))
}

fn dump_of(console: &mut Console, family: &str, key: &str) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    loop {
        let cursor = chunks.last().map_or(0, |chunk| chunk.0);
        let chunk = scan(console, family, key, cursor).unwrap();
        if chunk.0 == 0 {
            assert!(chunk.1.is_empty());
            return chunks;
        }
        assert!(chunk.1.len() <= 4096);
        chunks.push(chunk);
    }
}

fn load(console: &mut Console, family: &str, key: &str, (cursor, chunk): &Chunk) -> String {
    let command = format!("{family}.LOADCHUNK");
    let head = frame(&[&command, key, &cursor.to_string()]).replacen("*3", "*4", 1);
    let mut bytes = head.into_bytes();
    bytes.extend(format!("${}\r\n", chunk.len()).bytes());
    bytes.extend(chunk);
    bytes.extend(b"\r\n");
    console.send(bytes)
}

fn load_all(console: &mut Console, family: &str, key: &str, chunks: &[Chunk]) {
    for chunk in chunks {
        assert_eq!(load(console, family, key, chunk), "+OK\r\n");
    }
}

fn joined(chunks: &[Chunk]) -> Vec<u8> {
    chunks.iter().flat_map(|chunk| chunk.1.clone()).collect()
}

/// What to make a key of each kind with, how to fill it, what to ask for an item, and by which name it is dumped.
const KINDS: [(&str, &[&str], &str, &str); 6] = [
    (
        "BF",
        &["BF.RESERVE", "k", "0.01", "2000"],
        "BF.ADD",
        "BF.EXISTS",
    ),
    ("CF", &["CF.RESERVE", "k", "1000"], "CF.ADD", "CF.COUNT"),
    (
        "CMS",
        &["CMS.INITBYDIM", "k", "300", "3"],
        "CMS.INCRBY",
        "CMS.QUERY",
    ),
    ("SUNDEW", &["PFADD", "k", "a"], "PFADD", "PFCOUNT"),
    (
        "SUNDEW",
        &["CBF.RESERVE", "k", "0.01", "1000"],
        "CBF.ADD",
        "CBF.COUNT",
    ),
    (
        "SUNDEW",
        &["RBF.RESERVE", "k", "0.01", "300", "3", "EVERY", "100"],
        "RBF.ADD",
        "RBF.EXISTS",
    ),
];

fn fill(console: &mut Console, kind: usize) {
    let (_, make, add, _) = KINDS[kind];
    console.call(make);
    for item in 0..700 {
        let item = item.to_string();
        let reply = match add {
            "CMS.INCRBY" => console.call(&[add, "k", &item, "3"]),
            _ => console.call(&[add, "k", &item]),
        };
        assert!(!reply.contains('-'), "{add}: {reply}");
        if add == "RBF.ADD" && item == "400" {
            console.expect(&["RBF.ROTATE", "k"], "+OK\r\n");
        }
    }
}

fn answers(console: &mut Console, kind: usize) -> Vec<String> {
    let ask = KINDS[kind].3;
    if ask == "PFCOUNT" {
        return vec![console.call(&[ask, "k"])];
    }
    (0..3_000)
        .map(|item| console.call(&[ask, "k", &item.to_string()]))
        .collect()
}

#[test]
fn a_key_of_every_kind_comes_back() {
    for (kind, (family, ..)) in KINDS.iter().enumerate() {
        with_console(|console| {
            fill(console, kind);
            let stats = console.call(&["stats", "k"]);
            let before = answers(console, kind);
            let chunks = dump_of(console, family, "k");
            assert_eq!(chunks[0].0, 1, "as RedisBloom's header");
            console.expect(&["DEL", "k"], ":1\r\n");
            load_all(console, family, "k", &chunks);
            assert_eq!(answers(console, kind), before, "{family}");
            assert_eq!(console.call(&["stats", "k"]), stats);
            assert_eq!(dump_of(console, family, "k"), chunks);

            // By another name, next to it, and in place of another key of that name.
            console.expect(&["BF.RESERVE", "other", "0.01", "10"], "+OK\r\n");
            load_all(console, "SUNDEW", "other", &chunks);
            assert_eq!(dump_of(console, "SUNDEW", "other"), chunks);
            console.expect(&["DBSIZE"], ":3\r\n");
        });
    }
}

#[test]
fn what_rotates_by_the_clock_starts_a_period_when_it_is_loaded() {
    with_console(|console| {
        fill(console, 5);
        let chunks = dump_of(console, "SUNDEW", "k");
        console.wait(1_000_000);
        load_all(console, "SUNDEW", "k", &chunks);
        console.expect(&["RBF.EXISTS", "k", "699"], ":1\r\n");
        console.wait(150_000);
        console.expect(&["RBF.EXISTS", "k", "699"], ":1\r\n");
        console.wait(200_000);
        console.expect(&["RBF.EXISTS", "k", "699"], ":0\r\n");
    });
}

#[test]
fn what_was_forgotten_does_not_come_back_with_a_dump() {
    with_console(|console| {
        fill(console, 5);
        console.wait(1_000_000);
        let chunks = dump_of(console, "SUNDEW", "k");
        load_all(console, "SUNDEW", "other", &chunks);
        for item in 0..700 {
            console.expect(&["RBF.EXISTS", "other", &item.to_string()], ":0\r\n");
        }
    });
}

#[test]
fn a_load_does_not_replace_a_key_of_another_kind() {
    with_console(|console| {
        fill(console, 1);
        let chunks = dump_of(console, "CF", "k");
        console.expect(&["CMS.INITBYDIM", "sketch", "300", "3"], "+OK\r\n");
        let reply = load(console, "CF", "sketch", &chunks[0]);
        assert!(reply.starts_with("-WRONGTYPE"), "{reply}");
        console.expect(&["CMS.INCRBY", "sketch", "a", "3"], "*1\r\n:3\r\n");
        // Nor one that was made meanwhile.
        let (last, others) = chunks.split_last().unwrap();
        load_all(console, "CF", "new", others);
        console.expect(&["BF.ADD", "new", "a"], ":1\r\n");
        let reply = load(console, "CF", "new", last);
        assert!(reply.starts_with("-WRONGTYPE"), "{reply}");
        console.expect(&["BF.EXISTS", "new", "a"], ":1\r\n");
        // Unless whoever loads it says that any will do.
        load_all(console, "SUNDEW", "sketch", &chunks);
        console.expect(&["CF.COUNT", "sketch", "1"], ":1\r\n");
    });
}

#[test]
fn a_stage_of_another_kind_is_refused() {
    with_console(|console| {
        console.expect(&["BF.RESERVE", "k", "0.01", "20"], "+OK\r\n");
        console.expect(&["CBF.RESERVE", "c", "0.01", "20"], "+OK\r\n");
        let [mut first, mut second] =
            ["k", "c"].map(|key| joined(&dump_of(console, "SUNDEW", key)));
        for (bytes, stage) in [(&mut first, 0), (&mut second, 1)] {
            let mut header = Header::parse(bytes).unwrap();
            (header.parts, header.stage) = (2, stage);
            bytes[..Header::LEN].copy_from_slice(&header.to_bytes());
        }
        let reply = load(console, "SUNDEW", "x", &(1, [first, second].concat()));
        assert!(reply.starts_with("-ERR the snapshot"), "{reply}");
        console.expect(&["DBSIZE"], ":3\r\n");
    });
}

#[test]
fn a_key_that_has_grown_comes_back_with_its_stages() {
    with_console(|console| {
        console.expect(&["BF.RESERVE", "k", "0.01", "100"], "+OK\r\n");
        for item in 0..1_000 {
            console.call(&["BF.ADD", "k", &item.to_string()]);
        }
        let debug = console.call(&["BF.DEBUG", "k"]);
        assert!(debug.starts_with("*5"), "{debug}");
        let chunks = dump_of(console, "BF", "k");
        console.expect(&["DEL", "k"], ":1\r\n");
        load_all(console, "BF", "k", &chunks);
        assert_eq!(console.call(&["BF.DEBUG", "k"]), debug);
        for item in 0..1_000 {
            console.expect(&["BF.EXISTS", "k", &item.to_string()], ":1\r\n");
        }
        // And goes on to grow.
        for item in 1_000..2_000 {
            console.call(&["BF.ADD", "k", &item.to_string()]);
        }
        for item in 0..2_000 {
            console.expect(&["BF.EXISTS", "k", &item.to_string()], ":1\r\n");
        }
    });
}

#[test]
fn dumps_are_snapshots_of_the_library() {
    with_console(|console| {
        let mut urls: BlockedBloom<128, 7> = BlockedBloom::new();
        let mut cuckoo: CuckooFilter<272, u16> = CuckooFilter::new();
        let mut sketch: CountMinSketch<300, 3, u32> = CountMinSketch::new();
        let mut distinct: HyperLogLog11 = HyperLogLog11::new();
        console.expect(&["CF.RESERVE", "c", "1000"], "+OK\r\n");
        console.expect(&["CMS.INITBYDIM", "s", "300", "3"], "+OK\r\n");
        for item in 0..700 {
            let item = item.to_string();
            urls.insert(item.as_str());
            cuckoo.insert(item.as_str()).unwrap();
            sketch.add(item.as_str(), 1);
            distinct.insert(item.as_str());
            console.call(&["BF.ADD", "urls", &item]);
            console.call(&["CF.ADD", "c", &item]);
            console.call(&["CMS.INCRBY", "s", &item, "1"]);
            console.call(&["PFADD", "h", &item]);
        }
        let mut restored: BlockedBloom<128, 7> = BlockedBloom::new();
        restored
            .restore(&joined(&dump_of(console, "BF", "urls")))
            .unwrap();
        assert_eq!(restored, urls);
        let mut restored: CuckooFilter<272, u16> = CuckooFilter::new();
        restored
            .restore(&joined(&dump_of(console, "CF", "c")))
            .unwrap();
        assert_eq!(restored, cuckoo);
        let mut restored: CountMinSketch<300, 3, u32> = CountMinSketch::new();
        restored
            .restore(&joined(&dump_of(console, "CMS", "s")))
            .unwrap();
        assert_eq!(restored, sketch);
        let mut restored: HyperLogLog11 = HyperLogLog11::new();
        restored
            .restore(&joined(&dump_of(console, "SUNDEW", "h")))
            .unwrap();
        assert_eq!(restored, distinct);
    });
}

/// The bytes of a structure.
fn snapshot_of(structure: &(impl Snapshot + ?Sized)) -> Vec<u8> {
    let mut writer = structure.snapshot();
    let mut bytes = vec![0; writer.header().snapshot_len() as usize];
    writer.pull(&mut bytes);
    bytes
}

#[test]
fn snapshots_of_the_library_are_loaded_in_one_chunk() {
    with_console(|console| {
        let mut deny: BlockedBloom<20, 6> = BlockedBloom::new();
        let mut counting: CountingBloom<20, 5> = CountingBloom::new();
        let mut rotating: RotatingBloom<10, 6, 3> = RotatingBloom::new();
        for item in 0..500 {
            let item = item.to_string();
            deny.insert(item.as_str());
            counting.insert(item.as_str());
            rotating.insert(item.as_str());
            if item == "250" {
                rotating.rotate();
            }
        }
        for (name, bytes) in [
            ("deny", snapshot_of(deny.as_view())),
            ("counting", snapshot_of(counting.as_view())),
            ("rotating", snapshot_of(rotating.as_view())),
        ] {
            assert_eq!(load(console, "SUNDEW", name, &(1, bytes)), "+OK\r\n");
        }
        for item in 0..3_000 {
            let item = item.to_string();
            let truth = |truth: bool| format!(":{}\r\n", u32::from(truth));
            console.expect(
                &["BF.EXISTS", "deny", &item],
                &truth(deny.contains(item.as_str())),
            );
            console.expect(
                &["CBF.COUNT", "counting", &item],
                &format!(":{}\r\n", counting.count(item.as_str())),
            );
            console.expect(
                &["RBF.EXISTS", "rotating", &item],
                &truth(rotating.contains(item.as_str())),
            );
        }
        // A capacity it does not tell is ten bits for each key.
        console.expect(&["BF.INFO", "deny", "CAPACITY"], "*1\r\n:1020\r\n");
    });
}

#[test]
fn a_load_that_breaks_off_leaves_what_was_there() {
    with_console(|console| {
        fill(console, 0);
        let chunks = dump_of(console, "BF", "k");
        assert!(chunks.len() > 1);
        console.expect(&["DEL", "k"], ":1\r\n");
        console.expect(&["BF.ADD", "k", "old"], ":1\r\n");
        let used = |console: &mut Console| {
            let info = console.call(&["INFO"]);
            let line = info
                .lines()
                .find(|line| line.starts_with("arena_used_bytes:"));
            line.unwrap().to_owned()
        };
        let before = used(console);
        for break_off in [
            |console: &mut Console| assert_eq!(console.call(&["RESET"]), "+RESET\r\n"),
            |console: &mut Console| assert_eq!(console.call(&["QUIT"]), "+OK\r\n"),
            |console: &mut Console| console.shell.line_break(),
            |console: &mut Console| {
                let nonsense = load(console, "BF", "k", &(1, b"nonsense".to_vec()));
                assert_eq!(nonsense, "-ERR the snapshot ends too early\r\n");
            },
        ] {
            load_all(console, "BF", "k", &chunks[..1]);
            console.expect(&["BF.EXISTS", "k", "old"], ":1\r\n");
            console.expect(&["BF.EXISTS", "k", "1"], ":0\r\n");
            console.expect(&["DBSIZE"], ":2\r\n");
            assert_ne!(used(console), before);
            break_off(console);
            assert_eq!(used(console), before);
            console.expect(&["BF.EXISTS", "k", "old"], ":1\r\n");
            let reply = load(console, "BF", "k", &chunks[1]);
            assert!(reply.contains("does not follow the last"), "{reply}");
        }
        // Another key may be removed and move all that is behind it meanwhile.
        load_all(console, "BF", "k", &chunks[..1]);
        console.expect(&["DEL", "k"], ":1\r\n");
        load_all(console, "BF", "k", &chunks[1..]);
        console.expect(&["BF.EXISTS", "k", "1"], ":1\r\n");
        console.expect(&["BF.EXISTS", "k", "old"], ":0\r\n");
    });
}

#[test]
fn chunks_out_of_order_are_refused() {
    with_console(|console| {
        let free = |console: &mut Console| {
            let info = console.call(&["INFO"]);
            let line = info.lines().find(|line| line.starts_with("arena_free"));
            line.unwrap().to_owned()
        };
        console.expect(&["BF.RESERVE", "k", "0.01", "8000"], "+OK\r\n");
        console.expect(&["BF.ADD", "k", "a"], ":1\r\n");
        let chunks = dump_of(console, "BF", "k");
        assert!(chunks.len() > 3);
        let before = free(console);
        for wrong in [2, 3] {
            load_all(console, "BF", "new", &chunks[..1]);
            let reply = load(console, "BF", "new", &chunks[wrong]);
            assert!(reply.contains("does not follow the last"), "{reply}");
            let reply = load(console, "BF", "new", &chunks[1]);
            assert!(reply.contains("does not follow the last"), "{reply}");
        }
        load_all(console, "BF", "new", &chunks[..1]);
        let reply = load(console, "BF", "another", &chunks[1]);
        assert!(reply.contains("does not follow the last"), "{reply}");
        let reply = load(console, "BF", "urls", &chunks[1]);
        assert!(reply.contains("does not follow the last"), "{reply}");
        console.expect(&["EXISTS", "new", "another"], ":0\r\n");
        assert_eq!(free(console), before);
        console.expect(&["BF.CARD", "urls"], ":0\r\n");
        for bad in ["0", "-1", "x", "4294967296"] {
            console.expect(&["BF.LOADCHUNK", "new", bad, ""], "-ERR invalid cursor\r\n");
        }
        console.expect(&["BF.SCANDUMP", "k", "x"], "-ERR invalid cursor\r\n");
        let reply = scan(console, "BF", "k", 500).unwrap_err();
        assert!(reply.contains("begin at 0"), "{reply}");
        let reply = scan(console, "BF", "missing", 0).unwrap_err();
        assert_eq!(reply, "-ERR not found\r\n");
        let reply = scan(console, "CF", "k", 0).unwrap_err();
        assert!(reply.starts_with("-WRONGTYPE"), "{reply}");
        let reply = load(console, "CF", "new", &chunks[0]);
        assert!(reply.starts_with("-WRONGTYPE"), "{reply}");
    });
}

#[test]
fn a_key_that_changes_meanwhile_is_not_dumped_by_halves() {
    with_console(|console| {
        console.expect(&["BF.RESERVE", "k", "0.01", "8000"], "+OK\r\n");
        let (first, _) = scan(console, "BF", "k", 0).unwrap();
        let mut cursor = scan(console, "BF", "k", first).unwrap().0;
        for item in 0..50 {
            console.call(&["BF.ADD", "k", &item.to_string()]);
        }
        let error = loop {
            match scan(console, "BF", "k", cursor) {
                Ok((0, _)) => panic!("it has changed"),
                Ok((next, _)) => cursor = next,
                Err(error) => break error,
            }
        };
        assert_eq!(
            error,
            "-ERR the key has changed since its dump began; begin at 0\r\n"
        );
        assert!(dump_of(console, "BF", "k").len() > 2);

        // Another of this name is there, which ends where the last chunk did.
        let (_, header) = scan(console, "BF", "k", 0).unwrap();
        let (cursor, chunk) = scan(console, "BF", "k", 1).unwrap();
        let usage = format!(":{}\r\n", header.len() + chunk.len());
        let is_made = (100..8_000).any(|capacity: u32| {
            console.call(&["DEL", "k"]);
            console.call(&["BF.RESERVE", "k", "0.01", &capacity.to_string()]);
            console.call(&["MEMORY", "USAGE", "k"]) == usage
        });
        assert!(is_made);
        let error = scan(console, "BF", "k", cursor).unwrap_err();
        assert!(error.contains("has changed"), "{error}");
    });
}

#[test]
fn every_flipped_bit_is_found_before_anything_changes() {
    for (kind, (family, make, ..)) in KINDS.iter().enumerate() {
        // A small one: all bits are tried.
        let make: Vec<&str> = make
            .iter()
            .map(|argument| match *argument {
                "2000" | "1000" | "300" => "30",
                argument => argument,
            })
            .collect();
        if kind == 3 {
            continue; // has no small one; its header and checksums are those of the others
        }
        with_console(|console| {
            console.call(&make);
            console.call(&[KINDS[kind].2, "k", "item", "1"][..if kind == 2 { 4 } else { 3 }]);
            let bytes = joined(&dump_of(console, family, "k"));
            console.expect(&["FLUSHALL"], "+OK\r\n");
            for bit in 0..bytes.len() * 8 {
                let mut bytes = bytes.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let reply = load(console, "SUNDEW", "k", &(1, bytes));
                assert!(reply.starts_with("-ERR "), "bit {bit}: {reply}");
            }
            for length in 0..bytes.len() {
                let reply = load(console, "SUNDEW", "k", &(1, bytes[..length].to_vec()));
                assert_eq!(reply.starts_with("-ERR "), length < 64, "{length}: {reply}");
                console.expect(&["EXISTS", "k"], ":0\r\n");
            }
            let longer = [&bytes[..], b"x"].concat();
            let reply = load(console, "SUNDEW", "other", &(1, longer));
            assert_eq!(
                reply,
                "-ERR there are bytes after the end of the snapshot\r\n"
            );
            console.expect(&["EXISTS", "other"], ":0\r\n");
            assert!(console.call(&["INFO"]).contains("arena_used_bytes:0\r\n"));
        });
    }
}

/// Checksums say that nothing was damaged, not that whoever wrote it told the truth.
#[test]
fn counts_that_a_snapshot_makes_up_stop_at_their_limits() {
    with_console(|console| {
        for (make, add, delete, info) in [
            ("CBF.RESERVE k 0.01 30", "CBF.ADD", "CBF.DEL", "CBF.INFO"),
            ("CF.RESERVE k 30", "CF.ADD", "CF.DEL", "CF.INFO"),
        ] {
            let make: Vec<&str> = make.split(' ').collect();
            console.expect(&make, "+OK\r\n");
            for item in ["a", "b"] {
                console.expect(&[add, "k", item], ":1\r\n");
            }
            let mut bytes = joined(&dump_of(console, "SUNDEW", "k"));
            let mut header = Header::parse(&bytes).unwrap();
            header.count = Some(1);
            header.state |= u64::from(u32::MAX) << 32; // items removed from a cuckoo filter
            bytes[..Header::LEN].copy_from_slice(&header.to_bytes());
            load_all(console, "SUNDEW", "k", &[(1, bytes)]);
            for item in ["a", "b"] {
                console.expect(&[delete, "k", item], ":1\r\n");
            }
            let info = console.call(&[info, "k"]);
            let is_empty = ["items", "items inserted"]
                .iter()
                .any(|name| info.contains(&format!("+Number of {name}\r\n:0\r\n")));
            assert!(is_empty, "{info}");
            if delete == "CF.DEL" {
                assert!(info.contains("deleted\r\n:4294967295\r\n"), "{info}");
            }
            console.expect(&["DEL", "k"], ":1\r\n");
        }
    });
}

#[test]
fn what_does_not_fit_is_refused_and_the_old_key_goes_on() {
    with_console(|console| {
        console.expect(&["BF.RESERVE", "k", "0.01", "25000"], "+OK\r\n");
        console.expect(&["BF.ADD", "k", "a"], ":1\r\n");
        let chunks = dump_of(console, "BF", "k");
        let reply = load(console, "BF", "k", &chunks[0]);
        assert!(
            reply.starts_with("-ERR operation exceeds bloom object memory limit: "),
            "{reply}"
        );
        console.expect(&["BF.EXISTS", "k", "a"], ":1\r\n");
        console.expect(&["DEL", "k"], ":1\r\n");
        load_all(console, "BF", "k", &chunks);
        console.expect(&["BF.EXISTS", "k", "a"], ":1\r\n");
    });
}

#[test]
fn a_fixed_key_takes_what_is_loaded_on_top() {
    with_console(|console| {
        console.expect(&["BF.ADD", "urls", "a"], ":1\r\n");
        let chunks = dump_of(console, "BF", "urls");
        console.expect(&["DEL", "urls"], ":1\r\n");
        console.expect(&["BF.ADD", "urls", "b"], ":1\r\n");
        load_all(console, "BF", "urls", &chunks);
        console.expect(
            &["BF.MEXISTS", "urls", "a", "b", "c"],
            "*3\r\n:1\r\n:1\r\n:0\r\n",
        );
        console.expect(&["BF.CARD", "urls"], ":2\r\n");
        // The same again are not more.
        load_all(console, "BF", "urls", &chunks);
        console.expect(&["BF.CARD", "urls"], ":2\r\n");

        let mut damaged = chunks.clone();
        damaged.last_mut().unwrap().1[9] ^= 4;
        let (last, others) = damaged.split_last().unwrap();
        load_all(console, "BF", "urls", others);
        let reply = load(console, "BF", "urls", last);
        assert!(reply.contains("`clear` the key"), "{reply}");
        console.expect(&["BF.MEXISTS", "urls", "a", "b"], "*2\r\n:1\r\n:1\r\n");

        // The library does not count what it inserts: the bits tell.
        let mut library: BlockedBloom<128, 7> = BlockedBloom::new();
        for item in 0..5_000 {
            library.insert(item.to_string().as_str());
        }
        console.expect(&["DEL", "urls"], ":1\r\n");
        load_all(
            console,
            "BF",
            "urls",
            &[(1, snapshot_of(library.as_view()))],
        );
        let card = console.call(&["BF.CARD", "urls"]);
        let card: u32 = card[1..].trim_end().parse().unwrap();
        assert!((4_900..5_100).contains(&card), "{card}");
        console.expect(&["DEL", "urls"], ":1\r\n");

        let other_size: BlockedBloom<127, 7> = BlockedBloom::new();
        let other_seed: BlockedBloom<128, 7> = BlockedBloom::with_seed(1);
        for (bytes, error) in [
            (
                snapshot_of(other_size.as_view()),
                "-ERR the snapshot is of another size, or of other parameters\r\n",
            ),
            (
                snapshot_of(other_seed.as_view()),
                "-ERR the snapshot is of another seed or key\r\n",
            ),
        ] {
            assert_eq!(load(console, "BF", "urls", &(1, bytes.clone())), error);
            let is_seeded = Header::parse(&bytes).unwrap().seed_check > 0;
            let reply = load(console, "BF", "new", &(1, bytes));
            assert_eq!(reply.starts_with('-'), is_seeded, "{reply}");
        }
    });
}

/// Otherwise the end of a load would say that all is there, without what was taken before.
#[test]
fn a_fixed_key_that_is_emptied_gives_its_load_up() {
    with_console(|console| {
        for item in 0..500 {
            console.call(&["BF.ADD", "urls", &item.to_string()]);
        }
        let chunks = dump_of(console, "BF", "urls");
        assert!(chunks.len() > 2);
        for empty in [
            &["clear", "urls"][..],
            &["DEL", "urls"],
            &["UNLINK", "other", "urls"],
            &["FLUSHDB"],
            &["FLUSHALL"],
        ] {
            load_all(console, "BF", "urls", &chunks[..2]);
            assert!(!console.call(empty).starts_with('-'));
            let reply = load(console, "BF", "urls", &chunks[2]);
            assert!(reply.contains("does not follow the last"), "{reply}");
            load_all(console, "BF", "urls", &chunks);
            for item in 0..500 {
                console.expect(&["BF.EXISTS", "urls", &item.to_string()], ":1\r\n");
            }
        }
    });
}
