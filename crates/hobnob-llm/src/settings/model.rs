//! The entry of a model: its limits, abilities and prices, as the settings and Hobnob's own data file
//! (`facts`) write them, and their validation. No I/O.

use serde::Deserialize;

use super::problem::Problems;
use crate::model::{ModelCapability, ModelInfo, ThinkingStyle};
use crate::price::{ModelPrices, TokenPrice, TokenPrices};

/// One model of a provider. A field that is left out is unknown.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelSettings {
    /// The context window: the most tokens of a request and its answer together.
    pub context: Option<u64>,
    /// The longest answer, in tokens.
    pub max_output: Option<u32>,
    /// How a request controls the model's thinking.
    pub thinking: Option<ThinkingStyle>,
    /// What it can do besides text.
    pub capabilities: Vec<ModelCapability>,
    /// What the model's tokens cost.
    pub price: Option<PriceSettings>,
    /// What the tokens cost in requests with a long prompt.
    pub long: Option<LongPromptSettings>,
}

/// Prices, in US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceSettings {
    /// Prompt tokens outside the cache.
    pub input: f64,
    /// Tokens that the model writes.
    pub output: f64,
    /// Prompt tokens read from the cache.
    pub cache_read: Option<f64>,
    /// Prompt tokens that are cached for a short time.
    pub cache_write: Option<f64>,
    /// Prompt tokens that are cached for an hour.
    pub cache_write_hour: Option<f64>,
}

/// Other prices for requests with a long prompt.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPromptSettings {
    /// The prices apply to prompts with more tokens than this.
    pub above: u64,
    /// The prices of the whole request.
    pub price: PriceSettings,
}

impl ModelSettings {
    pub(super) fn check(&self, id: &str, problems: &mut Problems<'_>) -> ModelInfo {
        if id.trim().is_empty() || id.contains(char::is_control) {
            problems.report("models", "a model has no name");
        }
        for (below, zero) in
            [("context", self.context == Some(0)), ("max_output", self.max_output == Some(0))]
        {
            if zero {
                let place = format!("models.{id}.{below}");
                problems.report(&place, "use a number above 0, or leave it out");
            }
        }
        ModelInfo {
            id: id.into(),
            context: self.context,
            max_output: self.max_output,
            thinking: self.thinking,
            capabilities: self.capabilities.clone(),
            prices: self.prices(id, problems),
        }
    }

    fn prices(&self, id: &str, problems: &mut Problems<'_>) -> Option<ModelPrices> {
        let place = format!("models.{id}.price");
        let usual = self.price.as_ref().map(|price| price.check(&place, problems));
        let place = format!("models.{id}.long");
        let long = self.long.as_ref().map(|long| (long.above, long.price.check(&place, problems)));
        if usual.is_none() && long.is_some() {
            problems.report(&place, "set `price` too");
        }
        let long = match long {
            Some((above, prices)) => Some((above, prices?)),
            None => None,
        };
        Some(ModelPrices { usual: usual??, long })
    }
}

impl PriceSettings {
    fn check(&self, place: &str, problems: &mut Problems<'_>) -> Option<TokenPrices> {
        let mut price = |name: &str, dollars: f64| {
            let price = TokenPrice::of_million(dollars);
            if price.is_none() {
                let what = "use dollars for a million tokens, from 0 to 1000000";
                problems.report(&format!("{place}.{name}"), what);
            }
            price
        };
        let (input, output) = (price("input", self.input), price("output", self.output));
        let mut cached = |name, dollars: Option<f64>| dollars.and_then(|it| price(name, it));
        let cache_read = cached("cache_read", self.cache_read);
        let cache_write = cached("cache_write", self.cache_write);
        let cache_write_hour = cached("cache_write_hour", self.cache_write_hour);
        let (input, output) = (input?, output?);
        Some(TokenPrices { input, output, cache_read, cache_write, cache_write_hour })
    }
}
