//! What tools looked like when they were first accepted and that is not on the disk yet.
//!
//! `remember` writes it down; `Config` holds it, so that one lock covers both.

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

/// What is on its way, and what stands in it.
#[derive(Debug, Default)]
pub(crate) struct Remembering {
    pub(super) waiting: Vec<DefinitionSighting>,
    /// A task is writing already, so that a second one need not begin.
    pub(super) writing: bool,
    /// Why the last attempt failed.
    pub(super) error: Option<String>,
}

impl Remembering {
    /// For `status`: what a person should know.
    pub(crate) fn problem(&self) -> Option<String> {
        let error = self.error.as_ref()?;
        Some(format!(
            "what tools look like cannot be remembered, so a tool that changes before the next \
             start of Hobnob will pass unseen; it is tried again: {error}"
        ))
    }
}
