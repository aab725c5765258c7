//! Which tools a session has, as its creator named them: globs over names, or `SERVER/TOOL`.
//!
//! A session has what its patterns name and nothing else; whether a call may be made is decided by the
//! permissions of its caller.

use crate::view_tools::ViewTool;
use hobnob_policy::Glob;

/// The most patterns of a session.
const MAX_PATTERNS: usize = 64;
/// What the name of a server's tool begins with, and what stands between server and tool in it.
const UPSTREAM: &str = "mcp__";
const BETWEEN: &str = "__";

/// The patterns of one session.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolPatterns(Vec<ToolPattern>);

#[derive(Debug, Clone)]
enum ToolPattern {
    /// Tools by the name under which they are listed.
    Listed(Glob),
    /// Tools of servers, by the names that the servers give them.
    OfServer { server: Glob, tool: Glob },
}

impl ToolPatterns {
    /// Reads patterns as a caller wrote them. The error says what is wrong with which one.
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

    /// Whether a tool that is listed is one of the session's.
    pub(super) fn include(&self, tool: &ViewTool) -> bool {
        self.0.iter().any(|pattern| match (pattern, &tool.server) {
            (ToolPattern::Listed(name), _) => name.matches(&tool.name),
            (ToolPattern::OfServer { server, tool }, Some((of, original))) => {
                server.matches(of) && tool.matches(original)
            }
            (ToolPattern::OfServer { .. }, None) => false,
        })
    }

    /// Whether a name that is not listed would be one of the session's: why it is not listed, the view
    /// itself says best.
    pub(super) fn include_name(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| match pattern {
            ToolPattern::Listed(glob) => glob.matches(name),
            ToolPattern::OfServer { server, tool } => {
                let rest = name.strip_prefix(UPSTREAM).unwrap_or_default();
                rest.match_indices(BETWEEN).any(|(at, _)| {
                    server.matches(&rest[..at]) && tool.matches(&rest[at + BETWEEN.len()..])
                })
            }
        })
    }
}

#[cfg(test)]
mod tests;
