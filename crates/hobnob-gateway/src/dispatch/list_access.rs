//! Which entries of a list a caller could never use, so that lists leave them out.
//!
//! The program that owns the gateway implements it; the router asks for every list. A caller whose
//! rights can still grow sees all entries: people do not ask for what they have never seen.

use crate::catalog::ListKind;
use hobnob_mcp_engine::Principal;

/// Says whether a caller may use the entry with this public key.
pub type ListFilter = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Knows which callers may use only some entries.
pub trait ListAccess: Send + Sync + 'static {
    /// The entries that this caller may use in a list of the plain view, or of a profile's view;
    /// `None` if they may use all.
    fn filter(
        &self,
        principal: &Principal,
        profile: Option<&str>,
        kind: ListKind,
    ) -> Option<ListFilter>;
}
