//! `sync`: exchanges the project's memories with its git remote.

use super::exchange::{Exchange, SyncError};
use super::git::Git;
use crate::face::Failure;
use crate::memory::service::Desk;
use mcp_server::toolbox::{Context, NoArguments, ToolError, ToolReply};
use serde::Serialize;

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
    desk: Desk,
    _: NoArguments,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let reach = desk.reach(&context)?;
    let inside = desk.inside();
    let project = inside.project.key.clone();
    if reach.project.as_ref() != Some(&project) {
        let message = "only the project Hobnob was started in can be exchanged: \
                       run `hobnob memory sync` in your project's folder";
        return Err(desk.face.fail(Failure::Sync, message));
    }
    let exchange = Exchange {
        inside,
        git: Git::new(&inside.project.root),
        reach,
        project,
        sync_ref: &inside.settings.sync_ref,
    };
    // One at a time: two would only overtake each other.
    let _turn = inside.syncing.lock().await;
    let done = exchange.run().await.map_err(|error| desk.unsynced(&error))?;
    desk.service.wake_indexer();
    desk.face.reply(&SyncResult {
        sent: done.sent,
        taken: done.taken,
        conflicts: done.conflicts,
        unreadable: (0 < done.unreadable).then_some(done.unreadable),
        refused: (0 < done.refused).then_some(done.refused),
        sync_ref: exchange.sync_ref,
    })
}

impl Desk {
    fn unsynced(&self, error: &SyncError) -> ToolError {
        let failure = match error {
            SyncError::Store(_) => Failure::Storage,
            _ => Failure::Sync,
        };
        self.face.fail(failure, format!("sync failed: {error}; nothing is lost, try again later"))
    }
}
