//! a 32-bit hash serves filters up to 4 MiB; use a 64-bit one such as hash::Xxh3

use sundew::BlockedBloom;

static SEEN: BlockedBloom<65537, 7> = BlockedBloom::new();

fn main() {
    let _ = SEEN.contains("key");
}
