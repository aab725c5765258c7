//! What the person has said about tools when they started the chat: allowed, denied, only to look.
//!
//! It comes before the rules of the hub and never goes beyond them: what a rule of the settings denies
//! stays denied.

use super::catalogue::CatalogueTool;
use hobnob_agent::EffectiveCall;
use hobnob_policy::Glob;
use hobnob_terminal::ended::Ended;

#[cfg(test)]
mod tests;

/// How questions whether a tool may run are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionMode {
    /// The person is asked, as the rules say.
    Ask,
    /// Only tools that say that they change nothing.
    Plan,
    /// Every question is answered with yes.
    Skip,
}

/// What may be called in this chat, before the hub decides.
#[derive(Debug, Clone)]
pub struct ChatRules {
    mode: PermissionMode,
    allow: Vec<Glob>,
    deny: Vec<Glob>,
}

/// What the chat itself says of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChatVerdict {
    /// The hub decides, and a person may be asked.
    Ask,
    /// The hub decides; a question is answered with yes.
    Agree,
    /// Not in this chat; why, for the model.
    Refuse(String),
}

impl ChatRules {
    /// Reads the patterns of `--allow` and `--deny`.
    pub fn new(mode: PermissionMode, allow: &[String], deny: &[String]) -> Result<Self, Ended> {
        let globs = |option: &str, patterns: &[String]| {
            let read = |pattern: &String| {
                let bad = |error| Ended::usage(format!("{option} {pattern}: {error}"));
                Glob::for_name(pattern).map_err(bad)
            };
            patterns.iter().map(read).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { mode, allow: globs("--allow", allow)?, deny: globs("--deny", deny)? })
    }

    /// How questions are answered.
    pub(crate) fn mode(&self) -> PermissionMode {
        self.mode
    }

    /// Changes how questions are answered from now on.
    pub(crate) fn set_mode(&mut self, mode: PermissionMode) {
        self.mode = mode;
    }

    /// Whether the model is offered a tool.
    pub(super) fn offer(&self, tool: &CatalogueTool) -> bool {
        self.refusal(&tool.listed, tool.reads_only).is_none()
    }

    /// What holds for a call; `reads_only` is what the tool that runs says of itself. The tool that it
    /// is called through can only be denied: to allow that one allows nothing behind it.
    pub(super) fn verdict(&self, call: &EffectiveCall, reads_only: bool) -> ChatVerdict {
        let denied = call.through().and_then(|through| self.denial(through));
        if let Some(why) = denied.or_else(|| self.refusal(call.tool(), reads_only)) {
            return ChatVerdict::Refuse(why);
        }
        match self.mode {
            PermissionMode::Skip => ChatVerdict::Agree,
            PermissionMode::Ask | PermissionMode::Plan => {
                match self.allow.iter().any(|glob| glob.matches(call.tool())) {
                    true => ChatVerdict::Agree,
                    false => ChatVerdict::Ask,
                }
            }
        }
    }

    fn denial(&self, tool: &str) -> Option<String> {
        let is_denied = self.deny.iter().any(|glob| glob.matches(tool));
        is_denied.then(|| format!("`{tool}` is denied in this chat (--deny)"))
    }

    fn refusal(&self, tool: &str, reads_only: bool) -> Option<String> {
        let changes = self.mode == PermissionMode::Plan && !reads_only;
        self.denial(tool).or_else(|| {
            changes.then(|| {
                format!(
                    "`{tool}` may change something, and this chat only plans: describe what you \
                     would do"
                )
            })
        })
    }
}
