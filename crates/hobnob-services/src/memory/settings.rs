//! The settings of the memory service; the binary fills them from the configuration.
//!
//! The defaults are safe: content with secrets is refused.

use std::time::Duration;

/// The service's name in settings and profiles.
pub(super) const NAME: &str = "memory";

/// The settings of the memory service. The defaults are safe.
#[derive(Debug, Clone)]
pub struct MemoryOptions {
    /// What happens to content with secrets or personal data in it.
    pub secrets: SecretsRule,
    /// Largest content of one memory, in bytes.
    pub max_bytes: usize,
    /// How long a deleted memory can be restored.
    pub keep_deleted: Duration,
    /// The name of the git notes ref through which memories are exchanged.
    pub sync_ref: String,
    /// Whether and how the intent of a prompt is classified.
    pub intent: IntentRule,
}

/// How to classify whether a prompt asks to remember or to recall something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentRule {
    /// Not at all: there is no tool for it.
    Off,
    /// By the words of the prompt.
    Words,
    /// By a model: the client's, or the default one of the settings.
    Model,
}

/// What happens to content with secrets or personal data in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretsRule {
    /// The content is refused.
    Block,
    /// The content is stored with the secrets masked.
    Redact,
    /// The content is stored unchanged, without a scan.
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
