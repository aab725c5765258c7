//! A condition of SQL that is put together from terms.
//!
//! The queries of memories and tasks use it. What must stay true: a term has a `?` for each of its
//! values, and no other question mark.

use crate::value::SqlValue;

/// A condition with the values of its placeholders, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct SqlClause {
    /// Terms joined by `AND`, with the placeholders `$1`, `$2` and so on.
    pub(crate) sql: String,
    pub(crate) values: Vec<SqlValue>,
}

impl SqlClause {
    /// Begins behind these values, which the rest of the statement uses.
    pub(crate) fn behind(values: &[SqlValue]) -> Self {
        Self { sql: String::new(), values: values.to_vec() }
    }

    /// Adds a term with `AND`.
    pub(crate) fn and(&mut self, term: &str, values: impl AsRef<[SqlValue]>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        let mut place = self.values.len();
        for (index, part) in term.split('?').enumerate() {
            if 0 < index {
                place += 1;
                self.sql.push('$');
                self.sql.push_str(&place.to_string());
            }
            self.sql.push_str(part);
        }
        self.values.extend_from_slice(values.as_ref());
    }
}
