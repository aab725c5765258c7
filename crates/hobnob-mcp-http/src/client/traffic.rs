//! The messages under way to one server: how many, under which ids, and in which order.
//!
//! Both carriers send every message through it; it owns and cancels their tasks.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_transport::{OutgoingKind, SendError};
use hobnob_mcp_types::{Method, RequestId};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::client::target::TargetError;

/// How many requests may be under way at once, the same number as in the client above.
const MAX_REQUESTS: usize = 1024;

/// How many messages without an answer may be under way at once. Their limit is separate, because
/// an answer or a cancellation matters most when there are many requests.
const MAX_ONE_WAY: usize = 1024;

/// How long `initialized` may delay the messages after it.
const INITIALIZED_TIMEOUT: Duration = Duration::from_secs(10);

/// How long opening the standing stream may delay other messages.
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
    /// Cancelled once the standing stream is open, or known not to exist. A server may want to use
    /// it as soon as it is called, and some look for it only then.
    stream: Option<CancellationToken>,
}

/// The state of the handshake. Every message has its own connection, so a later message could
/// overtake `initialized`, and some servers refuse messages that come too early.
#[derive(Default)]
enum Greeting {
    #[default]
    Idle,
    /// `initialize` was sent: the next one-way message is `initialized`.
    Begun,
    /// `initialized` is under way until the token is cancelled.
    Ending(CancellationToken),
}

/// The permission to send one message.
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
            one_way_slots: Arc::new(Semaphore::new(MAX_ONE_WAY)),
            stop: CancellationToken::new(),
            state: Mutex::default(),
        }))
    }

    /// Reserves a slot for a message.
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
        let mut state = self.state.lock();
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

    /// Runs a message's task once it is its turn.
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

    /// Announces that the standing stream is about to be opened; later messages wait a moment for
    /// it. Dropping the guard says that it is open, or never will be.
    pub(super) fn open_stream(&self) -> DropGuard {
        let opening = CancellationToken::new();
        self.state.lock().stream = Some(opening.clone());
        opening.drop_guard()
    }

    /// Runs a task that is no message, until the connection ends.
    pub(super) fn run_beside(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        let behind = match &self.state.lock().greeting {
            Greeting::Ending(ended) => Some(ended.clone()),
            Greeting::Idle | Greeting::Begun => None,
        };
        let guarded = async move {
            let _stopped = stop.run_until_cancelled_owned(in_turn(behind, task)).await;
        };
        drop(self.tasks.spawn_on(guarded, &self.runtime));
    }

    /// Runs a last task, which the end of the connection does not stop.
    pub(super) fn run_last(&self, task: impl Future<Output = ()> + Send + 'static) {
        drop(self.tasks.spawn_on(task, &self.runtime));
    }

    /// Cancels a request, in any state.
    pub(super) fn abandon(&self, id: &RequestId) {
        let open = self.state.lock().open.remove(id);
        if let Some(stop) = open {
            stop.cancel();
        }
    }

    /// Marks a request as finished, though its task may still have something to clean up.
    pub(super) fn settle(&self, id: &RequestId) {
        self.state.lock().open.remove(id);
    }

    /// Whether the connection has ended.
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// Ends the connection. Returns whether it was still open.
    pub(super) fn end(&self) -> bool {
        let mut state = self.state.lock();
        state.open.clear();
        let first = !self.stop.is_cancelled();
        self.stop.cancel();
        first
    }
}

/// Waits for the message that must go first, then runs the task.
async fn in_turn(behind: Option<CancellationToken>, task: impl Future<Output = ()>) {
    if let Some(ended) = behind {
        let _late_is_no_reason_to_fail =
            tokio::time::timeout(INITIALIZED_TIMEOUT, ended.cancelled()).await;
    }
    task.await;
}

impl fmt::Debug for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open = self.state.lock().open.len();
        f.debug_struct("Traffic").field("open", &open).field("over", &self.is_over()).finish()
    }
}
