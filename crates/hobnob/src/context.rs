//! What every command is given besides its own words.

use crate::cli::PlaceArgs;

/// The global words.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    /// Where settings and the project are.
    pub(crate) places: PlaceArgs,
    /// For whom to write.
    pub(crate) output: Output,
}

/// For whom to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// A person: tables, colours and spinners on a terminal, plain text elsewhere.
    People,
    /// A program: one JSON document (or one per line where a command goes on).
    Json,
}
