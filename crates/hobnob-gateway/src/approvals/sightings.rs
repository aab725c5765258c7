//! What tools looked like when they were first accepted: the values that `tools` hands to `writer`.

use hobnob_config::{Pin, Pins, ServerKey};

/// What was seen of one server and is not on the disk yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DefinitionSighting {
    pub(crate) key: ServerKey,
    pub(crate) what: Seen,
    /// The definitions themselves, by name.
    pub(crate) definitions: Vec<(String, String)>,
}

/// What a sighting means for the pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The server was never seen before: this is what its tools look like.
    First(Pins),
    /// These tools are what their pins of the first form stand for.
    Again(Vec<Moved>),
}

/// A pin in another form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moved {
    pub(crate) tool: String,
    pub(crate) from: Pin,
    pub(crate) to: Pin,
}

impl DefinitionSighting {
    /// With the definitions of those tools that it concerns.
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
