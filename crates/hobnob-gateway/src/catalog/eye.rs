//! What one kind of client sees of the catalogue: entries switched off, renamed, re-described,
//! narrowed, hidden.

use super::entry::{Kind, Owner};
use std::sync::Arc;

/// One profile's eye on the catalogue.
#[derive(Clone, Copy)]
pub struct Eye<'a> {
    /// Changes to single entries, by their usual public name, address or pattern.
    pub tweak: &'a dyn Fn(Kind, &str) -> Tweak,
    /// What the permission rules say about a tool.
    pub visibility: &'a dyn Fn(&ToolRef<'_>) -> Visibility,
    /// Whether the rules deny everything of a server, so that its resources and prompts are
    /// hidden too.
    pub is_denied: &'a dyn Fn(&str) -> bool,
}

impl Eye<'_> {
    /// Everything as it is.
    pub fn plain() -> Self {
        Self {
            tweak: &|_, _| Tweak::default(),
            visibility: &|_| Visibility::Shown,
            is_denied: &|_| false,
        }
    }
}

/// A tool, as rules name it.
#[derive(Debug, Clone, Copy)]
pub struct ToolRef<'a> {
    /// Whose it is.
    pub owner: &'a Owner,
    /// What its owner calls it.
    pub original: &'a str,
    /// A public name of it: the usual one, or the one it has here.
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

/// Whether a profile has an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Switch {
    /// It has.
    #[default]
    On,
    /// It has not.
    Off,
}

/// The only arguments that something takes.
pub type Arguments = Arc<[Box<str>]>;

/// A profile's changes to one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tweak {
    /// On or off.
    pub switch: Switch,
    /// Another name. That of a tool or prompt, which is called by it: 1 to 64 of `[A-Za-z0-9_.-]`.
    pub rename: Option<String>,
    /// Another name for people.
    pub title: Option<String>,
    /// Another description.
    pub description: Option<String>,
    /// The only arguments that a tool or prompt takes.
    pub arguments: Option<Arguments>,
}
