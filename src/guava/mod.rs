//! Guava's `BloomFilter`, exactly: its bits, its answers and the bytes of its `writeTo`.
//!
//! [`GuavaBloom`] is for filters that Java built or will read. For all others take
//! [`BlockedBloom`](crate::BlockedBloom), which does a fraction of the work per key.
//!
//! ```
//! use sundew::guava::{GuavaBloom, Plan};
//! use sundew::sizing::Rate;
//!
//! // BloomFilter.create(Funnels.stringFunnel(UTF_8), 1000, 0.01)
//! const PLAN: Plan = Plan::for_keys(1_000, Rate::percent(1));
//! let mut seen: GuavaBloom<{ PLAN.words() }, { PLAN.k() }> = GuavaBloom::new();
//! seen.insert("https://example.com/");
//!
//! let mut file = Vec::new();
//! seen.write_to(&mut file).unwrap(); // BloomFilter.readFrom takes this
//! assert_eq!(file.len(), 1_206);
//!
//! let mut copy: GuavaBloom<200> = GuavaBloom::new(); // room for at most 200 longs
//! copy.read_from(&file).unwrap();
//! assert!(copy.contains("https://example.com/"));
//! assert_eq!((copy.k(), copy.num_words()), (7, 150));
//! ```
//!
//! # What stands for what
//!
//! A file does not say by which funnel its keys came; the reader has to know.
//!
//! | Guava | here |
//! |---|---|
//! | `Funnels.byteArrayFunnel()` | a key of type `[u8]` |
//! | `Funnels.stringFunnel(UTF_8)` | `str` |
//! | `Funnels.unencodedCharsFunnel()` | [`UnencodedChars`], or `[u16]` |
//! | `Funnels.integerFunnel()` | `i32`, or `u32` of the same bits |
//! | `Funnels.longFunnel()` | `i64`, or `u64` of the same bits |
//! | a funnel of your own | a [`Key`](crate::Key) that writes the same bytes: `putInt` and the like are little-endian |
//! | `create(funnel, n, fpp)` | [`Plan::for_keys`] |
//! | `put`, `mightContain` | [`insert`](GuavaBloomView::insert), [`contains`](GuavaBloomView::contains): same results |
//! | `putAll` | [`union`](GuavaBloomView::union) |
//! | `approximateElementCount()` | [`stats()`](GuavaBloomView::stats)`.estimated_keys()` |
//! | `expectedFpp()` | [`stats()`](GuavaBloomView::stats)`.rate()` |
//! | `writeTo` | [`write_to`](GuavaBloomView::write_to), [`copy_file`](GuavaBloomView::copy_file) |
//! | `readFrom` | [`read_from`](GuavaBloomView::read_from), [`reader`](GuavaBloomView::reader) for a file in pieces, [`GuavaBloomRef`] for one that stays in flash |
//! | Java serialization (`ObjectOutputStream`) | not read, not written |
//!
//! A tuple is not a `sequentialFunnel`: a tuple writes the length of a text or slice before it. A Java string
//! with half a surrogate pair has no `str`; `stringFunnel(UTF_8)` hashes `?` for the half.
//!
//! # How it differs from a blocked filter
//!
//! All `K` bits of a key in a [`BlockedBloom`](crate::BlockedBloom) lie in one block, those of a Guava filter
//! anywhere. So
//!
//! - `union` means the same in both: the bits of both, as if each key had been inserted here.
//! - `approximateElementCount` is `-(bits / K) ln(1 - ones / bits)` of the whole array. A blocked filter takes the
//!   same formula block by block and adds up, because its blocks are not equally full.
//! - `expectedFpp` is `(ones / bits)^K`. For a blocked filter that is too low: it takes the mean of that over
//!   blocks. At the same size and number of keys its true rate is higher, too
//!   ([how much](crate::sizing#what-blocking-costs)).
//! - the 128-bit hash leaves no equal hashes to reckon with.
//!
//! # The file
//!
//! | bytes | content |
//! |---|---|
//! | 1 | the strategy: 0 or 1, the ordinal of [`Strategy`] |
//! | 1 | bits per key ("hash functions"), 1 to 255 |
//! | 4 | number of longs, a signed big-endian number above 0 |
//! | 8 each | the longs, big-endian; bit `b` of the filter is bit `b % 64` of long `b / 64` |
//!
//! There is no checksum: a flipped bit in the longs is not seen. All of this is tested against Guava 31.1
//! (`cargo xtask test guava`).

mod bloom;
mod bloom_ref;
mod file;
mod plan;
mod positions;
mod shape;
mod unencoded_chars;

pub use bloom::{GuavaBloom, GuavaBloomInner, GuavaBloomView};
pub use bloom_ref::GuavaBloomRef;
pub use file::{ReadError, Reader};
pub use plan::{Plan, PlanError};
pub use shape::{DoesNotFitError, Shape, Strategy};
pub use unencoded_chars::UnencodedChars;
