//! English words for searching: a stemmer and a list of stop words.
//!
//! The store indexes memories with it, `hobnob-ranking` tools. Nothing here does I/O; the same word
//! always gives the same stem.

mod irregular;
mod stem;
mod stop;
mod table;

#[cfg(test)]
mod tests;

pub use stem::stem;
pub use stop::is_stop;
