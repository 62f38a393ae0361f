//! SortedList: the texts must be in ascending order, each once

use sundew::SortedList;

const LIST: SortedList<&str> = SortedList::of_texts(&["b", "a"]);

fn main() {
    let _ = LIST;
}
