//! guava::Plan: the rate must be above 0 % and below 100 %

use sundew::guava::Plan;
use sundew::sizing::Rate;

const PLAN: Plan = Plan::for_keys(10, Rate::ZERO);

fn main() {
    assert!(PLAN.words() > 0);
}
