//! One background process: its newest output, its input, its end.
//!
//! A task drives it. Handlers read it through a lock that is never held across an `.await`.

use super::owner::{ClientEnd, ProcessOwner};
use crate::commands::{
    ActiveCommand, CommandOutcome, InputPiece, LaunchedCommand, OutputReceiver, ProgramInput,
    StopCause, drive,
};
use crate::shell::limits::{LEASE, MAX_KEPT_BYTES, MAX_LIFETIME, OUTPUT_RETENTION};
use crate::shell::output_ring::{OutputPart, OutputRing};
use futures_util::future::{Either, select};
use hobnob_mcp_engine::{OutputStream, Share};
use hobnob_policy::CommandWish;
use parking_lot::{Mutex, MutexGuard};
use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep_until, timeout};

/// A background process, with the newest part of its output.
pub(in crate::shell) struct BackgroundProcess {
    pub(in crate::shell) id: Box<str>,
    /// The shortened command, as its caller typed it.
    pub(in crate::shell) command: String,
    pub(in crate::shell) started: SystemTime,
    pub(super) owner: ProcessOwner,
    active: Arc<ActiveCommand<CommandWish>>,
    input: mpsc::Sender<InputPiece>,
    progress: Mutex<ProcessProgress>,
    /// Notified when output arrives and when the process ends.
    changed: Notify,
    /// Its place among the processes of its client.
    _place: Share,
}

struct ProcessProgress {
    output: OutputRing,
    ended: Option<EndedProcess>,
    /// When its owner last asked for it.
    asked: Instant,
}

#[derive(Clone, Copy)]
struct EndedProcess {
    outcome: CommandOutcome,
    at: Instant,
}

/// The new output of a process, and its end.
#[derive(Debug)]
pub(in crate::shell) struct ProcessView {
    pub(in crate::shell) part: OutputPart,
    /// How it ended; `None` while it runs.
    pub(in crate::shell) outcome: Option<CommandOutcome>,
}

/// The parts from which a process is made.
pub(super) struct ProcessParts {
    pub(super) id: Box<str>,
    pub(super) command: String,
    pub(super) owner: ProcessOwner,
    pub(super) active: Arc<ActiveCommand<CommandWish>>,
    pub(super) input: mpsc::Sender<InputPiece>,
    pub(super) place: Share,
}

/// Keeps the newest output of a process for later calls.
struct RingOutput<'a>(&'a BackgroundProcess);

impl OutputReceiver for RingOutput<'_> {
    /// The ring always has room: new output displaces the oldest.
    async fn room(&self) {}

    fn receive(&mut self, stream: OutputStream, text: &str) {
        self.0.progress().output.push(stream, text);
        self.0.changed.notify_waiters();
    }
}

impl BackgroundProcess {
    pub(super) fn new(parts: ProcessParts) -> Self {
        let ProcessParts { id, command, owner, active, input, place } = parts;
        let output = OutputRing::new(MAX_KEPT_BYTES);
        let progress = ProcessProgress { output, ended: None, asked: Instant::now() };
        Self {
            id,
            command,
            started: SystemTime::now(),
            owner,
            active,
            input,
            progress: Mutex::new(progress),
            changed: Notify::new(),
            _place: place,
        }
    }

    /// Runs the process to its end.
    pub(super) async fn drive(
        self: Arc<Self>,
        launched: LaunchedCommand,
        pieces: mpsc::Receiver<InputPiece>,
    ) {
        let input = ProgramInput::Open(self.active.permit.request().input().to_vec(), pieces);
        let mut output = RingOutput(&self);
        let (tree, pipes) = (launched.tree, launched.pipes);
        let driving = pin!(drive(tree, pipes, input, MAX_LIFETIME, &self.active.stop, &mut output));
        let watching = pin!(self.end_when_forgotten());
        let outcome = match select(driving, watching).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right((never, _)) => match never {},
        };
        if let Some(scratch) = launched.scratch {
            scratch.give_back();
        }
        self.progress().ended = Some(EndedProcess { outcome, at: Instant::now() });
        self.changed.notify_waiters();
    }

    /// Ends the process when its lease expires, if the end of its client cannot be observed: the
    /// owner has not asked for it for too long.
    async fn end_when_forgotten(&self) -> Infallible {
        loop {
            match self.owner.client_end() {
                ClientEnd::Observed => std::future::pending().await,
                ClientEnd::Unobserved => {}
            }
            let until = self.progress().asked + LEASE;
            sleep_until(until).await;
            if self.progress().asked + LEASE <= Instant::now() {
                self.stop(StopCause::Forgotten);
                return std::future::pending().await;
            }
        }
    }

    /// Ends the process, unless it has ended.
    pub(in crate::shell) fn stop(&self, cause: StopCause) {
        self.active.stop.stop(cause);
    }

    /// Renews the lease, because the owner asked for the process.
    pub(super) fn touch(&self) {
        self.progress().asked = Instant::now();
    }

    /// The output since this position. Waits for new output or the end, at most for `wait`.
    pub(in crate::shell) async fn view(&self, since: u64, wait: Duration) -> ProcessView {
        let news = async {
            loop {
                let changed = self.changed.notified();
                let view = self.view_now(since);
                if view.outcome.is_some() || !view.part.pieces.is_empty() {
                    return view;
                }
                changed.await;
            }
        };
        match timeout(wait, news).await {
            Ok(view) => view,
            Err(_) => self.view_now(since),
        }
    }

    /// Waits for the end, at most for `wait`.
    pub(in crate::shell) async fn ended(&self, wait: Duration) -> Option<CommandOutcome> {
        let end = async {
            loop {
                let changed = self.changed.notified();
                if let Some(ended) = self.progress().ended {
                    return ended.outcome;
                }
                changed.await;
            }
        };
        timeout(wait, end).await.ok()
    }

    /// The output since this position, without waiting.
    pub(in crate::shell) fn view_now(&self, since: u64) -> ProcessView {
        let progress = self.progress();
        let outcome = progress.ended.map(|ended| ended.outcome);
        ProcessView { part: progress.output.since(since), outcome }
    }

    /// How it ended; `None` while it runs.
    pub(in crate::shell) fn outcome(&self) -> Option<CommandOutcome> {
        self.progress().ended.map(|ended| ended.outcome)
    }

    /// Queues input for the program; fails if it has not read the earlier input.
    pub(in crate::shell) fn write(&self, piece: InputPiece) -> Result<(), InputRefused> {
        self.input.try_send(piece).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => InputRefused::Full,
            mpsc::error::TrySendError::Closed(_) => InputRefused::Closed,
        })
    }

    /// When it ended; `None` while it runs.
    pub(super) fn ended_at(&self) -> Option<Instant> {
        self.progress().ended.map(|ended| ended.at)
    }

    /// Whether its output is no longer kept.
    pub(super) fn is_expired(&self) -> bool {
        self.ended_at().is_some_and(|at| at + OUTPUT_RETENTION <= Instant::now())
    }

    fn progress(&self) -> MutexGuard<'_, ProcessProgress> {
        self.progress.lock()
    }
}

/// Why a process was not given more input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum InputRefused {
    /// It has not read the earlier input.
    Full,
    /// Its input has been closed.
    Closed,
}
