//! The two formats of results. The global option `--json` chooses; every command that prints asks.

/// The format of results on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// For people: tables, colours and spinners on a terminal, plain text elsewhere.
    People,
    /// For programs: one JSON document, or one per line for a command that keeps running.
    Json,
}
