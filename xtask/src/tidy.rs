//! `cargo xtask tidy`: the rules of this repository that neither compiler nor linter checks.
//!
//! Every rule is a function from its input to findings, each in the form `file:line: message`.
//! Sources are parsed, so comments and strings never trigger a rule.

mod arrows;
mod bans;
mod command;
mod doc_words;
mod file_arrows;
mod file_circles;
mod finding;
mod markdown;
mod module_tree;
mod plain_words;
mod profiles;
mod rust_version;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod tokens;
mod type_names;
mod wide_types;

pub(crate) use command::{Args, run};
