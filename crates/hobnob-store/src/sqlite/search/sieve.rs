//! Candidates in, memories out: each is looked up with the filter, and when many of them fail, what
//! the filter lets through is listed once.

use crate::memory::Memory;
use crate::sqlite::filter::Clause;
use crate::sqlite::memories::{COLUMNS, memory};
use rusqlite::{CachedStatement, Connection, Result, params_from_iter};
use std::collections::HashSet;

/// Candidates that may fail before all that can pass are listed.
const FAILURES: usize = 500;

/// Lets memories through that satisfy a filter.
pub(super) struct Sieve<'c> {
    connection: &'c Connection,
    clause: Clause,
    one: CachedStatement<'c>,
    failures: usize,
    passing: Option<HashSet<i64>>,
}

impl<'c> Sieve<'c> {
    /// A sieve for what fits this clause.
    pub(super) fn new(connection: &'c Connection, clause: Clause) -> Result<Self> {
        let sql =
            format!("SELECT {COLUMNS} FROM memories AS m WHERE m.number = ? AND {}", clause.sql);
        let mut one = connection.prepare_cached(&sql)?;
        for (place, value) in clause.params.iter().enumerate() {
            one.raw_bind_parameter(place + 2, value)?;
        }
        Ok(Self { connection, clause, one, failures: 0, passing: None })
    }

    /// The memory of this number, if it passes.
    pub(super) fn pass(&mut self, number: i64) -> Result<Option<Memory>> {
        if self.passing.as_ref().is_some_and(|passing| !passing.contains(&number)) {
            return Ok(None);
        }
        self.one.raw_bind_parameter(1, number)?;
        let mut rows = self.one.raw_query();
        let found = rows.next()?.map(memory).transpose()?;
        drop(rows);
        if found.is_none() {
            self.failures += 1;
            if self.failures == FAILURES {
                self.passing = Some(self.list()?);
            }
        }
        Ok(found)
    }

    fn list(&self) -> Result<HashSet<i64>> {
        let sql = format!("SELECT m.number FROM memories AS m WHERE {}", self.clause.sql);
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_map(params_from_iter(&self.clause.params), |row| row.get(0))?.collect()
    }
}
