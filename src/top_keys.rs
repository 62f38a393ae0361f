//! The most frequent keys so far, for use with a count-min sketch.

use heapless::Vec;

/// The `N` keys with the highest counts among those offered, the highest first.
///
/// A [`CountMinSketch`](crate::CountMinSketch) knows how often a key came but not which keys there are. Offer each
/// key with its new estimate: a key that belongs to the top is offered whenever it comes, so it gets in. The counts
/// are estimates, so a rare key may be too high by the error of the sketch and push out another.
///
/// `K` is what is kept of a key: the key itself if it is small, a `heapless::String`, or a number that stands
/// for it.
///
/// # Cost
///
/// Each operation reads the list once; `N` is meant to be small, such as 8 or 16.
///
/// # Examples
///
/// ```
/// use sundew::{CountMinSketch, TopKeys};
///
/// let mut words: CountMinSketch<100, 4> = CountMinSketch::new();
/// let mut top: TopKeys<&str, 2> = TopKeys::new();
/// for word in "the cat and the dog and the bird".split(' ') {
///     let count = words.add_conservative(word, 1);
///     top.offer(word, count);
/// }
/// assert!(top.iter().eq([(&"the", 3), (&"and", 2)]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopKeys<K, const N: usize> {
    /// From the highest count to the lowest.
    entries: Vec<(K, u32), N>,
}

impl<K: PartialEq, const N: usize> TopKeys<K, N> {
    /// An empty list.
    pub const fn new() -> Self {
        const { assert!(N > 0, "TopKeys: N (keys to keep) must be at least 1") }
        Self {
            entries: Vec::new(),
        }
    }

    /// Enters a key with its count, or changes its count when it is there. Gives back the key that fell out for
    /// lack of room: the one with the lowest count, or the new one itself if no other is lower.
    pub fn offer(&mut self, key: K, count: u32) -> Option<K> {
        if let Some(known) = self.entries.iter().position(|(other, _)| *other == key) {
            self.entries.remove(known);
        }
        let rank = self.entries.partition_point(|(_, other)| *other >= count);
        let mut fallen = None;
        if self.entries.is_full() {
            if rank == self.entries.len() {
                return Some(key);
            }
            fallen = self.entries.pop();
        }
        match self.entries.insert(rank, (key, count)) {
            Ok(()) => fallen.map(|(key, _)| key),
            // There is room; if there were not, it is the new key that falls out.
            Err((key, _)) => Some(key),
        }
    }

    /// The keys with their counts, the highest first; equal counts in the order in which they were reached.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, u32)> {
        self.entries.iter().map(|(key, count)| (key, *count))
    }

    /// The keys whose count is at least this, the highest first: with `total / 10`, those that make up a tenth of
    /// everything.
    ///
    /// Complete, up to the error of the sketch, when no more than `N` keys can have that much, as with a tenth and
    /// `N` = 10.
    pub fn heavy_hitters(&self, threshold: u32) -> impl Iterator<Item = (&K, u32)> {
        self.iter()
            .take_while(move |(_, count)| *count >= threshold)
    }

    /// How many keys are in the list, at most `N`.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no key is in the list.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<K: PartialEq, const N: usize> Default for TopKeys<K, N> {
    fn default() -> Self {
        Self::new()
    }
}
