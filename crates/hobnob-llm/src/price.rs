//! Prices of tokens, and the cost of a request.
//!
//! What must stay true: a cost is exact or absent. Amounts are integers (billionths of a dollar),
//! and if one of the needed prices is unknown, there is no cost at all.

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

/// In dollars, with as many decimals as needed: `0.0042`.
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

/// As text, because a floating-point number would not be exact.
impl Serialize for ModelCost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The prices of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelPrices {
    /// The prices of most requests.
    pub usual: TokenPrices,
    /// The prices of a whole request whose prompt has more tokens than this number.
    pub long: Option<(u64, TokenPrices)>,
}

impl ModelPrices {
    /// The cost of a usage; `None` if a price that it needs is unknown.
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

/// The price of each kind of token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPrices {
    pub(crate) input: TokenPrice,
    pub(crate) output: TokenPrice,
    pub(crate) cache_read: Option<TokenPrice>,
    pub(crate) cache_write: Option<TokenPrice>,
    pub(crate) cache_write_hour: Option<TokenPrice>,
}

/// The price of one token, in billionths of a dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenPrice(u64);

/// The highest accepted price, far above that of any model, in dollars per million tokens.
const MAX_DOLLARS_PER_MILLION: f64 = 1_000_000.0;

impl TokenPrice {
    /// Converts dollars per million tokens, as in price lists; rounds to a thousandth of a dollar.
    pub(crate) fn of_million(dollars: f64) -> Option<Self> {
        let fits = (0.0..=MAX_DOLLARS_PER_MILLION).contains(&dollars);
        // The bounds keep the result at or below 10^9, so the cast cannot overflow.
        fits.then(|| Self((dollars * 1_000.0).round() as u64))
    }
}
