//! Bytes at an address that structures can be read from.

/// Bytes that begin at a multiple of 64, as a snapshot must that is read in place; `include_bytes!` alone promises
/// nothing.
///
/// # Examples
///
/// ```
/// use sundew::snapshot::Aligned;
///
/// static TEXT: Aligned<[u8; 5]> = Aligned(*b"bytes"); // or *include_bytes!("deny_list.bin")
/// assert_eq!(TEXT.0.as_ptr().addr() % 64, 0);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Aligned<T: ?Sized>(pub T);
