//! `cargo xtask schema`: do our types know everything the official schemas define?
//!
//! The schemas themselves are not in the repository. `--refresh` boils them down to
//! `xtask/schema/facts.tsv`; the check compares those facts with the source of the types, along
//! the hand-written table `xtask/schema/mapping.tsv`.

mod check;
mod command;
mod extract;
mod facts;
mod mapping;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use command::{Args, run};
