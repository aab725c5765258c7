//! Loads memories by their numbers, once they are known to pass the filter.
//!
//! Only searches call it; it does not look at access again.

use crate::memory::Memory;
use crate::sqlite::memories::{COLUMNS, memory};
use rusqlite::{CachedStatement, Connection, Result};

/// Reads memories with their tags.
pub(super) struct MemoryLoader<'c>(CachedStatement<'c>);

impl<'c> MemoryLoader<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let sql = format!("SELECT {COLUMNS} FROM memories AS m WHERE m.number = ?1");
        connection.prepare_cached(&sql).map(Self)
    }

    pub(super) fn load(&mut self, number: i64) -> Result<Memory> {
        self.0.query_row([number], memory)
    }
}
