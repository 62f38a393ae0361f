//! no sketch is without error; ask for rates above 0

use sundew::sizing::{CountMinPlan, Rate};

const PLAN: CountMinPlan = CountMinPlan::for_error(Rate::ZERO, Rate::percent(1));

fn main() {
    let _ = PLAN;
}
