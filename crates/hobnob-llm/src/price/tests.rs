//! Costs of usages, and which prices are accepted, as tables of cases.

use super::{ModelCost, ModelPrices, TokenPrice, TokenPrices};
use crate::usage::TokenUsage;

fn prices(input: f64, output: f64, cache_read: Option<f64>) -> TokenPrices {
    let price = |dollars| TokenPrice::of_million(dollars).unwrap();
    TokenPrices {
        input: price(input),
        output: price(output),
        cache_read: cache_read.map(price),
        cache_write: Some(price(input * 1.25)),
        cache_write_hour: None,
    }
}

#[test]
fn a_cost_is_exact_or_absent() {
    let long = (100_000, prices(0.5, 2.5, Some(0.05)));
    let table = ModelPrices { usual: prices(0.1, 0.5, Some(0.01)), long: Some(long) };
    let usage = |input, output, cache_read, cache_write, cache_write_hour| TokenUsage {
        input,
        output,
        cache_read,
        cache_write,
        cache_write_hour,
        thinking: None,
    };
    for (usage, expected) in [
        (usage(0, 0, 0, 0, 0), Some("0")),
        (usage(1, 0, 0, 0, 0), Some("0.0000001")),
        (usage(1_000_000, 0, 0, 0, 0), Some("0.5")),
        (usage(100_000, 0, 0, 0, 0), Some("0.01")),
        (usage(99_999, 0, 1, 0, 0), Some("0.00999991")),
        (usage(99_999, 0, 2, 0, 0), Some("0.0499996")),
        (usage(0, 1_000, 0, 8, 0), Some("0.000501")),
        (usage(0, 0, 0, 0, 1), None),
    ] {
        let cost = table.cost(&usage).map(|cost| cost.to_string());
        assert_eq!(cost.as_deref(), expected, "{usage:?}");
    }
    let unpriced = ModelPrices { usual: prices(1.0, 1.0, None), long: None };
    assert_eq!(unpriced.cost(&usage(1, 1, 1, 0, 0)), None);
    assert_eq!(unpriced.cost(&usage(1, 1, 0, 0, 0)), Some(ModelCost(2_000)));
}

#[test]
fn prices_have_bounds() {
    for (dollars, taken) in
        [(0.0, true), (0.001, true), (1e6, true), (1e7, false), (-1.0, false), (f64::NAN, false)]
    {
        assert_eq!(TokenPrice::of_million(dollars).is_some(), taken, "{dollars}");
    }
}
