//! What the writer and the reader of snapshots ask of a structure.

use super::header::Header;

/// The words that a reader hands over at a time: in 96 bits neither a word nor a register of 6 bits is cut.
pub const GROUP: usize = 3;

/// A structure as a header and 32-bit words. What a payload is, little-endian, are these words.
pub trait Parts {
    /// Whether [`absorb_words`](Self::absorb_words) makes sense.
    const CAN_ABSORB: bool;

    /// The header of a snapshot, less what it says about the payload.
    fn header(&self) -> Header;

    fn num_words(&self) -> usize;

    /// One of the words; 0 beyond the last.
    fn word(&self, index: usize) -> u32;

    /// Before words are set: forgets everything. Before they are absorbed: makes ready.
    fn prepare(&mut self, is_absorbing: bool);

    /// Replaces one of the words; nothing happens beyond the last.
    fn set_word(&mut self, index: usize, word: u32);

    /// Unites words with those from `first` on, a multiple of [`GROUP`].
    fn absorb_words(&mut self, first: usize, words: [u32; GROUP]);

    /// After all words are set or absorbed.
    fn conclude(&mut self, header: &Header, is_absorbing: bool);
}
