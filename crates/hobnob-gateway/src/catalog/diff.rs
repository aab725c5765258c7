//! What changed between two snapshots, as far as clients are notified of it.
//!
//! Each view compares the snapshot it shows with the next one before it takes its place.

use super::entry::ListKind;
use super::snapshot::Catalogue;

/// The lists that differ; each is one `list_changed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CatalogueDiff {
    /// Clients of the view are due a `notifications/tools/list_changed`.
    pub tools: bool,
    /// Clients of the view are due a `notifications/prompts/list_changed`.
    pub prompts: bool,
    /// Clients of the view are due a `notifications/resources/list_changed`, which stands for
    /// templates too.
    pub resources: bool,
}

impl CatalogueDiff {
    /// Whether no notification is due.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Compares what the two would list to clients.
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
