//! A request to a model: the conversation so far, the tools it may use, and how it should answer.
//!
//! Callers build a [`ModelRequest`]; the dialects encode it for a provider. Messages implement
//! `serde`, so another process can load a conversation and continue it.

use serde::{Deserialize, Serialize};

use crate::budget::TokenBudget;
use crate::tool::{ModelTool, ToolUse};

/// One question to a model. It stands alone: no provider stores the conversation for us.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The model's id, as its provider knows it.
    pub model: Box<str>,
    /// The system prompt, which applies to the whole conversation.
    pub system: Option<Box<str>>,
    /// The conversation, oldest first.
    pub messages: Vec<ModelMessage>,
    /// The tools that the model may call.
    pub tools: Vec<ModelTool>,
    /// Limits the answer in tokens, thinking included. If absent, the model's entry or the provider
    /// sets the limit.
    pub max_tokens: Option<u32>,
    /// The sampling temperature; several newer models accept none.
    pub temperature: Option<f32>,
    /// How much the model should think before it answers.
    pub thinking: ThinkingWish,
    /// Stop sequences: the answer ends where the model would write one of them.
    pub stop: Vec<Box<str>>,
    /// Which prefixes of the request later requests repeat, for the provider's prompt cache.
    pub cache: CacheHints,
    /// The token budget that this request shares with others.
    pub budget: Option<TokenBudget>,
}

impl ModelRequest {
    /// A request with this conversation and nothing else set.
    pub fn new(model: impl Into<Box<str>>, messages: Vec<ModelMessage>) -> Self {
        Self {
            model: model.into(),
            system: None,
            messages,
            tools: Vec::new(),
            max_tokens: None,
            temperature: None,
            thinking: ThinkingWish::Default,
            stop: Vec::new(),
            cache: CacheHints::default(),
            budget: None,
        }
    }
}

/// Which side of the conversation a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelRole {
    /// The person or program that asks. Results of tool calls come from this side too.
    User,
    /// The model, in an earlier answer.
    Assistant,
}

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// The side that the message comes from.
    pub role: ModelRole,
    /// The parts of the message, in order.
    pub blocks: Vec<ModelBlock>,
}

impl ModelMessage {
    /// A message from the user's side with one text.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: ModelRole::User, blocks: vec![ModelBlock::Text(text.into())] }
    }

    /// A message from the model with one text.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: ModelRole::Assistant, blocks: vec![ModelBlock::Text(text.into())] }
    }

    /// All texts of the message, joined as paragraphs so that a model does not merge two of them.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .blocks
            .iter()
            .filter_map(|block| match block {
                ModelBlock::Text(text) => Some(text.as_str()),
                ModelBlock::Image(_)
                | ModelBlock::ToolUse(_)
                | ModelBlock::ToolResult(_)
                | ModelBlock::Thinking(_) => None,
            })
            .collect();
        texts.join("\n\n")
    }
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelBlock {
    /// Plain text or Markdown.
    Text(String),
    /// A picture that the user sends.
    Image(ModelImage),
    /// A tool call that the model requested.
    ToolUse(ToolUse),
    /// The result of a tool call.
    ToolResult(ToolResultBlock),
    /// The model's thinking, which goes back to the model unchanged.
    Thinking(ThinkingBlock),
}

/// A picture whose bytes are part of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelImage {
    /// Such as `image/png`; providers take PNG, JPEG, GIF and WebP.
    pub media_type: Box<str>,
    /// The bytes in base64.
    pub data: Box<str>,
}

/// The result of a tool call that the model requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResultBlock {
    /// The id of the [`ToolUse`].
    pub id: Box<str>,
    /// The text of the result, for the model.
    pub text: String,
    /// Pictures that belong to the result.
    #[serde(default)]
    pub images: Vec<ModelImage>,
    /// Whether the call succeeded.
    pub outcome: ToolOutcome,
}

/// Whether a tool call succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolOutcome {
    /// The text is the result.
    Done,
    /// The text says why there is no result.
    Failed,
}

/// One block of thinking, as a model produced it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinkingBlock {
    /// The text that may be shown: often a summary, sometimes empty.
    pub text: String,
    /// The provider's signature of the block, or the block in encrypted form. Without it, only
    /// Ollama gets the text of the block again.
    pub signature: Option<Box<str>>,
    /// Whether the provider withheld the text, so that only `signature` is left of the block.
    #[serde(default)]
    pub hidden: bool,
    /// The model that produced the block. Other models refuse a signed block, and never get it.
    pub model: Box<str>,
}

/// How much a model should think before it answers. The model's entry says what it accepts
/// ([`ThinkingStyle`](crate::ThinkingStyle)); a dialect sends the nearest equivalent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThinkingWish {
    /// The model's own default.
    #[default]
    Default,
    /// Not at all, or as little as the model can.
    Off,
    /// With this level of effort.
    Effort(ThinkingEffort),
    /// With a budget of about this many tokens.
    Tokens(u32),
}

/// A level of thinking effort, with the names that all providers share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingEffort {
    /// Fast and cheap, for questions that need little thought.
    Low,
    /// Enough for most questions.
    Medium,
    /// Thorough, for hard questions.
    High,
}

impl ThinkingEffort {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The level that stands for a thinking budget in tokens.
    pub(crate) fn of_tokens(tokens: u32) -> Self {
        match tokens {
            0..4_096 => Self::Low,
            4_096..16_384 => Self::Medium,
            _ => Self::High,
        }
    }

    /// The thinking budget that stands for a level, in tokens.
    pub(crate) fn tokens(self) -> u32 {
        match self {
            Self::Low => 2_048,
            Self::Medium => 8_192,
            Self::High => 16_384,
        }
    }
}

/// Which prefixes of a request later requests repeat, so that the provider can cache them.
/// Providers that cache automatically ignore the points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheHints {
    /// Where the cached prefixes end. Providers accept four; of a longer list, the last four count.
    pub points: Vec<CachePoint>,
    /// How long the provider should keep the prefixes.
    pub lifetime: CacheLifetime,
    /// An id that requests with the same prefix share, such as a session's id. A provider with
    /// several caches uses it to route these requests to the same one.
    pub key: Option<Box<str>>,
}

/// The end of a cached prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CachePoint {
    /// After the last tool.
    Tools,
    /// After the system text.
    System,
    /// After the message with this index.
    Message(usize),
}

/// How long a provider should keep a cached prefix.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheLifetime {
    /// Five minutes, from the last use.
    #[default]
    Short,
    /// An hour, which costs more to write.
    Hour,
}
