//! How tools are listed and named: the settings of `[gateway]` and `[tools."GLOB"]` for that.
//!
//! The gateway reads them for each view. What must stay true: the defaults are those that
//! `docs/src/settings.md` shows.

use serde::Deserialize;

/// Clients that are known to search long lists of tools themselves, by the names they send.
pub(crate) const SEARCHING_CLIENTS: [&str; 2] = ["claude-code", "codex-mcp-client"];

/// Whether clients get the whole list of tools, or tools to search it with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolListing {
    /// The whole list, as long as it is within the budget.
    #[default]
    Auto,
    /// Tools to search with, even if the list is short.
    Always,
    /// The whole list, even if it is long.
    Never,
}

/// How long public names of servers' tools and prompts may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolNameLength {
    /// `mcp__SERVER__TOOL`, up to 64 characters.
    #[default]
    Full,
    /// `SERVER__TOOL`, up to 48 characters, for hosts that add a prefix of their own.
    Short,
}

/// What `[tools."GLOB"]` says about tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// Whether they are listed even if clients have to search for the others.
    pub always: bool,
}
