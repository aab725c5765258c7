//! One action on files, from request to outcome: a turn, a permit, and blocking work on a thread.
//!
//! All handlers go through here. Cancelling a call ends its search, and keeps work that has not
//! started from starting.

use super::refusal::TypedPaths;
use super::service::PresentedFiles;
use hobnob_machine::files::{FileOutcome, SearchControl, SearchError};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{FileOperation, FileRoot, FileWish, GrantedPath, RelativePath};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::task::AbortOnDropHandle;

/// The outcome of an action, and its place.
pub(super) struct Performed {
    pub(super) outcome: FileOutcome,
    pub(super) place: ActionPlace,
}

/// The place of an action: a path in a granted folder.
#[derive(Debug, Clone)]
pub(super) struct ActionPlace {
    root: Arc<FileRoot>,
    below: RelativePath,
}

impl ActionPlace {
    fn of(path: &GrantedPath) -> Self {
        Self { root: Arc::clone(path.root()), below: path.below().clone() }
    }

    /// The granted folder that contains the place.
    pub(super) fn root(&self) -> &FileRoot {
        &self.root
    }

    /// The absolute path of the place.
    pub(super) fn path(&self) -> PathBuf {
        match self.below.is_root() {
            true => self.root.path().to_owned(),
            false => self.root.path().join(self.below.to_path()),
        }
    }

    /// The path as text, with replacement characters where it is not UTF-8.
    pub(super) fn text(&self) -> String {
        self.path().display().to_string()
    }
}

/// Cancels a search when its call is dropped.
struct CancelOnDrop(Arc<SearchControl>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Why an action has no outcome.
pub(super) enum ActionError {
    /// The action is not granted, or the process is stopping.
    NotBegun(ToolError),
    /// The machine refused a permitted action; the paths are as the caller typed them.
    Refused(TypedPaths, SearchError),
}

impl PresentedFiles {
    /// Performs an operation at a path, if the current grants permit it to this caller.
    pub(super) async fn perform(
        &self,
        context: &CallContext,
        path: &str,
        operation: FileOperation<String>,
    ) -> Result<Performed, ToolError> {
        let done = self.perform_watched(context, path, operation, Arc::default()).await;
        done.map_err(|error| self.failed(error))
    }

    /// The error of a failed action, for its caller.
    pub(super) fn failed(&self, error: ActionError) -> ToolError {
        match error {
            ActionError::NotBegun(error) => error,
            ActionError::Refused(typed, error) => typed.refused(&self.presentation, &error),
        }
    }

    /// The same for a search, whose control reports progress and can cancel it.
    pub(super) async fn perform_watched(
        &self,
        context: &CallContext,
        path: &str,
        operation: FileOperation<String>,
        control: Arc<SearchControl>,
    ) -> Result<Performed, ActionError> {
        let stopping = || ActionError::NotBegun(ToolError::failed("the server is stopping"));
        let turns = match operation {
            FileOperation::Search { .. } => &self.parts().searches,
            _ => &self.parts().actions,
        };
        let turn = Arc::clone(turns).acquire_owned().await.map_err(|_| stopping())?;
        let typed = TypedPaths::of(path, &operation);
        // Decided only now: a grant revoked during the wait for a turn permits nothing.
        let permit = self.parts().access.permit(context, &self.presentation, |grants, who| {
            grants.permit_file(who, FileWish { path: path.to_owned(), operation })
        });
        let permit = permit.map_err(ActionError::NotBegun)?;
        let place = ActionPlace::of(permit.request().path());
        let _cancel = CancelOnDrop(Arc::clone(&control));
        let folders = Arc::clone(&self.parts().folders);
        let work = move || {
            // The turn lasts until the work has ended, even if its call is dropped before.
            let _turn = turn;
            folders.perform(&permit, &control)
        };
        match AbortOnDropHandle::new(tokio::task::spawn_blocking(work)).await {
            Ok(Ok(outcome)) => Ok(Performed { outcome, place }),
            Ok(Err(error)) => Err(ActionError::Refused(typed, error)),
            // A panic continues here; the server catches the panics of calls.
            Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
            Err(_) => Err(stopping()),
        }
    }

    /// The error for an outcome that belongs to another operation, which would be a bug.
    pub(super) fn unexpected(&self, outcome: &FileOutcome) -> ToolError {
        tracing::error!(?outcome, "an action on files had the outcome of another");
        self.invalid("the action had no result")
    }
}
