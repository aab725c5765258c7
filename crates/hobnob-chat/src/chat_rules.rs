//! The person's rules for one chat: `--allow`, `--deny` and the permission mode.
//!
//! `hub_tools` applies them before the hub applies its own. They can refuse a call, or answer with yes
//! where the hub would ask the person. What must stay true: what a rule of the settings denies stays
//! denied, because the hub decides after them.

use super::catalogue::CatalogueTool;
use hobnob_agent::EffectiveCall;
use hobnob_policy::Glob;
use hobnob_terminal::ended::Ended;

#[cfg(test)]
mod tests;

/// How the chat answers the question whether a tool may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermissionMode {
    /// It asks the person, as the rules say.
    Ask,
    /// It asks too, and only tools that declare themselves read-only may run.
    Plan,
    /// It answers every question with yes.
    Skip,
}

/// Decides which tools may be called in this chat, before the hub decides.
#[derive(Debug, Clone)]
pub struct ChatRules {
    mode: PermissionMode,
    allow: Vec<Glob>,
    deny: Vec<Glob>,
}

/// The chat's own decision about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ChatVerdict {
    /// The hub decides, and may ask the person.
    Ask,
    /// The hub decides; the chat answers its question with yes.
    Agree,
    /// The chat refuses the call; the text tells the model why.
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

    pub(crate) fn mode(&self) -> PermissionMode {
        self.mode
    }

    pub(crate) fn set_mode(&mut self, mode: PermissionMode) {
        self.mode = mode;
    }

    /// Whether the model is offered a tool.
    pub(super) fn offers(&self, tool: &CatalogueTool) -> bool {
        self.refusal(&tool.listed_name, tool.reads_only).is_none()
    }

    /// Decides about a call; `reads_only` is what the tool that runs says of itself. The rules can
    /// deny the tool that the call goes through, but allowing that tool allows no tool behind it.
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
