//! The tasks in SQLite, behind the port `TaskRepository`.
//!
//! Every operation is one transaction, and every change is recorded in the history and the feed.

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
