//! Tokens that were refused, in the audit log. Never a token, nor a part of one.

use hobnob_mcp_auth::resource_server::{RefusalObserver, TokenRefusal};
use hobnob_policy::audit::{AuditLog, AuditOutcome, AuditRecord, AuditTarget};
use std::fmt;
use std::sync::Arc;

/// Writes refusals down; the log counts those that repeat.
pub(super) struct AuditedRefusals(Arc<AuditLog>);

impl AuditedRefusals {
    pub(super) fn new(audit: Arc<AuditLog>) -> Self {
        Self(audit)
    }
}

impl RefusalObserver for AuditedRefusals {
    fn token_refused(&self, prefix: &str, why: &TokenRefusal) {
        let method = match why {
            TokenRefusal::Unknown => "tokens/unknown",
            TokenRefusal::Expired => "tokens/expired",
            TokenRefusal::NotYetValid => "tokens/not-yet-valid",
            TokenRefusal::OtherAudience => "tokens/other-audience",
            TokenRefusal::NotForUser => "tokens/not-for-user",
            TokenRefusal::Unavailable(_) => "tokens/unavailable",
        };
        let path = format!("{prefix}/mcp");
        self.0.record(&AuditRecord {
            target: AuditTarget::Uri(&path),
            outcome: AuditOutcome::Refused,
            ..AuditRecord::event(method)
        });
    }
}

impl fmt::Debug for AuditedRefusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditedRefusals")
    }
}
