//! The names of the tools that stand for a long list of tools: one finds, one describes, one calls.
//!
//! The catalogue keeps them out of whole lists, the kit offers them, dispatch unwraps `call_tool`.

pub(crate) const FIND: &str = "find_tools";
pub(crate) const DESCRIBE: &str = "describe_tools";
pub(crate) const CALL: &str = "call_tool";

/// All three of them.
pub(crate) const ALL: [&str; 3] = [FIND, DESCRIBE, CALL];

/// Whether a built-in of this name is one of them.
pub(crate) fn is_searching(own: &str) -> bool {
    ALL.contains(&own)
}
