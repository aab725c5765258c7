//! The tables `[models]` and `[providers.NAME]` of `config.toml`: models and their providers.
//!
//! The crate that calls models parses a provider's table; here it stays as it was written. The
//! binary reads both when it starts.

use serde::{Deserialize, Deserializer, de};

/// `[models]`: the default model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ModelChoice {
    /// `provider/model`, or the id of a model that one provider is known to have.
    pub default: Option<String>,
}

/// One table `[providers.NAME]`, as TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderTable(String);

impl ProviderTable {
    /// The table's own keys and tables.
    pub fn as_toml(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for ProviderTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = toml::Table::deserialize(deserializer)?;
        toml::to_string(&table).map(Self).map_err(de::Error::custom)
    }
}
