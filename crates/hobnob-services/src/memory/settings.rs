//! What a user may set about memory; the binary fills it from the settings.
//!
//! The defaults are safe: content with secrets is refused.

use std::time::Duration;

/// How memory behaves. The defaults are safe.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// What happens to content with secrets or personal data in it.
    pub secrets: SecretsRule,
    /// The most bytes of one memory.
    pub max_bytes: usize,
    /// How long a deleted memory can be restored.
    pub keep_deleted: Duration,
    /// The name of the git notes ref that memories are exchanged through.
    pub sync_ref: String,
    /// Whether what a prompt asks of memory can be told, and by whom.
    pub intent: IntentRule,
}

/// Who tells whether a prompt asks to remember or to recall something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentRule {
    /// Nobody: there is no tool for it.
    Off,
    /// The words of the prompt.
    Words,
    /// A model: the client's, or the default one of the settings.
    Model,
}

/// What happens to content with secrets or personal data in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretsRule {
    /// It is not stored.
    Block,
    /// It is stored with what was found masked.
    Redact,
    /// It is stored as it is, and nothing is scanned.
    Off,
}

impl SecretsRule {
    /// The word in settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Redact => "redact",
            Self::Off => "off",
        }
    }
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self {
            secrets: SecretsRule::Block,
            max_bytes: 256 << 10,
            keep_deleted: Duration::from_secs(30 * 24 * 3_600),
            sync_ref: "refs/notes/hobnob".into(),
            intent: IntentRule::Off,
        }
    }
}
