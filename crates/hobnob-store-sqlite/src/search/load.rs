//! Loads memories by row number after they have passed the filter.
//!
//! Only searches call it; it does not check access again.

use crate::memories::{COLUMNS, memory};
use hobnob_store::memory::Memory;
use hobnob_store::search::LoadedMemories;
use rusqlite::{CachedStatement, Connection, Result};

/// Reads memories with their tags.
pub(super) struct MemoryLoader<'c> {
    statement: CachedStatement<'c>,
    loaded: &'c LoadedMemories,
}

impl<'c> MemoryLoader<'c> {
    pub(super) fn new(connection: &'c Connection, loaded: &'c LoadedMemories) -> Result<Self> {
        let sql = format!("SELECT {COLUMNS} FROM memories AS m WHERE m.number = ?1");
        Ok(Self { statement: connection.prepare_cached(&sql)?, loaded })
    }

    pub(super) fn load(&mut self, number: i64) -> Result<Memory> {
        let memory = self.statement.query_row([number], memory)?;
        self.loaded.insert(number, &memory);
        Ok(memory)
    }
}
