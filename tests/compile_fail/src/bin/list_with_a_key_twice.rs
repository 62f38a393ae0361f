//! SortedList: the keys must be in ascending order, each once

use sundew::SortedList;

const LIST: SortedList<[u8; 2]> = SortedList::of_arrays(&[[0, 1], [0, 1]]);

fn main() {
    let _ = LIST;
}
