//! The records of memories in SQLite.

mod row;

mod digest;
mod find;
mod save;

mod capture;
mod change;
mod clean;
mod list;
mod port;

pub(super) use row::{COLUMNS, memory};
