//! The names of the search tools, which replace a long list of tools: find, describe, call.
//!
//! The catalogue keeps them out of whole lists, the kit offers them, dispatch unwraps `call_tool`.

pub(crate) const FIND: &str = "find_tools";
pub(crate) const DESCRIBE: &str = "describe_tools";
pub(crate) const CALL: &str = "call_tool";

/// The names of all search tools.
pub(crate) const ALL: [&str; 3] = [FIND, DESCRIBE, CALL];

/// Whether a built-in of this name is a search tool.
pub(crate) fn is_searching(own: &str) -> bool {
    ALL.contains(&own)
}
