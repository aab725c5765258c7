//! What a handler knows of its call, and what it may do while it runs.
//!
//! The toolbox makes one for each run of a handler.

use super::error::ToolError;
use super::reply::{IntoToolResult, outcome};
use super::schema::Check;
use crate::tasks::Tasks;
use hobnob_mcp_engine::{Answers, CallError, Caller, Notes, TaskOwner};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::logging::LoggingLevel;
use serde::Serialize;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A handler's view of its call. Cheap to clone.
#[derive(Clone)]
pub struct Context(Arc<Shared>);

struct Shared {
    name: Arc<str>,
    caller: Caller,
    answers: Answers,
    notes: Notes,
    tasks: TaskAccess,
    output: Option<Arc<Check>>,
    over: AtomicBool,
}

/// Held by the future of a call: once it is gone, nobody waits for the handler any more.
pub(super) struct Running(Context);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.over.store(true, Ordering::Relaxed);
    }
}

/// Whether a handler may turn its call into a task.
#[derive(Clone)]
pub(super) enum TaskAccess {
    /// It is one already, or its caller could not take one.
    Denied,
    Allowed {
        owner: TaskOwner,
        tasks: Tasks,
    },
}

impl Context {
    pub(super) fn new(name: &Arc<str>, caller: Caller, answers: Answers, notes: Notes) -> Self {
        Self::of_tool(name, caller, answers, notes, (TaskAccess::Denied, None))
    }

    pub(super) fn of_tool(
        name: &Arc<str>,
        caller: Caller,
        answers: Answers,
        notes: Notes,
        (tasks, output): (TaskAccess, Option<Arc<Check>>),
    ) -> Self {
        let name = Arc::clone(name);
        let over = AtomicBool::new(false);
        Self(Arc::new(Shared { name, caller, answers, notes, tasks, output, over }))
    }

    /// What the future of the call must hold for as long as it waits.
    pub(super) fn running(&self) -> Running {
        Running(self.clone())
    }

    /// Who calls, and what they can do.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// Whether nobody waits for this call any more, so that long blocking work can stop early.
    pub fn is_cancelled(&self) -> bool {
        self.0.over.load(Ordering::Relaxed)
    }

    /// Everything answered so far.
    pub fn answers(&self) -> &Answers {
        &self.0.answers
    }

    /// What [`Self::ask_with_state`] asked to be handed back.
    pub fn state(&self) -> Option<&str> {
        self.0.answers.state()
    }

    /// Tells how far the work is; `done` must grow.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.0.notes.progress(done, total, message);
    }

    /// Logs to the caller, if the caller wants it.
    pub fn log(&self, level: LoggingLevel, data: &impl Serialize) {
        self.log_as(&self.0.name, level, data);
    }

    /// Logs to the caller under another name than the tool's.
    pub fn log_as(&self, logger: &str, level: LoggingLevel, data: &impl Serialize) {
        self.0.notes.log(level, Some(logger), data);
    }

    /// Subscribes the caller to a resource, as if it had asked for that itself. A modern caller
    /// listens for itself and does not notice.
    pub fn watch(&self, uri: &str) {
        self.0.notes.watch(uri);
    }

    /// Takes a subscription back, whoever made it.
    pub fn unwatch(&self, uri: &str) {
        self.0.notes.unwatch(uri);
    }

    /// Lets an HTTP client go and come back for the rest; others never notice.
    pub fn pause_stream(&self, retry: Duration) {
        self.0.notes.pause(retry);
    }

    /// Whether a person can be asked to fill in a form.
    pub fn client_can_elicit(&self) -> bool {
        self.0.caller.capabilities.can_fill_forms()
    }

    /// Whether a person can be asked to visit a page.
    pub fn client_can_visit_pages(&self) -> bool {
        self.0.caller.capabilities.can_visit_pages()
    }

    /// Whether the client's model can be asked.
    pub fn client_can_sample(&self) -> bool {
        self.0.caller.capabilities.sampling.is_some()
    }

    /// Whether the client can say which folders are its roots.
    pub fn client_can_list_roots(&self) -> bool {
        self.0.caller.capabilities.roots.is_some()
    }

    /// Ends the call unless its client declared all of this. What is inside a capability counts
    /// too: asking for `sampling.tools` is more than asking for `sampling`.
    pub fn require(&self, needed: ClientCapabilities) -> Result<(), ToolError> {
        let has = &self.0.caller.capabilities;
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

    /// Goes on as a task where the caller can take one, and right here where not.
    ///
    /// `run` is what the task does; it runs again from the top after each round of questions.
    pub async fn start_task<T, F, Work>(&self, run: F) -> Result<T, ToolError>
    where
        T: IntoToolResult,
        F: Fn(Context) -> Work + Send + Sync + 'static,
        Work: Future<Output = Result<T, ToolError>> + Send + 'static,
    {
        let (owner, tasks) = match &self.0.tasks {
            TaskAccess::Denied => return run(self.clone()).await,
            TaskAccess::Allowed { owner, tasks } => (owner.clone(), tasks),
        };
        let (name, caller) = (Arc::clone(&self.0.name), self.0.caller.clone());
        let output = self.0.output.clone();
        let tool = Arc::clone(&self.0.name);
        let record = tasks.start(
            &tool,
            owner,
            None,
            Arc::new(move |answers| {
                let (name, output) = (Arc::clone(&name), output.clone());
                // A task outlives the stream of its call: there is nobody left to hear notes.
                let notes = Notes::silent();
                let context = Context::new(&name, caller.clone(), answers, notes);
                let running = context.running();
                let work = run(context);
                Box::pin(async move {
                    let _running = running;
                    let ended = work.await.and_then(IntoToolResult::into_tool_result);
                    outcome(ended, output.as_deref(), &name)
                })
            }),
        );
        Err(match record.await {
            Ok(record) => ToolError::Started(Box::new(record)),
            Err(error) => ToolError::Protocol(error),
        })
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Context({})", self.0.name)
    }
}
