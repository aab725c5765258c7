//! The tool `sync`: exchanges the project's memories with its git remote.
//!
//! It runs no program before a person has agreed to this remote.

use super::consent::SyncConsent;
use super::exchange::{Exchange, SyncError};
use super::git::Git;
use super::remote::Remote;
use super::repository::SyncFolder;
use crate::memory::caller_memories::CallerMemories;
use crate::memory::checks::ContentRules;
use crate::memory::index_signal::IndexSignal;
use crate::memory::project::{Project, configured_remote};
use crate::presentation::{Failure, ToolResult};
use crate::programs::ProgramLog;
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::memory::SyncMarkRepository;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Mutex;

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

/// The state that all exchanges of this process share.
pub(in crate::memory) struct MemorySync {
    /// What was last exchanged.
    pub(in crate::memory) marks: Arc<dyn SyncMarkRepository>,
    pub(in crate::memory) rules: ContentRules,
    /// A folder of Hobnob's own, where git works.
    pub(in crate::memory) folder: PathBuf,
    pub(in crate::memory) programs: Arc<dyn ProgramLog>,
    pub(in crate::memory) sync_ref: String,
    /// Held during an exchange: two at a time would only overtake each other.
    pub(in crate::memory) running: Mutex<()>,
}

/// The tool `sync` of one view.
pub(in crate::memory) struct SyncTool {
    pub(in crate::memory) memories: Arc<CallerMemories>,
    pub(in crate::memory) sync: Arc<MemorySync>,
    pub(in crate::memory) captured: Arc<IndexSignal>,
}

impl SyncTool {
    pub(in crate::memory) async fn sync(&self, call: &CallContext) -> ToolResult {
        let sync = &*self.sync;
        let fail = |message: &str| self.memories.view.fail(Failure::Sync, message);
        let access = self.memories.access(call)?;
        // Git works here with the person's own credentials.
        if !access.owner.as_str().is_empty() {
            return Err(fail(
                "memories are exchanged by the person who runs Hobnob, with their own git: \
                 run `hobnob memory sync` in the project's folder",
            ));
        }
        let Project { key, root, .. } = &*self.memories.here;
        if access.project.as_ref() != Some(key) {
            return Err(fail(
                "only the project Hobnob was started in can be exchanged: \
                 run `hobnob memory sync` in your project's folder",
            ));
        }
        let remote =
            configured(&self.memories.here).map_err(|why| fail(&format!("sync failed: {why}")))?;
        let folder = SyncFolder::of(&sync.folder, root, &remote);
        SyncConsent { view: &self.memories.view, root, remote: &remote, sync_ref: &sync.sync_ref }
            .require(call, &folder)?;
        let repository = folder.repository(&remote).map_err(|error| {
            tracing::error!(%error, "the repository for a sync cannot be made");
            fail("sync failed: its files cannot be written to this disk")
        })?;
        let principal = call.caller().principal.as_str();
        let exchange = Exchange {
            store: &*self.memories.store,
            marks: &*sync.marks,
            rules: sync.rules,
            git: Git::new(repository, root, principal, Arc::clone(&sync.programs)),
            access,
            project: key.clone(),
            sync_ref: &sync.sync_ref,
        };
        let _lock = sync.running.lock().await;
        let done = exchange.run().await.map_err(|error| self.failed(&error))?;
        self.captured.wake();
        self.memories.view.reply(&SyncResult {
            sent: done.sent,
            taken: done.taken,
            conflicts: done.conflicts,
            unreadable: (0 < done.unreadable).then_some(done.unreadable),
            refused: (0 < done.refused).then_some(done.refused),
            sync_ref: exchange.sync_ref,
        })
    }

    fn failed(&self, error: &SyncError) -> ToolError {
        let failure = match error {
            SyncError::Store(_) => Failure::Storage,
            _ => Failure::Sync,
        };
        let message = format!("sync failed: {error}; nothing is lost, try again later");
        self.memories.view.fail(failure, message)
    }
}

/// The project's remote as it is configured now, or why there is none to use.
fn configured(project: &Project) -> Result<Remote, String> {
    let remote = configured_remote(&project.root)
        .ok_or("the project has no git remote to exchange memories with")?;
    // The stored memories belong to the remote that was configured at the start.
    if Project::of(&project.root).key != project.key {
        return Err("the project's remote has changed since Hobnob started; start it again".into());
    }
    Remote::check(&project.root, &remote).map_err(|bad| bad.to_string())
}
