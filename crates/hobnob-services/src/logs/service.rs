//! The log service: its parts, and the one path from a request to its result.
//!
//! Reading blocks, so it runs on blocking threads, a few at once, and ends when its caller is gone.

use super::mask::{LazyAnonymiser, LogMask};
use crate::machine_access::MachineAccess;
use crate::presentation::{Failure, Presentation};
use hobnob_machine::logs::{
    FollowEnd, ListedLog, LogControl, LogEntry, LogError, LogOutcome, LogPage, LogReader,
};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{
    GrantSet, GrantSubject, LogAction, LogFilter, LogOperation, LogStart, LogWish, Permit,
};
use parking_lot::Mutex;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Most queries and lists that run at once.
const MAX_QUERIES: usize = 4;
/// Most tails that run at once; each occupies a thread for its whole time.
const MAX_TAILS: usize = 16;
/// Longest source or text in a filter, in bytes.
const MAX_FILTER_TEXT: usize = 1024;

/// The logs of this machine. Cheap to clone.
#[derive(Clone)]
pub struct LogService {
    pub(super) machine: MachineAccess,
    reader: Arc<LogReader>,
    /// `None` if the person's settings let callers see everything.
    anonymiser: Option<Arc<LazyAnonymiser>>,
    queries: Arc<Semaphore>,
    tails: Arc<Semaphore>,
    /// The running tails, which a change of the grants ends.
    running: Arc<Mutex<Vec<Weak<LogControl>>>>,
}

impl LogService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "logs";

    /// Reads through `reader`. Without an anonymiser callers see the logs unmasked: only a person's
    /// settings may choose that.
    pub fn new(
        machine: MachineAccess,
        reader: LogReader,
        anonymiser: Option<LazyAnonymiser>,
    ) -> Self {
        Self {
            machine,
            reader: Arc::new(reader),
            anonymiser: anonymiser.map(Arc::new),
            queries: Arc::new(Semaphore::new(MAX_QUERIES)),
            tails: Arc::new(Semaphore::new(MAX_TAILS)),
            running: Arc::default(),
        }
    }

    /// Ends the tails and closes the folders; granted ones are opened again at their next use.
    pub(super) fn close_all(&self) {
        let mut running = self.running.lock();
        running.drain(..).filter_map(|tail| tail.upgrade()).for_each(|tail| tail.cancel());
        self.reader.keep(&[]);
    }

    /// The mask for callers. It reads a file the first time, so only blocking threads may call it.
    fn mask(&self) -> Result<LogMask, LogError> {
        match &self.anonymiser {
            None => Ok(LogMask::Off),
            Some(anonymiser) => Ok(LogMask::Anonymised(anonymiser.get()?)),
        }
    }

    fn remember(&self, control: &Arc<LogControl>) {
        let mut running = self.running.lock();
        running.retain(|tail| 0 < tail.strong_count());
        running.push(Arc::downgrade(control));
    }
}

impl fmt::Debug for LogService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogService").field("anonymiser", &self.anonymiser).finish_non_exhaustive()
    }
}

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedLogs {
    pub(super) service: LogService,
    pub(super) presentation: Arc<Presentation>,
}

/// Why a tail ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TailEnd {
    Time,
    Limit,
    /// A person changed the grants meanwhile; the caller may ask again.
    GrantsChanged,
}

impl PresentedLogs {
    /// The logs that the caller may read.
    pub(super) async fn list(&self, context: &CallContext) -> Result<Vec<ListedLog>, ToolError> {
        let slot = Arc::clone(&self.service.queries).acquire_owned().await;
        let permit = self
            .service
            .machine
            .permit(context, &self.presentation, |grants, who| grants.permit_log_list(who))?;
        let (reader, guard) = (Arc::clone(&self.service.reader), CancelOnDrop::default());
        let control = Arc::clone(&guard.0);
        self.blocking(move || {
            let _slot = slot;
            reader.list(&permit, &control)
        })
        .await
    }

    /// Reads one page of a granted log, masked.
    pub(super) async fn query(
        &self,
        context: &CallContext,
        log: &str,
        filter: LogFilter,
        limit: u32,
        start: LogStart,
    ) -> Result<LogPage, ToolError> {
        self.check(&filter)?;
        let slot = Arc::clone(&self.service.queries).acquire_owned().await;
        let permit = self.permit(context, log, LogOperation::Query { filter, limit, start })?;
        let (service, guard) = (self.service.clone(), CancelOnDrop::default());
        let control = Arc::clone(&guard.0);
        let outcome = self.blocking(move || {
            let _slot = slot;
            service.reader.perform(&permit, &service.mask()?, &control, &mut |_| {})
        });
        match outcome.await? {
            LogOutcome::Page(page) => Ok(page),
            LogOutcome::Followed(_) => Err(self.invalid("the log has no pages")),
        }
    }

    /// Passes the new entries of a log to `each` as they arrive, and returns them all at the end.
    pub(super) async fn tail(
        &self,
        context: &CallContext,
        log: &str,
        filter: LogFilter,
        (limit, wait): (u32, Duration),
        each: impl Fn(usize, &LogEntry) + Send + 'static,
    ) -> Result<(Vec<LogEntry>, TailEnd), ToolError> {
        self.check(&filter)?;
        let Ok(slot) = Arc::clone(&self.service.tails).try_acquire_owned() else {
            return Err(
                self.invalid(format!("{MAX_TAILS} tails run already: wait until one has ended"))
            );
        };
        let permit = self.permit(context, log, LogOperation::Follow { filter, limit, wait })?;
        let (service, guard) = (self.service.clone(), CancelOnDrop::default());
        let control = Arc::clone(&guard.0);
        self.service.remember(&control);
        let followed = self.blocking(move || {
            let _slot = slot;
            let (mask, mut entries) = (service.mask()?, Vec::new());
            let ended = service.reader.perform(&permit, &mask, &control, &mut |entry| {
                each(entries.len() + 1, &entry);
                entries.push(entry);
            });
            match ended {
                Ok(LogOutcome::Followed(ended)) => Ok((entries, tail_end(ended.end))),
                // The caller is gone, or a person changed the grants: then the caller sees this.
                Err(LogError::Cancelled) => Ok((entries, TailEnd::GrantsChanged)),
                Ok(LogOutcome::Page(_)) => Ok((entries, TailEnd::Time)),
                Err(error) => Err(error),
            }
        });
        let followed = followed.await;
        drop(guard);
        followed
    }

    fn permit(
        &self,
        context: &CallContext,
        log: &str,
        operation: LogOperation,
    ) -> Result<Permit<LogAction>, ToolError> {
        let wish = LogWish { log: log.to_owned(), operation };
        let decide = |grants: &GrantSet, who: GrantSubject<'_>| grants.permit_log(who, wish);
        self.service.machine.permit(context, &self.presentation, decide)
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, LogError> + Send + 'static,
    ) -> Result<T, ToolError> {
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done.map_err(|error| self.refused(&error)),
            Err(error) => {
                tracing::error!(%error, "reading a log ended early");
                Err(self.presentation.fail(Failure::Storage, "the log cannot be read"))
            }
        }
    }

    fn check(&self, filter: &LogFilter) -> Result<(), ToolError> {
        for (what, text) in [("source", &filter.source), ("contains", &filter.contains)] {
            if text.as_ref().is_some_and(|text| MAX_FILTER_TEXT < text.len()) {
                return Err(self.invalid(format!("{what}: at most {MAX_FILTER_TEXT} bytes")));
            }
        }
        Ok(())
    }

    fn refused(&self, error: &LogError) -> ToolError {
        let failure = match error {
            LogError::Missing(_) | LogError::NoSystemLogs(_) => Failure::NotFound,
            LogError::File(_) | LogError::BadCursor | LogError::TooFar(_) | LogError::Cancelled => {
                Failure::Invalid
            }
            LogError::Program { .. } | LogError::Read(_) => {
                tracing::warn!(%error, "a log cannot be read");
                Failure::Storage
            }
        };
        self.presentation.fail(failure, error.to_string())
    }

    /// The error for a well-formed request that cannot be carried out.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }
}

fn tail_end(end: FollowEnd) -> TailEnd {
    match end {
        FollowEnd::Time => TailEnd::Time,
        FollowEnd::Limit => TailEnd::Limit,
    }
}

/// Cancels the reading when its call is dropped.
#[derive(Default)]
struct CancelOnDrop(Arc<LogControl>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
