//! `cargo xtask tidy`: the rules of this repository that neither compiler nor linter checks.
//!
//! Every rule is a function from what it looks at to findings; each finding is `file:line: what`.
//! Sources are read as syntax, so that comments and strings never trip a rule.

mod arrows;
mod bans;
mod command;
mod doc_words;
mod file_arrows;
mod file_circles;
mod finding;
mod markdown;
mod module_tree;
mod profiles;
mod rust_version;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod tokens;
mod type_names;

pub(crate) use command::{Args, run};
