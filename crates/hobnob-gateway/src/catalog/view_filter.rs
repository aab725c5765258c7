//! What one kind of client sees of the catalogue: entries switched off, renamed, re-described,
//! narrowed, hidden.
//!
//! A view builds it from its profile and its rules; `build` and `arrange` apply it to each entry.

use super::entry::{Arguments, EntryOwner, ListKind};

/// One profile's filter on the catalogue.
#[derive(Clone, Copy)]
pub struct ViewFilter<'a> {
    /// Changes to single entries, by their usual public name, address or pattern.
    pub overrides: &'a dyn Fn(ListKind, &str) -> EntryOverrides,
    /// What the permission rules say about a tool.
    pub visibility: &'a dyn Fn(&ToolRef<'_>) -> Visibility,
    /// Whether the rules deny everything of a server, so that its resources and prompts are
    /// hidden too.
    pub is_denied: &'a dyn Fn(&str) -> bool,
    /// Whether a tool stays listed where the other tools have to be searched for.
    pub is_kept: &'a dyn Fn(&ToolRef<'_>, &EntryOverrides) -> bool,
    /// Whether a tool is in the everyday list, which has the search tools if any tool is not.
    pub is_everyday: &'a dyn Fn(&ToolRef<'_>) -> bool,
}

impl ViewFilter<'_> {
    /// A filter that changes nothing.
    pub fn plain() -> Self {
        Self {
            overrides: &|_, _| EntryOverrides::default(),
            visibility: &|_| Visibility::Shown,
            is_denied: &|_| false,
            is_kept: &|_, _| false,
            is_everyday: &|_| true,
        }
    }
}

/// A tool, as rules name it.
#[derive(Debug, Clone, Copy)]
pub struct ToolRef<'a> {
    /// Hobnob itself, or the upstream that offers it.
    pub owner: &'a EntryOwner,
    /// What its owner calls it.
    pub original: &'a str,
    /// Its public name unless a profile renames it.
    pub usual: &'a str,
    /// Its public name in this view. A rule may use either name.
    pub public: &'a str,
}

/// Whether a tool may be seen at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// No rule denies it: it is listed.
    Shown,
    /// A rule denies it: neither listed nor found.
    Hidden,
}

/// Whether a profile includes an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EntrySwitch {
    /// Listed, as long as the rules allow it.
    #[default]
    On,
    /// Neither listed nor found.
    Off,
}

/// A profile's changes to one entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryOverrides {
    /// Whether the profile has the entry at all.
    pub switch: EntrySwitch,
    /// A new name. Tools and prompts are called by it, so it is 1 to 64 of `[A-Za-z0-9_.-]`.
    pub rename: Option<String>,
    /// A new title for people.
    pub title: Option<String>,
    /// A new description, in place of the owner's.
    pub description: Option<String>,
    /// The only arguments that a tool or prompt takes.
    pub arguments: Option<Arguments>,
    /// If set: whether a tool stays listed where the others have to be searched for.
    pub always: Option<bool>,
    /// Members of the definition that are left out of the list.
    pub omitted: &'static [&'static str],
}
