//! The console's keys that are not Bloom filters: what is sent, what must come back, and that the answers are those
//! of the library's structures.

mod support;

use sundew::sizing::{CountMinPlan, Rate};
use sundew::{CountMinSketch, CuckooFilter, HyperLogLog11};
use support::console::{Console, with_console};

const WRONG_TYPE: &str = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";

/// The number that a command answers.
fn number(console: &mut Console, arguments: &[&str]) -> u32 {
    let reply = console.call(arguments);
    reply
        .strip_prefix(':')
        .and_then(|reply| reply.trim_end().parse().ok())
        .unwrap_or_else(|| panic!("{arguments:?}: {reply}"))
}

/// The values of a reply of names and numbers.
fn fields(console: &mut Console, arguments: &[&str]) -> Vec<(String, u32)> {
    let reply = console.call(arguments);
    let mut lines = reply.lines().skip(1);
    let mut fields = Vec::new();
    while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
        fields.push((name[1..].to_owned(), value[1..].parse().expect(value)));
    }
    fields
}

fn field(console: &mut Console, arguments: &[&str], name: &str) -> u32 {
    let fields = fields(console, arguments);
    let found = fields.iter().find(|field| field.0 == name);
    found.unwrap_or_else(|| panic!("{name} in {fields:?}")).1
}

#[test]
fn cuckoo_commands_answer_as_redisbloom_does() {
    with_console(|console| {
        console.expect(&["CF.RESERVE", "c", "1000"], "+OK\r\n");
        console.expect(&["CF.RESERVE", "c", "1000"], "-ERR item exists\r\n");
        console.expect(&["CF.ADD", "c", "a"], ":1\r\n");
        // Twice is twice, unlike in a Bloom filter.
        console.expect(&["CF.ADD", "c", "a"], ":1\r\n");
        console.expect(&["CF.COUNT", "c", "a"], ":2\r\n");
        console.expect(&["CF.ADDNX", "c", "a"], ":0\r\n");
        console.expect(&["CF.ADDNX", "c", "b"], ":1\r\n");
        console.expect(&["CF.EXISTS", "c", "b"], ":1\r\n");
        console.expect(
            &["CF.MEXISTS", "c", "a", "b", "x"],
            "*3\r\n:1\r\n:1\r\n:0\r\n",
        );
        console.expect(&["CF.DEL", "c", "a"], ":1\r\n");
        console.expect(&["CF.EXISTS", "c", "a"], ":1\r\n");
        console.expect(&["CF.DEL", "c", "a"], ":1\r\n");
        console.expect(&["CF.EXISTS", "c", "a"], ":0\r\n");
        console.expect(&["CF.DEL", "c", "a"], ":0\r\n");
        console.expect(&["CF.COUNT", "c", "a"], ":0\r\n");
        let fields = fields(console, &["CF.INFO", "c"]);
        let names: Vec<&str> = fields.iter().map(|field| field.0.as_str()).collect();
        assert_eq!(
            names,
            [
                "Size",
                "Number of buckets",
                "Number of filters",
                "Number of items inserted",
                "Number of items deleted",
                "Bucket size",
                "Expansion rate",
                "Max iterations"
            ]
        );
        assert_eq!(fields[3].1, 1);
        assert_eq!(fields[4].1, 2);
        console.expect(&["TYPE", "c"], "+MBbloomCF\r\n");

        console.expect(&["CF.INSERT", "i", "ITEMS", "a", "b"], "*2\r\n:1\r\n:1\r\n");
        console.expect(
            &["CF.INSERTNX", "i", "NOCREATE", "ITEMS", "b", "c"],
            "*2\r\n:0\r\n:1\r\n",
        );
        console.expect(
            &["CF.INSERT", "j", "CAPACITY", "64", "ITEMS", "a"],
            "*1\r\n:1\r\n",
        );
        console.expect(
            &["CF.INSERT", "k", "NOCREATE", "ITEMS", "a"],
            "-Not found\r\n",
        );
        console.expect(
            &["CF.INSERT", "k", "ERROR", "0.1", "ITEMS", "a"],
            "-ERR syntax error\r\n",
        );
        console.expect(&["EXISTS", "k"], ":0\r\n");
        console.expect(&["CF.EXISTS", "missing", "a"], ":0\r\n");
        console.expect(&["CF.COUNT", "missing", "a"], ":0\r\n");
        console.expect(&["CF.DEL", "missing", "a"], "-Not found\r\n");
        console.expect(&["CF.INFO", "missing"], "-Not found\r\n");
        console.expect(
            &[
                "CF.RESERVE",
                "o",
                "1000",
                "BUCKETSIZE",
                "2",
                "MAXITERATIONS",
                "20",
                "EXPANSION",
                "1",
            ],
            "+OK\r\n",
        );
        console.expect(
            &["CF.RESERVE", "p", "1000", "BUCKETSIZE"],
            "-ERR syntax error\r\n",
        );
        console.expect(
            &["CF.RESERVE", "p", "0"],
            "-ERR (capacity should be larger than 0)\r\n",
        );
    });
}

#[test]
fn a_full_cuckoo_filter_says_so_and_keeps_its_items() {
    with_console(|console| {
        console.expect(&["CF.RESERVE", "c", "100"], "+OK\r\n");
        let mut added = 0;
        while console.call(&["CF.ADD", "c", &added.to_string()]) == ":1\r\n" {
            added += 1;
        }
        assert!(added >= 100, "{added}");
        console.expect(&["CF.ADD", "c", "one more"], "-Filter is full\r\n");
        console.expect(&["CF.INSERT", "c", "ITEMS", "one more"], "*1\r\n:-1\r\n");
        for item in 0..added {
            console.expect(&["CF.EXISTS", "c", &item.to_string()], ":1\r\n");
        }
        assert_eq!(
            field(console, &["CF.INFO", "c"], "Number of items inserted"),
            added
        );
    });
}

#[test]
fn a_cuckoo_key_answers_as_the_library_does() {
    let mut filter: CuckooFilter<{ 8 * 33 }, u16> = CuckooFilter::new();
    with_console(|console| {
        console.expect(&["CF.RESERVE", "c", "990"], "+OK\r\n");
        assert_eq!(
            field(console, &["CF.INFO", "c"], "Number of buckets"),
            8 * 33
        );
        for item in 0..900 {
            let item = item.to_string();
            console.expect(&["CF.ADD", "c", &item], ":1\r\n");
            filter.insert(item.as_str()).unwrap();
        }
        for item in (0..900).step_by(3) {
            let item = item.to_string();
            console.expect(&["CF.DEL", "c", &item], ":1\r\n");
            assert!(filter.remove(item.as_str()));
        }
        for item in 0..20_000 {
            let item = item.to_string();
            let count = number(console, &["CF.COUNT", "c", &item]);
            assert_eq!(count as usize, filter.count(item.as_str()), "{item}");
        }
    });
}

#[test]
fn count_min_commands_answer_as_redisbloom_does() {
    with_console(|console| {
        console.expect(&["CMS.INITBYDIM", "s", "100", "5"], "+OK\r\n");
        console.expect(
            &["CMS.INITBYDIM", "s", "100", "5"],
            "-CMS: key already exists\r\n",
        );
        console.expect(&["CMS.INCRBY", "s", "a", "5"], "*1\r\n:5\r\n");
        console.expect(&["CMS.INCRBY", "s", "a", "0"], "*1\r\n:5\r\n");
        console.expect(
            &["CMS.INCRBY", "s", "a", "1", "b", "7"],
            "*2\r\n:6\r\n:7\r\n",
        );
        console.expect(
            &["CMS.QUERY", "s", "a", "b", "x"],
            "*3\r\n:6\r\n:7\r\n:0\r\n",
        );
        assert_eq!(
            fields(console, &["CMS.INFO", "s"]),
            [("width", 100), ("depth", 5), ("count", 13)]
                .map(|(name, value)| (name.to_owned(), value))
        );
        console.expect(&["TYPE", "s"], "+CMSk-TYPE\r\n");
        console.expect(&["CMS.INITBYPROB", "p", "0.01", "0.01"], "+OK\r\n");
        let plan = CountMinPlan::for_error(Rate::percent(1), Rate::percent(1));
        assert_eq!(
            field(console, &["CMS.INFO", "p"], "width"),
            plan.width() as u32
        );
        assert_eq!(
            field(console, &["CMS.INFO", "p"], "depth"),
            plan.depth() as u32
        );

        for (arguments, error) in [
            (
                &["CMS.QUERY", "missing", "a"][..],
                "-CMS: key does not exist\r\n",
            ),
            (
                &["CMS.INCRBY", "missing", "a", "1"],
                "-CMS: key does not exist\r\n",
            ),
            (&["CMS.INFO", "missing"], "-CMS: key does not exist\r\n"),
            (&["CMS.INITBYDIM", "t", "0", "5"], "-CMS: invalid width\r\n"),
            (&["CMS.INITBYDIM", "t", "x", "5"], "-CMS: invalid width\r\n"),
            (&["CMS.INITBYDIM", "t", "5", "0"], "-CMS: invalid depth\r\n"),
            (
                &["CMS.INITBYDIM", "t", "5", "-1"],
                "-CMS: invalid depth\r\n",
            ),
            (
                &["CMS.INITBYPROB", "t", "0", "0.1"],
                "-CMS: invalid overestimation or probability value\r\n",
            ),
            (
                &["CMS.INITBYPROB", "t", "0.1", "1"],
                "-CMS: invalid overestimation or probability value\r\n",
            ),
            (
                &["CMS.INCRBY", "s", "a", "1", "b"],
                "-ERR wrong number of arguments for 'cms.incrby' command\r\n",
            ),
        ] {
            console.expect(arguments, error);
        }
        for bad in ["-1", "x", "", "4294967296"] {
            let counted = number_of(console, "c") + 1;
            console.expect(
                &["CMS.INCRBY", "s", "a", bad, "c", "1"],
                &format!("*2\r\n-CMS: Cannot parse number\r\n:{counted}\r\n"),
            );
        }
        console.expect(&["CMS.QUERY", "s", "a"], "*1\r\n:6\r\n");
        let most = "4294967290";
        console.expect(
            &["CMS.INCRBY", "s", "m", most],
            &format!("*1\r\n:{most}\r\n"),
        );
        console.expect(
            &["CMS.INCRBY", "s", "m", most],
            "*1\r\n-CMS: INCRBY overflow\r\n",
        );
    });
}

fn number_of(console: &mut Console, item: &str) -> u32 {
    let reply = console.call(&["CMS.QUERY", "s", item]);
    let number = reply.trim_end().rsplit(':').next();
    number.and_then(|number| number.parse().ok()).expect(&reply)
}

#[test]
fn sketches_are_merged_with_weights() {
    with_console(|console| {
        for name in ["a", "b", "c"] {
            console.expect(&["CMS.INITBYDIM", name, "1000", "4"], "+OK\r\n");
        }
        console.call(&["CMS.INCRBY", "a", "x", "5", "y", "3"]);
        console.call(&["CMS.INCRBY", "b", "x", "2"]);
        console.call(&["CMS.INCRBY", "c", "x", "100"]);
        let query = ["CMS.QUERY", "c", "x", "y"];
        // What was there is gone, as with RedisBloom.
        console.expect(&["CMS.MERGE", "c", "2", "a", "b"], "+OK\r\n");
        console.expect(&query, "*2\r\n:7\r\n:3\r\n");
        assert_eq!(field(console, &["CMS.INFO", "c"], "count"), 10);
        console.expect(
            &["CMS.MERGE", "c", "2", "a", "b", "WEIGHTS", "2", "3"],
            "+OK\r\n",
        );
        console.expect(&query, "*2\r\n:16\r\n:6\r\n");
        // Unless it is one of the sources; or two.
        console.expect(&["CMS.MERGE", "c", "2", "c", "a"], "+OK\r\n");
        console.expect(&query, "*2\r\n:21\r\n:9\r\n");
        console.expect(&["CMS.MERGE", "c", "3", "c", "a", "c"], "+OK\r\n");
        console.expect(&query, "*2\r\n:47\r\n:21\r\n");
        console.expect(&["CMS.MERGE", "c", "1", "c", "WEIGHTS", "0"], "+OK\r\n");
        console.expect(&query, "*2\r\n:0\r\n:0\r\n");

        console.expect(&["CMS.INITBYDIM", "d", "900", "4"], "+OK\r\n");
        for (arguments, error) in [
            (
                &["CMS.MERGE", "a", "1", "d"][..],
                "-CMS: width/depth is not equal\r\n",
            ),
            (
                &["CMS.MERGE", "a", "1", "missing"],
                "-CMS: key does not exist\r\n",
            ),
            (
                &["CMS.MERGE", "missing", "1", "a"],
                "-CMS: key does not exist\r\n",
            ),
            (&["CMS.MERGE", "a", "x", "b"], "-CMS: invalid numkeys\r\n"),
            (
                &["CMS.MERGE", "a", "2", "b"],
                "-CMS: wrong number of keys/weights\r\n",
            ),
            (
                &["CMS.MERGE", "a", "0", "b"],
                "-CMS: wrong number of keys/weights\r\n",
            ),
            (
                &["CMS.MERGE", "a", "4294967295", "b"],
                "-CMS: wrong number of keys/weights\r\n",
            ),
            (
                &["CMS.MERGE", "a", "1", "b", "WEIGHTS", "x"],
                "-CMS: invalid weight value\r\n",
            ),
        ] {
            console.expect(arguments, error);
        }
        console.expect(&["CMS.QUERY", "a", "x", "y"], "*2\r\n:5\r\n:3\r\n");
    });
}

#[test]
fn a_sketch_answers_as_the_library_does() {
    let mut sketch: CountMinSketch<50, 3, u32> = CountMinSketch::new();
    with_console(|console| {
        console.expect(&["CMS.INITBYDIM", "s", "50", "3"], "+OK\r\n");
        for i in 0..1_000_u32 {
            let (item, count) = ((i % 200).to_string(), i % 7 + 1);
            sketch.add(item.as_str(), count);
            console.call(&["CMS.INCRBY", "s", &item, &count.to_string()]);
        }
        for i in 0..400 {
            let item = i.to_string();
            assert_eq!(number_of(console, &item), sketch.estimate(item.as_str()));
        }
    });
}

#[test]
fn a_sketch_names_its_most_frequent_items() {
    with_console(|console| {
        console.expect(&["CMS.INITBYDIM", "s", "200", "5"], "+OK\r\n");
        console.expect(&["SUNDEW.TOP", "s"], "*0\r\n");
        // Item n comes n times, in turns.
        for turn in 0..60 {
            for item in turn + 1..=60 {
                console.call(&["CMS.INCRBY", "s", &format!("item {item}"), "1"]);
            }
        }
        let expected: String = (53..=60)
            .rev()
            .map(|item| format!("$7\r\nitem {item}\r\n:{item}\r\n"))
            .collect();
        console.expect(&["SUNDEW.TOP", "s"], &format!("*16\r\n{expected}"));
        console.expect(
            &["SUNDEW.TOP", "s", "2"],
            "*4\r\n$7\r\nitem 60\r\n:60\r\n$7\r\nitem 59\r\n:59\r\n",
        );
        console.expect(&["SUNDEW.TOP", "s", "0"], "*0\r\n");
        console.expect(&["SUNDEW.TOP", "missing"], "-CMS: key does not exist\r\n");
        console.expect(
            &["SUNDEW.TOP", "s", "x"],
            "-ERR value is not an integer or out of range\r\n",
        );
        // Of a long item the beginning, and two that begin alike are two.
        let (one, other) = ("x".repeat(1_000) + "1", "x".repeat(1_000) + "2");
        console.call(&["CMS.INCRBY", "s", &one, "100", &other, "101"]);
        let shown = "x".repeat(48);
        console.expect(
            &["SUNDEW.TOP", "s", "2"],
            &format!("*4\r\n$48\r\n{shown}\r\n:101\r\n$48\r\n{shown}\r\n:100\r\n"),
        );
        // Two sketches together.
        console.expect(&["CMS.INITBYDIM", "t", "200", "5"], "+OK\r\n");
        console.call(&["CMS.INCRBY", "t", "item 59", "70", "other", "300"]);
        console.expect(&["CMS.MERGE", "t", "2", "s", "t"], "+OK\r\n");
        console.expect(
            &["SUNDEW.TOP", "t", "2"],
            "*4\r\n$5\r\nother\r\n:300\r\n$7\r\nitem 59\r\n:129\r\n",
        );
        console.expect(&["clear", "t"], "+OK\r\n");
        console.expect(&["SUNDEW.TOP", "t"], "*0\r\n");
        // They are any bytes; a person's screen is not to suffer from it.
        console.expect(&["CMS.INITBYDIM", "strange", "100", "3"], "+OK\r\n");
        console.call(&["CMS.INCRBY", "strange", "esc\x1b[2J\r\n", "2"]);
        console.send("\r");
        console.wait(150);
        assert_eq!(
            console.send("sundew.top strange\r"),
            "sundew.top strange\r\nesc [2J  \r\n2\r\nsundew> "
        );
    });
}

#[test]
fn a_hyper_log_log_answers_as_the_library_does() {
    let mut sketches: [HyperLogLog11; 2] = Default::default();
    with_console(|console| {
        console.expect(&["PFCOUNT", "missing"], ":0\r\n");
        console.expect(&["PFADD", "h", "a", "b", "a"], ":1\r\n");
        console.expect(&["PFADD", "h", "a", "b"], ":0\r\n");
        console.expect(&["PFCOUNT", "h"], ":2\r\n");
        console.expect(&["TYPE", "h"], "+string\r\n");
        console.expect(&["DEL", "h"], ":1\r\n");

        for (name, sketch, from) in [("h", 0, 0), ("i", 1, 3_000)] {
            for item in from..from + 5_000 {
                let item = item.to_string();
                let changed = sketches[sketch].insert(item.as_str());
                console.expect(
                    &["PFADD", name, &item],
                    &format!(":{}\r\n", u32::from(changed)),
                );
            }
        }
        let [mut h, i] = sketches;
        assert_eq!(u64::from(number(console, &["PFCOUNT", "h"])), h.estimate());
        assert_eq!(u64::from(number(console, &["PFCOUNT", "i"])), i.estimate());
        let union = h.estimate_union(&[&i]).unwrap();
        assert_eq!(
            u64::from(number(console, &["PFCOUNT", "h", "i", "missing"])),
            union
        );
        assert!((7_600..8_400).contains(&union), "{union}");
        console.expect(&["PFMERGE", "new", "h", "missing", "i"], "+OK\r\n");
        assert_eq!(u64::from(number(console, &["PFCOUNT", "new"])), union);
        console.expect(&["PFMERGE", "h", "i"], "+OK\r\n");
        h.merge(&i).unwrap();
        assert_eq!(u64::from(number(console, &["PFCOUNT", "h"])), h.estimate());
        assert!(
            console
                .call(&["INFO"])
                .contains(&format!("key_h:type=string,items={union},"))
        );
    });
}

#[test]
fn counting_keys_forget_what_is_deleted() {
    with_console(|console| {
        console.expect(&["CBF.RESERVE", "c", "0.01", "500"], "+OK\r\n");
        console.expect(&["CBF.RESERVE", "c", "0.01", "500"], "-ERR item exists\r\n");
        console.expect(&["CBF.ADD", "c", "a"], ":1\r\n");
        console.expect(&["CBF.ADD", "c", "a"], ":0\r\n");
        console.expect(&["CBF.COUNT", "c", "a"], ":2\r\n");
        console.expect(&["CBF.EXISTS", "c", "a"], ":1\r\n");
        console.expect(&["CBF.DEL", "c", "a"], ":1\r\n");
        console.expect(&["CBF.EXISTS", "c", "a"], ":1\r\n");
        console.expect(&["CBF.DEL", "c", "a"], ":1\r\n");
        console.expect(&["CBF.EXISTS", "c", "a"], ":0\r\n");
        console.expect(&["CBF.DEL", "c", "a"], ":0\r\n");
        console.expect(&["CBF.COUNT", "c", "a"], ":0\r\n");
        assert_eq!(field(console, &["CBF.INFO", "c"], "Capacity"), 500);
        assert_eq!(field(console, &["CBF.INFO", "c"], "Number of items"), 0);
        console.expect(&["CBF.ADD", "missing", "a"], "-Not found\r\n");
        console.expect(&["CBF.DEL", "missing", "a"], "-Not found\r\n");
        console.expect(&["CBF.EXISTS", "missing", "a"], ":0\r\n");
        console.expect(&["CBF.COUNT", "missing", "a"], ":0\r\n");
        console.expect(
            &["CBF.RESERVE", "d", "2", "500"],
            "-ERR (0 < error rate range < 1)\r\n",
        );
        let reply = console.call(&["CBF.RESERVE", "d", "0.01", "1000000"]);
        assert!(
            reply.starts_with("-ERR operation exceeds bloom object memory limit: "),
            "{reply}"
        );
        let reply = console.call(&["CBF.RESERVE", "d", "0.000000001", "4000000000"]);
        assert!(
            reply.starts_with("-ERR operation exceeds bloom object memory limit: "),
            "{reply}"
        );

        // A counter that is full stays full: nothing that may still be there is forgotten.
        for _ in 0..20 {
            console.call(&["CBF.ADD", "c", "often"]);
        }
        console.expect(&["CBF.COUNT", "c", "often"], ":15\r\n");
        for _ in 0..20 {
            console.expect(&["CBF.DEL", "c", "often"], ":1\r\n");
        }
        console.expect(&["CBF.EXISTS", "c", "often"], ":1\r\n");
    });
}

#[test]
fn counting_keys_hold_what_they_are_made_for_at_their_rate() {
    with_console(|console| {
        console.expect(&["CBF.RESERVE", "c", "0.01", "2000"], "+OK\r\n");
        for item in 0..2_000 {
            console.call(&["CBF.ADD", "c", &item.to_string()]);
        }
        let mut wrong = 0;
        for item in 0..22_000 {
            let is_there = console.call(&["CBF.EXISTS", "c", &item.to_string()]) == ":1\r\n";
            assert!(is_there || item >= 2_000, "{item}");
            wrong += u32::from(is_there && item >= 2_000);
        }
        // 1 % of 20,000 is 200, with a deviation of 14.
        assert!((130..260).contains(&wrong), "{wrong}");
    });
}

#[test]
fn rotating_keys_forget_by_command_by_items_and_by_time() {
    with_console(|console| {
        console.expect(&["RBF.RESERVE", "r", "0.01", "100", "3"], "+OK\r\n");
        console.expect(&["RBF.ADD", "r", "a"], ":1\r\n");
        console.expect(&["RBF.ADD", "r", "a"], ":0\r\n");
        console.expect(&["RBF.SEEN", "r", "a"], ":1\r\n");
        console.expect(&["RBF.SEEN", "r", "b"], ":0\r\n");
        console.expect(&["RBF.ROTATE", "r"], "+OK\r\n");
        console.expect(&["RBF.ROTATE", "r"], "+OK\r\n");
        console.expect(&["RBF.EXISTS", "r", "a"], ":1\r\n");
        // Seen again, so it is new again.
        console.expect(&["RBF.SEEN", "r", "b"], ":1\r\n");
        console.expect(&["RBF.ROTATE", "r"], "+OK\r\n");
        console.expect(&["RBF.EXISTS", "r", "a"], ":0\r\n");
        console.expect(&["RBF.EXISTS", "r", "b"], ":1\r\n");
        assert_eq!(field(console, &["RBF.INFO", "r"], "Generations"), 3);

        console.expect(
            &["RBF.RESERVE", "n", "0.01", "1000", "2", "AFTER", "10"],
            "+OK\r\n",
        );
        for item in 0..25 {
            console.expect(&["RBF.ADD", "n", &item.to_string()], ":1\r\n");
        }
        assert_eq!(field(console, &["RBF.INFO", "n"], "Items in the newest"), 5);
        console.expect(&["RBF.EXISTS", "n", "9"], ":0\r\n");
        for item in 10..25 {
            console.expect(&["RBF.EXISTS", "n", &item.to_string()], ":1\r\n");
        }

        console.expect(
            &["RBF.RESERVE", "t", "0.01", "1000", "4", "EVERY", "60"],
            "+OK\r\n",
        );
        console.expect(&["RBF.ADD", "t", "early"], ":1\r\n");
        console.wait(100_000);
        console.expect(&["RBF.ADD", "t", "later"], ":1\r\n");
        // Seen in the last three minutes at least.
        console.wait(80_000);
        console.expect(&["RBF.EXISTS", "t", "early"], ":1\r\n");
        console.wait(60_000);
        console.expect(&["RBF.EXISTS", "t", "early"], ":0\r\n");
        console.expect(&["RBF.EXISTS", "t", "later"], ":1\r\n");
        console.wait(60_000);
        console.expect(&["RBF.EXISTS", "t", "later"], ":0\r\n");
        // Many periods without a word.
        console.expect(&["RBF.ADD", "t", "again"], ":1\r\n");
        console.wait(1_000_000_000);
        console.expect(&["RBF.EXISTS", "t", "again"], ":0\r\n");
        console.expect(&["RBF.ADD", "t", "again"], ":1\r\n");
        console.expect(&["RBF.EXISTS", "t", "again"], ":1\r\n");
        assert_eq!(field(console, &["RBF.INFO", "t"], "Every seconds"), 60);
        assert_eq!(field(console, &["RBF.INFO", "t"], "After items"), 0);
        console.wait(1_000_000);
        console.expect(&["RBF.ROTATE", "t"], "+OK\r\n");
        console.expect(&["RBF.EXISTS", "t", "again"], ":0\r\n");
        // Whoever looks sees what is still known.
        console.expect(&["RBF.ADD", "t", "again"], ":1\r\n");
        console.wait(1_000_000);
        let stats = console.call(&["stats", "t"]);
        assert!(stats.contains("0 items"), "{stats}");

        console.expect(&["RBF.EXISTS", "missing", "a"], ":0\r\n");
        for (arguments, error) in [
            (&["RBF.ADD", "missing", "a"][..], "-Not found\r\n"),
            (&["RBF.ROTATE", "missing"], "-Not found\r\n"),
            (&["RBF.INFO", "missing"], "-Not found\r\n"),
            (
                &["RBF.RESERVE", "x", "0.01", "10", "1"],
                "-ERR generations must be from 2 to 32\r\n",
            ),
            (
                &["RBF.RESERVE", "x", "0.01", "10", "33"],
                "-ERR generations must be from 2 to 32\r\n",
            ),
            (
                &["RBF.RESERVE", "x", "0.01", "10", "3", "EVERY"],
                "-ERR syntax error\r\n",
            ),
            (
                &["RBF.RESERVE", "x", "0.01", "10", "3", "EVERY", "0"],
                "-ERR syntax error\r\n",
            ),
            (
                &["RBF.RESERVE", "x", "0.01", "10", "3", "OFTEN", "5"],
                "-ERR syntax error\r\n",
            ),
            (
                &["RBF.RESERVE", "x", "1.01", "10", "3"],
                "-ERR (0 < error rate range < 1)\r\n",
            ),
        ] {
            console.expect(arguments, error);
        }
    });
}

#[test]
fn rotating_keys_keep_their_rate_in_all_generations_together() {
    with_console(|console| {
        console.expect(&["RBF.RESERVE", "r", "0.01", "500", "4"], "+OK\r\n");
        for item in 0..2_000 {
            console.call(&["RBF.ADD", "r", &item.to_string()]);
        }
        let mut wrong = 0;
        for item in 0..22_000 {
            let is_there = console.call(&["RBF.EXISTS", "r", &item.to_string()]) == ":1\r\n";
            assert!(is_there || !(500..2_000).contains(&item), "{item}");
            wrong += u32::from(is_there && item >= 2_000);
        }
        // At most 1 % of 20,000, with a deviation of 14.
        assert!(wrong < 260, "{wrong}");
    });
}

/// One of each kind, and what asks and changes it.
const KINDS: [(&[&str], &[&[&str]]); 6] = [
    (
        &["BF.RESERVE", "bloom", "0.01", "10"],
        &[
            &["BF.ADD", "", "a"],
            &["BF.EXISTS", "", "a"],
            &["BF.INSERT", "", "ITEMS", "a"],
            &["BF.INFO", ""],
            &["BF.CARD", ""],
            &["BF.DEBUG", ""],
            &["SUNDEW.SEEN", "", "a"],
            &["fill", ""],
        ],
    ),
    (
        &["CF.RESERVE", "cuckoo", "10"],
        &[
            &["CF.ADD", "", "a"],
            &["CF.ADDNX", "", "a"],
            &["CF.INSERT", "", "ITEMS", "a"],
            &["CF.INSERTNX", "", "ITEMS", "a"],
            &["CF.EXISTS", "", "a"],
            &["CF.DEL", "", "a"],
            &["CF.COUNT", "", "a"],
            &["CF.INFO", ""],
        ],
    ),
    (
        &["CMS.INITBYDIM", "sketch", "10", "2"],
        &[
            &["CMS.INCRBY", "", "a", "1"],
            &["CMS.QUERY", "", "a"],
            &["CMS.INFO", ""],
            &["CMS.MERGE", "", "1", "sketch"],
            &["CMS.MERGE", "sketch", "1", ""],
        ],
    ),
    (
        &["PFADD", "distinct", "a"],
        &[
            &["PFADD", "", "a"],
            &["PFCOUNT", ""],
            &["PFCOUNT", "distinct", ""],
            &["PFMERGE", "", "distinct"],
            &["PFMERGE", "distinct", ""],
        ],
    ),
    (
        &["CBF.RESERVE", "counting", "0.01", "10"],
        &[
            &["CBF.ADD", "", "a"],
            &["CBF.DEL", "", "a"],
            &["CBF.EXISTS", "", "a"],
            &["CBF.COUNT", "", "a"],
            &["CBF.INFO", ""],
        ],
    ),
    (
        &["RBF.RESERVE", "rotating", "0.01", "10", "2"],
        &[
            &["RBF.ADD", "", "a"],
            &["RBF.EXISTS", "", "a"],
            &["RBF.SEEN", "", "a"],
            &["RBF.ROTATE", ""],
            &["RBF.INFO", ""],
        ],
    ),
];

#[test]
fn a_key_of_another_kind_is_refused() {
    with_console(|console| {
        for (make, _) in KINDS {
            let reply = console.call(make);
            assert!(matches!(reply.as_str(), "+OK\r\n" | ":1\r\n"), "{reply}");
        }
        let info = console.call(&["INFO"]);
        for (own, (_, commands)) in KINDS.iter().enumerate() {
            for (other, (make, _)) in KINDS.iter().enumerate() {
                for command in *commands {
                    let arguments: Vec<&str> = command
                        .iter()
                        .map(|argument| {
                            if argument.is_empty() {
                                make[1]
                            } else {
                                argument
                            }
                        })
                        .collect();
                    if own == other {
                        let reply = console.call(&arguments);
                        assert!(!reply.starts_with('-'), "{arguments:?}: {reply}");
                    } else {
                        console.expect(&arguments, WRONG_TYPE);
                    }
                }
            }
        }
        // All that was refused changed nothing: each key has its own commands' items only.
        let lines = |text: &str| text.matches("key_").count();
        assert_eq!(lines(&info), lines(&console.call(&["INFO"])));
    });
}

#[test]
fn keys_of_all_kinds_share_the_arena() {
    with_console(|console| {
        for (make, _) in KINDS {
            console.call(make);
        }
        console.expect(&["DBSIZE"], ":7\r\n");
        console.expect(&["CF.ADD", "cuckoo", "a"], ":1\r\n");
        console.expect(&["CBF.ADD", "counting", "a"], ":1\r\n");
        console.expect(&["RBF.ADD", "rotating", "a"], ":1\r\n");
        console.call(&["CMS.INCRBY", "sketch", "a", "3"]);
        // What is behind it moves down.
        console.expect(&["DEL", "bloom"], ":1\r\n");
        console.expect(&["CF.COUNT", "cuckoo", "a"], ":1\r\n");
        console.expect(&["CMS.QUERY", "sketch", "a"], "*1\r\n:3\r\n");
        console.expect(&["PFCOUNT", "distinct"], ":1\r\n");
        console.expect(&["CBF.COUNT", "counting", "a"], ":1\r\n");
        console.expect(&["RBF.EXISTS", "rotating", "a"], ":1\r\n");
        console.expect(
            &["SCAN", "0", "TYPE", "MBbloomCF"],
            "*2\r\n$1\r\n0\r\n*1\r\n$6\r\ncuckoo\r\n",
        );
        for key in ["cuckoo", "sketch", "distinct", "counting", "rotating"] {
            console.expect(&["clear", key], "+OK\r\n");
            assert!(console.call(&["stats", key]).contains(" 0 items, "));
        }
        console.expect(&["CF.COUNT", "cuckoo", "a"], ":0\r\n");
        console.expect(&["RBF.EXISTS", "rotating", "a"], ":0\r\n");
        console.expect(&["FLUSHALL"], "+OK\r\n");
        assert!(console.call(&["INFO"]).contains("arena_used_bytes:0\r\n"));
    });
}

#[test]
fn too_large_keys_are_refused_and_change_nothing() {
    with_console(|console| {
        for arguments in [
            &["CF.RESERVE", "k", "100000"][..],
            &["CF.RESERVE", "k", "4294967295"],
            &["CMS.INITBYDIM", "k", "65536", "32"],
            &["CMS.INITBYPROB", "k", "0.000001", "0.0001"],
            &["RBF.RESERVE", "k", "0.01", "4294967295", "32"],
            &["RBF.RESERVE", "k", "0.000000001", "100000", "32"],
        ] {
            let reply = console.call(arguments);
            assert!(
                reply.contains("memory limit") || reply.contains("invalid"),
                "{arguments:?}: {reply}"
            );
        }
        console.expect(&["DBSIZE"], ":1\r\n");
        assert!(console.call(&["INFO"]).contains("arena_used_bytes:0\r\n"));
    });
}
