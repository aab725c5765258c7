//! How Hobnob itself looks in a profile: its name, its failures, its memory.

use serde::{Deserialize, Deserializer, de};

/// The most characters of a name, a version or a prefix.
const LONGEST: usize = 128;

/// `[server]`: who we say we are, and what we promise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerFace {
    /// Our name; the product's if not given.
    #[serde(deserialize_with = "short")]
    pub name: Option<String>,
    /// Our version; the product's if not given.
    #[serde(deserialize_with = "short")]
    pub version: Option<String>,
    /// Words for a model, in place of the usual ones.
    pub instructions: Option<String>,
    /// Whether clients are promised, and told, that lists and resources change.
    pub announce_changes: bool,
    /// Whether what is not promised is written out too: `listChanged: false` instead of nothing.
    pub explicit_capabilities: bool,
    /// Whether log messages are sent.
    pub logging: bool,
}

impl Default for ServerFace {
    fn default() -> Self {
        Self {
            name: None,
            version: None,
            instructions: None,
            announce_changes: true,
            explicit_capabilities: false,
            logging: true,
        }
    }
}

/// `[errors]`: how failures of services look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorFace {
    /// Failures that are errors of the protocol, with their codes.
    pub codes: ErrorCodes,
    /// What the text of a failed call begins with.
    #[serde(deserialize_with = "short")]
    pub prefix: Option<String>,
    /// Whether a result that is no failure says so too.
    pub explicit_success: bool,
}

/// A code for each kind of failure; a kind without one is a result that says it failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ErrorCodes {
    /// There is nothing of that name.
    pub not_found: Option<i32>,
    /// The content may not be kept.
    pub blocked: Option<i32>,
    /// No model could be asked, or it failed.
    pub model: Option<i32>,
    /// There is no prompt of that name.
    pub prompt_not_found: Option<i32>,
    /// What was given does not fit.
    pub invalid: Option<i32>,
    /// The store failed.
    pub storage: Option<i32>,
    /// The remote side of a synchronisation failed.
    pub sync: Option<i32>,
}

/// `[memory]`: what this kind of client may do with memory.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemoryFace {
    /// The only namespaces there are; any if not given.
    pub namespaces: Option<Vec<String>>,
    /// Whether a client that has roots is asked for them, to know its project.
    pub ask_roots: bool,
}

impl Default for MemoryFace {
    fn default() -> Self {
        Self { namespaces: None, ask_roots: true }
    }
}

/// Something short that is shown on one line.
pub(super) fn short<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.is_empty() || LONGEST < text.chars().count() || text.chars().any(char::is_control) {
        return Err(de::Error::custom(format!(
            "too short, too long or not one line: use 1 to {LONGEST} characters"
        )));
    }
    Ok(Some(text))
}
