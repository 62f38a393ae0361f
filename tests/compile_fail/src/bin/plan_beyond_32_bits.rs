//! use a 64-bit hash: Plan::for_keys_in(keys, rate, Layout::new(512, 64))

use sundew::BlockedBloom;
use sundew::sizing::{Plan, Rate};

const PLAN: Plan = Plan::for_keys(1_000_000_000, Rate::percent(1));
static SEEN: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();

fn main() {
    let _ = SEEN.contains("key");
}
