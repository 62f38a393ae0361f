//! Guava's own library against `GuavaBloom`: same bits, same answers, same bytes, in both directions.
//!
//! `cargo xtask test guava` installs Java and Guava and runs this.

#[path = "guava/keys.rs"]
mod keys;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use keys::{Case, FUNNELS, Filter, STRATEGIES, file};
use sundew::GuavaBloomView;
use sundew::guava::{GuavaBloom, GuavaBloomRef, Plan, PlanError, ReadError};
use sundew::sizing::Rate;

const QUERIES: u32 = 100_000;

/// Guava, in a folder of its own.
struct Referee {
    class_path: String,
    folder: PathBuf,
}

impl Referee {
    fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let jar = std::env::var("SUNDEW_GUAVA_JAR")
            .expect("no SUNDEW_GUAVA_JAR: `cargo xtask test guava` finds or installs one");
        assert!(Path::new(&jar).exists(), "SUNDEW_GUAVA_JAR: no {jar}");
        let folder = root.join("target/guava").join(name);
        let classes = folder.join("classes");
        fs::create_dir_all(&classes).unwrap();
        run(Command::new("javac")
            .args(["-encoding", "UTF-8", "-cp", &jar, "-d"])
            .arg(&classes)
            .arg(root.join("tests/guava/Referee.java")));
        Self {
            class_path: format!("{jar}:{}", classes.display()),
            folder,
        }
    }

    /// Returns what it prints.
    fn ask(&self, question: &str) -> String {
        run(Command::new("java")
            .args(["-cp", &self.class_path])
            .args(["com.google.common.hash.Referee", question])
            .arg(&self.folder))
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn give(&self, cases: &[Case]) {
        let mut lines = String::new();
        for case in cases {
            let (name, funnel) = (case.name(), case.funnel);
            let (ordinal, rate) = (case.strategy as u8, decimal(case.rate));
            writeln!(lines, "{name} {ordinal} {funnel} {} {rate}", case.keys).unwrap();
        }
        self.write("cases.txt", lines);
    }
}

fn run(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn decimal(rate: Rate) -> String {
    format!("0.{:09}", rate.parts_per_billion())
}

fn answers(case: &Case, filter: &GuavaBloomView) -> Vec<u8> {
    (case.keys / 2..case.keys / 2 + QUERIES)
        .map(|i| b'0' + u8::from(case.contains(filter, i)))
        .collect()
}

fn load(file: &[u8]) -> Box<Filter> {
    let mut filter = Box::new(Filter::new());
    filter.read_from(file).unwrap();
    filter
}

#[test]
#[ignore = "needs Java: cargo xtask test guava"]
fn guava_and_sundew_write_the_same_files_and_give_the_same_answers() {
    let referee = Referee::new("filters");
    let mut cases = Vec::new();
    for strategy in STRATEGIES {
        for funnel in FUNNELS {
            for keys in [10, 1_000, 100_000] {
                for rate in [Rate::percent(1), Rate::ppm(100)] {
                    cases.push(Case {
                        strategy,
                        funnel,
                        keys,
                        rate,
                    });
                }
            }
        }
    }
    referee.give(&cases);

    let mut false_positives = 0;
    let (mut count_off, mut rate_off) = (0, 0.0_f64);
    let said = referee.ask("write");
    assert_eq!(said.lines().count(), cases.len());
    for (case, line) in cases.iter().zip(said.lines()) {
        let name = case.name();
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[0], name);

        let theirs = referee.read(&format!("{name}.guava"));
        let (ours, new) = case.filled();
        assert!(file(&ours) == theirs, "{name}: the files differ");
        assert_eq!(new.to_string(), words[1], "{name}: what put returned");
        referee.write(&format!("{name}.ours"), file(&ours));

        let loaded = load(&theirs);
        assert!(loaded == ours, "{name}");
        assert!(file(&loaded) == theirs, "{name}: not written as read");
        let answers = answers(case, &loaded);
        let expected = referee.read(&format!("{name}.guava.answers"));
        assert!(answers == expected, "{name}: the answers differ");
        let in_place = GuavaBloomRef::new(&theirs).unwrap();
        let same = (case.keys / 2..)
            .zip(&expected)
            .all(|(i, answer)| case.contains_in_place(in_place, i) == (*answer == b'1'));
        assert!(same, "{name}: the answers in place differ");
        let yes = answers.iter().filter(|answer| **answer == b'1').count();
        false_positives += yes - (case.keys - case.keys / 2) as usize;

        let mut union = load(&referee.read(&format!("{name}.first")));
        let second = load(&referee.read(&format!("{name}.second")));
        union.union(&second).unwrap();
        assert!(file(&union) == referee.read(&format!("{name}.union")));
        assert!(union == ours, "{name}: the halves are not the whole");

        let stats = loaded.stats();
        let count: u64 = words[2].parse().unwrap();
        let rate: f64 = words[3].parse().unwrap();
        count_off = count_off.max(stats.estimated_keys().abs_diff(count));
        let ppb = f64::from(stats.rate().parts_per_billion());
        rate_off = rate_off.max((ppb - rate * 1e9).abs());
    }
    println!(
        "{} filters, {false_positives} false positives; approximateElementCount differs by {count_off}, \
         expectedFpp by {rate_off:.1} parts per billion",
        cases.len()
    );
    assert!(false_positives > 1_000, "{false_positives}");
    assert!(count_off <= 1, "{count_off}");
    assert!(rate_off < 10.0, "{rate_off}");

    let said = referee.ask("check");
    for (case, line) in cases.iter().zip(said.lines()) {
        let name = case.name();
        assert_eq!(line, format!("{name} equal"));
        let expected = referee.read(&format!("{name}.guava.answers"));
        assert!(referee.read(&format!("{name}.ours.answers")) == expected);
    }
}

#[test]
#[ignore = "needs Java: cargo xtask test guava"]
fn golden_files_are_guavas() {
    let referee = Referee::new("golden");
    let cases = keys::golden_cases();
    referee.give(&cases);
    let said = referee.ask("write");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/guava");
    let bless = std::env::var_os("SUNDEW_BLESS").is_some_and(|value| value == "1");
    for (case, line) in cases.iter().zip(said.lines()) {
        let name = case.name();
        let answers = referee.read(&format!("{name}.guava.answers"));
        let found: Vec<String> = (case.keys / 2..)
            .zip(&answers[..1_000])
            .filter(|(i, answer)| *i >= case.keys && **answer == b'1')
            .map(|(i, _)| i.to_string())
            .collect();
        let mut words = line.split(' ').skip(2);
        let count = words.next().unwrap();
        let facts = format!(
            "approximateElementCount {count}\nexpectedFpp {}\nfalse positives {}\n",
            words.next().unwrap(),
            found.join(" ")
        );
        let file = referee.read(&format!("{name}.guava"));
        for (extension, content) in [("bloom", file), ("txt", facts.into_bytes())] {
            let path = golden.join(format!("{name}.{extension}"));
            if bless {
                fs::write(&path, content).unwrap();
            } else {
                assert!(fs::read(&path).unwrap() == content, "{}", path.display());
            }
        }
    }
}

/// The pairs that the documentation of `Plan` tells of.
fn sizes() -> Vec<(u64, Rate)> {
    let mut pairs = Vec::new();
    for rate in [Rate::percent(1), Rate::ppm(100)] {
        pairs.extend((1..=10_000).map(|keys| (keys, rate)));
        // Spread evenly over the magnitudes up to a billion bits.
        let mut random = 1_u64;
        pairs.extend((0..20_000).map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005) + 1;
            let magnitude = 13 + (random >> 59) % 13;
            (
                (1 << magnitude) + (random >> 16 & ((1 << magnitude) - 1)),
                rate,
            )
        }));
    }
    // Rates of all sizes: digits 1 to 99 and some odd ones, at every power of ten.
    for power in 0..8 {
        for digits in (1..100).chain([127, 333, 707, 999]) {
            let rate = Rate::from_parts_per_billion(10_u32.pow(power).saturating_mul(digits));
            if rate < Rate::ONE {
                for keys in [1, 2, 3, 5, 10, 17, 100, 999, 12_345, 1_000_000, 7_654_321] {
                    pairs.push((keys, rate));
                }
            }
        }
    }
    // The rates next to where the number of hash functions changes.
    for k in 0..30 {
        let edge = (2_f64.powf(-f64::from(k) - 0.5) * 1e9) as u32;
        for ppb in edge.saturating_sub(3).max(1)..edge + 4 {
            for keys in [1, 10, 1_000, 1_000_000] {
                pairs.push((keys, Rate::from_parts_per_billion(ppb)));
            }
        }
    }
    pairs
}

#[test]
#[ignore = "needs Java: cargo xtask test guava"]
fn sizes_are_guavas() {
    let referee = Referee::new("sizes");
    let pairs = sizes();
    let mut lines = String::new();
    for (keys, rate) in &pairs {
        writeln!(lines, "{keys} {}", decimal(*rate)).unwrap();
    }
    referee.write("sizes.txt", lines);
    referee.ask("sizes");
    let answers = String::from_utf8(referee.read("sizes.answers")).unwrap();
    assert_eq!(answers.lines().count(), pairs.len());
    let mut differ = Vec::new();
    for ((keys, rate), answer) in pairs.iter().zip(answers.lines()) {
        let ours = match Plan::try_for_keys(*keys, *rate) {
            Ok(plan) => format!("{} {}", plan.words(), plan.k()),
            // Guava's `create` refuses 0 bits later on.
            Err(PlanError::NoBits) => "0 1".into(),
            Err(error) => error.to_string(),
        };
        if ours != answer {
            differ.push(format!("{keys} at {rate}: {ours}, Guava {answer}"));
        }
    }
    println!("{} sizes", pairs.len());
    assert!(
        differ.is_empty(),
        "{}:\n{}",
        differ.len(),
        differ.join("\n")
    );
}

#[test]
#[ignore = "needs Java: cargo xtask test guava"]
fn guava_refuses_what_sundew_refuses() {
    let referee = Referee::new("judge");
    let good = file(&GuavaBloom::<2>::new());
    let with = |place: usize, byte: u8| {
        let mut file = good.clone();
        file[place] = byte;
        file
    };
    let mut files = vec![("good".to_string(), good.clone())];
    files.extend((0..=255).map(|byte| (format!("strategy-{byte}"), with(0, byte))));
    files.extend((0..=255).map(|byte| (format!("functions-{byte}"), with(1, byte))));
    files.extend((0..good.len()).map(|cut| (format!("cut-{cut}"), good[..cut].to_vec())));
    files.push(("empty".into(), with(5, 0)));
    files.push(("longer".into(), with(5, 3)));
    files.push(("negative".into(), with(2, 0x80)));
    files.push((
        "minus one".into(),
        [&[1, 5], [0xFF; 20].as_slice()].concat(),
    ));
    files.push(("shorter".into(), with(5, 1)));
    files.push(("trailing".into(), [good.as_slice(), &[0]].concat()));
    let mut names = String::new();
    for (name, content) in &files {
        referee.write(name, content);
        writeln!(names, "{name}").unwrap();
    }
    referee.write("judge.txt", names);
    let said = referee.ask("judge");
    assert_eq!(said.lines().count(), files.len());
    for ((name, content), line) in files.iter().zip(said.lines()) {
        let ours = GuavaBloom::<3>::new().read_from(content);
        let verdict = match ours {
            // The one difference: Guava leaves the rest in the stream.
            Ok(()) | Err(ReadError::TrailingBytes) => "taken",
            Err(_) => "refused",
        };
        assert_eq!(line, format!("{name} {verdict}"), "{ours:?}");
    }
}

#[test]
#[ignore = "needs Java: cargo xtask test guava"]
fn the_documentation_is_right_about_guava() {
    let referee = Referee::new("facts");
    assert_eq!(
        referee.ask("facts"),
        "half a pair is a question mark: true\na full filter cannot be counted: true\n"
    );
    let half = load(&referee.read("half.guava"));
    assert!(half.contains([0xD83C_u16].as_slice()));
    let mut ours: Box<Filter> = load(&referee.read("sequence.guava"));
    ours.clear();
    ours.insert([1_i32, 2, 3].as_slice());
    assert!(file(&ours) == referee.read("sequence.guava"));
    let unplanned = load(&referee.read("unplanned.guava"));
    let plan = Plan::for_keys(1_000, Rate::percent(3));
    assert_eq!((plan.k(), unplanned.k()), (5, GuavaBloom::<1>::new().k()));
    assert_eq!(plan.words(), unplanned.num_words() as usize);
}
