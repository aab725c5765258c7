//! The lines of the audit log about recordings: who, what for and how long.
//!
//! `message_recorder` writes them, the beginning before a recording begins.

use hobnob_policy::audit::{AuditDecision, AuditOutcome, AuditRecord, ClientInfo};
use hobnob_ui::RecordingSubject;
use std::time::Duration;

/// The owner starts a recording, for at most this time.
pub(super) fn started(
    subject: &RecordingSubject,
    time: Duration,
    outcome: AuditOutcome,
) -> AuditRecord<'_> {
    AuditRecord { outcome, ..about("recordings/start", subject, time) }
}

/// A recording ended after this time: the owner stopped it, or its time was over.
pub(super) fn ended(subject: &RecordingSubject, after: Duration) -> AuditRecord<'_> {
    about("recordings/stop", subject, after)
}

fn about<'a>(method: &'a str, subject: &'a RecordingSubject, time: Duration) -> AuditRecord<'a> {
    let (server, client) = match subject {
        RecordingSubject::Server(name) => (Some(&**name), None),
        RecordingSubject::Client(name) => (None, Some(&**name)),
        RecordingSubject::AllClients => (None, Some("*")),
    };
    AuditRecord {
        server,
        client: client.map(|name| ClientInfo { name, version: "" }),
        decision: AuditDecision::agreed_in_settings(),
        duration_us: u64::try_from(time.as_micros()).unwrap_or(u64::MAX),
        ..AuditRecord::event(method)
    }
}
