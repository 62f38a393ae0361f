//! What can be put into a filter, and which bytes stand for it.

use crate::hash::{HashFunction, HashStream};

/// Takes the bytes of a key, in order.
pub trait Sink {
    /// Takes the next bytes. Where the pieces are cut does not matter.
    fn write(&mut self, bytes: &[u8]);
}

/// A value that can be a key: it says which bytes stand for it.
///
/// The bytes are the same on every target, so a filter filled on one can be read on another:
///
/// | key | bytes |
/// |---|---|
/// | `[u8]`, `str`, `[u8; N]` | themselves |
/// | `u8` to `u128`, `i8` to `i128`, and slices and arrays of them | little-endian |
/// | `bool`, `char` | as `u8`, as `u32` |
/// | tuples | the fields in order, each slice or string after its length in bytes as a `u32` |
/// | `&K` | those of `K` |
///
/// The type counts: `&[1, 2, 3]` is an array of `i32`, 12 bytes; write `&[1_u8, 2, 3]` or `b"\x01\x02\x03"` for
/// three.
///
/// `usize` and `isize` are left out on purpose: their size differs between targets. So is
/// [`core::hash::Hash`], which promises no stable bytes at all.
///
/// # Examples
///
/// A struct chooses the fields that count, like a funnel of Guava's:
///
/// ```
/// use sundew::{BlockedBloom, Key, Sink};
///
/// struct Advert {
///     address: [u8; 6],
///     sequence: u16,
///     signal_strength: i8, // differs between copies of one advert: not fed
/// }
///
/// impl Key for Advert {
///     fn feed<S: Sink>(&self, sink: &mut S) {
///         (self.address, self.sequence).feed(sink);
///     }
/// }
///
/// let mut seen: BlockedBloom<64, 7> = BlockedBloom::new();
/// seen.insert(&Advert { address: [1, 2, 3, 4, 5, 6], sequence: 9, signal_strength: -70 });
/// assert!(seen.contains(&Advert { address: [1, 2, 3, 4, 5, 6], sequence: 9, signal_strength: -55 }));
/// ```
pub trait Key {
    /// Writes the bytes that stand for this value.
    fn feed<S: Sink>(&self, sink: &mut S);

    /// Writes this value as one field of several. A type whose length varies writes its length first, so
    /// that `("ab", "c")` and `("a", "bc")` differ.
    #[inline]
    fn feed_field<S: Sink>(&self, sink: &mut S) {
        self.feed(sink);
    }

    /// The hash of the bytes. Types whose bytes lie in one piece do better than this default.
    #[inline]
    fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
        let mut stream = hash.stream();
        self.feed(&mut stream);
        stream.finish()
    }
}

impl Key for [u8] {
    #[inline]
    fn feed<S: Sink>(&self, sink: &mut S) {
        sink.write(self);
    }

    #[inline]
    fn feed_field<S: Sink>(&self, sink: &mut S) {
        feed_length(self.len(), sink);
        sink.write(self);
    }

    // Always, here and below: a function for AVX2 gains from what is compiled into it; see `simd`.
    #[inline(always)]
    fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
        hash.hash(self)
    }
}

impl<const N: usize> Key for [u8; N] {
    #[inline]
    fn feed<S: Sink>(&self, sink: &mut S) {
        sink.write(self);
    }

    #[inline(always)]
    fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
        hash.hash(self)
    }
}

impl Key for str {
    #[inline]
    fn feed<S: Sink>(&self, sink: &mut S) {
        self.as_bytes().feed(sink);
    }

    #[inline]
    fn feed_field<S: Sink>(&self, sink: &mut S) {
        self.as_bytes().feed_field(sink);
    }

    #[inline(always)]
    fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
        hash.hash(self.as_bytes())
    }
}

impl<K: Key + ?Sized> Key for &K {
    #[inline]
    fn feed<S: Sink>(&self, sink: &mut S) {
        (**self).feed(sink);
    }

    #[inline]
    fn feed_field<S: Sink>(&self, sink: &mut S) {
        (**self).feed_field(sink);
    }

    #[inline(always)]
    fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
        (**self).digest(hash)
    }
}

/// The length that goes before a field, modulo 2^32.
#[inline]
fn feed_length<S: Sink>(length: usize, sink: &mut S) {
    sink.write(&(length as u32).to_le_bytes());
}

/// A value of fixed size that is hashed as its little-endian bytes.
macro_rules! key_of_bytes {
    ($($type:ty: $to_bytes:expr),+) => {$(
        impl Key for $type {
            #[inline]
            fn feed<S: Sink>(&self, sink: &mut S) {
                sink.write(&$to_bytes(*self));
            }

            #[inline]
            fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
                hash.hash(&$to_bytes(*self))
            }
        }
    )+};
}

key_of_bytes! {
    u8: u8::to_le_bytes, u16: u16::to_le_bytes, u32: u32::to_le_bytes,
    u64: u64::to_le_bytes, u128: u128::to_le_bytes,
    i8: i8::to_le_bytes, i16: i16::to_le_bytes, i32: i32::to_le_bytes,
    i64: i64::to_le_bytes, i128: i128::to_le_bytes,
    bool: |value: bool| [u8::from(value)], char: |value: char| u32::from(value).to_le_bytes()
}

/// Slices and arrays of integers: on a little-endian target they are their own bytes.
macro_rules! key_of_integers {
    ($($integer:ty),+) => {$(
        impl Key for [$integer] {
            #[inline]
            fn feed<S: Sink>(&self, sink: &mut S) {
                if cfg!(target_endian = "little") {
                    sink.write(bytemuck::cast_slice(self));
                } else {
                    for value in self {
                        value.feed(sink);
                    }
                }
            }

            #[inline]
            fn feed_field<S: Sink>(&self, sink: &mut S) {
                feed_length(size_of_val(self), sink);
                self.feed(sink);
            }

            #[inline]
            fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
                if cfg!(target_endian = "little") {
                    hash.hash(bytemuck::cast_slice(self))
                } else {
                    let mut stream = hash.stream();
                    self.feed(&mut stream);
                    stream.finish()
                }
            }
        }

        impl<const N: usize> Key for [$integer; N] {
            #[inline]
            fn feed<S: Sink>(&self, sink: &mut S) {
                self.as_slice().feed(sink);
            }

            #[inline]
            fn digest<H: HashFunction>(&self, hash: &H) -> H::Value {
                self.as_slice().digest(hash)
            }
        }
    )+};
}

key_of_integers!(u16, u32, u64, u128, i8, i16, i32, i64, i128);

macro_rules! key_of_fields {
    ($($name:ident: $field:tt),+) => {
        impl<$($name: Key),+> Key for ($($name,)+) {
            #[inline]
            fn feed<S: Sink>(&self, sink: &mut S) {
                $(self.$field.feed_field(sink);)+
            }
        }
    };
}

key_of_fields!(A: 0);
key_of_fields!(A: 0, B: 1);
key_of_fields!(A: 0, B: 1, C: 2);
key_of_fields!(A: 0, B: 1, C: 2, D: 3);
key_of_fields!(A: 0, B: 1, C: 2, D: 3, E: 4);
key_of_fields!(A: 0, B: 1, C: 2, D: 3, E: 4, F: 5);
