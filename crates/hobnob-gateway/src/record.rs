//! One line in the audit log for each call, written when it ends, however it ends.

use hobnob_mcp_engine::{Answers, Call, CallError, TaskOffer};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::{AuditLog, AuditRecord, ClientInfo, Decision, Outcome, Target};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// Where calls are recorded, if they are.
#[derive(Debug)]
pub(crate) struct Recorder(Option<Arc<AuditLog>>);

impl Recorder {
    pub(crate) fn new(log: Option<Arc<AuditLog>>) -> Self {
        Self(log)
    }

    pub(crate) fn flush(&self) {
        if let Some(Err(error)) = self.0.as_deref().map(AuditLog::flush) {
            tracing::warn!(%error, "the audit log was not written to the end");
        }
    }

    /// The call once more, without its answers: what a record needs of it.
    pub(crate) fn shadow(&self, call: &Call) -> Call {
        Call {
            method: call.method,
            params: Arc::clone(&call.params),
            caller: call.caller.clone(),
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        }
    }

    /// Begins the record of a call. Dropped without an end, the call was cancelled.
    pub(crate) fn begin<'a>(&'a self, call: &'a Call, target: &'a str) -> Record<'a> {
        Record {
            log: self.0.as_deref(),
            call,
            target,
            server: None,
            original: None,
            decision: Decision::None,
            rule: None,
            outcome: Outcome::Cancelled,
            result_bytes: 0,
            begun: Instant::now(),
            at: SystemTime::now(),
        }
    }
}

/// The record of one call in the making.
pub(crate) struct Record<'a> {
    log: Option<&'a AuditLog>,
    call: &'a Call,
    target: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) original: Option<&'a str>,
    pub(crate) decision: Decision,
    pub(crate) rule: Option<Box<str>>,
    outcome: Outcome,
    result_bytes: usize,
    begun: Instant,
    at: SystemTime,
}

impl Record<'_> {
    /// It ended with a result of so many bytes.
    pub(crate) fn answered(&mut self, outcome: Outcome, bytes: usize) {
        self.outcome = outcome;
        self.result_bytes = bytes;
    }

    /// It ended without one.
    pub(crate) fn failed(&mut self, error: &CallError) {
        self.outcome = match error {
            CallError::Late(_) => Outcome::Timeout,
            other => Outcome::Error(other.to_rpc(&self.call.caller).code.0),
        };
    }

    /// It ended so.
    pub(crate) fn ended(&mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Record<'_> {
    fn drop(&mut self) {
        let Some(log) = self.log else { return };
        let caller = &self.call.caller;
        let client = caller.client.as_deref();
        let target = match self.call.method {
            Method::ToolsCall => Target::Tool(self.target),
            Method::ResourcesRead => Target::Uri(self.target),
            Method::PromptsGet => Target::Prompt(self.target),
            _ => Target::None,
        };
        let elapsed = self.begun.elapsed().as_micros();
        log.record(&AuditRecord {
            at: self.at.try_into().unwrap_or_default(),
            principal: caller.principal.as_str(),
            client: client
                .map(|client| ClientInfo { name: &client.name, version: &client.version }),
            revision: Some(caller.revision.as_str()),
            method: self.call.method.as_str(),
            target,
            server: self.server,
            original: self.original,
            decision: self.decision,
            rule: self.rule.as_deref(),
            duration_us: u64::try_from(elapsed).unwrap_or(u64::MAX),
            outcome: self.outcome,
            request_bytes: self.call.params.raw().len() as u64,
            result_bytes: self.result_bytes as u64,
        });
    }
}
