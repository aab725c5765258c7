//! One line in the audit log for each call, written when it ends, however it ends; the observer of
//! calls is notified of the same.
//!
//! `dispatch` begins a record for every call, and `watch` for every poll. The decision in a record
//! comes from the permit, the refusal or the open question itself, never from the code that records
//! it. What a person decides is on the disk before it takes effect, and so is the beginning of a
//! call where the settings require calls to be recorded.

use super::observer::{CallObserver, ObservedCall, ObservedEnd};
use super::progress::ObservedNotes;
use super::rule_uses::RuleUses;
use super::running::{OpenCall, RunningCalls};
use super::trace::begin_trace;
use super::written::until_written;
use hobnob_mcp_engine::{Call, CallError, CallTrace, Caller, Notes, Outcome};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::{ErrorCode, Params, RpcError};
use hobnob_policy::audit::{
    AuditDecision, AuditLog, AuditMode, AuditOutcome, AuditRecord, AuditTarget, AuditWriteError,
    ClientInfo,
};
use memchr::memmem::Finder;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

/// The audit log and the observer of calls, where there are any.
#[derive(Clone)]
pub(crate) struct Recorder {
    log: Option<Arc<AuditLog>>,
    running: Option<Arc<RunningCalls>>,
    pub(crate) rule_uses: Arc<RuleUses>,
}

impl Recorder {
    pub(crate) fn new(log: Option<Arc<AuditLog>>, running: Option<Arc<RunningCalls>>) -> Self {
        Self { log, running, rule_uses: Arc::new(RuleUses::new()) }
    }

    /// The observer of calls, if there is one.
    pub(crate) fn observer(&self) -> Option<&Arc<dyn CallObserver>> {
        self.running.as_deref().map(RunningCalls::observer)
    }

    pub(crate) fn flush(&self) {
        if let Some(Err(error)) = self.log.as_deref().map(AuditLog::flush) {
            tracing::warn!(%error, "the audit log was not written to the end");
        }
    }

    /// Writes down a person's decision before it takes effect.
    pub(crate) async fn decide(&self, record: &AuditRecord<'_>) -> Result<(), NotRecorded> {
        let Some(log) = self.log.as_deref() else { return Ok(()) };
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
        if let Some(log) = self.log.as_deref() {
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
        let is_reported = self.log.is_some() || self.running.is_some();
        let is_traced = self.running.as_deref().is_some_and(|running| running.records_traces);
        CallRecord {
            trace: is_traced.then(|| Arc::new(begin_trace(call))),
            report: is_reported.then(|| CallReport {
                to: self,
                caller: call.caller.clone(),
                params: Arc::clone(&call.params),
                running: None,
            }),
            method: call.method,
            target,
            server: None,
            original: None,
            built_in: None,
            decision: AuditDecision::default(),
            outcome: AuditOutcome::Cancelled,
            end: None,
            result_bytes: 0,
            begun: Instant::now(),
            at: SystemTime::now(),
        }
    }
}

/// The record of a call that is still running.
pub(crate) struct CallRecord<'a> {
    report: Option<CallReport<'a>>,
    /// Its spans, if calls are traced.
    trace: Option<Arc<CallTrace>>,
    method: Method,
    target: &'a str,
    pub(crate) server: Option<&'a str>,
    pub(crate) original: Option<&'a str>,
    /// The own name of a built-in tool that a profile renames.
    pub(crate) built_in: Option<&'a str>,
    decision: AuditDecision,
    outcome: AuditOutcome,
    /// How Hobnob itself ended the call: its beginning could not be recorded, or the owner
    /// cancelled it. It takes precedence over the outcome.
    end: Option<AuditOutcome>,
    result_bytes: usize,
    begun: Instant,
    at: SystemTime,
}

impl CallRecord<'_> {
    /// The call within its spans, if calls are traced.
    pub(crate) fn traced(&self, mut call: Call) -> Call {
        if self.trace.is_some() {
            call.caller.trace.clone_from(&self.trace);
        }
        call
    }

    /// Takes the decision from a permit, a refusal or an open question.
    pub(crate) fn decided(&mut self, decision: AuditDecision) {
        self.decision = decision;
    }

    /// Records that the call is about to run. Where calls have to be recorded, the call may run
    /// only if this line is on the disk.
    pub(crate) async fn begins(&mut self) -> Result<(), NotRecorded> {
        let Some(report) = &self.report else { return Ok(()) };
        if let Some(log) = report.to.log.as_deref()
            && log.mode() == AuditMode::Strict
        {
            let record = AuditRecord { outcome: AuditOutcome::Begun, ..self.line(report) };
            if let Err(error) = until_written(|then| log.record_then(&record, then)).await {
                self.end = Some(AuditOutcome::Refused);
                return Err(NotRecorded(error));
            }
        }
        let running = report.to.running.as_deref();
        let begun = running.map(|running| running.begin(self.observed(report, running)));
        if let Some(report) = &mut self.report {
            report.running = begun;
        }
        Ok(())
    }

    /// The notes of a call that runs, which report its progress to the observer, too.
    pub(crate) fn observed_notes(&self, notes: Notes) -> Notes {
        if !notes.wants_progress() {
            return notes;
        }
        let Some(report) = &self.report else { return notes };
        match (report.to.running.as_deref(), &report.running) {
            (Some(running), Some(open)) => Notes::new(Arc::new(ObservedNotes {
                notes,
                call: Arc::clone(&open.call),
                observer: Arc::clone(running.observer()),
            })),
            _ => notes,
        }
    }

    /// Runs the call until it ends or the owner of the hub cancels it.
    pub(crate) async fn until_cancelled<T>(
        &mut self,
        work: Pin<&mut (impl Future<Output = T> + Send)>,
    ) -> Result<T, CancelledByOwner> {
        let running = self.report.as_ref().and_then(|report| report.running.as_deref());
        let Some(running) = running else { return Ok(work.await) };
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = running.cancelled() => {
                self.end = Some(AuditOutcome::Cancelled);
                Err(CancelledByOwner)
            }
        }
    }

    /// Records the end of a tool call: its result may say that the tool failed.
    pub(crate) fn tool_ended(&mut self, done: &Result<Outcome, CallError>) {
        self.call_ended(done);
        if let Ok(Outcome::Complete(answer)) = done
            && says_failed(&answer.body)
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
        let Some(report) = &self.report else { return };
        self.outcome = match error {
            CallError::Late(_) => AuditOutcome::Timeout,
            other => AuditOutcome::Error(other.to_rpc(&report.caller).code.0),
        };
    }

    /// Leaves no line: nothing ran, and either no caller asked now or the same call follows.
    pub(crate) fn discard(&mut self) {
        self.report = None;
    }

    /// Records an outcome that neither a result nor a protocol error stands for.
    pub(crate) fn ended(&mut self, outcome: AuditOutcome) {
        self.outcome = outcome;
    }
}

impl CallRecord<'_> {
    fn outcome(&self) -> AuditOutcome {
        self.end.unwrap_or(self.outcome)
    }

    fn line<'a>(&'a self, report: &'a CallReport<'_>) -> AuditRecord<'a> {
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
            outcome: self.outcome(),
            request_bytes: report.params.raw().len() as u64,
            result_bytes: self.result_bytes as u64,
            ..event_of(&report.caller, self.method.as_str())
        }
    }

    fn observed(&self, report: &CallReport<'_>, running: &RunningCalls) -> ObservedCall {
        let CallReport { caller, params, .. } = report;
        ObservedCall {
            id: running.next_id(),
            at: self.at.try_into().unwrap_or_default(),
            method: self.method,
            target: self.target.into(),
            server: self.server.map(Into::into),
            original: self.original.or(self.built_in).map(Into::into),
            principal: caller.principal.as_str().into(),
            client: caller.client.as_ref().map(|client| client.name.as_str().into()),
            via: caller.via.as_deref().map(Into::into),
            revision: caller.revision.as_str(),
            request_bytes: params.raw().len() as u64,
            client_id: caller.client_id,
            trace: self.trace.clone(),
        }
    }
}

impl Drop for CallRecord<'_> {
    fn drop(&mut self) {
        let Some(report) = self.report.take() else { return };
        report.to.rule_uses.count(&self.decision);
        if let Some(log) = report.to.log.as_deref() {
            log.record(&self.line(&report));
        }
        if let Some(running) = report.to.running.as_deref() {
            let end = ObservedEnd {
                outcome: self.outcome(),
                duration: self.begun.elapsed(),
                result_bytes: self.result_bytes as u64,
            };
            match &report.running {
                Some(begun) => running.end(&begun.call, &end),
                None => running.end(&Arc::new(self.observed(&report, running)), &end),
            }
        }
    }
}

/// Where a call is reported, with what the report needs of it: the call itself moves on to the code
/// that answers it.
struct CallReport<'a> {
    to: &'a Recorder,
    caller: Caller,
    params: Arc<Params>,
    running: Option<Arc<OpenCall>>,
}

/// Whether the result of a tool says that the tool failed. Servers write it with and without
/// spaces; a text that quotes it has its quotation marks escaped.
fn says_failed(body: &str) -> bool {
    static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"isError\""));
    KEY.find_iter(body.as_bytes()).any(|at| {
        let rest = body[at + KEY.needle().len()..].trim_start();
        rest.strip_prefix(':').is_some_and(|value| value.trim_start().starts_with("true"))
    })
}

/// Why a call has no answer of its own: the owner of the hub cancelled it.
#[derive(Debug, thiserror::Error)]
#[error("cancelled by the owner of this hub")]
pub(crate) struct CancelledByOwner;

impl From<CancelledByOwner> for CallError {
    fn from(error: CancelledByOwner) -> Self {
        Self::Other(RpcError::new(ErrorCode::INTERNAL, error.to_string()))
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
