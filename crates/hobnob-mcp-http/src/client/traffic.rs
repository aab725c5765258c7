//! The messages under way to one server: how many, under which ids, and who has to wait for whom.
//!
//! Both carriers hand every message to this; it owns their tasks and lets them go.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hobnob_mcp_transport::{OutgoingKind, SendError};
use hobnob_mcp_types::{Method, RequestId};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::client::target::TargetError;

/// Requests under way at once: as many as a client above has.
const MAX_REQUESTS: usize = 1024;

/// Messages under way at once that want no answer. They have a limit of their own: an answer or a
/// cancellation matters when there are many requests.
const ONE_WAY_ROOM: usize = 1024;

/// How long `initialized` may hold up what follows it.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the opening of the standing stream may.
const STREAM_TIMEOUT: Duration = Duration::from_secs(1);

/// The messages under way to one server, and the tasks that carry them.
pub(super) struct Traffic {
    tasks: TaskTracker,
    runtime: Handle,
    slots: Arc<Semaphore>,
    one_way_slots: Arc<Semaphore>,
    stop: CancellationToken,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    open: HashMap<RequestId, CancellationToken>,
    greeting: Greeting,
    /// Cancelled once the standing stream is open, or known not to be. A server that has one may
    /// want to speak on it as soon as it is called, and some look for it only then.
    stream: Option<CancellationToken>,
}

/// Every message has a connection of its own, so `initialized` could be overtaken by what follows
/// it, and some servers refuse what comes too early.
#[derive(Default)]
enum Greeting {
    #[default]
    Idle,
    /// `initialize` was sent: the next remark is `initialized`.
    Begun,
    /// It is under way until the token says otherwise.
    Ending(CancellationToken),
}

/// Leave for one message to go.
pub(super) struct Pass {
    permit: OwnedSemaphorePermit,
    stop: CancellationToken,
    behind: Option<CancellationToken>,
    stream: Option<CancellationToken>,
    done: Option<DropGuard>,
}

impl Traffic {
    pub(super) fn new(tasks: TaskTracker) -> Result<Arc<Self>, TargetError> {
        let runtime =
            Handle::try_current().map_err(|error| TargetError::Setup(error.to_string().into()))?;
        Ok(Arc::new(Self {
            tasks,
            runtime,
            slots: Arc::new(Semaphore::new(MAX_REQUESTS)),
            one_way_slots: Arc::new(Semaphore::new(ONE_WAY_ROOM)),
            stop: CancellationToken::new(),
            state: Mutex::default(),
        }))
    }

    /// Takes a place for a message.
    pub(super) fn admit(&self, kind: &OutgoingKind) -> Result<Pass, SendError> {
        if self.stop.is_cancelled() {
            return Err(SendError::Ended);
        }
        let slots = match kind {
            OutgoingKind::Request(_) => &self.slots,
            OutgoingKind::OneWay { .. } => &self.one_way_slots,
        };
        let permit = Arc::clone(slots).try_acquire_owned().map_err(|_| SendError::Full)?;
        let stop = self.stop.child_token();
        let mut state = self.state();
        let behind = match &state.greeting {
            Greeting::Ending(ended) if !ended.is_cancelled() => Some(ended.clone()),
            _ => None,
        };
        let mut done = None;
        match kind {
            OutgoingKind::Request(head) => {
                state.open.insert(head.id.clone(), stop.clone());
                if head.method == Method::Initialize {
                    state.greeting = Greeting::Begun;
                }
            }
            OutgoingKind::OneWay { .. } if matches!(state.greeting, Greeting::Begun) => {
                let ended = CancellationToken::new();
                done = Some(ended.clone().drop_guard());
                state.greeting = Greeting::Ending(ended);
            }
            OutgoingKind::OneWay { .. } => {}
        }
        let stream = state.stream.clone().filter(|stream| !stream.is_cancelled());
        Ok(Pass { permit, stop, behind, stream, done })
    }

    /// Runs a message's task once it may go.
    pub(super) fn run(&self, pass: Pass, task: impl Future<Output = ()> + Send + 'static) {
        let Pass { permit, stop, behind, stream, done } = pass;
        let task = async move {
            if let Some(stream) = stream {
                let _late = tokio::time::timeout(STREAM_TIMEOUT, stream.cancelled()).await;
            }
            task.await;
        };
        let guarded = async move {
            let _abandoned = stop.run_until_cancelled_owned(in_turn(behind, task)).await;
            drop((permit, done));
        };
        drop(self.tasks.spawn_on(guarded, &self.runtime));
    }

    /// The standing stream is about to be opened; what follows waits a moment for it. Dropping
    /// the guard says that it is open, or never will be.
    pub(super) fn open_stream(&self) -> DropGuard {
        let opening = CancellationToken::new();
        self.state().stream = Some(opening.clone());
        opening.drop_guard()
    }

    /// Runs something that is no message, until the end of the connection.
    pub(super) fn run_beside(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        let behind = match &self.state().greeting {
            Greeting::Ending(ended) => Some(ended.clone()),
            Greeting::Idle | Greeting::Begun => None,
        };
        let guarded = async move {
            let _stopped = stop.run_until_cancelled_owned(in_turn(behind, task)).await;
        };
        drop(self.tasks.spawn_on(guarded, &self.runtime));
    }

    /// Runs what must still be sent, which the end does not stop.
    pub(super) fn run_last(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn_on(task, &self.runtime));
    }

    /// Lets a request go, whatever it is doing.
    pub(super) fn abandon(&self, id: &RequestId) {
        let open = self.state().open.remove(id);
        if let Some(stop) = open {
            stop.cancel();
        }
    }

    /// The request is over, though its task may still have something to tidy up.
    pub(super) fn settle(&self, id: &RequestId) {
        self.state().open.remove(id);
    }

    /// Whether the connection has ended.
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Ends everything. Returns whether it was still going on.
    pub(super) fn end(&self) -> bool {
        let mut state = self.state();
        state.open.clear();
        let first = !self.stop.is_cancelled();
        self.stop.cancel();
        first
    }

    /// No panic can happen while it is held, so a poisoned lock is as good as any.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits for what must go first.
async fn in_turn(behind: Option<CancellationToken>, task: impl Future<Output = ()>) {
    if let Some(ended) = behind {
        let _late_is_no_reason_to_fail =
            tokio::time::timeout(CLOSE_TIMEOUT, ended.cancelled()).await;
    }
    task.await;
}

impl fmt::Debug for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.state().open.len();
        f.debug_struct("Traffic").field("open", &open).field("over", &self.is_over()).finish()
    }
}
