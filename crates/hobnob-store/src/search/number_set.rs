//! A bit set of row numbers, for filters that test many candidates.

/// Row numbers of memories, one bit each, so a filter costs one lookup per memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NumberSet(Vec<u64>);

impl NumberSet {
    /// Whether this number is in the set.
    #[inline]
    pub fn contains(&self, number: i64) -> bool {
        let (word, bit) = Self::place(number);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// How many numbers are in the set.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds a number and grows the set to hold it.
    pub fn insert(&mut self, number: i64) {
        let (word, bit) = Self::place(number);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    /// Removes a number from the set.
    pub fn remove(&mut self, number: i64) {
        let (word, bit) = Self::place(number);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn place(number: i64) -> (usize, u64) {
        let number = usize::try_from(number).unwrap_or_default();
        (number / 64, 1 << (number % 64))
    }
}
