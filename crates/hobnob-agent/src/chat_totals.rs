//! The usage and the cost of all requests of one chat together.
//!
//! Turns, chats and sub-agents add to it. A chat that waits stores it, so its fields must stay.

use hobnob_llm::{ModelCompletion, ModelCost, TokenUsage};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Tokens and cost so far. A total is unknown as soon as one request did not count its share.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ChatTotals {
    /// All tokens; `None` if one request did not count its own.
    pub usage: Option<TokenUsage>,
    /// The cost in billionths of a dollar.
    nano_dollars: Option<u64>,
}

impl ChatTotals {
    /// The totals before the first request.
    pub fn new() -> Self {
        Self { usage: Some(TokenUsage::default()), nano_dollars: Some(0) }
    }

    /// Adds the usage and cost of one more request.
    pub fn add(&mut self, completion: &ModelCompletion) {
        self.usage = self.usage.zip(completion.usage).map(|(sum, usage)| sum.plus(usage));
        let cost = self.cost().zip(completion.cost).map(|(sum, cost)| sum.plus(cost));
        self.nano_dollars = cost.map(ModelCost::nano_dollars);
    }

    /// The cost of all requests; `None` if a price is unknown.
    pub fn cost(&self) -> Option<ModelCost> {
        self.nano_dollars.map(ModelCost::from_nano_dollars)
    }
}

/// The totals of a chat and of its sub-agents, which add to them concurrently. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct SharedTotals(Arc<Mutex<ChatTotals>>);

impl SharedTotals {
    /// Returns the totals so far.
    pub fn get(&self) -> ChatTotals {
        *self.0.lock()
    }

    /// Adds the usage and cost of one more request.
    pub fn add(&self, completion: &ModelCompletion) {
        self.0.lock().add(completion);
    }
}

impl Default for ChatTotals {
    fn default() -> Self {
        Self::new()
    }
}
