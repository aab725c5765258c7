//! How a program is started, whatever kind of program it is.
//!
//! The files beside this one make these; `measure` hands them to the load generator.

use std::path::Path;

/// How the load generator starts a program, and what it has to know about it.
#[derive(Clone, Default)]
pub(in crate::bench) struct Start {
    /// Arguments of the load generator that come before those of the case.
    pub(in crate::bench) mode: Vec<String>,
    /// The load generator puts a free port in the place of `{PORT}`.
    pub(in crate::bench) command: Vec<String>,
    /// What differs from our own environment.
    pub(in crate::bench) environment: Vec<(&'static str, String)>,
    /// What the echo tool is called there.
    pub(in crate::bench) tool: &'static str,
    /// A folder with files that the arguments of a case name.
    pub(in crate::bench) folder: String,
}

/// A path as a word of a command.
pub(in crate::bench) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The words of a command line that needs no quotes.
pub(super) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
