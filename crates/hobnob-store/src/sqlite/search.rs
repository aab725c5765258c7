//! Search in SQLite: FTS5 keeps where each term is, the scores are our own; vectors are kept in the
//! file and scanned in memory. What is returned has passed the filter in SQL, every time.

mod load;
mod neighbours;
mod passing;

mod hit_filter;

mod frequent;
mod postings;
mod score;

mod vectors;

mod sign_order;

mod caches;

mod text;

mod nearest;

mod closeness;
mod pending;
mod port;

pub(super) use caches::SearchCaches;
