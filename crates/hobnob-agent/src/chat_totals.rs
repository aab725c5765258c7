//! What all requests of one chat took together.
//!
//! Turns, chats and sub-agents add to it; it is stored with a chat that waits, so fields stay.

use hobnob_llm::{ModelCompletion, ModelCost, TokenUsage};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};

/// Tokens and cost so far. What one request did not count is not known of all of them.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct ChatTotals {
    /// All tokens, unless one request did not count its own.
    pub usage: Option<TokenUsage>,
    /// In billionths of a dollar.
    nano_dollars: Option<u64>,
}

impl ChatTotals {
    /// Nothing was asked yet.
    pub fn new() -> Self {
        Self { usage: Some(TokenUsage::default()), nano_dollars: Some(0) }
    }

    /// Adds what one more request took.
    pub fn add(&mut self, completion: &ModelCompletion) {
        self.usage = self.usage.zip(completion.usage).map(|(sum, usage)| sum.plus(usage));
        let cost = self.cost().zip(completion.cost).map(|(sum, cost)| sum.plus(cost));
        self.nano_dollars = cost.map(ModelCost::nano_dollars);
    }

    /// What all of it costs, unless a price is not known.
    pub fn cost(&self) -> Option<ModelCost> {
        self.nano_dollars.map(ModelCost::from_nano_dollars)
    }
}

/// The totals of a chat and of all its sub-agents, which count together while they run. Clones are
/// the same totals.
#[derive(Debug, Clone, Default)]
pub struct SharedTotals(Arc<Mutex<ChatTotals>>);

impl SharedTotals {
    /// What all of them took so far.
    pub fn get(&self) -> ChatTotals {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds what one more request took.
    pub fn add(&self, completion: &ModelCompletion) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(completion);
    }
}

impl Default for ChatTotals {
    fn default() -> Self {
        Self::new()
    }
}
