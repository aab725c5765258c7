//! One line in the audit log for each call, written when it ends, however it ends.
//!
//! `dispatch` begins a record for every call, and `watch` for every poll. The decision in a record
//! comes from the permit, the refusal or the open question itself, never from the code that records
//! it. What a person decides is on the disk before it takes effect, and so is the beginning of a
//! call where the settings require calls to be recorded.

use super::written::until_written;
use hobnob_mcp_engine::{Call, CallError, Caller, Outcome};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_policy::audit::{
    AuditDecision, AuditLog, AuditMode, AuditOutcome, AuditRecord, AuditTarget, AuditWriteError,
    ClientInfo,
};
use memchr::memmem::Finder;
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

/// The audit log, or nothing where calls are not recorded.
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

    /// Writes down a person's decision before it takes effect.
    pub(crate) async fn decide(&self, record: &AuditRecord<'_>) -> Result<(), NotRecorded> {
        let Some(log) = self.0.as_deref() else { return Ok(()) };
        match (until_written(|then| log.decide(record, then)).await, log.mode()) {
            (Ok(()), _) => Ok(()),
            (Err(error), AuditMode::Strict) => Err(NotRecorded(error)),
            (Err(error), AuditMode::BestEffort) => {
                tracing::warn!(%error, "a decision takes effect before it is recorded");
                Ok(())
            }
        }
    }

    /// Writes down a decision that a person made elsewhere and that already counts.
    pub(crate) fn notice(&self, record: &AuditRecord<'_>) {
        if let Some(log) = self.0.as_deref() {
            log.notice(record);
        }
    }

    /// A record that leaves no line: clients send a completion for every key that is pressed.
    pub(crate) fn silent<'a>(&'a self, call: &Call) -> CallRecord<'a> {
        let mut record = self.begin(call, "");
        record.discard();
        record
    }

    /// Begins the record of a call; dropped without an outcome, it reports a cancelled call.
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
            is_refused: false,
            result_bytes: 0,
            begun: Instant::now(),
            at: SystemTime::now(),
        }
    }
}

/// The record of a call that is still running.
pub(crate) struct CallRecord<'a> {
    /// The log, with the caller: the call itself moves on to the code that answers it.
    log: Option<(&'a AuditLog, Caller)>,
    method: Method,
    request_bytes: usize,
    target: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) original: Option<&'a str>,
    decision: AuditDecision,
    outcome: AuditOutcome,
    /// Whether the call was refused because its beginning could not be recorded.
    is_refused: bool,
    result_bytes: usize,
    begun: Instant,
    at: SystemTime,
}

impl CallRecord<'_> {
    /// Takes the decision from a permit, a refusal or an open question.
    pub(crate) fn decided(&mut self, decision: AuditDecision) {
        self.decision = decision;
    }

    /// Records that the call is about to run. Where calls have to be recorded, the call may run
    /// only if this line is on the disk.
    pub(crate) async fn begins(&mut self) -> Result<(), NotRecorded> {
        let Some((log, caller)) = &self.log else { return Ok(()) };
        if log.mode() == AuditMode::BestEffort {
            return Ok(());
        }
        let record = AuditRecord { outcome: AuditOutcome::Begun, ..self.line(caller) };
        let begun = until_written(|then| log.record_then(&record, then)).await;
        self.is_refused = begun.is_err();
        begun.map_err(NotRecorded)
    }

    /// Records the end of a tool call: its result may say that the tool failed.
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

    /// Records the end of any other call.
    pub(crate) fn call_ended(&mut self, done: &Result<Outcome, CallError>) {
        match done {
            Ok(Outcome::Complete(answer)) => self.answered(answer.body.len()),
            Ok(Outcome::NeedsInput(_) | Outcome::Started(_)) => self.ended(AuditOutcome::Ok),
            Err(error) => self.failed(error),
        }
    }

    /// Records a result of this many bytes.
    pub(crate) fn answered(&mut self, bytes: usize) {
        self.outcome = AuditOutcome::Ok;
        self.result_bytes = bytes;
    }

    /// Records a protocol error or a timeout.
    pub(crate) fn failed(&mut self, error: &CallError) {
        let Some((_, caller)) = &self.log else { return };
        self.outcome = match error {
            CallError::Late(_) => AuditOutcome::Timeout,
            other => AuditOutcome::Error(other.to_rpc(caller).code.0),
        };
    }

    /// Leaves no line: nothing ran, and either no caller asked now or the same call follows.
    pub(crate) fn discard(&mut self) {
        self.log = None;
    }

    /// Records an outcome that neither a result nor a protocol error stands for.
    pub(crate) fn ended(&mut self, outcome: AuditOutcome) {
        self.outcome = outcome;
    }
}

impl CallRecord<'_> {
    fn line<'a>(&'a self, caller: &'a Caller) -> AuditRecord<'a> {
        let elapsed = self.begun.elapsed().as_micros();
        AuditRecord {
            at: self.at.try_into().unwrap_or_default(),
            target: match self.method {
                Method::ToolsCall => AuditTarget::Tool(self.target),
                Method::ResourcesRead => AuditTarget::Uri(self.target),
                Method::PromptsGet => AuditTarget::Prompt(self.target),
                _ => AuditTarget::None,
            },
            server: self.server,
            original: self.original,
            decision: self.decision.clone(),
            duration_us: u64::try_from(elapsed).unwrap_or(u64::MAX),
            outcome: if self.is_refused { AuditOutcome::Refused } else { self.outcome },
            request_bytes: self.request_bytes as u64,
            result_bytes: self.result_bytes as u64,
            ..event_of(caller, self.method.as_str())
        }
    }
}

impl Drop for CallRecord<'_> {
    fn drop(&mut self) {
        if let Some((log, caller)) = &self.log {
            log.record(&self.line(caller));
        }
    }
}

/// Why a call was refused: its line has to be on the disk and could not be written.
#[derive(Debug, thiserror::Error)]
#[error("refused because calls have to be recorded here (`mode = \"strict\"` in `[audit]`): {0}")]
pub(crate) struct NotRecorded(AuditWriteError);

impl From<NotRecorded> for CallError {
    fn from(error: NotRecorded) -> Self {
        Self::Other(RpcError::new(ErrorCode::INTERNAL, error.to_string()))
    }
}

/// An audit record of something the caller did just now.
pub(crate) fn event_of<'a>(caller: &'a Caller, method: &'a str) -> AuditRecord<'a> {
    let client = caller.client.as_deref();
    AuditRecord {
        principal: caller.principal.as_str(),
        address: caller.client_id.address(),
        client: client.map(|client| ClientInfo { name: &client.name, version: &client.version }),
        via: caller.via.as_deref(),
        revision: Some(caller.revision.as_str()),
        ..AuditRecord::event(method)
    }
}
