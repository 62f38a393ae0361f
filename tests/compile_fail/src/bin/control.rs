//! builds

use sundew::BlockedBloom;
use sundew::sizing::{Plan, Rate};

const PLAN: Plan = Plan::for_keys(26_000, Rate::percent(1));
static SEEN: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();

fn main() {
    assert!(!SEEN.contains("key"));
}
