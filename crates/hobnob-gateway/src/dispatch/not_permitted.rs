//! Why a call is not made, or not yet, and what its caller gets instead.
//!
//! `guard` and `owner_guard` decide it; `call` answers with it and records it.

use crate::calls::record::{CallRecord, NotRecorded};
use crate::dispatch::results::refused;
use hobnob_mcp_engine::{CallError, Outcome, Questions};
use hobnob_policy::Denied;
use hobnob_policy::audit::{AuditDecision, AuditOutcome};

/// Why a call is not made, or not yet.
pub(super) enum NotPermitted {
    /// The person at the client has to be asked first.
    NeedsConsent(Questions),
    /// The owner has to agree first and was asked; the text is for the caller.
    NeedsOwner(String, AuditDecision),
    /// A rule or a person refuses the call, or no person can be asked.
    Denied(Denied),
    /// A person agreed, but their answer has to be recorded and could not be.
    NotRecorded(NotRecorded, AuditDecision),
}

impl NotPermitted {
    /// The caller's answer, and the record of it.
    pub(super) fn answer(self, record: &mut CallRecord<'_>) -> Result<Outcome, CallError> {
        record.ended(AuditOutcome::Refused);
        let (text, decision) = match self {
            Self::NeedsConsent(questions) => {
                // Nothing ran, and the call comes again with the answer: that round writes the line.
                record.discard();
                return Ok(Outcome::NeedsInput(questions));
            }
            Self::NeedsOwner(text, decision) => (text, decision),
            Self::Denied(denied) => (denied.to_string(), denied.audit()),
            Self::NotRecorded(error, decision) => (error.to_string(), decision),
        };
        record.decided(decision);
        refused(&text)
    }
}
