// Which domains are on the list. Here by rule, for the example; a real list is a file of lines.

/// How many there are.
pub const NUM_DOMAINS: u32 = 20_000;

/// The name of one: eight characters, so that the firmware can make them up without a heap.
pub fn domain(number: u32) -> [u8; 16] {
    let mut name = *b"00000000.example";
    for (place, digit) in name[..8].iter_mut().enumerate() {
        *digit = b"0123456789abcdef"
            [(number.wrapping_mul(0x9E37_79B1) >> (28 - 4 * place) & 15) as usize];
    }
    name
}
