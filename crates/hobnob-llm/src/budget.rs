//! Token budgets that several requests share.
//!
//! The caller gives its requests a shared [`TokenBudget`]; the exchange reserves tokens before it
//! sends a request, and records the usage. What must stay true: concurrent requests cannot spend an
//! output token twice; only input of requests under way can take a budget beyond its limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::ProviderError;

#[cfg(test)]
mod tests;

/// A number of tokens that requests use up. Clones share it.
#[derive(Debug, Clone)]
pub struct TokenBudget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limit: u64,
    /// Used and reserved together.
    taken: AtomicU64,
}

impl TokenBudget {
    /// A budget of this many tokens, input and output together.
    pub fn new(limit: u64) -> Self {
        Self(Arc::new(Shared { limit, taken: AtomicU64::new(0) }))
    }

    /// The tokens that were used, plus those reserved for answers under way.
    pub fn taken(&self) -> u64 {
        self.0.taken.load(Ordering::Acquire)
    }

    /// How many tokens the budget has in all.
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// Reserves `wanted` tokens for an answer, or all that are left if those are fewer.
    pub fn reserve(&self, wanted: u32) -> Result<BudgetShare, ProviderError> {
        let limit = self.0.limit;
        let share = |taken: u64| u64::from(wanted).min(limit.saturating_sub(taken));
        let add = |taken: u64| Some(taken + share(taken)).filter(|_| taken < limit);
        match self.0.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, add) {
            Ok(before) => {
                Ok(BudgetShare { budget: self.clone(), reserved: share(before), used: 0 })
            }
            Err(used) => Err(ProviderError::BudgetSpent { used, limit }),
        }
    }
}

/// The tokens that one request has reserved. On drop, it releases those that were not used.
#[derive(Debug)]
pub struct BudgetShare {
    budget: TokenBudget,
    reserved: u64,
    used: u64,
}

impl BudgetShare {
    /// How many tokens the answer may have.
    pub fn output_limit(&self) -> u32 {
        u32::try_from(self.reserved).unwrap_or(u32::MAX)
    }

    /// Records how many tokens the request has used so far, input and output together.
    pub fn record(&mut self, used: u64) {
        self.used = used;
    }
}

impl Drop for BudgetShare {
    fn drop(&mut self) {
        let settle =
            |taken: u64| Some(taken.saturating_sub(self.reserved).saturating_add(self.used));
        // The closure always has a value, so this cannot fail.
        let _before = self.budget.0.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, settle);
    }
}
