//! A set of memories by their numbers, for filters that many candidates are tried with.

/// Numbers of memories, a bit for each, so that a filter is one look per memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NumberSet(Vec<u64>);

impl NumberSet {
    /// Whether this number is among them.
    #[inline]
    pub fn contains(&self, number: i64) -> bool {
        let (word, bit) = Self::place(number);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Adds a number; the set grows to hold it.
    pub fn insert(&mut self, number: i64) {
        let (word, bit) = Self::place(number);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: i64) {
        let (word, bit) = Self::place(number);
        if let Some(word) = self.0.get_mut(word) {
            *word &= !bit;
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn place(number: i64) -> (usize, u64) {
        let number = usize::try_from(number).unwrap_or_default();
        (number / 64, 1 << (number % 64))
    }
}
