//! Plan: no filter has a rate of 0; ask for at least Rate::from_parts_per_billion(1)

use sundew::BlockedBloom;
use sundew::sizing::{Plan, Rate};

const PLAN: Plan = Plan::for_keys(1_000, Rate::ppm(0));
static SEEN: BlockedBloom<{ PLAN.blocks() }, { PLAN.k() }> = BlockedBloom::new();

fn main() {
    let _ = SEEN.contains("key");
}
