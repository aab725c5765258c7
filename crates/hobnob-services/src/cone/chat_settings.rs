//! How the model of a session is asked: what callers may set, and what becomes of it in a request.
//!
//! It is stored with the session as JSON, so fields are added and never given another meaning.

use hobnob_llm::{ModelRequest, ThinkingEffort, ThinkingWish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often a model is asked in one chat, if nobody says how often.
pub(super) const USUAL_TURNS: u32 = 20;

/// How a model is asked. What is left out is as the model's provider does it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct ChatSettings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<Thinking>,
    /// Patterns of the tools that the session has.
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
    /// The settings of a stored session. What cannot be read is left to the provider.
    pub(super) fn read(stored: Option<&str>) -> Self {
        let read = stored.map(serde_json::from_str);
        read.and_then(Result::ok).unwrap_or_default()
    }

    /// As they are stored; nothing if nothing is set.
    pub(super) fn write(&self) -> Option<String> {
        if *self == Self::default() { None } else { serde_json::to_string(self).ok() }
    }

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
