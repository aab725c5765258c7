//! What a model is asked: the conversation so far, the tools it may use, and how it should answer.
//!
//! Callers build a [`ModelRequest`]; the dialects write it in the form of a provider. Messages can be
//! stored and read back (`serde`), so that a conversation goes on in another process.

use serde::{Deserialize, Serialize};

use crate::budget::TokenBudget;
use crate::tool::{ModelTool, ToolUse};

/// One question to a model. It stands alone: no provider stores the conversation for us.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// The model's id, as its provider knows it.
    pub model: Box<str>,
    /// What holds for the whole conversation.
    pub system: Option<Box<str>>,
    /// The conversation, oldest first.
    pub messages: Vec<ModelMessage>,
    /// What the model may ask to be called.
    pub tools: Vec<ModelTool>,
    /// Bounds the answer, thinking included; if absent, what the provider or the model's entry says.
    pub max_tokens: Option<u32>,
    /// How random the answer is; several newer models take none.
    pub temperature: Option<f32>,
    /// How much the model should think before it answers.
    pub thinking: ThinkingWish,
    /// Texts at which the answer ends.
    pub stop: Vec<Box<str>>,
    /// What of the request comes again in the next one.
    pub cache: CacheHints,
    /// What this request and others may use together.
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

/// Whose turn a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelRole {
    /// The person or program that asks; also who brings results of tools.
    User,
    /// The model, in an earlier answer.
    Assistant,
}

/// One turn of the conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelMessage {
    /// Whose turn it was.
    pub role: ModelRole,
    /// What was said, in order.
    pub blocks: Vec<ModelBlock>,
}

impl ModelMessage {
    /// A text of whoever asks.
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: ModelRole::User, blocks: vec![ModelBlock::Text(text.into())] }
    }

    /// A text of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: ModelRole::Assistant, blocks: vec![ModelBlock::Text(text.into())] }
    }

    /// All its texts, as paragraphs: a model must not take two of them for one.
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
    /// A picture, from whoever asks.
    Image(ModelImage),
    /// A call that the model asked for.
    ToolUse(ToolUse),
    /// What such a call gave.
    ToolResult(ToolResultBlock),
    /// What the model thought, which goes back to it as it came.
    Thinking(ThinkingBlock),
}

/// A picture in the message itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelImage {
    /// Such as `image/png`; providers take PNG, JPEG, GIF and WebP.
    pub media_type: Box<str>,
    /// The bytes in base64.
    pub data: Box<str>,
}

/// What a call that the model asked for gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResultBlock {
    /// The id of the [`ToolUse`].
    pub id: Box<str>,
    /// What the model is told.
    pub text: String,
    /// Pictures among the result.
    #[serde(default)]
    pub images: Vec<ModelImage>,
    /// Whether the call did what it should.
    pub outcome: ToolOutcome,
}

/// Whether a call did what it should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolOutcome {
    /// The text is the result.
    Done,
    /// The text says why there is no result.
    Failed,
}

/// A stretch of thinking, as a model gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThinkingBlock {
    /// What may be shown of it: often a summary, sometimes nothing.
    pub text: String,
    /// What proves to the provider that the block is its own, or holds it encrypted. Without it the
    /// block is not sent again.
    pub signature: Option<Box<str>>,
    /// Set if the provider has hidden the text and `signature` is all there is of it.
    #[serde(default)]
    pub hidden: bool,
    /// The model that was asked. Only that one gets the block back: others refuse it.
    pub model: Box<str>,
}

/// How much a model should think before it answers. What it takes is in its entry
/// ([`ThinkingStyle`](crate::ThinkingStyle)); a wish is sent in the nearest form that it knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ThinkingWish {
    /// As the model does by itself.
    #[default]
    Default,
    /// Not at all, or as little as the model can.
    Off,
    /// As hard as this.
    Effort(ThinkingEffort),
    /// About this many tokens.
    Tokens(u32),
}

/// A level of thinking, by the words that providers share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingEffort {
    /// Fast and cheap: for what needs little thought.
    Low,
    /// As most questions need it.
    Medium,
    /// Thorough: for what is hard.
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

    /// The level that is nearest to a number of tokens.
    pub(crate) fn of_tokens(tokens: u32) -> Self {
        match tokens {
            0..4_096 => Self::Low,
            4_096..16_384 => Self::Medium,
            _ => Self::High,
        }
    }

    /// The number of tokens that stands for a level.
    pub(crate) fn tokens(self) -> u32 {
        match self {
            Self::Low => 2_048,
            Self::Medium => 8_192,
            Self::High => 16_384,
        }
    }
}

/// Which beginnings of the request come again, so that the provider may store them. Providers that
/// cache by themselves ignore the points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheHints {
    /// Where a beginning ends. Providers take four; of more, the last four count.
    pub points: Vec<CachePoint>,
    /// How long it should be stored.
    pub lifetime: CacheLifetime,
    /// What requests with the same beginning have in common, such as a session's id; it leads them
    /// to the same cache where the provider has several.
    pub key: Option<Box<str>>,
}

/// An end of what comes again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CachePoint {
    /// After the last tool.
    Tools,
    /// After the system text.
    System,
    /// After the message at this place in the list.
    Message(usize),
}

/// How long a provider should store a beginning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheLifetime {
    /// Five minutes, from the last use.
    #[default]
    Short,
    /// An hour, which costs more to write.
    Hour,
}
