//! One line in the audit log for each call, written when it ends, however it ends.
//!
//! The router begins a record for every call and a poll for every turn. What was decided comes from
//! the permit, the refusal or the open question itself, never from whoever records.

use hobnob_mcp_engine::{Call, CallError, Caller, Outcome};
use hobnob_mcp_types::Method;
use hobnob_policy::audit::{
    AuditDecision, AuditLog, AuditOutcome, AuditRecord, AuditTarget, ClientInfo,
};
use memchr::memmem::Finder;
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

/// Where calls are recorded, if they are.
#[derive(Debug, Clone)]
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

    /// A record that leaves no line: completions come with every key that is pressed.
    pub(crate) fn silent<'a>(&'a self, call: &Call) -> CallRecord<'a> {
        let mut record = self.begin(call, "");
        record.discard();
        record
    }

    /// Begins the record of a call. Dropped without an end, the call was cancelled.
    pub(crate) fn begin<'a>(&'a self, call: &Call, target: &'a str) -> CallRecord<'a> {
        CallRecord {
            log: self.0.as_deref().map(|log| (log, call.caller.clone())),
            method: call.method,
            request_bytes: call.params.raw().len(),
            target,
            server: None,
            original: None,
            decision: AuditDecision::default(),
            outcome: AuditOutcome::Cancelled,
            result_bytes: 0,
            begun: Instant::now(),
            at: SystemTime::now(),
        }
    }
}

/// The record of one call in the making.
pub(crate) struct CallRecord<'a> {
    /// With the caller, since the call itself goes on to whoever answers it.
    log: Option<(&'a AuditLog, Caller)>,
    method: Method,
    request_bytes: usize,
    target: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) original: Option<&'a str>,
    decision: AuditDecision,
    outcome: AuditOutcome,
    result_bytes: usize,
    begun: Instant,
    at: SystemTime,
}

impl CallRecord<'_> {
    /// What a permit, a refusal or an open question says about itself.
    pub(crate) fn decided(&mut self, decision: AuditDecision) {
        self.decision = decision;
    }

    /// Takes the end of a tool's call: its result may say that the tool failed.
    pub(crate) fn tool_ended(&mut self, done: &Result<Outcome, CallError>) {
        static FAILED: LazyLock<Finder<'static>> =
            LazyLock::new(|| Finder::new("\"isError\":true"));
        self.call_ended(done);
        if let Ok(Outcome::Complete(answer)) = done
            && FAILED.find(answer.body.as_bytes()).is_some()
        {
            self.outcome = AuditOutcome::ToolError;
        }
    }

    /// Takes the end of any other call.
    pub(crate) fn call_ended(&mut self, done: &Result<Outcome, CallError>) {
        match done {
            Ok(Outcome::Complete(answer)) => self.answered(answer.body.len()),
            Ok(Outcome::NeedsInput(_) | Outcome::Started(_)) => self.ended(AuditOutcome::Ok),
            Err(error) => self.failed(error),
        }
    }

    /// It ended with a result of so many bytes.
    pub(crate) fn answered(&mut self, bytes: usize) {
        self.outcome = AuditOutcome::Ok;
        self.result_bytes = bytes;
    }

    /// It ended with an error of the protocol, or too late.
    pub(crate) fn failed(&mut self, error: &CallError) {
        let Some((_, caller)) = &self.log else { return };
        self.outcome = match error {
            CallError::Late(_) => AuditOutcome::Timeout,
            other => AuditOutcome::Error(other.to_rpc(caller).code.0),
        };
    }

    /// Leaves no line: nothing was done, and nobody asked for it just now.
    pub(crate) fn discard(&mut self) {
        self.log = None;
    }

    /// It ended in a way that no result and no error of the protocol says.
    pub(crate) fn ended(&mut self, outcome: AuditOutcome) {
        self.outcome = outcome;
    }
}

impl Drop for CallRecord<'_> {
    fn drop(&mut self) {
        let Some((log, caller)) = &self.log else { return };
        let client = caller.client.as_deref();
        let target = match self.method {
            Method::ToolsCall => AuditTarget::Tool(self.target),
            Method::ResourcesRead => AuditTarget::Uri(self.target),
            Method::PromptsGet => AuditTarget::Prompt(self.target),
            _ => AuditTarget::None,
        };
        let elapsed = self.begun.elapsed().as_micros();
        log.record(&AuditRecord {
            at: self.at.try_into().unwrap_or_default(),
            principal: caller.principal.as_str(),
            client: client
                .map(|client| ClientInfo { name: &client.name, version: &client.version }),
            via: caller.via.as_deref(),
            revision: Some(caller.revision.as_str()),
            method: self.method.as_str(),
            target,
            server: self.server,
            original: self.original,
            decision: std::mem::take(&mut self.decision),
            duration_us: u64::try_from(elapsed).unwrap_or(u64::MAX),
            outcome: self.outcome,
            request_bytes: self.request_bytes as u64,
            result_bytes: self.result_bytes as u64,
        });
    }
}
