//! What changed between two snapshots, as far as clients are told.

use super::entry::ListKind;
use super::snapshot::Catalogue;

/// The lists that differ; each is one `list_changed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CatalogueDiff {
    /// Tools.
    pub tools: bool,
    /// Prompts.
    pub prompts: bool,
    /// Resources or resource templates.
    pub resources: bool,
}

impl CatalogueDiff {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares what clients would be listed.
pub fn diff(old: &Catalogue, new: &Catalogue) -> CatalogueDiff {
    // Texts that did not change are shared, but comparing them is still cheap: their lengths
    // differ, or they differ early, or they are the same.
    let differs = |kind| !old.entries(kind).eq(new.entries(kind));
    CatalogueDiff {
        tools: differs(ListKind::Tools),
        prompts: differs(ListKind::Prompts),
        resources: differs(ListKind::Resources) || differs(ListKind::Templates),
    }
}
