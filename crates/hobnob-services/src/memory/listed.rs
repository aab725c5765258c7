//! A snapshot of the stored prompts and namespaces that kits list. The service reads it and its kit
//! shows it; equal snapshots make equal kits.

use hobnob_store::memory::StoredPrompt;

/// Lists are the same for all callers of a view, so they have only records without a named owner;
/// named callers find their own with tools and by URI.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListedRecords {
    pub(super) prompts: Vec<StoredPrompt>,
    /// The project's namespaces that have memories, in alphabetical order.
    pub(super) namespaces: Vec<String>,
}
