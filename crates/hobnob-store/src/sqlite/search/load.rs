//! Loads a memory by its number, once it is known to pass the filter.
//!
//! Only searches call it; it does not look at access again.

use crate::memory::Memory;
use crate::sqlite::memories::{COLUMNS, memory};
use rusqlite::{Connection, Result};

/// Reads it with its tags.
pub(super) fn load(connection: &Connection, number: i64) -> Result<Memory> {
    let sql = format!("SELECT {COLUMNS} FROM memories AS m WHERE m.number = ?1");
    connection.prepare_cached(&sql)?.query_row([number], memory)
}
