//! The roles of callers in the memories of scope `org`, by the current grants.
//!
//! Every access to memories asks here, and so do notifications of their changes.

use crate::machine_access::{GrantSource, subject, subject_of};
use hobnob_mcp_engine::{Caller, ClientId, Principal, Subscriber};
use hobnob_policy::{CallerPlace, GrantSubject, MemoryRole};
use hobnob_store::memory::OrgRole;
use std::sync::Arc;

/// Reads the roles from the grants, anew for each question.
#[derive(Clone)]
pub(super) struct OrgRoles(Arc<dyn GrantSource>);

impl OrgRoles {
    pub(super) fn new(grants: Arc<dyn GrantSource>) -> Self {
        Self(grants)
    }

    /// Whether a principal may read shared memories, from any client.
    pub(super) fn reads(&self, principal: &Principal) -> bool {
        let who = Subscriber { client: ClientId::OURSELVES, principal };
        self.0.current().memory_role(subject_of(who)).is_some()
    }

    /// The caller's role; without one, the caller sees no shared memories.
    pub(super) fn of(&self, caller: &Caller) -> Option<OrgRole> {
        Some(match self.0.current().memory_role(subject(caller))? {
            MemoryRole::Reader => OrgRole::Reader,
            MemoryRole::Writer => OrgRole::Writer,
            MemoryRole::Admin => OrgRole::Admin,
        })
    }
}

/// The command with which a person gives a principal a role.
pub(super) fn command_for(role: OrgRole, principal: &str) -> String {
    let role = match role {
        OrgRole::Reader => MemoryRole::Reader,
        OrgRole::Writer => MemoryRole::Writer,
        OrgRole::Admin => MemoryRole::Admin,
    };
    let principal = Some(principal).filter(|name| !name.is_empty());
    role.command(GrantSubject { principal, place: CallerPlace::Local })
}
