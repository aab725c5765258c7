//! One action on files from wish to outcome: a turn, a permit, and the work on a thread that may block.
//!
//! All handlers go through here. A call that is cancelled ends its search, and work that has not begun
//! never begins.

use super::refusal::TypedPaths;
use super::service::PresentedFiles;
use hobnob_machine::files::{FileOutcome, SearchControl, SearchError};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_policy::{FileOperation, FileRoot, FileWish, GrantedPath, RelativePath};
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::task::AbortOnDropHandle;

/// What an action found or did, and where.
pub(super) struct Performed {
    pub(super) outcome: FileOutcome,
    pub(super) place: ActionPlace,
}

/// The place that an action was about.
#[derive(Debug, Clone)]
pub(super) struct ActionPlace {
    root: Arc<FileRoot>,
    below: RelativePath,
}

impl ActionPlace {
    fn of(path: &GrantedPath) -> Self {
        Self { root: Arc::clone(path.root()), below: path.below().clone() }
    }

    /// The granted folder that it is in.
    pub(super) fn root(&self) -> &FileRoot {
        &self.root
    }

    /// Its path from the root of the file system.
    pub(super) fn path(&self) -> PathBuf {
        match self.below.is_root() {
            true => self.root.path().to_owned(),
            false => self.root.path().join(self.below.to_path()),
        }
    }

    /// The same as text, with replacement characters where it is not UTF-8.
    pub(super) fn text(&self) -> String {
        self.path().display().to_string()
    }
}

/// Ends a search whose call is gone.
struct CancelOnDrop(Arc<SearchControl>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Why an action has no outcome.
pub(super) enum ActionError {
    /// It is not granted, or the process ends.
    NotBegun(ToolError),
    /// It was permitted, and the machine refused it; the paths are those that the caller typed.
    Refused(TypedPaths, SearchError),
}

impl PresentedFiles {
    /// Does something at a path, if the grants of this moment let this caller.
    pub(super) async fn perform(
        &self,
        context: &CallContext,
        path: &str,
        operation: FileOperation<String>,
    ) -> Result<Performed, ToolError> {
        let done = self.perform_watched(context, path, operation, Arc::default()).await;
        done.map_err(|error| self.failed(error))
    }

    /// A failed action as its caller sees it.
    pub(super) fn failed(&self, error: ActionError) -> ToolError {
        match error {
            ActionError::NotBegun(error) => error,
            ActionError::Refused(typed, error) => typed.refused(&self.presentation, &error),
        }
    }

    /// The same for a search that is watched while it runs.
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
        // Decided only now: what is revoked while a call waits for its turn is not done.
        let permit = self.parts().access.permit(context, &self.presentation, |grants, who| {
            grants.permit_file(who, FileWish { path: path.to_owned(), operation })
        });
        let permit = permit.map_err(ActionError::NotBegun)?;
        let place = ActionPlace::of(permit.request().path());
        let _cancel = CancelOnDrop(Arc::clone(&control));
        let folders = Arc::clone(&self.parts().folders);
        let work = move || {
            // The turn lasts until the work really ends, whatever happens to its call.
            let _turn = turn;
            folders.perform(&permit, &control)
        };
        match AbortOnDropHandle::new(tokio::task::spawn_blocking(work)).await {
            Ok(Ok(outcome)) => Ok(Performed { outcome, place }),
            Ok(Err(error)) => Err(ActionError::Refused(typed, error)),
            // A panic goes on here, where the edge catches those of every call.
            Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
            Err(_) => Err(stopping()),
        }
    }

    /// An outcome of another operation than the one that was asked for, which there is none of.
    pub(super) fn unexpected(&self, outcome: &FileOutcome) -> ToolError {
        tracing::error!(?outcome, "an action on files had the outcome of another");
        self.invalid("the action had no result")
    }
}
