//! The settings of a session: how its model is asked, and which tools it may use.
//!
//! They are stored with the session as JSON, so fields may be added but never change their meaning.

use hobnob_llm::{ModelRequest, ThinkingEffort, ThinkingWish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often the model may be asked in one chat if the caller sets no limit.
pub(super) const DEFAULT_TURNS: u32 = 20;

/// How a model is asked. The provider's defaults apply to unset fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ChatSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<Thinking>,
    /// Patterns for the tools that the session may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_turns: Option<u32>,
}

/// How hard a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Thinking {
    Off,
    Low,
    Medium,
    High,
}

impl ChatSettings {
    /// The settings of a stored session. If they cannot be parsed, the provider's defaults apply.
    pub(super) fn read(stored: Option<&str>) -> Self {
        let read = stored.map(serde_json::from_str);
        read.and_then(Result::ok).unwrap_or_default()
    }

    /// The settings in the form in which they are stored; `None` if nothing is set.
    pub(super) fn write(&self) -> Option<String> {
        if *self == Self::default() { None } else { serde_json::to_string(self).ok() }
    }

    /// Copies the model's settings into a request. The chat enforces `tools` and `max_turns`.
    pub(super) fn apply(&self, request: &mut ModelRequest) {
        request.max_tokens = self.max_tokens;
        request.temperature = self.temperature;
        request.thinking = match self.thinking {
            None => ThinkingWish::Default,
            Some(Thinking::Off) => ThinkingWish::Off,
            Some(Thinking::Low) => ThinkingWish::Effort(ThinkingEffort::Low),
            Some(Thinking::Medium) => ThinkingWish::Effort(ThinkingEffort::Medium),
            Some(Thinking::High) => ThinkingWish::Effort(ThinkingEffort::High),
        };
    }
}
