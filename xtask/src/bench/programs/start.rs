//! How to start a program of any kind.
//!
//! The files beside this one make [`Start`] values; `measure` passes them to the load generator.

use std::path::Path;

/// How the load generator starts a program, and what it must know about it.
#[derive(Clone, Default)]
pub(in crate::bench) struct Start {
    /// Arguments of the load generator before those of the case.
    pub(in crate::bench) mode: Vec<String>,
    /// The command; the load generator replaces `{PORT}` with a free port.
    pub(in crate::bench) command: Vec<String>,
    /// Variables to add to our own environment.
    pub(in crate::bench) environment: Vec<(&'static str, String)>,
    /// The name of the echo tool there.
    pub(in crate::bench) tool: &'static str,
    /// A folder with files that a case's arguments name.
    pub(in crate::bench) folder: String,
}

/// A path as a word of a command.
pub(in crate::bench) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The words of a command line without quotes.
pub(super) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
