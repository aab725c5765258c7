//! Audit records of programs that services start.
//!
//! The memory service uses it as its `ProgramLog`; without an audit log it records nothing.

use hobnob_policy::audit::{AuditDecision, AuditLog, AuditOutcome, AuditRecord, AuditTarget};
use hobnob_services::{ProgramExit, ProgramLog, ProgramRun};
use std::sync::Arc;

/// Records every program, if there is a log.
pub(super) struct ProgramAudit(pub(super) Option<Arc<AuditLog>>);

impl ProgramLog for ProgramAudit {
    fn ran(&self, run: &ProgramRun<'_>) {
        let Some(log) = &self.0 else { return };
        log.record(&AuditRecord {
            principal: run.principal,
            target: AuditTarget::Program(run.command),
            decision: AuditDecision::agreed_in_settings(),
            duration_us: u64::try_from(run.duration.as_micros()).unwrap_or(u64::MAX),
            outcome: match run.exit {
                ProgramExit::Code(0) => AuditOutcome::Ok,
                ProgramExit::Code(code) => AuditOutcome::Error(code.into()),
                ProgramExit::Signal | ProgramExit::Abandoned => AuditOutcome::Cancelled,
                ProgramExit::NotStarted => AuditOutcome::Refused,
                ProgramExit::TimedOut => AuditOutcome::Timeout,
            },
            ..AuditRecord::event("program/run")
        });
    }
}
