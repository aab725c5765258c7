//! Events at the authorization server, and commands' changes of its users, as audit records.
//!
//! What must stay true: no record contains a secret, nor a name from a failed login.

use hobnob_gateway::until_written;
use hobnob_mcp_auth::authorization_server::{
    AuthorizationEvent, AuthorizationEvents, LoggedEvents,
};
use hobnob_mcp_engine::BoxFuture;
use hobnob_policy::audit::{AuditDecision, AuditLog, AuditOutcome, AuditRecord, ClientInfo};
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

/// Writes events to the audit log and to the program's log.
pub(super) struct AuditedEvents(pub(super) Option<Arc<AuditLog>>);

impl AuthorizationEvents for AuditedEvents {
    fn record<'a>(
        &'a self,
        event: &'a AuthorizationEvent,
        from: Option<IpAddr>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            LoggedEvents.record(event, from).await;
            let Some(audit) = &self.0 else { return };
            let (method, outcome) = line(event);
            let record = AuditRecord {
                principal: event.user().unwrap_or_default(),
                address: from,
                client: Some(ClientInfo { name: event.client(), version: "" }),
                decision: decision(event),
                outcome,
                ..AuditRecord::event(method)
            };
            if !is_decision(event) {
                audit.record(&record);
            } else if let Err(error) = until_written(|then| audit.notice_then(&record, then)).await
            {
                tracing::warn!(%error, "a login takes effect before it is recorded");
            }
        })
    }
}

/// Whether a person's decision is behind the event. Clients can cause all others at will.
fn is_decision(event: &AuthorizationEvent) -> bool {
    match event {
        AuthorizationEvent::Approved { .. }
        | AuthorizationEvent::Issued { .. }
        | AuthorizationEvent::Replayed { .. } => true,
        AuthorizationEvent::Registered { .. }
        | AuthorizationEvent::Denied { .. }
        | AuthorizationEvent::LoginFailed { .. }
        | AuthorizationEvent::LoginThrottled { .. }
        | AuthorizationEvent::Refreshed { .. }
        | AuthorizationEvent::Revoked { .. } => false,
    }
}

fn decision(event: &AuthorizationEvent) -> AuditDecision {
    match event {
        AuthorizationEvent::Approved { .. } => AuditDecision::agreed_in_settings(),
        AuthorizationEvent::Registered { .. }
        | AuthorizationEvent::Denied { .. }
        | AuthorizationEvent::LoginFailed { .. }
        | AuthorizationEvent::LoginThrottled { .. }
        | AuthorizationEvent::Issued { .. }
        | AuthorizationEvent::Refreshed { .. }
        | AuthorizationEvent::Replayed { .. }
        | AuthorizationEvent::Revoked { .. } => AuditDecision::default(),
    }
}

fn line(event: &AuthorizationEvent) -> (&'static str, AuditOutcome) {
    match event {
        AuthorizationEvent::Registered { .. } => ("logins/register", AuditOutcome::Ok),
        AuthorizationEvent::Approved { .. } => ("logins/approve", AuditOutcome::Ok),
        AuthorizationEvent::Denied { .. } => ("logins/approve", AuditOutcome::Refused),
        AuthorizationEvent::LoginFailed { .. } => ("logins/password", AuditOutcome::Refused),
        AuthorizationEvent::LoginThrottled { .. } => ("logins/throttle", AuditOutcome::Refused),
        AuthorizationEvent::Issued { .. } => ("logins/issue", AuditOutcome::Ok),
        AuthorizationEvent::Refreshed { .. } => ("logins/refresh", AuditOutcome::Ok),
        AuthorizationEvent::Replayed { .. } => ("logins/replay", AuditOutcome::Refused),
        AuthorizationEvent::Revoked { .. } => ("logins/revoke", AuditOutcome::Ok),
    }
}

impl fmt::Debug for AuditedEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditedEvents")
    }
}
