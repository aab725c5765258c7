//! What the services of the machine share: the grants as they are now, the decision about one action
//! of a caller, and the line in the audit log about it.
//!
//! Rules are asked before, by the gateway, and only about the tool. Grants are asked here about the
//! exact action, and the permit goes to the effect that reads from it what it does.

use crate::presentation::{Failure, Presentation};
use hobnob_mcp_engine::{Caller, Subscriber};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::audit::{
    AuditDecision, AuditLog, AuditOutcome, AuditRecord, AuditTarget, ClientInfo,
};
use hobnob_policy::{CallerPlace, GrantSet, GrantSubject, MachineService, NotGranted, Permit};
use std::fmt;
use std::sync::Arc;

/// Where the grants come from. Only a person's commands change them.
pub trait GrantSource: Send + Sync + 'static {
    /// The grants at this moment. Asked before every action, so that what was revoked a moment ago
    /// is not done any more.
    fn current(&self) -> GrantSet;
}

/// Grants that never change.
impl GrantSource for GrantSet {
    fn current(&self) -> GrantSet {
        self.clone()
    }
}

/// The grants and the log of what they let through. Cheap to clone.
#[derive(Clone)]
pub struct MachineAccess {
    grants: Arc<dyn GrantSource>,
    audit: Option<Arc<AuditLog>>,
}

impl MachineAccess {
    /// `audit` is `None` where the settings switch the audit log off.
    pub fn new(grants: Arc<dyn GrantSource>, audit: Option<Arc<AuditLog>>) -> Self {
        Self { grants, audit }
    }

    /// The grants at this moment.
    pub(crate) fn grants(&self) -> GrantSet {
        self.grants.current()
    }

    /// Decides about one action of the caller, by the grants of this moment, and writes down what was
    /// decided. The refusal says what the person can type.
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

/// Who asks, as grants name callers.
pub(crate) fn subject(caller: &Caller) -> GrantSubject<'_> {
    subject_of(Subscriber { client: caller.client_id, principal: &caller.principal })
}

/// Who wants to hear of changes, as grants name callers.
pub(crate) fn subject_of(Subscriber { client, principal }: Subscriber<'_>) -> GrantSubject<'_> {
    let place = match client.is_local() {
        true => CallerPlace::Local,
        false => CallerPlace::Remote,
    };
    let name = principal.as_str();
    GrantSubject { principal: Some(name).filter(|name| !name.is_empty()), place }
}
