//! What the sizing promises: the textbook's figures, the rates of blocked filters, plans that keep their rate.

use sundew::BlockedBloom;
use sundew::profile;
use sundew::sizing::{
    Layout, Plan, PlanError, Rate, blocked_rate, classic_bits, classic_k,
    classic_millibits_per_key, classic_rate,
};

const WIDE: Layout = Layout::new(512, 64);
const WIDE_4096: Layout = Layout::new(4096, 64);
const RATES: [Rate; 4] = [
    Rate::percent(10),
    Rate::percent(1),
    Rate::ppm(1_000),
    Rate::ppm(100),
];

const PLAN: Plan = Plan::for_keys(26_000, Rate::percent(1));
static SEEN: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();
static SEEN_IN_8_KB: profile::Kb8 = profile::Kb8::new();

/// The compiler complains about a constant of 2,000,000 steps; so ten of the longest plans in one constant
/// show that a plan stays below 200,000.
const LONG_PLANS: [Plan; 10] = [
    Plan::for_keys_in(u32::MAX as u64, Rate::ppm(1), WIDE),
    Plan::for_keys_in(10_000_000_000, Rate::ppm(1), WIDE),
    Plan::for_keys_in(10_000_000_000, Rate::percent(1), WIDE),
    Plan::for_keys_in(10_000_000_000, Rate::ppm(1), Layout::new(65_536, 64)),
    Plan::for_keys_in(100_000, Rate::from_parts_per_billion(1), WIDE),
    Plan::for_keys(1_000_000, Rate::ppm(1_000)),
    Plan::for_ram(4 << 20, Rate::percent(1)),
    Plan::for_ram_in(100 << 30, Rate::ppm(1), WIDE),
    Plan::for_ram_in(100 << 30, Rate::percent(1), WIDE),
    Plan::for_ram_in(64, Rate::ppm(1), WIDE),
];

/// Alone in a constant, the longest plans there are.
const LONGEST_FOR_KEYS: Plan =
    Plan::for_keys_in(20_000_000_000, Rate::from_parts_per_billion(1), WIDE);
const LONGEST_FOR_RAM: Plan = Plan::for_ram_in(200 << 30, Rate::from_parts_per_billion(1), WIDE);

#[test]
fn plans_are_constants_and_size_statics() {
    assert_eq!(
        (PLAN.blocks(), PLAN.k(), PLAN.bytes(), PLAN.bits()),
        (504, 6, 32_256, 258_048)
    );
    assert_eq!((PLAN.keys(), PLAN.layout()), (26_000, Layout::DEFAULT));
    assert!(!SEEN.contains("key") && !SEEN_IN_8_KB.contains("key"));
    for plan in LONG_PLANS
        .iter()
        .chain(&[LONGEST_FOR_KEYS, LONGEST_FOR_RAM])
    {
        assert!(plan.keys() > 0 && plan.blocks() > 0);
    }
}

#[test]
fn classic_formulas_give_the_published_rows() {
    let bits = RATES.map(|rate| classic_bits(10_000_000, rate));
    assert_eq!(bits, [47_925_292, 95_850_584, 143_775_876, 191_701_168]);
    assert_eq!(RATES.map(classic_k), [4, 7, 10, 14]);
    assert_eq!(classic_bits(1_000_000, Rate::percent(1)), 9_585_058);
    assert_eq!(
        RATES.map(classic_millibits_per_key),
        [4_793, 9_585, 14_378, 19_170]
    );
    // "0.8 % at 10 bits per key" is the classic filter's rate.
    assert_eq!(
        classic_rate(1_000_000, 10_000_000, 7).parts_per_million(),
        8_194
    );
    for power in 1..=20 {
        assert_eq!(
            classic_k(Rate::one_in(1 << power)),
            power,
            "one in 2^{power}"
        );
    }
}

#[test]
fn classic_rate_agrees_with_floating_point() {
    for k in [1, 2, 3, 7, 14, 20, 32, 100] {
        for (keys, bits) in [
            (1, 64),
            (1_000, 10_000),
            (10_000_000, 95_850_584),
            (1 << 40, 1 << 44),
            (9, 8),
        ] {
            let expected = (1.0 - (-f64::from(k) * keys as f64 / bits as f64).exp()).powi(k as i32);
            assert_close(classic_rate(keys, bits, k), expected, 1e-6, "classic");
        }
    }
}

#[test]
fn blocking_adds_what_the_table_says() {
    let table: [(u64, usize, u64, usize); 4] = [
        (4_835, 3, 4_811, 3),
        (9_918, 6, 9_654, 6),
        (15_545, 9, 14_563, 9),
        (22_069, 11, 19_577, 12),
    ];
    // In thousandths, for 512 and 4096 bits.
    let more_than_classic = [(9, 4), (35, 7), (81, 13), (151, 21)];
    for ((rate, row), more) in RATES.into_iter().zip(table).zip(more_than_classic) {
        let small = Plan::for_keys_in(10_000_000, rate, WIDE);
        let large = Plan::for_keys_in(10_000_000, rate, WIDE_4096);
        assert_eq!(
            (
                small.millibits_per_key(),
                small.k(),
                large.millibits_per_key(),
                large.k()
            ),
            row,
            "bits per key at {rate}"
        );
        let classic = classic_bits(10_000_000, rate);
        let added = |plan: Plan| ((plan.bits() - classic) * 1_000 + classic / 2) / classic;
        assert_eq!(
            (added(small), added(large)),
            more,
            "thousandths that blocking adds at {rate}"
        );
        assert!(
            small.classic_rate() < rate,
            "the same bits in one array do better"
        );
        assert!(small.classic_bits() < small.bits());
    }
}

#[test]
fn blocked_rates_at_ten_bits_per_key_are_the_known_ones() {
    for (block_bits, k, hundred_thousandths) in [
        (512, 5, 1_045),
        (512, 6, 967),
        (512, 7, 969),
        (512, 8, 1_028),
        (1024, 7, 894),
        (4096, 7, 838),
        (8192, 7, 829),
    ] {
        let rate = blocked_rate(
            10_240_000,
            102_400_000 / block_bits,
            k,
            Layout::new(block_bits, 64),
        );
        // Known to 0.001 %.
        let difference = rate
            .parts_per_billion()
            .abs_diff(hundred_thousandths * 10_000);
        assert!(difference < 10_000, "{block_bits} bits, k = {k}: {rate}");
    }
}

#[test]
fn blocked_rate_agrees_with_floating_point() {
    let mut compared = 0;
    for block_bits in [512, 1024, 4096, 16_384, 65_536] {
        for k in [1, 2, 4, 6, 7, 9, 12, 16, 20] {
            let blocks = 1_000;
            let bits = f64::from(blocks * block_bits);
            let loads =
                [3.0, 6.0, 10.0, 15.0, 25.0, 40.0].map(|bits_per_key| (bits / bits_per_key) as u64);
            let expected = reference_rates(loads, blocks, k, block_bits);
            for (keys, expected) in loads.into_iter().zip(expected) {
                let rate = blocked_rate(keys, blocks, k, Layout::new(block_bits, 64));
                let case = format!("{keys} keys, {blocks} blocks of {block_bits}, k = {k}");
                // The reference is exact for small blocks.
                let tolerance = if block_bits <= 1024 { 1e-6 } else { 2e-3 };
                assert_close(rate, expected, tolerance, &case);
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 5 * 9 * 6);
}

#[test]
fn short_hash_adds_the_chance_of_equal_hashes() {
    let blocks = 19_532;
    let bits_alone = blocked_rate(1_000_000, blocks, 7, WIDE).parts_per_billion();
    let with_hash = blocked_rate(1_000_000, blocks, 7, Layout::DEFAULT).parts_per_billion();
    let expected = (1.0 - f64::from(bits_alone) / 1e9) * 1e6 / 4_294_967_296.0 * 1e9;
    assert!((f64::from(with_hash - bits_alone) - expected).abs() < 2.0);
    assert_eq!(
        blocked_rate(1 << 32, u32::MAX, 7, Layout::DEFAULT),
        Rate::ONE
    );
}

#[test]
fn plan_keeps_the_rate_and_one_block_fewer_does_not() {
    let mut errors = 0;
    for layout in [
        Layout::DEFAULT,
        WIDE,
        Layout::new(1024, 32),
        WIDE_4096,
        Layout::new(65_536, 64),
    ] {
        for keys in [1_000, 26_000, 999_983, 1_300_000, 2_000_000] {
            for rate in [
                Rate::percent(30),
                Rate::percent(10),
                Rate::percent(1),
                Rate::ppm(1_000),
                Rate::ppm(600),
                Rate::ppm(310),
            ] {
                let plan = match Plan::try_for_keys_in(keys, rate, layout) {
                    Ok(plan) => plan,
                    Err(error) => {
                        // Rightly so: the largest filter does not keep the rate.
                        assert_eq!((error, layout.hash_bits), (PlanError::NeedsWiderHash, 32));
                        let largest = (1 << 25) / layout.block_bits;
                        assert!((1..=32).all(|k| blocked_rate(keys, largest, k, layout) > rate));
                        errors += 1;
                        continue;
                    }
                };
                let (blocks, k) = (plan.blocks() as u32, plan.k() as u32);
                assert!(plan.rate() <= rate, "{plan:?} at {rate}");
                let fewer = blocked_rate(keys, blocks - 1, k, layout);
                assert!(
                    fewer > rate,
                    "{plan:?} at {rate}: one block fewer has {fewer}"
                );
                // No other number of probes saves more than 0.5 % and what the search leaves.
                for other in 1..=32 {
                    let saving =
                        blocked_rate(keys, (blocks as u64 * 993 / 1_000) as u32, other, layout);
                    assert!(
                        saving > rate || blocks < 200,
                        "{plan:?} at {rate}: k = {other} is smaller"
                    );
                }
            }
        }
    }
    assert!(errors < 10, "{errors} of 150 have no plan");
}

#[test]
fn plan_for_ram_undoes_plan_for_keys() {
    for rate in [Rate::percent(10), Rate::percent(1), Rate::ppm(2_000)] {
        for kibibytes in [1, 4, 32, 192, 1_000, 4_096] {
            let plan = Plan::for_ram(kibibytes * 1_024, rate);
            assert_eq!(plan.bytes(), kibibytes * 1_024);
            assert!(plan.rate() <= rate);
            let (blocks, k) = (plan.blocks() as u32, plan.k() as u32);
            assert!(
                blocked_rate(
                    plan.keys() + 2 + plan.keys() / 100_000,
                    blocks,
                    k,
                    plan.layout()
                ) > rate
            );
            let back = Plan::try_for_keys_in(plan.keys(), rate, plan.layout()).unwrap();
            assert!(
                back.bytes().abs_diff(plan.bytes()) <= plan.bytes() / 100 + 64,
                "{plan:?} {back:?}"
            );
        }
    }
}

#[test]
fn more_keys_never_lower_and_more_blocks_never_raise_the_rate() {
    for k in [1, 6, 7, 12, 20] {
        let mut last = Rate::ZERO;
        for step in 0..2_000 {
            let rate = blocked_rate(step * 50, 1_000, k, Layout::DEFAULT);
            assert!(rate >= last, "k = {k}, {} keys", step * 50);
            last = rate;
        }
        let mut last = Rate::ONE;
        for blocks in 1..2_000 {
            let rate = blocked_rate(30_000, blocks, k, Layout::DEFAULT);
            assert!(rate <= last, "k = {k}, {blocks} blocks");
            last = rate;
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let percent = Rate::percent(1);
    for layout in [
        Layout::new(256, 32),
        Layout::new(768, 32),
        Layout::new(131_072, 64),
        Layout::new(512, 48),
    ] {
        assert_eq!(
            Plan::try_for_keys_in(10, percent, layout),
            Err(PlanError::NoSuchLayout)
        );
        assert_eq!(
            Plan::try_for_ram_in(4_096, percent, layout),
            Err(PlanError::NoSuchLayout)
        );
    }
    let default = Layout::DEFAULT;
    assert_eq!(
        Plan::try_for_keys_in(10, Rate::ZERO, default),
        Err(PlanError::ZeroRate)
    );
    assert_eq!(
        Plan::try_for_ram_in(4_096, Rate::ZERO, default),
        Err(PlanError::ZeroRate)
    );
    // Too large for 4 MiB; and small enough, but with too many equal hashes.
    assert_eq!(
        Plan::try_for_keys_in(4_000_000, percent, default),
        Err(PlanError::NeedsWiderHash)
    );
    assert_eq!(
        Plan::try_for_keys_in(100_000, Rate::ppm(10), default),
        Err(PlanError::NeedsWiderHash)
    );
    assert!(Plan::try_for_keys_in(4_000_000, percent, WIDE).is_ok());
    assert_eq!(
        Plan::try_for_ram_in((4 << 20) + 64, percent, default),
        Err(PlanError::NeedsWiderHash)
    );
    assert_eq!(
        Plan::try_for_ram_in(63, percent, default),
        Err(PlanError::TooLittleRam)
    );
    assert_eq!(
        Plan::try_for_keys_in(1 << 40, percent, WIDE),
        Err(PlanError::TooLarge)
    );
    let text = PlanError::NeedsWiderHash.to_string();
    assert_eq!(
        text,
        "a 32-bit hash is too short for this filter, use a 64-bit one"
    );
}

#[test]
fn extreme_inputs_do_not_panic() {
    let numbers = [0, 1, 63, 64, 1 << 32, u64::MAX - 1, u64::MAX];
    let rates = [0, 1, 2, 1_000, 999_999_999, 1_000_000_000].map(Rate::from_parts_per_billion);
    let layouts = [0, 1, 3, 512, 65_536, u32::MAX]
        .into_iter()
        .flat_map(|block_bits| {
            [0, 1, 32, 61, 62, 63, 64, u32::MAX].map(|hash| Layout::new(block_bits, hash))
        });
    for layout in layouts {
        for number in numbers {
            for rate in rates {
                for plan in [
                    Plan::try_for_keys_in(number, rate, layout),
                    Plan::try_for_ram_in(number, rate, layout),
                ] {
                    let Ok(plan) = plan else { continue };
                    assert!(
                        plan.rate() <= rate
                            && plan.k() >= 1
                            && plan.k() <= 32
                            && plan.blocks() >= 1
                    );
                    let _ = (
                        plan.classic_rate(),
                        plan.classic_bits(),
                        plan.millibits_per_key(),
                    );
                }
                let _ = (
                    classic_bits(number, rate),
                    classic_k(rate),
                    classic_millibits_per_key(rate),
                );
            }
            for blocks in [0, 1, 1_000, u32::MAX] {
                for k in [0, 1, 7, 32, 33, u32::MAX] {
                    let _ = blocked_rate(number, blocks, k, layout);
                    let _ = classic_rate(number, u64::from(blocks) << 31, k);
                    let _ = classic_rate(u64::from(blocks), number, k);
                }
            }
        }
    }
    let none = Plan::try_for_keys_in(0, Rate::percent(1), Layout::DEFAULT).unwrap();
    assert_eq!(
        (none.blocks(), none.rate(), none.millibits_per_key()),
        (1, Rate::ZERO, 0)
    );
    let all = Plan::try_for_keys_in(u64::MAX, Rate::ONE, Layout::DEFAULT).unwrap();
    assert_eq!((all.blocks(), all.k(), all.rate()), (1, 1, Rate::ONE));
    assert_eq!(Plan::for_ram(64, Rate::ONE).keys(), u64::MAX);
    assert_eq!(blocked_rate(u64::MAX, 1, 7, Layout::DEFAULT), Rate::ONE);
    assert_eq!(blocked_rate(1_000_000, 10, 7, WIDE), Rate::ONE);
    assert_eq!(classic_bits(u64::MAX, Rate::percent(1)), u64::MAX);
    assert_eq!(classic_bits(1_000, Rate::ONE), 0);
}

#[test]
fn rates_saturate_compare_and_print() {
    assert_eq!(Rate::percent(101), Rate::ONE);
    assert_eq!(Rate::percent(u32::MAX), Rate::ONE);
    assert_eq!(Rate::ppm(u32::MAX), Rate::ONE);
    assert_eq!(Rate::one_in(0), Rate::ONE);
    assert_eq!(Rate::one_in(u32::MAX).parts_per_billion(), 1);
    assert_eq!(Rate::ppm(123).parts_per_million(), 123);
    assert!(Rate::ppm(1) < Rate::percent(1));
    for (parts, text) in [
        (0, "0 %"),
        (1, "0.0000001 %"),
        (1_234, "0.00012 %"),
        (232_800, "0.023 %"),
        (999_999, "0.1 %"),
        (1_000_000, "0.1 %"),
        (9_686_161, "0.97 %"),
        (10_000_000, "1 %"),
        (10_500_000, "1.05 %"),
        (142_400_000, "14.24 %"),
        (1_000_000_000, "100 %"),
    ] {
        assert_eq!(Rate::from_parts_per_billion(parts).to_string(), text);
    }
}

#[test]
fn profiles_hold_their_keys_at_one_percent() {
    let document = profile::DOCUMENT;
    assert_eq!(
        (document.blocks, document.k, document.bytes()),
        (19_532, 7, 1_250_048)
    );
    for profile in profile::ALL {
        assert!(
            profile.rate(profile.capacity) <= Rate::percent(1),
            "{profile:?}"
        );
    }
    assert_eq!(
        profile::ALL.map(|profile| profile.bytes() / 1_024),
        [4, 8, 32, 128, 192, 1_220]
    );
    assert_eq!(
        profile::ALL.map(|profile| profile.capacity),
        [3_303, 6_607, 26_427, 105_662, 158_446, 1_000_000]
    );
}

/// Within `tolerance` of the expected rate, or within one part per billion.
fn assert_close(rate: Rate, expected: f64, tolerance: f64, case: &str) {
    let rate = f64::from(rate.parts_per_billion()) / 1e9;
    assert!(
        (rate - expected).abs() <= expected * tolerance + 1e-9,
        "{case}: {rate} instead of {expected}"
    );
}

/// The rates for several numbers of keys: the sum over the keys in a block of their Poisson weight times the
/// mean of `(ones / block_bits)^k`, the latter by following the number of ones probe by probe in small blocks,
/// and from its mean and variance in large ones.
fn reference_rates<const L: usize>(
    keys: [u64; L],
    blocks: u32,
    k: u32,
    block_bits: u32,
) -> [f64; L] {
    let lambdas = keys.map(|keys| keys as f64 / f64::from(blocks));
    let largest = lambdas.into_iter().fold(0.0, f64::max);
    let max_keys = (largest + 12.0 * largest.sqrt() + 30.0) as u32;
    let size = f64::from(block_bits);
    let mut rates = [0.0; L];
    let mut ones = vec![0.0; block_bits as usize + 1];
    ones[0] = 1.0;
    let mut log_factorial = 0.0;
    for in_block in 0..=max_keys {
        if in_block > 0 {
            log_factorial += f64::from(in_block).ln();
        }
        let all_set: f64 = if block_bits <= 1024 {
            ones.iter()
                .enumerate()
                .map(|(count, chance)| chance * (count as f64 / size).powi(k as i32))
                .sum()
        } else {
            let probes = f64::from(in_block * k);
            let clear = (1.0 - 1.0 / size).powf(probes);
            let both_clear = (1.0 - 2.0 / size).powf(probes);
            let variance = (1.0 - 1.0 / size) * both_clear + clear / size - clear * clear;
            let set = 1.0 - clear;
            let pairs = f64::from(k * (k - 1) / 2);
            if set > 0.0 {
                set.powi(k as i32) * (1.0 + pairs * variance / (set * set))
            } else {
                0.0
            }
        };
        for (rate, lambda) in rates.iter_mut().zip(lambdas) {
            *rate += (f64::from(in_block) * lambda.ln() - lambda - log_factorial).exp() * all_set;
        }
        if block_bits <= 1024 {
            for _ in 0..k {
                for count in (1..ones.len()).rev() {
                    let free = (size - (count - 1) as f64) / size;
                    ones[count] = ones[count] * (count as f64 / size) + ones[count - 1] * free;
                }
                ones[0] = 0.0;
            }
        }
    }
    rates
}

#[test]
fn the_readme_lists_the_profiles() {
    let readme = include_str!("../README.md");
    for profile in profile::ALL {
        let type_name = profile.name[..1].to_uppercase() + &profile.name[1..];
        let row = readme
            .lines()
            .find(|line| line.contains(&format!("`profile::{type_name}` |")))
            .unwrap_or_else(|| panic!("no row for {type_name}"));
        let keys = row.rsplit('|').nth(1).unwrap().replace([',', ' '], "");
        assert_eq!(keys, profile.capacity.to_string(), "{row}");
    }
}
