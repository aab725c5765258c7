//! Search in SQLite: FTS5 keeps where each term is, the scores are our own; vectors are kept in the
//! file and scanned in memory. What is returned has passed the filter in SQL, every time.

mod load;
mod loaded;
mod neighbours;
mod passing;

mod hit_filter;

mod frequent;
mod posting;
mod postings;
mod score;

mod scan;
mod signs;
mod vectors;

mod sign_order;

mod caches;

mod text;

mod nearest;
mod word_match;

mod closeness;
mod pending;
mod port;

pub(super) use caches::SearchCaches;
