//! The memory records in SQLite, behind the port `MemoryRepository`.
//!
//! A memory's row, its index terms, its vectors and its change are written in one transaction.

mod row;

mod find;
mod sketch;

mod save;

mod capture;
mod change;
mod clean;
mod list;
mod merge;
mod port;

pub(super) use row::{COLUMNS, memory};
