//! The patterns that select the tools of a session: globs over listed names, or `SERVER/TOOL`.
//!
//! A session has the tools that its patterns match and no others; the permissions of its caller
//! decide whether a call may be made.

use crate::view_tools::ViewTool;
use hobnob_policy::Glob;

/// Most patterns of one session.
const MAX_PATTERNS: usize = 64;
/// The prefix of the listed name of a server's tool, and the separator of server and tool in it.
const UPSTREAM_PREFIX: &str = "mcp__";
const SEPARATOR: &str = "__";

/// The patterns of one session.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolPatterns(Vec<ToolPattern>);

#[derive(Debug, Clone)]
enum ToolPattern {
    /// Matches the name under which a tool is listed.
    Listed(Glob),
    /// Matches a server's tools by the names that the server gives them.
    OfServer { server: Glob, tool: Glob },
}

impl ToolPatterns {
    /// Parses the patterns that a caller wrote. The error says which one is wrong, and why.
    pub(super) fn parse(texts: &[String]) -> Result<Self, String> {
        if MAX_PATTERNS < texts.len() {
            return Err(format!("tools: {} patterns, at most {MAX_PATTERNS}", texts.len()));
        }
        let glob = |at: usize, text: &str| {
            Glob::for_name(text).map_err(|error| format!("tools[{at}]: {error}"))
        };
        let patterns = texts.iter().enumerate().map(|(at, text)| match text.split_once('/') {
            Some((server, tool)) => {
                Ok(ToolPattern::OfServer { server: glob(at, server)?, tool: glob(at, tool)? })
            }
            None => glob(at, text).map(ToolPattern::Listed),
        });
        patterns.collect::<Result<_, String>>().map(Self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a listed tool belongs to the session.
    pub(super) fn include(&self, tool: &ViewTool) -> bool {
        self.0.iter().any(|pattern| match (pattern, &tool.server) {
            (ToolPattern::Listed(name), _) => name.matches(&tool.name),
            (ToolPattern::OfServer { server, tool }, Some((of, original))) => {
                server.matches(of) && tool.matches(original)
            }
            (ToolPattern::OfServer { .. }, None) => false,
        })
    }

    /// Whether a name that is not listed would match. The view then explains best why there is no
    /// such tool.
    pub(super) fn include_name(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| match pattern {
            ToolPattern::Listed(glob) => glob.matches(name),
            ToolPattern::OfServer { server, tool } => {
                let rest = name.strip_prefix(UPSTREAM_PREFIX).unwrap_or_default();
                rest.match_indices(SEPARATOR).any(|(at, _)| {
                    server.matches(&rest[..at]) && tool.matches(&rest[at + SEPARATOR.len()..])
                })
            }
        })
    }
}

#[cfg(test)]
mod tests;
