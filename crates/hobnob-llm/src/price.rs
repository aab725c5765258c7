//! What a request costs: prices of a million tokens, and the cost of a usage.
//!
//! What must stay true: a cost is exact or absent. Amounts are integers (billionths of a dollar), and
//! where one price that is needed is not known there is no cost at all.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::usage::TokenUsage;

#[cfg(test)]
mod tests;

/// An amount in billionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModelCost(u64);

impl ModelCost {
    /// An amount that was stored as billionths of a dollar.
    pub fn from_nano_dollars(amount: u64) -> Self {
        Self(amount)
    }

    /// The amount in billionths of a dollar.
    pub fn nano_dollars(self) -> u64 {
        self.0
    }

    /// The sum of two amounts.
    pub fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// In dollars, with as many decimals as there are: `0.0042`.
impl fmt::Display for ModelCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dollars, rest) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000);
        let decimals = format!("{rest:09}");
        match decimals.trim_end_matches('0') {
            "" => write!(f, "{dollars}"),
            decimals => write!(f, "{dollars}.{decimals}"),
        }
    }
}

/// As text, because no floating point number is exact.
impl Serialize for ModelCost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The prices of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelPrices {
    /// What holds for most requests.
    pub usual: TokenPrices,
    /// What holds for a whole request whose prompt has more tokens than the number.
    pub long: Option<(u64, TokenPrices)>,
}

impl ModelPrices {
    /// What a usage costs, unless a price that it needs is missing.
    pub fn cost(&self, usage: &TokenUsage) -> Option<ModelCost> {
        let prices = match &self.long {
            Some((limit, prices)) if *limit < usage.prompt() => prices,
            _ => &self.usual,
        };
        let parts = [
            (usage.input, Some(prices.input)),
            (usage.output, Some(prices.output)),
            (usage.cache_read, prices.cache_read),
            (usage.cache_write, prices.cache_write),
            (usage.cache_write_hour, prices.cache_write_hour),
        ];
        let mut sum = 0_u64;
        for (tokens, price) in parts.into_iter().filter(|(tokens, _)| *tokens != 0) {
            sum = sum.saturating_add(tokens.saturating_mul(price?.0));
        }
        Some(ModelCost(sum))
    }
}

/// What each kind of token costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPrices {
    pub(crate) input: TokenPrice,
    pub(crate) output: TokenPrice,
    pub(crate) cache_read: Option<TokenPrice>,
    pub(crate) cache_write: Option<TokenPrice>,
    pub(crate) cache_write_hour: Option<TokenPrice>,
}

/// What one token costs, in billionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenPrice(u64);

/// More than any model costs, in dollars for a million tokens.
const HIGHEST: f64 = 1_000_000.0;

impl TokenPrice {
    /// From dollars for a million tokens, as price lists have it. Smaller steps than a thousandth of
    /// a dollar are not kept.
    pub(crate) fn of_million(dollars: f64) -> Option<Self> {
        let fits = (0.0..=HIGHEST).contains(&dollars);
        // The bounds make it fit: at most 10^9.
        fits.then(|| Self((dollars * 1_000.0).round() as u64))
    }
}
