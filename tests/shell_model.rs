//! The console against a model, and against noise: whatever is sent, no item is forgotten and the next command
//! is answered.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use sundew::BlockedBloom;
use sundew::shell::{Arena, Board, Fixed, Keyspace, Shell};

const BOARD: Board = Board {
    name: "model",
    boot_count: 1,
    reset_reason: "power-on",
    static_ram: 0,
    stack_high_water: || 0,
    clock: || 0,
    clock_hz: 1,
};

fn with_shell(
    test: impl FnOnce(&mut Shell) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut urls: BlockedBloom<64, 7> = BlockedBloom::new();
    let mut fixed = [Fixed::blocked("urls", 3_000, &mut urls)];
    let mut arena = Arena::<256>::new();
    test(&mut Shell::new(
        Keyspace::new(&mut fixed, arena.as_mut_view()),
        BOARD,
    ))
}

/// Nothing comes for so long.
fn pause(shell: &mut Shell, now: &mut u32, milliseconds: u32, out: &mut Vec<u8>) {
    shell.poll(*now, out).unwrap();
    *now = now.wrapping_add(milliseconds);
    shell.poll(*now, out).unwrap();
}

fn frame(arguments: &[&str]) -> String {
    let mut frame = format!("*{}\r\n", arguments.len());
    for argument in arguments {
        frame += &format!("${}\r\n{argument}\r\n", argument.len());
    }
    frame
}

fn call(shell: &mut Shell, now: u32, arguments: &[&str]) -> String {
    let mut out = Vec::new();
    shell
        .feed(frame(arguments).as_bytes(), now, &mut out)
        .unwrap();
    String::from_utf8(out).unwrap()
}

#[derive(Clone, Debug)]
enum Step {
    Reserve(u8, u16),
    Add(u8, u16),
    AddMany(u8, Vec<u16>),
    Delete(u8),
    FlushAll,
}

const NAMES: [&str; 4] = ["urls", "a", "b", "long name with spaces"];

fn name(i: u8) -> &'static str {
    NAMES[usize::from(i) % NAMES.len()]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(
        prop_oneof![
            2 => (any::<u8>(), 1..500_u16).prop_map(|(key, capacity)| Step::Reserve(key, capacity)),
            20 => (any::<u8>(), 0..300_u16).prop_map(|(key, item)| Step::Add(key, item)),
            5 => (any::<u8>(), prop::collection::vec(0..300_u16, 1..40))
                .prop_map(|(key, items)| Step::AddMany(key, items)),
            1 => any::<u8>().prop_map(Step::Delete),
            1 => Just(Step::FlushAll),
        ],
        0..120,
    )
}

/// What an add may answer: new or not, or an error that the item was not taken.
fn check_added(reply: &str, item: u16, set: &mut HashSet<u16>) -> Result<(), TestCaseError> {
    match reply {
        ":1" => prop_assert!(set.insert(item), "{item} was there"),
        ":0" => drop(set.insert(item)),
        error => prop_assert!(
            error.contains("full") || error.contains("memory limit"),
            "{error}"
        ),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_item_is_forgotten(steps in steps()) {
        with_shell(|shell| {
            let mut model: HashMap<&str, HashSet<u16>> = HashMap::from([("urls", HashSet::new())]);
            for (step, now) in steps.iter().zip(0..) {
                match step {
                    Step::Reserve(key, capacity) => {
                        let reply = call(shell, now, &["BF.RESERVE", name(*key), "0.01", &capacity.to_string()]);
                        match reply.as_str() {
                            "+OK\r\n" => prop_assert!(model.insert(name(*key), HashSet::new()).is_none()),
                            "-ERR item exists\r\n" => prop_assert!(model.contains_key(name(*key))),
                            error => prop_assert!(error.contains("memory limit"), "{}", error),
                        }
                    }
                    Step::Add(key, item) => {
                        let reply = call(shell, now, &["BF.ADD", name(*key), &item.to_string()]);
                        let set = model.entry(name(*key)).or_default();
                        check_added(reply.trim_end(), *item, set)?;
                    }
                    Step::AddMany(key, items) => {
                        let texts: Vec<String> = items.iter().map(u16::to_string).collect();
                        let mut arguments = vec!["BF.MADD", name(*key)];
                        arguments.extend(texts.iter().map(String::as_str));
                        let reply = call(shell, now, &arguments);
                        let mut lines = reply.split("\r\n");
                        let head = lines.next().unwrap_or("");
                        if head.starts_with('*') {
                            prop_assert_eq!(head, format!("*{}", items.len()));
                            let set = model.entry(name(*key)).or_default();
                            for (item, line) in items.iter().zip(lines) {
                                check_added(line, *item, set)?;
                            }
                        } else {
                            prop_assert!(head.contains("memory limit"), "{}", head);
                        }
                    }
                    Step::Delete(key) => {
                        let expected = u8::from(model.contains_key(name(*key)));
                        prop_assert_eq!(call(shell, now, &["DEL", name(*key)]), format!(":{expected}\r\n"));
                        model.remove(name(*key));
                    }
                    Step::FlushAll => {
                        prop_assert_eq!(call(shell, now, &["FLUSHALL"]), "+OK\r\n");
                        model.clear();
                    }
                }
                model.entry("urls").or_default();
                // A key that could not be made on its first item is not there.
                model.retain(|key, set| !set.is_empty() || call(shell, now, &["EXISTS", key]) == ":1\r\n");
                prop_assert_eq!(call(shell, now, &["DBSIZE"]), format!(":{}\r\n", model.len()));
                for (key, set) in &model {
                    let card = call(shell, now, &["BF.CARD", key]);
                    let card: usize = card[1..].trim_end().parse().unwrap();
                    prop_assert!(card <= set.len(), "{} counts {card} of {}", key, set.len());
                }
            }
            for (key, set) in &model {
                for item in set {
                    prop_assert_eq!(call(shell, 0, &["BF.EXISTS", key, &item.to_string()]), ":1\r\n");
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn commands_in_any_order_do_no_harm(commands in commands(), pause in 0..3_000_u32) {
        with_shell(|shell| {
            prop_assert_eq!(call(shell, 0, &["BF.ADD", "urls", "kept"]), ":1\r\n");
            let mut now = 0_u32;
            let (mut cursor, mut dump) = (b"1".to_vec(), Vec::new());
            for mut command in commands {
                now = now.wrapping_add(pause);
                // Some dumps and loads are to be good.
                if command[0].ends_with(b"SCANDUMP") && command.len() > 4 {
                    command.truncate(2);
                    command.push(b"0".to_vec());
                }
                if command[0].ends_with(b"LOADCHUNK") && command.len() > 4 {
                    command.truncate(2);
                    command.extend([cursor.clone(), dump.clone()]);
                }
                let mut frame = format!("*{}\r\n", command.len()).into_bytes();
                for argument in &command {
                    frame.extend(format!("${}\r\n", argument.len()).bytes());
                    frame.extend(argument);
                    frame.extend(b"\r\n");
                }
                let mut out = Vec::new();
                shell.feed(&frame, now, &mut out).unwrap();
                prop_assert!(out.ends_with(b"\r\n"), "{:?} is not answered", command);
                if command[0].ends_with(b"SCANDUMP") && out.starts_with(b"*2") {
                    // Behind the array's head: the cursor, the chunk's length, the chunk.
                    let mut parts = out[4..].splitn(3, |byte| *byte == b'\n');
                    cursor = parts.next().unwrap()[1..].trim_ascii_end().to_vec();
                    dump = parts.nth(1).unwrap_or_default().strip_suffix(b"\r\n").unwrap_or_default().to_vec();
                }
            }
            prop_assert!(call(shell, now, &["PING"]).ends_with("+PONG\r\n"));
            let is_kept = call(shell, now, &["BF.EXISTS", "urls", "kept"]);
            prop_assert!([":1\r\n", "#t\r\n"].contains(&is_kept.as_str()), "{}", is_kept);
            Ok(())
        })?;
    }

    /// A frame that begins as the last one did takes a shorter way, which an empty frame before it bars.
    #[test]
    fn commands_answer_the_same_whether_they_repeat_or_not(
        messages in prop::collection::vec(message(), 0..80),
        piece in 1..90_usize,
        seed in any::<u32>(),
    ) {
        let [barred, free] = ["*0\r\n", ""].map(|before| {
            let mut all = Vec::new();
            with_shell(|shell| {
                let (mut now, mut random) = (0, seed);
                for (message, milliseconds) in &messages {
                    now += milliseconds;
                    // Lines are skipped then, up to the next frame.
                    if *milliseconds == LOSS && message.starts_with('*') {
                        shell.bytes_lost(1);
                    }
                    let input = format!("{before}{message}");
                    let mut rest = input.as_bytes();
                    while !rest.is_empty() {
                        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        let length = rest.len().min(1 + (random >> 16) as usize % piece);
                        let (first, others) = rest.split_at(length);
                        shell.feed(first, now, &mut all).unwrap();
                        rest = others;
                    }
                    if *milliseconds == BREAK {
                        shell.line_break();
                    }
                    pause(shell, &mut now, *milliseconds, &mut all);
                }
                pause(shell, &mut now, 1_000, &mut all);
                // A frame that broke off may or may not have counted as a command.
                let info = call(shell, now, &["INFO"]);
                all.extend(info.split("\r\ndb0:").last().unwrap().bytes());
                Ok(())
            })
            .unwrap();
            String::from_utf8(all).unwrap()
        });
        prop_assert_eq!(barred, free);
    }

    #[test]
    fn noise_does_no_harm(
        pieces in prop::collection::vec((noise(), 0..700_u32), 0..60),
    ) {
        with_shell(|shell| {
            prop_assert_eq!(call(shell, 0, &["BF.ADD", "urls", "kept"]), ":1\r\n");
            let mut now = 0_u32;
            let mut out = Vec::new();
            for (bytes, milliseconds) in &pieces {
                pause(shell, &mut now, *milliseconds, &mut out);
                shell.feed(bytes, now, &mut out).unwrap();
                if *milliseconds == 13 {
                    shell.bytes_lost(1);
                }
            }
            // A frame that had begun has ended by now, and a line ends here: a Redis frame works at its start.
            pause(shell, &mut now, 1_000, &mut out);
            shell.feed(b"\r\n", now, &mut out).unwrap();
            let pong = call(shell, now, &["PING"]);
            prop_assert!(pong.ends_with("+PONG\r\n"), "{}", pong);
            let is_kept = call(shell, now, &["BF.EXISTS", "urls", "kept"]);
            prop_assert!([":1\r\n", "#t\r\n"].contains(&is_kept.as_str()), "{}", is_kept);
            Ok(())
        })?;
    }
}

/// Commands of every family with arguments that may fit them or not; nothing that names the key `urls`, or empties
/// all.
fn commands() -> impl Strategy<Value = Vec<Vec<Vec<u8>>>> {
    let names = "BF.RESERVE BF.ADD BF.MADD BF.EXISTS BF.MEXISTS BF.INSERT BF.INFO BF.CARD BF.DEBUG BF.SCANDUMP \
        BF.LOADCHUNK SUNDEW.SEEN SUNDEW.ASK SUNDEW.TOLD SUNDEW.TOP SUNDEW.SCANDUMP SUNDEW.LOADCHUNK CF.RESERVE CF.ADD \
        CF.ADDNX CF.INSERT CF.INSERTNX CF.EXISTS CF.MEXISTS CF.DEL CF.COUNT CF.INFO CF.SCANDUMP CF.LOADCHUNK \
        CMS.INITBYDIM CMS.INITBYPROB CMS.INCRBY CMS.QUERY CMS.MERGE CMS.INFO CMS.SCANDUMP CMS.LOADCHUNK PFADD PFCOUNT \
        PFMERGE CBF.RESERVE CBF.ADD CBF.DEL CBF.EXISTS CBF.COUNT CBF.INFO RBF.RESERVE RBF.ADD RBF.EXISTS RBF.SEEN \
        RBF.ROTATE RBF.INFO PING ECHO HELLO COMMAND CLIENT CONFIG SELECT DBSIZE KEYS SCAN TYPE EXISTS DEL UNLINK \
        MEMORY INFO add has seen stats fill plan clear help RESET";
    let names: Vec<&str> = names.split_whitespace().collect();
    let words = "a b c d a b c d 0 1 2 3 7 8 32 64 100 1000 4096 65536 4294967295 4294967296 -1 0.5 0.01 0.000000001 \
        1e-3 0.0 1.0 ITEMS CAPACITY ERROR EXPANSION NOCREATE NONSCALING WEIGHTS EVERY AFTER MATCH COUNT TYPE \
        BUCKETSIZE MAXITERATIONS USAGE GET DOCS * ? [a-] \\ x y z 1% SIZE GETNAME";
    let words: Vec<&str> = words.split_whitespace().collect();
    let argument = prop_oneof![
        12 => prop::sample::select(words).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..90),
    ];
    let command = (
        prop::sample::select(names),
        prop::collection::vec(argument, 0..9),
    );
    let command = command.prop_map(|(name, mut arguments)| {
        arguments.insert(0, name.as_bytes().to_vec());
        arguments
    });
    prop::collection::vec(command, 1..80)
}

/// Pauses that are something else, too.
const BREAK: u32 = 50;
const LOSS: u32 = 51;

/// A command of one item, mostly, and few of them, so that many begin as the one before; with a pause around it.
fn message() -> impl Strategy<Value = (String, u32)> {
    let names = "BF.ADD BF.ADD BF.EXISTS bf.add CF.ADD CBF.ADD SUNDEW.ASK DEL BF.MADD PFADD ECHO";
    let names: Vec<&str> = names.split_whitespace().collect();
    let key = prop::sample::select(vec![
        "a",
        "a",
        "b",
        "urls",
        "a key with too long a name to be kept whole",
    ]);
    let one = (prop::sample::select(names), key, 0..40_u32)
        .prop_map(|(name, key, item)| frame(&[name, key, &item.to_string()]));
    let other = prop::sample::select(vec![
        frame(&["FLUSHALL"]),
        frame(&["HELLO", "3"]),
        frame(&["RESET"]),
        frame(&["BF.RESERVE", "a", "0.01", "3", "NONSCALING"]),
        frame(&["BF.ADD", "a"]),
        "BF.ADD a 7\r\n".into(),
        "\r\n".into(),
    ]);
    let pause = prop_oneof![8 => Just(0), 2 => 0..60_u32, 1 => 200..600_u32];
    // What begins the next frame would be taken for the rest of these.
    let broken = prop::sample::select(vec![
        "*3\r\n$6\r\nBF.ADD\r\n$1\r\na\r\n$".into(),
        "*3\r\n$6\r\nBF.ADD\r\n$1\r\na\r\n$1\r\n".into(),
        "*3\r\n$6\r\nBF.ADD\r\n$1\r\n".into(),
        "*3\r\nPING\r\n".into(),
    ]);
    let end = prop_oneof![Just(BREAK), Just(600)];
    prop_oneof![
        12 => (one, pause.clone()),
        2 => (other, pause),
        1 => (broken, end),
    ]
}

/// Bytes that look like the protocol, and others; nothing that empties a key.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::sample::select(vec![
        "*",
        "$",
        "\r\n",
        "\r",
        "\n",
        "1",
        "3",
        "0",
        "-1",
        "99999999999",
        "BF.ADD",
        "bf.insert",
        "ITEMS",
        "urls",
        "\"",
        "'",
        " ",
        "\x1b[A",
        "\t",
        "\x03",
        "\x04",
        "\x7f",
        "HELLO 3\r\n",
        "*2\r\n$4\r\nECHO\r\n$3\r\n",
        "*3\r\n$6\r\nBF.ADD\r\n$4\r\nurls\r\n$2\r\nab\r\n",
        "stats",
        "help",
        "info\r\n",
        "scan 0 count",
        "BF.RESERVE x 0.01 10\r\n",
        "plan 1 1%\r\n",
        "bench\r\n",
        "COMMAND DOCS\r\n",
        "fill urls\r\n",
    ]);
    prop_oneof![
        4 => prop::collection::vec(words, 1..6).prop_map(|words| words.concat().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 1..40),
    ]
}
