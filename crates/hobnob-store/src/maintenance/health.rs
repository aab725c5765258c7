//! What a look through a whole store finds.

/// How a store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreHealth {
    /// There is none, or one with nothing in it yet.
    Absent,
    /// Nothing is wrong with it.
    Sound,
    /// These are wrong, in words.
    Problems(Vec<String>),
}
