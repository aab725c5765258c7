//! `cargo xtask schema`: checks that our types know everything the official schemas define.
//!
//! The schemas themselves are not in the repository. `--refresh` condenses them to
//! `xtask/schema/facts.tsv`. The check compares those facts with the source of the types, according
//! to the hand-written table `xtask/schema/mapping.tsv`.

mod check;
mod command;
mod extract;
mod facts;
mod mapping;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use command::{Args, run};
