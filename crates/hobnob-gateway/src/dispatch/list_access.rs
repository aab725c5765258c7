//! Which entries of a list a caller could never use, so that no list names them.
//!
//! The program that owns the gateway knows; the router asks for every list. A caller whose rights can
//! still grow sees everything, since nobody asks for what they have never seen.

use crate::catalog::ListKind;
use hobnob_mcp_engine::Principal;

/// Says whether a caller may use the entry with this public key.
pub type ListFilter = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Knows who may use less than there is.
pub trait ListAccess: Send + Sync + 'static {
    /// What this caller may use of a list of the plain view, or of that of a profile; `None` if the list
    /// is for them as it is.
    fn filter(
        &self,
        principal: &Principal,
        profile: Option<&str>,
        kind: ListKind,
    ) -> Option<ListFilter>;
}
