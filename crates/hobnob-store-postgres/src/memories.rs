//! Memories in the table `memories` and those beside it, behind the port
//! [`MemoryRepository`](hobnob_store::memory::MemoryRepository).
//!
//! Writes of one owner exclude each other, and so do those of the shared scope, so that a lookup of
//! duplicates stays true until the insert. Work on every owner's memories locks each row first.

mod filter;
mod row;

mod index;
mod sketch;

mod save;

mod find;
mod list;

mod capture;
mod change;
mod clean;
mod merge;
mod replaced;

mod port;

pub(crate) use filter::MemoryClause;
pub(crate) use list::by_ids;
pub(crate) use row::{COLUMNS, WIDTH, memory};
