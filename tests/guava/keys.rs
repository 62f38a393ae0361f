//! The keys that Guava and this crate are both given, and the filters that both make of them. The keys are those of
//! tests/guava/Referee.java.

use sundew::guava::{
    GuavaBloom, GuavaBloomRef, GuavaBloomView, Plan, Shape, Strategy, UnencodedChars,
};
use sundew::sizing::Rate;

/// Enough for 100,000 keys at 0.01 %.
pub type Filter = GuavaBloom<30_000>;

pub const FUNNELS: [&str; 5] = ["bytes", "text", "chars", "integer", "long"];
pub const STRATEGIES: [Strategy; 2] = [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64];

/// An expression with the `i`th key of a funnel. Keys are of different types.
macro_rules! with_key {
    ($funnel:expr, $i:expr, |$key:ident| $expression:expr) => {
        match $funnel {
            "bytes" => with_key!($key = bytes($i).as_slice(), $expression),
            "text" => with_key!($key = text($i).as_str(), $expression),
            "chars" => with_key!($key = &UnencodedChars(&text($i)), $expression),
            "integer" => with_key!($key = &integer($i), $expression),
            "long" => with_key!($key = &long($i), $expression),
            other => panic!("no funnel {other}"),
        }
    };
    ($key:ident = $value:expr, $expression:expr) => {
        match $value {
            $key => $expression,
        }
    };
}

/// A filter that both make.
#[derive(Clone, Copy)]
pub struct Case {
    pub strategy: Strategy,
    pub funnel: &'static str,
    pub keys: u32,
    pub rate: Rate,
}

impl Case {
    pub fn name(&self) -> String {
        let Self {
            strategy,
            funnel,
            keys,
            rate,
        } = *self;
        let ppm = rate.parts_per_million();
        format!("{}-{funnel}-{keys}-{ppm}ppm", strategy as u8)
    }

    /// Empty, as Guava would make it.
    pub fn create(&self) -> Box<Filter> {
        let plan = Plan::for_keys(self.keys.into(), self.rate);
        let shape = Shape::new(self.strategy, plan.k() as u8, plan.words() as u32).unwrap();
        let mut filter = Box::new(Filter::new());
        filter.reset(shape).unwrap();
        filter
    }

    /// Returns the filter with all its keys, and how many of them were new to it.
    pub fn filled(&self) -> (Box<Filter>, u32) {
        let mut filter = self.create();
        let new = (0..self.keys)
            .map(|i| u32::from(self.insert(&mut filter, i)))
            .sum();
        (filter, new)
    }

    pub fn insert(&self, filter: &mut GuavaBloomView, i: u32) -> bool {
        with_key!(self.funnel, i, |key| filter.insert(key))
    }

    pub fn contains(&self, filter: &GuavaBloomView, i: u32) -> bool {
        with_key!(self.funnel, i, |key| filter.contains(key))
    }

    pub fn contains_in_place(&self, filter: GuavaBloomRef, i: u32) -> bool {
        with_key!(self.funnel, i, |key| filter.contains(key))
    }
}

/// The filters whose files are in tests/golden/guava.
pub fn golden_cases() -> Vec<Case> {
    let case = |strategy, funnel, keys, rate| Case {
        strategy,
        funnel,
        keys,
        rate,
    };
    let mut cases = Vec::new();
    for strategy in STRATEGIES {
        for funnel in FUNNELS {
            cases.push(case(strategy, funnel, 10, Rate::percent(1)));
        }
        cases.push(case(strategy, "text", 100, Rate::ppm(100)));
    }
    cases
}

pub fn file(filter: &GuavaBloomView) -> Vec<u8> {
    let mut file = Vec::new();
    filter.write_to(&mut file).unwrap();
    file
}

fn bytes(i: u32) -> Vec<u8> {
    let rest = (4..4 + i % 41).map(|j| (31 * i + 17 * j) as u8);
    i.to_le_bytes().into_iter().chain(rest).collect()
}

fn text(i: u32) -> String {
    const PREFIXES: [&str; 7] = [
        "",
        "key ",
        "https://example.com/a/rather/long/path?with=query&and=more#",
        "grün-",
        "ключ-",
        "漢字",
        "🌱🪲",
    ];
    format!("{}{i}", PREFIXES[i as usize % PREFIXES.len()])
}

fn integer(i: u32) -> i32 {
    i.wrapping_mul(0x9E37_79B1) as i32
}

fn long(i: u32) -> i64 {
    u64::from(i).wrapping_mul(0x9E37_79B9_7F4A_7C15) as i64
}
