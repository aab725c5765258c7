//! How tools are listed and named: what `[gateway]` and `[tools."GLOB"]` say about it.
//!
//! The gateway reads them for each view. What must stay true: the defaults are those that
//! `docs/src/settings.md` shows.

use serde::Deserialize;

/// Clients that are known to search long lists of tools themselves, by the names they give
/// themselves.
pub(crate) const SEARCHING_CLIENTS: [&str; 2] = ["claude-code", "codex-mcp-client"];

/// Whether clients get the whole list of tools, or tools to search it with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolListing {
    /// The whole list, as long as it is within the budget.
    #[default]
    Auto,
    /// Tools to search with, however short the list is.
    Always,
    /// The whole list, however long it is.
    Never,
}

/// How long public names of servers' tools and prompts may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolNameLength {
    /// `mcp__SERVER__TOOL`, up to 64 characters.
    #[default]
    Full,
    /// `SERVER__TOOL`, up to 48 characters, for hosts that put a name in front of it again.
    Short,
}

/// What `[tools."GLOB"]` says about tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Whether they are listed even where the others have to be searched for.
    pub always: bool,
}
