//! Sampling: a server asks the client's model. Deprecated since 2026-07-28, still spoken.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::annotations::Role;
use crate::choice::{exact, open_enum};
use crate::content::SamplingContent;
use crate::tasks::TaskMetadata;
use crate::tools::Tool;

/// Parameters of `sampling/createMessage`: a conversation the client's model should continue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// Which model would be good; the client decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// A system prompt; the client may change or drop it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Whose context to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How freely the model may choose its words.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How long the answer may get.
    pub max_tokens: u64,
    /// Texts that end the answer.
    #[serde(
        default,
        deserialize_with = "crate::presence::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub stop_sequences: Vec<String>,
    /// Settings for the model's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<RawValue>>,
    /// Tools the model may use (since 2025-11-25); present only if the client can do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// How the model may use them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// The wish to have it run as a task (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CreateMessageParams {
    /// Asks the model to go on with this conversation.
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self { messages, max_tokens, ..Self::default() }
    }
}

/// One message of a sampled conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SamplingMessage {
    /// Whose words these are: the person's or the model's.
    pub role: Role,
    /// What is said: one piece, or (since 2025-11-25) several.
    pub content: OneOrMany<SamplingContent>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl SamplingMessage {
    /// Said by the person.
    pub fn user(content: SamplingContent) -> Self {
        Self { role: Role::User, content: OneOrMany::One(content), meta: None }
    }

    /// Said by the model.
    pub fn assistant(content: SamplingContent) -> Self {
        Self { role: Role::Assistant, content: OneOrMany::One(content), meta: None }
    }
}

/// A value, or a list of them; the wire shows which, and both are kept apart.
#[derive(Debug, Clone)]
pub enum OneOrMany<T> {
    /// Not in a list; peers before 2025-11-25 understand only this.
    One(T),
    /// In a list, even if it holds one.
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    /// The value as a slice of one, or the whole list.
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

impl<T: Serialize> Serialize for OneOrMany<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(value) => value.serialize(serializer),
            Self::Many(values) => values.serialize(serializer),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // Raw JSON has no white space before its first byte.
        if raw.get().starts_with('[') {
            exact(&raw).map(Self::Many)
        } else {
            exact(&raw).map(Self::One)
        }
    }
}

open_enum! {
    /// Whose context to add to a sampled conversation.
    pub enum IncludeContext {
        /// No context of any server; this is also what an absent value means.
        None = "none",
        /// The asking server's (deprecated).
        ThisServer = "thisServer",
        /// Every connected server's (deprecated).
        AllServers = "allServers",
    }
}

/// Which model would be good. Priorities run from 0 (does not matter) to 1 (matters most).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Names or families, best first.
    #[serde(
        default,
        deserialize_with = "crate::presence::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub hints: Vec<ModelHint>,
    /// How much cost matters.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much speed matters.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much ability matters.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
}

/// A hint at a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelHint {
    /// A part of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// How a model may use the tools it is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolChoice {
    /// Absent means as it likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

open_enum! {
    /// How a model may use the tools it is given.
    pub enum ToolChoiceMode {
        /// The model decides whether to use a tool; an absent mode means this.
        Auto = "auto",
        /// It must use one at least.
        Required = "required",
        /// The model must not use any tool.
        None = "none",
    }
}

/// The answer to `sampling/createMessage`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who says it; normally the model.
    pub role: Role,
    /// One piece of content, or (since 2025-11-25) several, such as calls of tools.
    pub content: OneOrMany<SamplingContent>,
    /// The model that said it.
    pub model: String,
    /// Why it stopped, such as `endTurn`, `maxTokens`, `stopSequence` or `toolUse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CreateMessageResult {
    /// A model's answer that is one text.
    pub fn text(model: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: OneOrMany::One(SamplingContent::text(text)),
            model: model.into(),
            stop_reason: None,
            meta: None,
        }
    }
}
