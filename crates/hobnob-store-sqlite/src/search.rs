//! Search in SQLite: FTS5 keeps where each term is, vectors are kept in the file; both are ranked by
//! [`hobnob_store::search`]. What is returned has passed the filter in SQL, every time.

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
