//! Access control for services that act on the machine: the current grants, the decision about one
//! action of a caller, and its line in the audit log.
//!
//! The gateway checks its rules before, and only for the tool as a whole. Here the grants decide
//! about the exact action; the code that acts reads from the permit what to do.

use crate::presentation::{Failure, Presentation};
use hobnob_mcp_engine::{Caller, Subscriber};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::audit::{
    AuditDecision, AuditLog, AuditOutcome, AuditRecord, AuditTarget, ClientInfo,
};
use hobnob_policy::{CallerPlace, GrantSet, GrantSubject, MachineService, NotGranted, Permit};
use std::fmt;
use std::sync::Arc;

/// The source of the grants. Only a person's commands change them.
pub trait GrantSource: Send + Sync + 'static {
    /// The current grants. Every action asks anew, so that a revoked grant has no effect on later
    /// actions.
    fn current(&self) -> GrantSet;
}

/// Grants that never change.
impl GrantSource for GrantSet {
    fn current(&self) -> GrantSet {
        self.clone()
    }
}

/// The grants and the audit log of their decisions. Cheap to clone.
#[derive(Clone)]
pub struct MachineAccess {
    grants: Arc<dyn GrantSource>,
    audit: Option<Arc<AuditLog>>,
}

impl MachineAccess {
    /// `audit` is `None` if the settings switch the audit log off.
    pub fn new(grants: Arc<dyn GrantSource>, audit: Option<Arc<AuditLog>>) -> Self {
        Self { grants, audit }
    }

    /// The grants at this moment.
    pub(crate) fn grants(&self) -> GrantSet {
        self.grants.current()
    }

    /// Decides about one action of the caller by the current grants, and records the decision. A
    /// refusal names the command with which the person can grant the action.
    pub(crate) fn permit<A>(
        &self,
        context: &CallContext,
        presentation: &Presentation,
        decide: impl FnOnce(&GrantSet, GrantSubject<'_>) -> Result<Permit<A>, NotGranted>,
    ) -> Result<Permit<A>, ToolError> {
        let decided = decide(&self.grants(), subject(context.caller()));
        let (decision, outcome) = match &decided {
            Ok(permit) => (permit.grant_audit().unwrap_or_default(), AuditOutcome::Ok),
            Err(denied) => (denied.audit(), AuditOutcome::Refused),
        };
        self.record(context, decision, outcome);
        decided.map_err(|denied| presentation.fail(Failure::NotGranted, denied.to_string()))
    }

    fn record(&self, context: &CallContext, decision: AuditDecision, outcome: AuditOutcome) {
        let Some(log) = &self.audit else { return };
        let caller = context.caller();
        let client = caller.client.as_deref();
        log.record(&AuditRecord {
            principal: caller.principal.as_str(),
            address: caller.client_id.address(),
            client: client
                .map(|client| ClientInfo { name: &client.name, version: &client.version }),
            via: caller.via.as_deref(),
            revision: Some(caller.revision.as_str()),
            target: AuditTarget::Tool(context.name()),
            decision,
            outcome,
            ..AuditRecord::event("grants/decide")
        });
    }
}

impl fmt::Debug for MachineAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grants = self.grants();
        let access = MachineService::ALL.map(|service| (service, grants.access(service)));
        f.debug_struct("MachineAccess").field("access", &access).finish_non_exhaustive()
    }
}

/// The caller, as grants name callers.
pub(crate) fn subject(caller: &Caller) -> GrantSubject<'_> {
    subject_of(Subscriber { client: caller.client_id, principal: &caller.principal })
}

/// A subscriber to changes, as grants name callers.
pub(crate) fn subject_of(Subscriber { client, principal }: Subscriber<'_>) -> GrantSubject<'_> {
    let place = match client.is_local() {
        true => CallerPlace::Local,
        false => CallerPlace::Remote,
    };
    let name = principal.as_str();
    GrantSubject { principal: Some(name).filter(|name| !name.is_empty()), place }
}
