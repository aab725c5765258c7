//! English words as searches compare them: their stems, and those that say nothing by themselves.
//!
//! The store indexes memories with it and `hobnob-ranking` tools. Nothing here does I/O; the same
//! word always gives the same stem.

mod irregular;
mod stem;
mod stop;
mod table;

#[cfg(test)]
mod tests;

pub use stem::stem;
pub use stop::is_stop;
