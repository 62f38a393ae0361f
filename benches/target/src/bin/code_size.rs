//! `insert` and `contains`, or `insert` and `estimate`, of one contestant and nothing else: xtask reads the code's size from the ELF
//! and subtracts that of the same program without a contestant.
//!
//! Nothing is called, so neither a filter nor a key is made: the program holds the address of each function,
//! and so all code that can be reached from it, and the compiler can assume nothing about the arguments.

#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m_rt::entry;
use sundew_bench_target::family::{Estimates, Member};
use sundew_bench_target::{Contestant, for_each_contestant, for_each_member};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[entry]
fn main() -> ! {
    macro_rules! keep_if_wanted {
        ($contestant:ty) => {
            if const { is_wanted(<$contestant>::NAME) } {
                let insert: fn(&mut $contestant, &[u8]) -> bool = <$contestant>::insert;
                let contains: fn(&$contestant, &[u8]) -> bool = <$contestant>::contains;
                black_box((insert, contains));
            }
        };
    }
    for_each_contestant!(keep_if_wanted);
    macro_rules! keep_member_if_wanted {
        (estimates $member:ty) => {
            if const { is_wanted((<$member>::NAME, "xxh32")) } {
                let insert: fn(&mut $member, &[u8]) -> bool = <$member>::insert;
                let estimate: fn(&$member) -> u64 = <$member>::estimate;
                black_box((insert, estimate));
            }
        };
        ($kind:ident $member:ty) => {
            if const { is_wanted((<$member>::NAME, <$member>::HASH)) } {
                let insert: fn(&mut $member, &[u8]) -> bool = <$member>::insert;
                let contains: fn(&mut $member, &[u8]) -> bool = <$member>::contains;
                black_box((insert, contains));
            }
        };
    }
    for_each_member!(keep_member_if_wanted);
    loop {
        cortex_m::asm::wfi();
    }
}

/// Whether SUNDEW_CONTESTANT is "IMPL HASH".
const fn is_wanted((name, hash): (&str, &str)) -> bool {
    let wanted = env!("SUNDEW_CONTESTANT").as_bytes();
    let (name, hash) = (name.as_bytes(), hash.as_bytes());
    if wanted.len() != name.len() + 1 + hash.len() {
        return false;
    }
    let mut i = 0;
    while i < wanted.len() {
        let expected = if i < name.len() {
            name[i]
        } else if i == name.len() {
            b' '
        } else {
            hash[i - name.len() - 1]
        };
        if wanted[i] != expected {
            return false;
        }
        i += 1;
    }
    true
}
