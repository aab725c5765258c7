//! The typed events of a model's answer. They arrive in order, and exactly one
//! [`ModelEvent::Finished`] or one error ends them.
//!
//! The dialects produce them, services pass them on.

use serde::Serialize;
use std::time::Duration;

use crate::price::ModelCost;
use crate::request::ThinkingBlock;
use crate::tool::ToolUse;
use crate::usage::TokenUsage;

/// One event of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// A transient error occurred before any part of the answer arrived; a retry follows.
    Retrying {
        /// Why the attempt failed.
        why: String,
        /// The delay before the next attempt.
        wait: Duration,
    },
    /// The provider has begun to answer.
    Started {
        /// The provider's own id of the answer; empty if it gives none.
        id: Box<str>,
        /// The model that answers, as the provider names it; empty if the provider names none.
        model: Box<str>,
    },
    /// The next piece of the text.
    Text(String),
    /// The next piece of the model's thinking, as far as it may be shown.
    Thinking(String),
    /// A block of thinking is complete; its text has arrived in pieces before.
    ThinkingEnded(ThinkingBlock),
    /// The model requests a tool call. One answer may contain several.
    ToolUse(ToolUse),
    /// The tokens used so far, as counted by the provider.
    Usage(TokenUsage),
    /// The answer is complete; no event follows.
    Finished(ModelCompletion),
}

/// How an answer ended, and what it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCompletion {
    /// Why the model stopped writing.
    pub stop: StopReason,
    /// The tokens of the whole request; absent if the provider has not counted them.
    pub usage: Option<TokenUsage>,
    /// The cost of these tokens; absent if the usage or a price is unknown.
    pub cost: Option<ModelCost>,
}

/// Why a model stopped writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model finished its answer.
    End,
    /// The model waits for the results of the tool calls it requested.
    ToolUse,
    /// The answer or the model's context is full. A tool call that this cut off is dropped.
    Length,
    /// The model reached a stop sequence.
    StopText,
    /// The model, or a filter of the provider, refused to answer.
    Refusal,
    /// Another reason, in the provider's words.
    Other(Box<str>),
}
