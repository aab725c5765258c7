//! Tasks in SQLite, behind the port `TaskRepository`.
//!
//! Every answer is one transaction; what it changes is in the history and in the feed.

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
