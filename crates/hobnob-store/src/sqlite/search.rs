//! Search in SQLite: FTS5 keeps where each term is, the scores are our own; vectors are kept in the
//! file and scanned in memory. What is returned has passed the filter in SQL, every time.

mod hit_filter;
mod load;
mod neighbours;

mod frequent;
mod posting;
mod postings;
mod score;
mod text;

mod scan;
mod vectors;

mod nearest;
mod pending;
mod port;

pub(super) use frequent::FrequentTerms;
pub(super) use vectors::VectorCache;
