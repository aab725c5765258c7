//! The verbs of the command line, one file each.

pub(crate) mod completions;
pub(crate) mod serve;
