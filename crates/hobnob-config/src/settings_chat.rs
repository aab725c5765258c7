//! The table `[chat]` of `config.toml`: how `hobnob chat` asks, and which programs run around it.
//!
//! Only the person's own settings have it: a project cannot name programs that run by themselves.

use serde::Deserialize;
use std::num::NonZeroU32;

/// `[chat]`: read when a chat begins.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatTable {
    /// The model to ask, instead of the default of `[models]`.
    pub model: Option<String>,
    /// How many requests to the model one question may take.
    pub max_turns: NonZeroU32,
    /// Whether the model gets `AGENTS.md` and `CLAUDE.md`.
    pub project_instructions: bool,
    /// Whether memories that fit the first question are shown, and sent to the model.
    pub memory: ChatMemory,
    /// How many tokens of the chat's model servers may use in one chat; none if it is zero.
    pub sampling_tokens: u64,
    /// Servers that may use the chat's model without asking, by globs over their names.
    pub sampling_servers: Vec<String>,
    /// `[chat.hooks]`: programs that run at events of a chat, and may block or add text.
    pub hooks: ChatHooks,
}

impl Default for ChatTable {
    fn default() -> Self {
        Self {
            model: None,
            max_turns: NonZeroU32::MIN.saturating_add(49),
            project_instructions: true,
            memory: ChatMemory::Off,
            sampling_tokens: 100_000,
            sampling_servers: Vec::new(),
            hooks: ChatHooks::default(),
        }
    }
}

/// What a chat does with memory by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatMemory {
    /// Nothing: the model has the tools of memory, like all others.
    #[default]
    Off,
    /// Memories that fit the first question are shown, and sent to the model.
    Offer,
}

/// `[chat.hooks]`: a program and its arguments for each event; empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChatHooks {
    /// When a chat begins; its text is sent to the model with the first question.
    pub session_start: Vec<String>,
    /// When a chat ends.
    pub session_end: Vec<String>,
    /// Before a question goes to the model.
    pub question: Vec<String>,
    /// Before a tool is called.
    pub before_tool: Vec<String>,
    /// After a tool was called, before the result goes to the model.
    pub after_tool: Vec<String>,
}
