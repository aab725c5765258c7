//! Which lists differ between two snapshots, so that clients are notified.
//!
//! Each view compares the snapshot it shows with the next one before it replaces it.

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

/// Compares what the two catalogues would list to clients.
pub fn diff(old: &Catalogue, new: &Catalogue) -> CatalogueDiff {
    // Comparing is cheap: texts that changed mostly differ in length or in their first bytes, and
    // unchanged ones are equal.
    let differs = |kind| old.list(kind) != new.list(kind);
    CatalogueDiff {
        tools: differs(ListKind::Tools),
        prompts: differs(ListKind::Prompts),
        resources: differs(ListKind::Resources) || differs(ListKind::Templates),
    }
}
