//! Search in SQLite: an FTS5 index has the postings, a table has the vectors;
//! [`hobnob_store::search`] ranks both. Every returned memory has passed the filter in SQL.

mod load;
mod neighbours;
mod passing;

mod hit_filter;

mod postings;
mod vectors;

mod caches;

mod text;

mod nearest;

mod closeness;
mod pending;
mod port;

pub(super) use caches::SearchCaches;
