//! A handler's access to its call: it learns about its caller, sends progress, events and logs,
//! watches resources for the caller's session, and continues as a task.
//!
//! The toolbox makes one context for each run of a handler that takes one.

use crate::error::ToolError;
use crate::reply::{IntoToolResult, outcome};
use crate::schema::CompiledSchema;
use hobnob_mcp_engine::{Answers, CallError, Caller, Notes, OutputStream, StreamEvent, TaskOwner};
use hobnob_mcp_tasks::{Runner, Tasks};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::logging::LoggingLevel;
use serde::Serialize;
use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A handler's view of its call: everything [`CallContext`] offers, and the state of its kit.
///
/// Cheap to clone.
pub struct Context<S = ()> {
    call: CallContext,
    state: Arc<S>,
}

impl<S> Context<S> {
    /// The value that was passed to [`KitBuilder::with_state`](crate::KitBuilder::with_state).
    pub fn state(&self) -> &S {
        &self.state
    }
}

impl<S> Clone for Context<S> {
    fn clone(&self) -> Self {
        Self { call: self.call.clone(), state: Arc::clone(&self.state) }
    }
}

impl<S> Deref for Context<S> {
    type Target = CallContext;

    fn deref(&self) -> &CallContext {
        &self.call
    }
}

impl<S> std::fmt::Debug for Context<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", self.call.name())
    }
}

/// What a handler can learn about its call and do while it runs, independent of its kit's state.
///
/// Helper functions for several kits take `&CallContext`; `&context` coerces to it.
#[derive(Clone)]
pub struct CallContext(Arc<Shared>);

struct Shared {
    parts: CallParts,
    is_over: AtomicBool,
}

/// The data from which a context is made.
pub struct CallParts {
    pub(crate) name: Arc<str>,
    pub(crate) caller: Caller,
    pub(crate) answers: Answers,
    pub(crate) notes: Notes,
    pub(crate) tasks: TaskStart,
    /// The schema for the results of tasks that the handler starts.
    pub(crate) output: Option<Arc<CompiledSchema>>,
}

impl CallParts {
    /// The parts for a call that cannot start a task.
    pub(crate) fn new(name: Arc<str>, caller: Caller, answers: Answers, notes: Notes) -> Self {
        Self { name, caller, answers, notes, tasks: TaskStart::Denied, output: None }
    }
}

/// The context of one call, made only if the handler takes one.
pub struct ContextSource<'a, S>(Source<'a, S>);

enum Source<'a, S> {
    Parts { parts: CallParts, state: &'a Arc<S>, running: &'a mut Option<RunningCall> },
    Made(Context<S>),
}

impl<'a, S> ContextSource<'a, S> {
    /// A context that is not made yet. `running` is set once it is; the call's future must own that
    /// value until the handler has finished.
    pub(crate) fn new(
        parts: CallParts,
        state: &'a Arc<S>,
        running: &'a mut Option<RunningCall>,
    ) -> Self {
        Self(Source::Parts { parts, state, running })
    }

    /// A context that was made already.
    pub(crate) fn made(context: Context<S>) -> Self {
        Self(Source::Made(context))
    }

    pub(crate) fn make(self) -> Context<S> {
        match self.0 {
            Source::Made(context) => context,
            Source::Parts { parts, state, running } => {
                let call = CallContext(Arc::new(Shared { parts, is_over: AtomicBool::new(false) }));
                *running = Some(RunningCall(call.clone()));
                Context { call, state: Arc::clone(state) }
            }
        }
    }
}

/// Owned by the future of a call. Its drop marks the call as cancelled for the handler.
pub(crate) struct RunningCall(CallContext);

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// Whether a handler may turn its call into a task.
#[derive(Clone)]
pub(crate) enum TaskStart {
    /// No: it is a task already, or its caller cannot take one.
    Denied,
    Allowed {
        owner: TaskOwner,
        tasks: Tasks,
    },
}

impl CallContext {
    /// The name of the called tool or prompt, or the URI of the resource that is read.
    pub fn name(&self) -> &str {
        &self.0.parts.name
    }

    /// The caller and its capabilities.
    pub fn caller(&self) -> &Caller {
        &self.0.parts.caller
    }

    /// Whether the call was cancelled. Long blocking work should check this and stop early.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_over.load(Ordering::Relaxed)
    }

    /// The answers to all questions so far.
    pub fn answers(&self) -> &Answers {
        &self.0.parts.answers
    }

    /// The state that [`Self::ask_with_request_state`] saved in an earlier run.
    pub fn request_state(&self) -> Option<&str> {
        self.0.parts.answers.state()
    }

    /// Reports how far the work has come; `done` must grow with every call.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.0.parts.notes.progress(done, total, message);
    }

    /// Sends an event about the call's progress to a caller that wants progress; in MCP it is a
    /// progress notification with the event's text as its message. Waits for room if the caller
    /// must get every event. Other callers may miss events when they read slowly, so put everything
    /// into the result too.
    pub async fn emit(&self, event: StreamEvent) {
        self.0.parts.notes.emit(event).await;
    }

    /// Sends a program's output as an event, without waiting. Wait for [`Self::room`] before you
    /// read more from the program.
    pub fn output(&self, stream: OutputStream, text: &str) {
        self.0.parts.notes.output(stream, text);
    }

    /// Waits until the caller has room for an event. Cancelling the wait loses nothing.
    pub async fn room(&self) {
        if let Some(room) = self.0.parts.notes.room() {
            room.await;
        }
    }

    /// Whether the caller must get every event, however many there are. Only for such callers may
    /// events contain what the result does not.
    pub fn needs_every_event(&self) -> bool {
        self.0.parts.notes.needs_every_event()
    }

    /// Sends a log message to the caller, if the caller wants messages of this level.
    pub fn log(&self, level: LoggingLevel, data: &impl Serialize) {
        self.log_as(self.name(), level, data);
    }

    /// The same under another logger name than the tool's.
    pub fn log_as(&self, logger: &str, level: LoggingLevel, data: &impl Serialize) {
        self.0.parts.notes.log(level, Some(logger), data);
    }

    /// Subscribes the caller's session to a resource, as if the client had subscribed itself. A
    /// modern caller listens for itself and does not notice.
    pub fn watch(&self, uri: &str) {
        self.0.parts.notes.watch(uri);
    }

    /// Ends the session's subscription to a resource, whether the client or a handler made it.
    pub fn unwatch(&self, uri: &str) {
        self.0.parts.notes.unwatch(uri);
    }

    /// Lets an HTTP client disconnect and come back after `retry`; other clients do not notice.
    pub fn pause_stream(&self, retry: Duration) {
        self.0.parts.notes.pause(retry);
    }

    /// Whether the client can ask a person to fill in a form.
    pub fn client_can_elicit(&self) -> bool {
        self.0.parts.caller.capabilities.can_fill_forms()
    }

    /// Whether the client can ask a person to visit a page.
    pub fn client_can_visit_pages(&self) -> bool {
        self.0.parts.caller.capabilities.can_visit_pages()
    }

    /// Whether the client can ask its model.
    pub fn client_can_sample(&self) -> bool {
        self.0.parts.caller.capabilities.sampling.is_some()
    }

    /// Whether the client can list its roots.
    pub fn client_can_list_roots(&self) -> bool {
        self.0.parts.caller.capabilities.roots.is_some()
    }

    /// Fails unless the client declared all of these capabilities. Their parts count too:
    /// `sampling.tools` is more than `sampling`.
    pub fn require(&self, needed: ClientCapabilities) -> Result<(), ToolError> {
        let has = &self.0.parts.caller.capabilities;
        let sampling = needed.sampling.as_ref().is_none_or(|wanted| {
            has.sampling.as_ref().is_some_and(|has| {
                (wanted.tools.is_none() || has.tools.is_some())
                    && (wanted.context.is_none() || has.context.is_some())
            })
        });
        let elicitation = needed.elicitation.as_ref().is_none_or(|wanted| {
            (has.can_visit_pages() || wanted.url.is_none())
                && (has.can_fill_forms() || (wanted.form.is_none() && wanted.url.is_some()))
        });
        let roots = needed.roots.is_none() || has.roots.is_some();
        let tasks = needed.tasks.is_none() || has.tasks.is_some();
        let extensions = needed.extensions.iter().all(|(name, _)| has.extensions.contains(name));
        let experiments =
            needed.experimental.iter().all(|(name, _)| has.experimental.contains(name));
        if sampling && elicitation && roots && tasks && extensions && experiments {
            return Ok(());
        }
        Err(ToolError::Protocol(CallError::Capability(Box::new(needed))))
    }
}

impl<S: Send + Sync + 'static> Context<S> {
    /// Continues as a task if the caller can take one, and within this call if not.
    ///
    /// `run` is the task's work. It starts again from the top after each round of questions.
    pub async fn start_task<T, F, Work>(&self, run: F) -> Result<T, ToolError>
    where
        T: IntoToolResult,
        F: Fn(Self) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<T, ToolError>> + Send + 'static,
    {
        let CallParts { name, caller, tasks, output, .. } = &self.call.0.parts;
        let (owner, tasks) = match tasks {
            TaskStart::Denied => return run(self.clone()).await,
            TaskStart::Allowed { owner, tasks } => (owner.clone(), tasks),
        };
        let (tool, caller, output) = (Arc::clone(name), caller.clone(), output.clone());
        let state = Arc::clone(&self.state);
        let runner: Runner = Arc::new(move |answers| {
            // A task outlives the stream of its call, so it has no reader for notes.
            let parts = CallParts::new(Arc::clone(&tool), caller.clone(), answers, Notes::silent());
            let mut running = None;
            let work = run(ContextSource::new(parts, &state, &mut running).make());
            let (tool, output) = (Arc::clone(&tool), output.clone());
            Box::pin(async move {
                let _running = running;
                let ended = work.await.into_tool_result();
                outcome(ended, output.as_deref(), &tool)
            })
        });
        Err(match tasks.start(name, owner, None, runner).await {
            Ok(record) => ToolError::Started(Box::new(record)),
            Err(error) => ToolError::Protocol(error),
        })
    }
}

impl std::fmt::Debug for CallContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CallContext({})", self.name())
    }
}
