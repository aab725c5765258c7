//! SQLite behind the ports: one file, one writer that commits many writes at once, several
//! readers, none of it on the async threads.

mod connection;
mod file;
mod migrate;
mod random;
mod readers;
mod writer;

mod feed;
mod keys;
mod store;

pub use feed::{Feed, Heard};
pub use migrate::NEWEST;
pub use store::SqliteStore;

pub(crate) use random::random_hex;
