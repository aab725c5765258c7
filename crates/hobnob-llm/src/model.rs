//! What is known of a model: its sizes, what it can do, how it is told to think, what it costs.
//!
//! Settings and the data file become it; the dialects and lists of models read it. Everything may be
//! unknown: a model can be used without an entry.

use serde::{Deserialize, Serialize};

use crate::price::ModelPrices;

/// One model of one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelInfo {
    /// The id that its provider knows it by.
    pub id: Box<str>,
    /// The most tokens that a request and its answer may have together.
    pub context: Option<u64>,
    /// The longest answer, in tokens.
    pub max_output: Option<u32>,
    /// How it is told to think.
    pub thinking: Option<ThinkingStyle>,
    /// What it can do besides text.
    pub capabilities: Vec<ModelCapability>,
    /// What its tokens cost; without prices its answers have no cost.
    pub prices: Option<ModelPrices>,
}

/// Something that not every model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelCapability {
    /// It asks for calls of tools.
    Tools,
    /// It takes pictures as input.
    Images,
    /// Its provider stores beginnings of requests.
    Caching,
}

/// How a model is told to think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingStyle {
    /// It does not think.
    None,
    /// By a number of tokens; without one it does not.
    Budget,
    /// It decides by itself, led by an effort, and can be told not to.
    Adaptive,
    /// As `Adaptive`, and it cannot be told not to.
    Always,
    /// By an effort, of which `none` is one.
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
