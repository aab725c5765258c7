//! What comes back from a model while it answers: typed events, in order, ended by exactly one
//! [`ModelEvent::Finished`] or by one error.
//!
//! The dialects make them, services pass them on.

use serde::Serialize;
use std::time::Duration;

use crate::price::ModelCost;
use crate::request::ThinkingBlock;
use crate::tool::ToolUse;
use crate::usage::TokenUsage;

/// One thing that happened in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// A try has failed in a way that may pass, and nothing of an answer has come: the provider is asked
    /// again.
    Retrying {
        /// Why the try has failed.
        why: String,
        /// How long it takes until the next one.
        wait: Duration,
    },
    /// The provider has begun to answer.
    Started {
        /// The provider's own id of the answer; empty if it gives none.
        id: Box<str>,
        /// The model that answers, as the provider names it; empty if it does not.
        model: Box<str>,
    },
    /// The next piece of the text.
    Text(String),
    /// The next piece of what may be shown of the model's thinking.
    Thinking(String),
    /// A stretch of thinking is complete; its text has come in pieces before.
    ThinkingEnded(ThinkingBlock),
    /// The model asks for a call. One answer may have several.
    ToolUse(ToolUse),
    /// The tokens so far, as far as the provider has counted them.
    Usage(TokenUsage),
    /// The answer is complete, and nothing comes after this.
    Finished(ModelCompletion),
}

/// How an answer ended, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCompletion {
    /// Why the model wrote no more.
    pub stop: StopReason,
    /// The tokens of the whole request; absent if the provider has not counted them.
    pub usage: Option<TokenUsage>,
    /// What that costs; absent if the usage or a price is not known.
    pub cost: Option<ModelCost>,
}

/// Why a model wrote no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had said everything.
    End,
    /// It waits for the results of the calls it asked for.
    ToolUse,
    /// The answer, or the model's context, has no more room; a call that was cut off by it is left out.
    Length,
    /// It wrote one of the texts at which it was to stop.
    StopText,
    /// It, or a filter of the provider, would not answer.
    Refusal,
    /// A reason of the provider's own, in its words.
    Other(Box<str>),
}
