//! The table `[registry]` of `config.toml`: the registry to use if the system has none.
//!
//! The binary reads it when it opens the service `registry`.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, de};

/// `[registry]`: read when Hobnob starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RegistrySettings {
    /// The Wine prefix whose registry is used; without it only Windows has one.
    #[serde(deserialize_with = "absolute")]
    pub wine_prefix: Option<PathBuf>,
}

fn absolute<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    let path = PathBuf::deserialize(deserializer)?;
    match path.is_absolute() {
        true => Ok(Some(path)),
        false => Err(de::Error::custom("not an absolute path: begin with `/`")),
    }
}
