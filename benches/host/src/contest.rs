//! Who takes part, and how the rounds go.

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bloomfilter::Bloom;
use fastbloom::BloomFilter;
use foldhash::fast::FixedState;
use sundew::hash::{Xxh3, Xxh32};

use crate::filters::{Filter, Limit, PROBES, Rapid, Sbbf, Sundew, Textbook, rapid, xxh3};
use crate::keys::{Random, Urls};
use crate::report::{Row, quartiles};

const BITS_PER_KEY: usize = 10;
const BLOCK_BYTES: usize = 64;
/// 1.25 MB: room for 1 000 038 keys.
const SMALL_BLOCKS: usize = 19_532;
/// 128 MiB: room for 107 374 182 keys.
const LARGE_BLOCKS: usize = 2_097_152;

/// What sbbf-rs needs to come down to the rate of 512-bit blocks at 10 bits per key: the expected rate
/// of a split block filter is 1.26 % at 10 bits and 0.97 % at 10.6.
const SBBF_BITS_PER_KEY_AT_EQUAL_RATE: f64 = 10.6;

/// Enough to touch every cache line of the small filter.
const WARM_UP_LOOKUPS: usize = 200_000;

/// What is timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    Hit,
    Miss,
    Insert,
}

impl Operation {
    pub const ALL: [Self; 3] = [Self::Insert, Self::Hit, Self::Miss];

    pub fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Insert => "insert",
        }
    }
}

/// A filter with its name; the loops over all keys are compiled for each filter, so that calls inside
/// them can be inlined as in a user's program.
trait Contestant {
    fn name(&self) -> &'static str;
    fn hash(&self) -> &'static str;
    fn bytes(&self) -> usize;
    fn clear(&mut self);
    fn fill(&mut self, count: usize);
    fn insert_all(&mut self, urls: &[&str]) -> usize;
    fn count_contained(&self, urls: &[&str]) -> usize;
}

struct Entry<F> {
    name: &'static str,
    hash: &'static str,
    filter: F,
}

impl<F: Filter> Contestant for Entry<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn hash(&self) -> &'static str {
        self.hash
    }

    fn bytes(&self) -> usize {
        self.filter.bytes()
    }

    fn clear(&mut self) {
        self.filter.clear();
    }

    fn fill(&mut self, count: usize) {
        let mut random = Random::new(2);
        for _ in 0..count {
            self.filter.insert_filler(random.next());
        }
    }

    fn insert_all(&mut self, urls: &[&str]) -> usize {
        urls.iter()
            .map(|url| usize::from(self.filter.insert(url)))
            .sum()
    }

    fn count_contained(&self, urls: &[&str]) -> usize {
        urls.iter()
            .map(|url| usize::from(self.filter.contains(url)))
            .sum()
    }
}

fn entry<F: Filter + 'static>(
    name: &'static str,
    hash: &'static str,
    filter: F,
) -> Box<dyn Contestant> {
    Box::new(Entry { name, hash, filter })
}

/// The contestants for both sizes; the limit comes first.
fn contestants<const BLOCKS: usize>() -> Vec<Box<dyn Contestant>> {
    let bytes = BLOCKS * BLOCK_BYTES;
    let keys = bytes * 8 / BITS_PER_KEY;
    let sbbf_bytes_at_equal_rate = (keys as f64 * SBBF_BITS_PER_KEY_AT_EQUAL_RATE / 8.0) as usize;
    // The halves of the seed must differ: they key the two hashes that all probes are made of.
    let seed = std::array::from_fn(|index| index as u8);
    let bloomfilter = Bloom::new_with_seed(bytes, keys, &seed).expect("sizes are not zero");
    assert_eq!(bloomfilter.number_of_hash_functions() as usize, PROBES);
    let fastbloom = || BloomFilter::with_num_bits(bytes * 8);

    vec![
        entry("limit", "rapidhash", Limit::new(bytes, rapid)),
        entry("limit", "XXH3", Limit::new(bytes, xxh3)),
        entry("sundew", "XXH3", Sundew::<BLOCKS, Xxh3>::new()),
        entry("sundew", "rapidhash", Sundew::<BLOCKS, Rapid>::new()),
        entry("sbbf-rs", "rapidhash", Sbbf::new(bytes)),
        entry(
            "sbbf-rs, 6 % more RAM",
            "rapidhash",
            Sbbf::new(sbbf_bytes_at_equal_rate),
        ),
        entry(
            "fastbloom",
            "foldhash",
            fastbloom()
                .hasher(FixedState::with_seed(7))
                .hashes(PROBES as u32),
        ),
        entry(
            "fastbloom",
            "SipHash-1-3",
            fastbloom().seed(&7).hashes(PROBES as u32),
        ),
        entry("bloomfilter", "SipHash-1-3", bloomfilter),
        entry("textbook, 7 hashes", "rapidhash", Textbook::new(bytes)),
    ]
}

/// Those that only make sense at the small size: a 32-bit hash, and a table that stores every key.
fn small_contestants(urls: usize) -> Vec<Box<dyn Contestant>> {
    let mut all = contestants::<SMALL_BLOCKS>();
    all.push(entry(
        "sundew",
        "XXH32",
        Sundew::<SMALL_BLOCKS, Xxh32>::new(),
    ));
    let set = HashSet::<Box<str>>::with_capacity(urls);
    all.push(entry("std HashSet<Box<str>>", "SipHash-1-3", set));
    all
}

/// The URLs in the three roles they have.
struct Keys<'a> {
    inserted: Vec<&'a str>,
    present: Vec<&'a str>,
    absent: Vec<&'a str>,
}

/// Runs everything, and returns the rows to print.
pub fn run(quick: bool) -> Vec<Row> {
    let (urls, rounds) = if quick { (200_000, 5) } else { (1_000_000, 15) };
    eprintln!("generating {urls} URLs to insert and {urls} that stay absent");
    let inserted = Urls::generate(0, urls);
    let present = inserted.shuffled(1);
    let absent = Urls::generate(urls, urls);
    let keys = Keys {
        inserted: inserted.slices(),
        present: present.slices(),
        absent: absent.slices(),
    };

    let filler =
        |blocks: usize| (blocks * BLOCK_BYTES * 8 / BITS_PER_KEY).saturating_sub(urls as usize);
    // The full small filter holds the URLs and nothing else: 38 keys less than there is room for.
    let small_filler = if quick { filler(SMALL_BLOCKS) } else { 0 };
    let small = Contest {
        name: "1.25 MB",
        filler: small_filler,
        starts_empty: true,
        rounds,
        keys: &keys,
    };
    let mut rows = small.run(small_contestants(filler(SMALL_BLOCKS) + urls as usize));
    if !quick {
        let large = Contest {
            name: "128 MiB",
            filler: filler(LARGE_BLOCKS),
            starts_empty: false,
            rounds,
            keys: &keys,
        };
        rows.extend(large.run(contestants::<LARGE_BLOCKS>()));
    }
    rows
}

struct Contest<'a> {
    name: &'static str,
    /// Keys in the filter beside the URLs.
    filler: usize,
    /// Whether the filter is emptied before each round, so that the URLs are inserted anew.
    starts_empty: bool,
    rounds: usize,
    keys: &'a Keys<'a>,
}

impl Contest<'_> {
    fn run(&self, mut contestants: Vec<Box<dyn Contestant>>) -> Vec<Row> {
        for contestant in &mut contestants {
            eprintln!(
                "{}: filling {} ({})",
                self.name,
                contestant.name(),
                contestant.hash()
            );
            contestant.fill(self.filler);
            contestant.insert_all(&self.keys.inserted);
        }

        let false_positive_rates: Vec<f64> = contestants
            .iter()
            .map(|contestant| {
                let found = contestant.count_contained(&self.keys.absent);
                found as f64 / self.keys.absent.len() as f64
            })
            .collect();

        // Per operation, per contestant, the ratio of each round.
        let mut ratios = Operation::ALL.map(|_| vec![Vec::new(); contestants.len()]);
        for round in 0..self.rounds {
            eprintln!("{}: round {} of {}", self.name, round + 1, self.rounds);
            for (operation, ratios) in Operation::ALL.into_iter().zip(&mut ratios) {
                let times = self.time_all(operation, round, &mut contestants);
                for (ratios, time) in ratios.iter_mut().zip(&times) {
                    ratios.push(time.as_secs_f64() / times[0].as_secs_f64());
                }
            }
        }

        let mut rows = Vec::new();
        for (operation, ratios) in Operation::ALL.into_iter().zip(ratios) {
            for ((contestant, rate), ratios) in
                contestants.iter().zip(&false_positive_rates).zip(ratios)
            {
                let is_limit = contestant.name() == "limit";
                rows.push(Row {
                    name: contestant.name(),
                    hash: contestant.hash(),
                    filter_bytes: contestant.bytes(),
                    contest: self.name,
                    operation,
                    ratio: quartiles(ratios),
                    false_positive_rate: (!is_limit).then_some(*rate),
                });
            }
        }
        rows
    }
    /// One turn of every contestant. Another one starts in each round, so that none always follows the
    /// same neighbour.
    fn time_all(
        &self,
        operation: Operation,
        round: usize,
        contestants: &mut [Box<dyn Contestant>],
    ) -> Vec<Duration> {
        let mut times = vec![Duration::ZERO; contestants.len()];
        for turn in 0..contestants.len() {
            let index = (turn + round) % contestants.len();
            times[index] = self.time(operation, &mut *contestants[index]);
        }
        times
    }

    fn time(&self, operation: Operation, contestant: &mut dyn Contestant) -> Duration {
        if operation == Operation::Insert {
            if self.starts_empty {
                contestant.clear();
                contestant.fill(self.filler);
            }
        } else {
            // The turns of the others have pushed the filter out of the cache.
            let warm_up = self.keys.inserted.len().min(WARM_UP_LOOKUPS);
            black_box(contestant.count_contained(&self.keys.inserted[..warm_up]));
        }
        let start = Instant::now();
        let count = match operation {
            Operation::Insert => contestant.insert_all(&self.keys.inserted),
            Operation::Hit => contestant.count_contained(&self.keys.present),
            Operation::Miss => contestant.count_contained(&self.keys.absent),
        };
        let time = start.elapsed();
        let is_limit = contestant.name() == "limit";
        assert!(
            operation != Operation::Hit || is_limit || count == self.keys.present.len(),
            "{} ({}) lost a key",
            contestant.name(),
            contestant.hash()
        );
        black_box(count);
        time
    }
}
