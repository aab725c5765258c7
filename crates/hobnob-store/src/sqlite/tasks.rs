//! Tasks in SQLite. Every answer is one transaction; what it changes is in the history and the feed.

mod ledger;
mod rows;

mod graph;
mod query;

mod change;
mod claims;

mod answers;

#[cfg(test)]
mod tests;
