//! XXH3 of keys from 17 to 128 bytes, with loads of 16 bytes.
//!
//! The same function as the crate xxhash-rust computes, from half the loads. How many lookups a processor overlaps,
//! while they wait for memory, depends on how much it must keep track of in each: with this a lookup in a filter out
//! of cache takes four fifths of the time. SSE2 is in every x86-64 processor.

use core::arch::asm;
use core::arch::x86_64::{
    __m128i, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_set_epi64x, _mm_unpackhi_epi64, _mm_xor_si128,
};

/// The first 128 bytes of the published secret, in little-endian words.
const SECRET: [u64; 16] = [
    0xBE4B_A423_396C_FEB8,
    0x1CAD_21F7_2C81_017C,
    0xDB97_9083_E96D_D4DE,
    0x1F67_B3B7_A4A4_4072,
    0x78E5_C0CC_4EE6_79CB,
    0x2172_FFCC_7DD0_5A82,
    0x8E24_43F7_7446_08B8,
    0x4C26_3A81_E690_35E0,
    0xCB00_C391_BB52_283C,
    0xA32E_531B_8B65_D088,
    0x4EF9_0DA2_9748_6471,
    0xD8AC_DEA9_46EF_1938,
    0x3F34_9CE3_3F76_FAA8,
    0x1D4F_0BC7_C7BB_DCF9,
    0x3159_B4CD_4BE0_518A,
    0x6473_78D9_C97E_9FC8,
];

/// XXH3 (64 bits) of a key from 17 to 128 bytes with seed 0, None for others.
///
/// A seed would be added to and taken from the words of the secret, 6 % of a lookup.
#[inline(always)]
pub(crate) fn xxh3_64(bytes: &[u8], seed: u64) -> Option<u64> {
    let len = bytes.len();
    if !(17..=128).contains(&len) || seed != 0 {
        return None;
    }
    let mix = |at: usize, secret: usize| mix(bytes, at, secret);
    let mut sum = (len as u64).wrapping_mul(0x9E37_79B1_85EB_CA87);
    sum = in_turn(sum.wrapping_add(mix(0, 0)));
    sum = in_turn(sum.wrapping_add(mix(len - 16, 2)));
    if len > 32 {
        sum = in_turn(sum.wrapping_add(mix(16, 4)));
        sum = in_turn(sum.wrapping_add(mix(len - 32, 6)));
        if len > 64 {
            sum = in_turn(sum.wrapping_add(mix(32, 8)));
            sum = in_turn(sum.wrapping_add(mix(len - 48, 10)));
            if len > 96 {
                sum = in_turn(sum.wrapping_add(mix(48, 12)));
                sum = in_turn(sum.wrapping_add(mix(len - 64, 14)));
            }
        }
    }
    sum ^= sum >> 37;
    sum = sum.wrapping_mul(0x1656_6791_9E37_79F9);
    Some(sum ^ (sum >> 32))
}

/// 16 bytes of the key from `at` with two words of the secret: the halves of their product.
#[inline(always)]
fn mix(bytes: &[u8], at: usize, secret: usize) -> u64 {
    let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<16>) else {
        return 0;
    };
    // SAFETY: every x86-64 processor has SSE2, the chunk has 16 bytes, and this load needs no alignment.
    let (low, high) = unsafe {
        let secret = _mm_set_epi64x(SECRET[secret + 1] as i64, SECRET[secret] as i64);
        let data = _mm_loadu_si128(chunk.as_ptr().cast::<__m128i>());
        let mixed = _mm_xor_si128(data, secret);
        let high = _mm_unpackhi_epi64(mixed, mixed);
        (_mm_cvtsi128_si64(mixed), _mm_cvtsi128_si64(high))
    };
    let product = u128::from(low as u64) * u128::from(high as u64);
    product as u64 ^ (product >> 64) as u64
}

/// The same number, in a form that keeps the compiler from adding up in another order. It would multiply everything
/// first, and run out of registers for the products.
#[inline(always)]
fn in_turn(mut sum: u64) -> u64 {
    if !cfg!(miri) {
        // SAFETY: no instruction but a comment.
        unsafe {
            asm!("/* {} */", inout(reg) sum, options(pure, nomem, nostack, preserves_flags));
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::xxh3_64;

    #[test]
    fn keys_of_every_length_hash_as_published() {
        let bytes: [u8; 300] = core::array::from_fn(|i| (i * i * 31 + i * 7) as u8);
        for len in (0..bytes.len()).step_by(if cfg!(miri) { 15 } else { 1 }) {
            // At every alignment, between other bytes.
            for start in 0..16.min(bytes.len() - len) {
                let key = &bytes[start..start + len];
                let published = xxhash_rust::xxh3::xxh3_64(key);
                let is_served = (17..=128).contains(&len);
                assert_eq!(xxh3_64(key, 0), is_served.then_some(published), "{key:?}");
                assert_eq!(xxh3_64(key, 7), None);
            }
        }
        for (low, high) in [(0, 0), (u8::MAX, u8::MAX), (0, u8::MAX), (u8::MAX, 0)] {
            let mut key = [low; 128];
            key[40..].fill(high);
            for len in (17..=128).step_by(if cfg!(miri) { 37 } else { 1 }) {
                let published = xxhash_rust::xxh3::xxh3_64(&key[..len]);
                assert_eq!(xxh3_64(&key[..len], 0), Some(published));
            }
        }
    }
}
