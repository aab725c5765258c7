//! The records of memories in SQLite, behind the port `MemoryRepository`.
//!
//! A row, its words, its vectors and its change are written in one transaction.

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
