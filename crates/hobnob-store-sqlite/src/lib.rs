//! SQLite behind the ports of `hobnob-store`: one file, one writer thread with group commit,
//! several readers, all of it off the async threads.
//!
//! The binary opens it. Several processes share the file, and a writer in one never makes another
//! fail.

mod columns;
mod connection;
mod convert;
mod files;
mod migrate;
mod presence;
mod vet;

mod file;
mod inspect;
mod readers;
mod writer;

mod agents;
mod authorizations;
mod calls;
mod change_log;
mod feed;
mod keys;
mod marks;
mod store;

mod cursor;

mod quota;

mod backup;
mod check;
mod draft;
mod restore;

mod maintenance;

mod filter;
mod index;
mod memories;
mod model_sessions;
mod prompts;
mod search;
mod tasks;
mod trees;
mod usage;

pub use check::check;
pub use maintenance::SqliteMaintenance;
pub use migrate::NEWEST;
pub use restore::restore;
/// The version of SQLite in this program.
pub use rusqlite::version as sqlite_version;
pub use store::SqliteStore;

#[cfg(test)]
mod tests;
