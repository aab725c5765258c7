//! The result of checking a whole store for damage.

/// The health of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreHealth {
    /// There is no store, or it has no data yet.
    Absent,
    /// The check found no problem.
    Sound,
    /// The problems that the check found, as text.
    Problems(Vec<String>),
}
