//! A log for a query or a tail: found by its name in a granted folder, with all parts open.

use std::sync::Arc;

use hobnob_policy::RelativePath;

use super::part::OpenPart;
use crate::files::ConfinedRoot;

/// A log that exists: its folder, its path in it, and its parts, the newest first.
pub(crate) struct FoundLog {
    pub(crate) root: Arc<ConfinedRoot>,
    pub(crate) path: RelativePath,
    pub(crate) parts: Vec<OpenPart>,
}
