//! Finds memories by text and by vector, behind the port
//! [`MemorySearch`](hobnob_store::memory::MemorySearch).
//!
//! The ranking is that of `hobnob_store::search`, so that every backend gives the same hits with the
//! same scores. Rows are read for many memories at once, since each statement is a round trip.

mod passing_sets;

mod caches;

mod work;

mod passing;

mod hit_filter;
mod load;
mod neighbours;
mod pending;
mod postings;
mod vectors;

mod closeness;
mod nearest;
mod text;

mod port;

pub(crate) use caches::PostgresCaches;
