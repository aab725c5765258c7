//! The entry of a model: its limits, its capabilities, its style of thinking, and its prices.
//!
//! Entries come from the settings and from the data file; the dialects and the lists of models read
//! them. Every field may be unknown, because a model can be used without an entry.

use serde::{Deserialize, Serialize};

use crate::price::ModelPrices;

/// One model of one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelInfo {
    /// The id that the provider uses for the model.
    pub id: Box<str>,
    /// The context window: the most tokens of a request and its answer together.
    pub context: Option<u64>,
    /// The longest answer, in tokens.
    pub max_output: Option<u32>,
    /// How a request controls the model's thinking.
    pub thinking: Option<ThinkingStyle>,
    /// What it can do besides text.
    pub capabilities: Vec<ModelCapability>,
    /// What its tokens cost; without prices its answers have no cost.
    pub prices: Option<ModelPrices>,
}

/// A feature that only some models have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelCapability {
    /// The model can request tool calls.
    Tools,
    /// The model accepts pictures as input.
    Images,
    /// The provider caches prefixes of requests.
    Caching,
}

/// How a request controls what a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingStyle {
    /// The model does not think.
    None,
    /// The request sets a budget in tokens; without one, the model does not think.
    Budget,
    /// The model decides by itself, guided by an effort level; the request can turn thinking off.
    Adaptive,
    /// Like `Adaptive`, but thinking cannot be turned off.
    Always,
    /// The request sets an effort level; `none` is one of the levels.
    Effort,
}

impl ThinkingStyle {
    /// Whether the model thinks at all.
    pub(crate) fn thinks(self) -> bool {
        match self {
            Self::None => false,
            Self::Budget | Self::Adaptive | Self::Always | Self::Effort => true,
        }
    }
}
