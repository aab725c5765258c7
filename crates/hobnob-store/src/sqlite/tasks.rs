//! Tasks in SQLite. Every answer is one transaction; what it changes is in the history and the feed.

mod rows;
mod transaction;

mod graph;
mod query;
mod recording;

mod change;
mod claims;

mod port;

#[cfg(test)]
mod tests;
