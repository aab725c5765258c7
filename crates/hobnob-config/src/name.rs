//! The name of a server: its key in `.mcp.json`.
//!
//! Everything that stores or routes by server uses [`ServerName`]. It contains no `/`, which
//! separates it from other parts of keys and addresses.

use std::borrow::Borrow;
use std::fmt;

use hobnob_text::escaped_start;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// 1 to 64 characters, none of them a control character or `/`, and no hyphen first: a command that
/// names the server would take it for an option.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(Box<str>);

/// The text cannot name a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{shown}` cannot name a server: use 1 to 64 characters without `/` or control characters, and no hyphen first"
)]
pub struct BadServerName {
    shown: String,
}

impl ServerName {
    /// Accepts a name exactly as written, without trimming it.
    pub fn parse(raw: &str) -> Result<Self, BadServerName> {
        let legal = |it: char| !it.is_control() && it != '/';
        if raw.is_empty()
            || raw.starts_with('-')
            || 64 < raw.chars().count()
            || !raw.chars().all(legal)
        {
            // A refused text may be long and may contain control characters of a terminal.
            let shown = escaped_start(raw, 80);
            return Err(BadServerName { shown });
        }
        Ok(Self(raw.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for ServerName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl Borrow<str> for ServerName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Serialize for ServerName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ServerName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}
