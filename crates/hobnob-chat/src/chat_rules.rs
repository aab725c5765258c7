//! What the person has said about tools when they started the chat: allowed, denied, only to look.
//!
//! It comes before the rules of the hub and never goes beyond them: what a rule of the settings denies
//! stays denied.

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

    /// What holds for a tool; `reads_only` is what it says of itself.
    pub(super) fn verdict(&self, tool: &str, reads_only: bool) -> ChatVerdict {
        if self.deny.iter().any(|glob| glob.matches(tool)) {
            return ChatVerdict::Refuse(format!("`{tool}` is denied in this chat (--deny)"));
        }
        match self.mode {
            PermissionMode::Plan if !reads_only => ChatVerdict::Refuse(format!(
                "`{tool}` may change something, and this chat only plans: describe what you would do"
            )),
            PermissionMode::Skip => ChatVerdict::Agree,
            PermissionMode::Ask | PermissionMode::Plan => {
                match self.allow.iter().any(|glob| glob.matches(tool)) {
                    true => ChatVerdict::Agree,
                    false => ChatVerdict::Ask,
                }
            }
        }
    }
}
