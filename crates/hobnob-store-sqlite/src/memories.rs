//! The memory records in SQLite, behind the port `MemoryRepository`.
//!
//! One transaction writes a memory's row, its index terms and its change, and deletes its outdated
//! vectors; `search` stores the new ones later.

mod row;

mod find;
mod sketch;

mod save;

mod capture;
mod change;
mod clean;
mod list;
mod merge;
mod replaced;

mod port;

pub(super) use list::by_ids;
pub(super) use row::{COLUMNS, memory};
