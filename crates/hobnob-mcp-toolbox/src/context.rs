//! What a handler knows of its call, and what it may do while it runs.
//!
//! The toolbox makes one for each run of a handler that takes one.

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

/// A handler's view of its call: what [`CallContext`] offers, and the state of its kit.
///
/// Cheap to clone.
pub struct Context<S = ()> {
    call: CallContext,
    state: Arc<S>,
}

impl<S> Context<S> {
    /// What [`KitBuilder::with_state`](crate::KitBuilder::with_state) was given.
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

/// What a handler knows of its call and may do while it runs, whatever the state of its kit.
///
/// Functions that several kits share take a reference to it; `&context` becomes one by itself.
#[derive(Clone)]
pub struct CallContext(Arc<Shared>);

struct Shared {
    parts: CallParts,
    over: AtomicBool,
}

/// What a context is made of.
pub struct CallParts {
    pub(crate) name: Arc<str>,
    pub(crate) caller: Caller,
    pub(crate) answers: Answers,
    pub(crate) notes: Notes,
    pub(crate) tasks: TaskStart,
    /// What a task that the handler starts must answer with.
    pub(crate) output: Option<Arc<CompiledSchema>>,
}

impl CallParts {
    /// The parts where no task can be started.
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
    /// A context that is not made yet. The future of the call must hold what `running` is once it
    /// is, for as long as it waits.
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
                let call = CallContext(Arc::new(Shared { parts, over: AtomicBool::new(false) }));
                *running = Some(RunningCall(call.clone()));
                Context { call, state: Arc::clone(state) }
            }
        }
    }
}

/// Held by the future of a call: once it is gone, nobody waits for the handler any more.
pub(crate) struct RunningCall(CallContext);

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.0.over.store(true, Ordering::Relaxed);
    }
}

/// Whether a handler may turn its call into a task.
#[derive(Clone)]
pub(crate) enum TaskStart {
    /// It is one already, or its caller could not take one.
    Denied,
    Allowed {
        owner: TaskOwner,
        tasks: Tasks,
    },
}

impl CallContext {
    /// The name of the tool or prompt that was called, or the address of the resource that is
    /// read.
    pub fn name(&self) -> &str {
        &self.0.parts.name
    }

    /// Who calls, and what they can do.
    pub fn caller(&self) -> &Caller {
        &self.0.parts.caller
    }

    /// Whether nobody waits for this call any more, so that long blocking work can stop early.
    pub fn is_cancelled(&self) -> bool {
        self.0.over.load(Ordering::Relaxed)
    }

    /// Everything answered so far.
    pub fn answers(&self) -> &Answers {
        &self.0.parts.answers
    }

    /// What [`Self::ask_with_request_state`] asked to be handed back.
    pub fn request_state(&self) -> Option<&str> {
        self.0.parts.answers.state()
    }

    /// Tells how far the work is; `done` must grow.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.0.parts.notes.progress(done, total, message);
    }

    /// Sends an event of what the call does, to a caller that wants progress: in MCP it is a progress
    /// notification with the event's text as its message. Waits while a caller that must get every
    /// event has no room; others lose events when they read slowly, so put everything into the result
    /// too.
    pub async fn emit(&self, event: StreamEvent) {
        self.0.parts.notes.emit(event).await;
    }

    /// Sends what a program writes as an event, without waiting. Wait for [`Self::room`] before you
    /// read more from the program.
    pub fn output(&self, stream: OutputStream, text: &str) {
        self.0.parts.notes.output(stream, text);
    }

    /// Waits until the caller has room for an event. Nothing is lost if you give up waiting.
    pub async fn room(&self) {
        if let Some(room) = self.0.parts.notes.room() {
            room.await;
        }
    }

    /// Whether the caller must get every event, however many come: only such callers can have events
    /// that are not in the result.
    pub fn needs_every_event(&self) -> bool {
        self.0.parts.notes.needs_every_event()
    }

    /// Logs to the caller, if the caller wants it.
    pub fn log(&self, level: LoggingLevel, data: &impl Serialize) {
        self.log_as(self.name(), level, data);
    }

    /// Logs to the caller under another name than the tool's.
    pub fn log_as(&self, logger: &str, level: LoggingLevel, data: &impl Serialize) {
        self.0.parts.notes.log(level, Some(logger), data);
    }

    /// Subscribes the caller to a resource, as if it had asked for that itself. A modern caller
    /// listens for itself and does not notice.
    pub fn watch(&self, uri: &str) {
        self.0.parts.notes.watch(uri);
    }

    /// Takes a subscription back, whoever made it.
    pub fn unwatch(&self, uri: &str) {
        self.0.parts.notes.unwatch(uri);
    }

    /// Lets an HTTP client go and come back for the rest; others never notice.
    pub fn pause_stream(&self, retry: Duration) {
        self.0.parts.notes.pause(retry);
    }

    /// Whether a person can be asked to fill in a form.
    pub fn client_can_elicit(&self) -> bool {
        self.0.parts.caller.capabilities.can_fill_forms()
    }

    /// Whether a person can be asked to visit a page.
    pub fn client_can_visit_pages(&self) -> bool {
        self.0.parts.caller.capabilities.can_visit_pages()
    }

    /// Whether the client's model can be asked.
    pub fn client_can_sample(&self) -> bool {
        self.0.parts.caller.capabilities.sampling.is_some()
    }

    /// Whether the client can say which folders are its roots.
    pub fn client_can_list_roots(&self) -> bool {
        self.0.parts.caller.capabilities.roots.is_some()
    }

    /// Ends the call unless its client declared all of this. What is inside a capability counts
    /// too: asking for `sampling.tools` is more than asking for `sampling`.
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
    /// Goes on as a task where the caller can take one, and right here where not.
    ///
    /// `run` is what the task does; it runs again from the top after each round of questions.
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
            // A task outlives the stream of its call: there is nobody left to hear notes.
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
