//! The table `[logs]` of `config.toml`: what callers see of logs.
//!
//! The binary reads it when it opens the service `logs`. No tool has an argument for it: only the
//! person who writes the file decides.

use serde::Deserialize;

/// `[logs]`: read when Hobnob starts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogSettings {
    /// Whether users, hosts, addresses and home folders are replaced by tokens.
    pub anonymise: bool,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { anonymise: true }
    }
}
