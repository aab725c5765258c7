//! Loads memories by row number after they have passed the filter.
//!
//! Only searches call it; it does not check access again.

use super::work::SearchWork;
use crate::columns::number;
use crate::error::Result;
use crate::memories::{COLUMNS, WIDTH, memory};
use crate::value::values;
use hobnob_store::memory::Memory;
use hobnob_store::search::LoadedMemories;
use std::collections::HashMap;

/// Reads memories with their tags.
pub(super) async fn load(
    work: &SearchWork<'_>,
    loaded: &LoadedMemories,
    numbers: &[i64],
) -> Result<HashMap<i64, Memory>> {
    let sql = format!("SELECT {COLUMNS}, m.number FROM memories AS m WHERE m.number = ANY($1)");
    let read = |row: &_| Ok((number(row, WIDTH)?, memory(row)?));
    let found = work.transaction.all(&sql, values![numbers], read).await?;
    for (number, memory) in &found {
        loaded.insert(*number, memory);
    }
    Ok(found.into_iter().collect())
}
