//! What one kind of client sees of the catalogue: tools switched off, renamed, re-described, hidden.

use super::entry::Owner;
use std::collections::BTreeMap;

/// One profile's eye on the catalogue.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Changes to single tools, by their usual public name.
    pub tweaks: &'a BTreeMap<String, ToolTweak>,
    /// What the permission rules say about a tool.
    pub visibility: &'a dyn Fn(&ToolRef<'_>) -> Visibility,
}

impl View<'_> {
    /// Everything as it is.
    pub fn plain() -> Self {
        static NONE: BTreeMap<String, ToolTweak> = BTreeMap::new();
        Self { tweaks: &NONE, visibility: &|_| Visibility::Shown }
    }
}

/// A tool, as rules name it.
#[derive(Debug, Clone, Copy)]
pub struct ToolRef<'a> {
    /// Whose it is.
    pub owner: &'a Owner,
    /// What its owner calls it.
    pub original: &'a str,
    /// Its usual public name.
    pub public: &'a str,
}

/// Whether a tool may be seen at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Listed.
    Shown,
    /// A rule denies it: neither listed nor found.
    Hidden,
}

/// Whether a profile has a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// It has.
    #[default]
    On,
    /// It has not.
    Off,
}

/// A profile's changes to one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolTweak {
    /// On or off.
    pub switch: Switch,
    /// Another public name: 1 to 64 of `[A-Za-z0-9_.-]`.
    pub rename: Option<String>,
    /// Another description.
    pub description: Option<String>,
}
