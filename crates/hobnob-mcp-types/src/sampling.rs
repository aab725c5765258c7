//! Sampling: a server asks the client's model. Deprecated since 2026-07-28, still spoken.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::annotations::Role;
use crate::choice::{exact, open_enum};
use crate::content::SamplingContent;
use crate::presence;
use crate::tasks::TaskMetadata;
use crate::tools::Tool;

/// Parameters of `sampling/createMessage`: a conversation the client's model should continue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// Which model the server would prefer; the client decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// A system prompt; the client may change or drop it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which servers' context to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How freely the model may choose its words.
    #[serde(default, with = "crate::number::optional", skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The maximum length of the answer in tokens.
    pub max_tokens: u64,
    /// Texts that end the answer.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
    /// Settings for the model's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Box<RawValue>>,
    /// Tools the model may use (since 2025-11-25), if the client declares `sampling.tools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// How the model may use them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Asks the client to run the request as a task (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CreateMessageParams {
    /// Asks the model to continue this conversation.
    pub fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self { messages, max_tokens, ..Self::default() }
    }
}

/// One message of a sampled conversation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SamplingMessage {
    /// Who says it: the person or the model.
    pub role: Role,
    /// What is said: one piece, or (since 2025-11-25) a list of pieces.
    pub content: OneOrMany<SamplingContent>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl SamplingMessage {
    /// A message from the person.
    pub fn user(content: SamplingContent) -> Self {
        Self { role: Role::User, content: OneOrMany::One(content), meta: None }
    }

    /// A message from the model.
    pub fn assistant(content: SamplingContent) -> Self {
        Self { role: Role::Assistant, content: OneOrMany::One(content), meta: None }
    }
}

/// A single value or a list. The wire distinguishes the two, so a list of one stays a list.
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
    /// Which servers' context to add to a sampled conversation.
    pub enum IncludeContext {
        /// No context of any server; this is also what an absent value means.
        None = "none",
        /// The context of the server that asks (deprecated).
        ThisServer = "thisServer",
        /// The context of every connected server (deprecated).
        AllServers = "allServers",
    }
}

/// Which model the server would prefer. Priorities run from 0 (does not matter) to 1 (decisive).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Names of models or model families, best first.
    #[serde(default, deserialize_with = "presence::list", skip_serializing_if = "Vec::is_empty")]
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
    /// A part of the model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// How a model may use the tools it is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolChoice {
    /// When the model may use a tool; absent means it decides itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

open_enum! {
    /// When a model may use the tools it is given.
    pub enum ToolChoiceMode {
        /// The model decides whether to use a tool; an absent mode means this.
        Auto = "auto",
        /// The model must use at least one tool.
        Required = "required",
        /// The model must not use any tool.
        None = "none",
    }
}

/// The answer to `sampling/createMessage`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who speaks; normally the model.
    pub role: Role,
    /// One piece of content, or (since 2025-11-25) several, such as calls of tools.
    pub content: OneOrMany<SamplingContent>,
    /// The name of the model that answered.
    pub model: String,
    /// Why the model stopped, such as `endTurn`, `maxTokens`, `stopSequence` or `toolUse`.
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
