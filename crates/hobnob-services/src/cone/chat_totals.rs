//! What all requests of one chat took together.

use hobnob_llm::{ModelCompletion, ModelCost, TokenUsage};
use serde::{Deserialize, Serialize};

/// Tokens and cost so far. What one request did not count is not known of all of them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct ChatTotals {
    pub(super) usage: Option<TokenUsage>,
    /// In billionths of a dollar.
    nano_dollars: Option<u64>,
}

impl ChatTotals {
    pub(super) fn new() -> Self {
        Self { usage: Some(TokenUsage::default()), nano_dollars: Some(0) }
    }

    pub(super) fn add(&mut self, completion: &ModelCompletion) {
        self.usage = self.usage.zip(completion.usage).map(|(sum, usage)| sum.plus(usage));
        let cost = self.cost().zip(completion.cost).map(|(sum, cost)| sum.plus(cost));
        self.nano_dollars = cost.map(ModelCost::nano_dollars);
    }

    pub(super) fn cost(&self) -> Option<ModelCost> {
        self.nano_dollars.map(ModelCost::from_nano_dollars)
    }
}
