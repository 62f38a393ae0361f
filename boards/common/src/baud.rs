//! How fast the console's UART is.

/// Bits a second: 115,200, or what `SUNDEW_BAUD` says when the firmware is built, up to 1,000,000.
pub const BAUD: u32 = match option_env!("SUNDEW_BAUD") {
    Some(text) => parse(text),
    None => 115_200,
};

const fn parse(text: &str) -> u32 {
    let mut number = 0;
    let mut rest = text.as_bytes();
    while let [digit, after @ ..] = rest {
        assert!(
            digit.is_ascii_digit() && number <= 1_000_000,
            "SUNDEW_BAUD: a number from 1200 to 1000000"
        );
        number = number * 10 + (*digit - b'0') as u32;
        rest = after;
    }
    assert!(
        number >= 1_200 && number <= 1_000_000,
        "SUNDEW_BAUD: a number from 1200 to 1000000"
    );
    number
}
