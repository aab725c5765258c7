//! The tool `sync`: exchanges the project's memories with its git remote.
//!
//! It runs no program before a person has agreed to this remote.

use super::exchange::{Exchange, SyncError};
use super::git::Git;
use super::remote::Remote;
use super::repository::SyncFolder;
use crate::memory::project::{Project, configured_remote};
use crate::memory::service::PresentedMemory;
use crate::presentation::Failure;
use hobnob_mcp_toolbox::{Context, ToolError, ToolReply};
use serde::Serialize;
use std::sync::Arc;

#[derive(Debug, Serialize)]
struct SyncResult<'a> {
    sent: usize,
    taken: usize,
    conflicts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<usize>,
    #[serde(rename = "ref")]
    sync_ref: &'a str,
}

pub(in crate::memory) async fn sync(
    context: Context<PresentedMemory>,
) -> Result<ToolReply, ToolError> {
    let presented = context.state();
    let access = presented.access(&context)?;
    // Git works here with the person's own credentials.
    if !access.owner.as_str().is_empty() {
        let message = "memories are exchanged by the person who runs Hobnob, with their own git: \
                       run `hobnob memory sync` in the project's folder";
        return Err(presented.presentation.fail(Failure::Sync, message));
    }
    let shared = presented.shared();
    let project = shared.project.key.clone();
    if access.project.as_ref() != Some(&project) {
        let message = "only the project Hobnob was started in can be exchanged: \
                       run `hobnob memory sync` in your project's folder";
        return Err(presented.presentation.fail(Failure::Sync, message));
    }
    let remote = presented.remote()?;
    let folder = SyncFolder::of(&shared.sync_folder, &shared.project.root, &remote);
    presented.need_consent(&context, &folder, &remote)?;
    let repository = folder.repository(&remote).map_err(|error| {
        tracing::error!(%error, "the repository for a sync cannot be made");
        presented
            .presentation
            .fail(Failure::Sync, "sync failed: its files cannot be written to this disk")
    })?;
    let principal = context.caller().principal.as_str();
    let exchange = Exchange {
        shared,
        git: Git::new(repository, &shared.project.root, principal, Arc::clone(&shared.programs)),
        access,
        project,
        sync_ref: &shared.settings.sync_ref,
    };
    // One at a time: two exchanges would only overtake each other.
    let _lock = shared.syncing.lock().await;
    let done = exchange.run().await.map_err(|error| presented.unsynced(&error))?;
    presented.service.wake_indexer();
    presented.presentation.reply(&SyncResult {
        sent: done.sent,
        taken: done.taken,
        conflicts: done.conflicts,
        unreadable: (0 < done.unreadable).then_some(done.unreadable),
        refused: (0 < done.refused).then_some(done.refused),
        sync_ref: exchange.sync_ref,
    })
}

impl PresentedMemory {
    /// The project's remote as it is configured now.
    fn remote(&self) -> Result<Remote, ToolError> {
        let known = &self.shared().project;
        let fail = |message: String| {
            self.presentation.fail(Failure::Sync, format!("sync failed: {message}"))
        };
        let configured = configured_remote(&known.root).ok_or_else(|| {
            fail("the project has no git remote to exchange memories with".into())
        })?;
        // The stored memories belong to the remote that was configured at the start.
        if Project::of(&known.root).key != known.key {
            return Err(fail(
                "the project's remote has changed since Hobnob started; start it again".into(),
            ));
        }
        Remote::check(&known.root, &configured).map_err(|bad| fail(bad.to_string()))
    }

    fn unsynced(&self, error: &SyncError) -> ToolError {
        let failure = match error {
            SyncError::Store(_) => Failure::Storage,
            _ => Failure::Sync,
        };
        self.presentation
            .fail(failure, format!("sync failed: {error}; nothing is lost, try again later"))
    }
}
