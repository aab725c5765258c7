//! The task service: its parts, and the checks and errors that all its handlers share.
//!
//! Handlers check names, sizes and secrets here before anything reaches the store.

use crate::argument_checks::{ArgumentChecks, client_name};
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_toolbox::{CallContext, Context, ToolError};
use hobnob_secrets::Scanner;
use hobnob_store::tasks::{ListName, TaskAccess, TaskError, TaskId, TaskRepository, Worker};
use hobnob_store::{Owner, StoreError, Time};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

/// Longest description, in bytes.
const MAX_DESCRIPTION: usize = 64 << 10;
/// Longest result, in bytes.
const MAX_RESULT: usize = 1 << 20;
/// Longest id that can exist, and longest part of one that a message repeats, in characters.
const MAX_ID: usize = 64;
/// Most blockers of one task.
pub(super) const MAX_BLOCKERS: usize = 1_000;
/// The argument that stands for all lists.
const ALL_LISTS: &str = "*";

/// The tasks of all callers. Cheap to clone.
#[derive(Clone)]
pub struct TaskService {
    pub(super) tasks: Arc<dyn TaskRepository>,
    pub(super) list: ListName,
    /// Finds secrets in new texts; without it, none are looked for.
    scanner: Option<Scanner>,
}

impl TaskService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "tasks";

    /// Makes the service. Tasks for which the caller names no list go on `list`, which is the
    /// project's.
    pub fn new(tasks: Arc<dyn TaskRepository>, list: ListName) -> Self {
        Self { tasks, list, scanner: None }
    }

    /// The same service, which refuses texts in which the scanner finds a secret.
    #[must_use]
    pub fn refusing(self, scanner: Scanner) -> Self {
        Self { scanner: Some(scanner), ..self }
    }
}

impl fmt::Debug for TaskService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskService").field("list", &self.list).finish_non_exhaustive()
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(description = "One task.")]
pub(super) struct OneTask {
    #[schemars(description = "Task id")]
    pub(super) id: String,
}

/// The context of a call of this service.
pub(super) type TaskCall = Context<PresentedTasks>;

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedTasks {
    pub(super) service: TaskService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedTasks {
    pub(super) fn tasks(&self) -> &dyn TaskRepository {
        &*self.service.tasks
    }

    /// Access to the caller's own tasks, at the current time.
    pub(super) fn access(context: &CallContext) -> TaskAccess {
        let owner = Owner::named(context.caller().principal.as_str());
        TaskAccess { owner, now: Time::now() }
    }

    /// The id that the caller gave; one that is too long is not found.
    pub(super) fn id(&self, raw: &str) -> Result<TaskId, ToolError> {
        match raw.char_indices().nth(MAX_ID) {
            Some((end, _)) => {
                let message = format!("task not found: {}…", &raw[..end]);
                Err(self.presentation.fail(Failure::NotFound, message))
            }
            None => Ok(TaskId::given(raw)),
        }
    }

    /// The list for a new task.
    pub(super) fn list(&self, raw: Option<&str>) -> Result<ListName, ToolError> {
        match raw {
            None => Ok(self.service.list.clone()),
            Some(ALL_LISTS) => Err(self.invalid("list: `*` stands for all lists, name one")),
            Some(raw) => self.name("list", raw).map(ListName::new),
        }
    }

    /// The list to read from; `None` stands for all lists.
    pub(super) fn lists(&self, raw: Option<&str>) -> Result<Option<ListName>, ToolError> {
        match raw {
            Some(ALL_LISTS) => Ok(None),
            raw => self.list(raw).map(Some),
        }
    }

    /// The worker: the given name, or else the name of the caller's client.
    pub(super) fn worker(
        &self,
        raw: Option<&str>,
        context: &CallContext,
    ) -> Result<Worker, ToolError> {
        if let Some(raw) = raw {
            return self.name("worker", raw).map(Worker::new);
        }
        Ok(Worker::new(&client_name(context)))
    }

    fn name<'a>(&self, what: &str, raw: &'a str) -> Result<&'a str, ToolError> {
        self.checks().name(what, raw)
    }

    fn checks(&self) -> ArgumentChecks<'_> {
        ArgumentChecks { presentation: &self.presentation, scanner: self.service.scanner }
    }

    /// The description of a task, once it is checked.
    pub(super) fn description(&self, text: String) -> Result<String, ToolError> {
        if text.trim().is_empty() {
            return Err(self.invalid("description: it is empty"));
        }
        self.checks().text("description", text, MAX_DESCRIPTION)
    }

    /// The result of a task, once it is checked.
    pub(super) fn result(&self, text: String) -> Result<String, ToolError> {
        self.checks().text("result", text, MAX_RESULT)
    }

    /// The error for a well-formed request that cannot be carried out.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }

    /// The store's refusal as the caller sees it.
    pub(super) fn refused(&self, error: TaskError) -> ToolError {
        let message = error.to_string();
        match error {
            TaskError::NotFound(_) => self.presentation.fail(Failure::NotFound, message),
            TaskError::Store(error) => self.store_error(&error),
            TaskError::Cycle(_)
            | TaskError::Blocked { .. }
            | TaskError::Claimed { .. }
            | TaskError::NotClaimed { .. }
            | TaskError::NotPending { .. }
            | TaskError::Needed { .. }
            | TaskError::BadCursor => self.invalid(message),
        }
    }

    /// A failure of the store, as the caller sees it.
    pub(super) fn store_error(&self, error: &StoreError) -> ToolError {
        self.presentation.store_failed(error)
    }
}
