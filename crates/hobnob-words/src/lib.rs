//! English words for searching: a stemmer and a list of stop words.
//!
//! `hobnob-store` indexes memories with it, and `hobnob-ranking` ranks tools with it. Nothing here
//! does I/O; the same word always gives the same stem.

mod irregular;
mod stem;
mod stop;
mod table;

#[cfg(test)]
mod tests;

pub use stem::stem;
pub use stop::is_stop;
