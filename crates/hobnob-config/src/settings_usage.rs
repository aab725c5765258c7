//! The table `[usage]` of `config.toml`: whether Hobnob counts calls in its store, and for how long.
//!
//! The hub reads it when it starts. What is counted has no arguments and no results.

use std::num::NonZeroU16;

use serde::Deserialize;

/// `[usage]`: read when Hobnob starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UsageSettings {
    /// Whether calls are counted.
    pub enabled: bool,
    /// How many days before today are kept.
    pub keep_days: NonZeroU16,
}

impl Default for UsageSettings {
    fn default() -> Self {
        Self { enabled: true, keep_days: NonZeroU16::MIN.saturating_add(399) }
    }
}
