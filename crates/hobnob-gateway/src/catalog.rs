//! The merged catalogue: built-ins and every upstream's lists under public names, as one snapshot.
//!
//! A server's lists are prepared once, when they change; building a snapshot for a view then only
//! puts shared texts in order. A snapshot is immutable, so readers need no lock.

mod apps;
mod arrange;
mod build;
mod check;
mod cursor;
mod diff;
mod entry;
mod listing;
mod prepare;
mod search;
mod snapshot;
#[cfg(test)]
mod tests;
mod tokens;
mod view_filter;

pub(crate) use apps::tool_of_app;
pub use check::{MAX_ENTRY_BYTES, MAX_SCHEMA_BYTES, MAX_SCHEMA_DEPTH};
pub use cursor::BadCursor;
pub use diff::{CatalogueDiff, diff};
pub use entry::{
    Arguments, BuiltIn, BuiltIns, CallTerms, Conflict, EntryOwner, InvalidOverride, ListKind,
    Mirroring, OverrideProblem, PromptTarget, Rejected, ResourceTarget, ServerLists, ToolRoute,
    ToolTarget,
};
pub use listing::PageText;
pub use prepare::PreparedServer;
pub use snapshot::{Catalogue, Withheld};
pub use tokens::estimated_tokens;
pub use view_filter::{EntryOverrides, EntrySwitch, ToolRef, ViewFilter, Visibility};
