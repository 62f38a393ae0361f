//! Keys and a clock, for the firmware that counts instructions.

use core::hint::black_box;

use cortex_m::peripheral::{SYST, syst::SystClkSource};

/// Starts SysTick. Under `-icount shift=8` it passes in step with instructions; xtask converts.
pub fn start_clock() {
    let mut clock = cortex_m::Peripherals::take().unwrap().SYST;
    clock.set_clock_source(SystClkSource::Core);
    clock.set_reload(0x00FF_FFFF);
    clock.clear_current();
    clock.enable_counter();
}

/// How long that takes, up to 2^24 ticks.
pub fn ticks(window: impl FnOnce()) -> u32 {
    let start = SYST::get_current();
    window();
    let end = SYST::get_current();
    start.wrapping_sub(end) & 0x00FF_FFFF
}

/// The words of a batch of keys of up to 80 bytes.
pub const fn words(batch: usize) -> usize {
    batch * 84 / 4 + 1
}

/// A batch of keys in RAM, at aligned or odd addresses; [`words`] finds `WORDS`.
pub struct Keys<const WORDS: usize> {
    bytes: [u32; WORDS],
    offset: usize,
    stride: usize,
    length: usize,
    number: usize,
}

impl<const WORDS: usize> Keys<WORDS> {
    pub fn new(length: usize, aligned: bool, number: usize) -> Self {
        Self {
            bytes: [0; WORDS],
            offset: if aligned { 0 } else { 1 },
            stride: length.next_multiple_of(4),
            length,
            number,
        }
    }

    /// Pseudo-random keys, the same for every contestant. The batch number makes them distinct.
    pub fn generate(&mut self, batch: usize) {
        let mut state = (batch as u32 + 1).wrapping_mul(0x9E37_79B9) | 1;
        for word in &mut self.bytes {
            // Marsaglia's xorshift32.
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            *word = state;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        // SAFETY: any u32 is four initialised bytes.
        let (_, bytes, _) = unsafe { self.bytes.align_to::<u8>() };
        (0..self.number).map(move |i| &bytes[self.offset + i * self.stride..][..self.length])
    }

    /// Each key, as far as the compiler knows one that is not known and of which the answer is needed.
    pub fn each(&self, mut op: impl FnMut(&[u8]) -> bool) {
        for key in self.iter() {
            black_box(op(black_box(key)));
        }
    }

    /// How many give true.
    pub fn count(&self, mut op: impl FnMut(&[u8]) -> bool) -> usize {
        self.iter().filter(|key| op(key)).count()
    }
}
