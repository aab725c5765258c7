//! What one kind of client sees of the catalogue: entries switched off, renamed, re-described,
//! narrowed, hidden.
//!
//! The view builds it from its profile and its rules; `build` and `arrange` ask it for each entry.

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
    /// Whether a tool is listed even where others have to be searched for.
    pub is_kept: &'a dyn Fn(&ToolRef<'_>, &EntryOverrides) -> bool,
    /// Whether a tool is in the usual list; if any is not, the list has the tools to search with.
    pub is_everyday: &'a dyn Fn(&ToolRef<'_>) -> bool,
}

impl ViewFilter<'_> {
    /// Everything as it is.
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
    /// The public name it has where no profile renames it.
    pub usual: &'a str,
    /// The public name it has here. A rule may know it by either.
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

/// Whether a profile has an entry.
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
    /// Another name. That of a tool or prompt, which is called by it: 1 to 64 of `[A-Za-z0-9_.-]`.
    pub rename: Option<String>,
    /// Another name for people.
    pub title: Option<String>,
    /// Another description, in place of the owner's.
    pub description: Option<String>,
    /// The only arguments that a tool or prompt takes.
    pub arguments: Option<Arguments>,
    /// Whether a tool is listed even where others have to be searched for, if the profile says so.
    pub always: Option<bool>,
    /// Members that are not listed.
    pub omitted: &'static [&'static str],
}
