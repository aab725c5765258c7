//! What kits list of what is stored, besides what callers ask for. The service reads it, its kit
//! shows it, and two that are equal make equal kits.

use hobnob_store::memory::StoredPrompt;

/// Lists are the same for everybody who is shown a kit, so only what belongs to nobody in
/// particular is in them; named callers find their own with tools and by address.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ListedRecords {
    pub(super) prompts: Vec<StoredPrompt>,
    /// The project's namespaces that have memories, in alphabetical order.
    pub(super) namespaces: Vec<String>,
}
