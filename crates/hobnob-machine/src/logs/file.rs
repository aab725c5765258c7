//! Logs that are files in a granted folder, with their rotated and compressed parts.
//!
//! In reading order: bytes to lines to entries, the index of one file, its parts, then queries,
//! tails and the list. A file is opened once for each query and checked by its handle.

mod section;

mod line_reader;
mod shape;

mod entries;
mod index;

mod rotation;

mod back;
mod found;
mod part;

mod collect;
mod follow;
mod list;
mod store;

#[cfg(test)]
mod tests;

pub(crate) use store::FileLogs;
