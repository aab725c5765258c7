//! What tools looked like when they were first accepted: `tools` hands these values to `writer`.

use hobnob_config::{Pin, Pins, ServerKey};

/// What this process saw of one server and has not written to the disk yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DefinitionSighting {
    pub(crate) key: ServerKey,
    pub(crate) what: Seen,
    /// The definitions themselves, by name.
    pub(crate) definitions: Vec<(String, String)>,
}

/// What a sighting changes in the stored pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The server was never seen before: this is what its tools look like.
    First(Pins),
    /// These tools still match their pins of the first form, which are replaced by newer ones.
    Again(Vec<Moved>),
}

/// A pin that is replaced because its form changed, not the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) tool: String,
    pub(crate) from: Pin,
    pub(crate) to: Pin,
}

impl DefinitionSighting {
    /// Keeps only the definitions of the tools that the sighting is about.
    pub(super) fn new(key: ServerKey, what: Seen, tools: &[(&str, &str)]) -> Self {
        let concerns = |name: &str| match &what {
            Seen::First(_) => true,
            Seen::Again(moved) => moved.iter().any(|it| it.tool == name),
        };
        let tools = tools.iter().filter(|(name, _)| concerns(name));
        let definitions = tools.map(|(name, text)| (name.to_string(), text.to_string())).collect();
        Self { key, definitions, what }
    }
}
