//! The task service: what it is made of, and what every handler shares.
//!
//! Handlers check names, sizes and secrets here before anything reaches the store.

use crate::argument_checks::{ArgumentChecks, client_name};
use crate::presentation::{Failure, Presentation};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_secrets::Scanner;
use hobnob_store::tasks::{ListName, TaskAccess, TaskError, TaskId, TaskRepository, Worker};
use hobnob_store::{Owner, StoreError, Time};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::sync::Arc;

/// The most bytes of a description.
const MAX_DESCRIPTION: usize = 64 << 10;
/// The most bytes of a result.
const MAX_RESULT: usize = 1 << 20;
/// The most characters of an id that can exist, and of one that is repeated in a message.
const MAX_ID: usize = 64;
/// The most tasks that one may wait for.
pub(super) const MAX_BLOCKERS: usize = 1_000;
/// What stands for every list.
const ALL_LISTS: &str = "*";

/// Tasks that agents share. Cheap to clone.
#[derive(Clone)]
pub struct TaskService {
    pub(super) tasks: Arc<dyn TaskRepository>,
    pub(super) list: ListName,
    /// Looks for secrets in what is written; nothing is looked for without it.
    scanner: Option<Scanner>,
}

impl TaskService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "tasks";

    /// Puts it together. `list` is where tasks are of which nobody says on which list they are:
    /// the project's.
    pub fn new(tasks: Arc<dyn TaskRepository>, list: ListName) -> Self {
        Self { tasks, list, scanner: None }
    }

    /// The same, and texts in which this finds something are refused.
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

/// The service in one presentation, as every handler gets it. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedTasks {
    pub(super) service: TaskService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedTasks {
    pub(super) fn tasks(&self) -> &dyn TaskRepository {
        &*self.service.tasks
    }

    /// Whose tasks are asked about: the caller's, now.
    pub(super) fn access(context: &CallContext) -> TaskAccess {
        let owner = Owner::named(context.caller().principal.as_str());
        TaskAccess { owner, now: Time::now() }
    }

    /// An id as the caller wrote it. What nothing can be called is not found.
    pub(super) fn id(&self, raw: &str) -> Result<TaskId, ToolError> {
        match raw.char_indices().nth(MAX_ID) {
            Some((end, _)) => {
                let message = format!("task not found: {}…", &raw[..end]);
                Err(self.presentation.fail(Failure::NotFound, message))
            }
            None => Ok(TaskId::given(raw)),
        }
    }

    /// The list that a new task goes on.
    pub(super) fn list(&self, raw: Option<&str>) -> Result<ListName, ToolError> {
        match raw {
            None => Ok(self.service.list.clone()),
            Some(ALL_LISTS) => Err(self.invalid("list: `*` stands for all lists, name one")),
            Some(raw) => self.name("list", raw).map(ListName::new),
        }
    }

    /// The list that is looked at; `None` is all of them.
    pub(super) fn lists(&self, raw: Option<&str>) -> Result<Option<ListName>, ToolError> {
        match raw {
            Some(ALL_LISTS) => Ok(None),
            raw => self.list(raw).map(Some),
        }
    }

    /// Who works: what the caller says, or what its client calls itself.
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

    /// What is to be done, if it says something and is not too long.
    pub(super) fn description(&self, text: String) -> Result<String, ToolError> {
        if text.trim().is_empty() {
            return Err(self.invalid("description: it is empty"));
        }
        self.checks().text("description", text, MAX_DESCRIPTION)
    }

    /// What came of it, if it is not too long.
    pub(super) fn result(&self, text: String) -> Result<String, ToolError> {
        self.checks().text("result", text, MAX_RESULT)
    }

    /// Well-formed, but it cannot be done.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }

    /// What a task's port refused, as the caller sees it.
    pub(super) fn refused(&self, error: TaskError) -> ToolError {
        let message = error.to_string();
        match error {
            TaskError::NotFound(_) => self.presentation.fail(Failure::NotFound, message),
            TaskError::Store(error) => self.broken(&error),
            TaskError::Cycle(_)
            | TaskError::Blocked { .. }
            | TaskError::Claimed { .. }
            | TaskError::NotClaimed { .. }
            | TaskError::NotPending { .. }
            | TaskError::Needed { .. }
            | TaskError::BadCursor => self.invalid(message),
        }
    }

    /// What the store failed with, as the caller sees it.
    pub(super) fn broken(&self, error: &StoreError) -> ToolError {
        self.presentation.store_failed(error)
    }
}
