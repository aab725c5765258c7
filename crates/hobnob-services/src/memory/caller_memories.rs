//! The memories of one view, and which of them a caller can reach: its own, those of the project it
//! works in, and shared ones if it has a role for them.
//!
//! Resources and prompts read with it, and each group of tools builds on it.

use super::org_roles::OrgRoles;
use super::project::{Project, ProjectSource};
use super::view::MemoryView;
use crate::presentation::ProjectFrom;
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_store::memory::{Memory, MemoryAccess, MemoryRepository};
use hobnob_store::{Owner, ProjectKey, Time};
use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use std::sync::Arc;

/// The memories that callers of one view reach.
pub(super) struct CallerMemories {
    pub(super) view: MemoryView,
    pub(super) store: Arc<dyn MemoryRepository>,
    /// The project of the folder in which Hobnob was started.
    pub(super) here: Arc<Project>,
    pub(super) roles: OrgRoles,
}

impl CallerMemories {
    /// A memory that the caller can reach.
    pub(super) async fn find(&self, access: MemoryAccess, raw: &str) -> Result<Memory, ToolError> {
        let found = self.view.result(self.store.get(access, self.view.id(raw)?).await)?;
        found.ok_or_else(|| self.view.not_found(raw))
    }

    /// What the caller can reach. Requests the caller's roots if they determine the project.
    pub(super) fn access(&self, context: &CallContext) -> Result<MemoryAccess, ToolError> {
        if !self.asks(context) {
            return Ok(self.within(self.here.key.clone(), context));
        }
        let roots = context.roots_if_given("roots")?.map(|it| it.roots).unwrap_or_default();
        let folder = roots.first().and_then(|root| file_path(&root.uri));
        let project =
            folder.map_or_else(|| self.here.key.clone(), |folder| Project::of(&folder).key);
        Ok(self.within(project, context))
    }

    /// The same without a request to the client. A caller whose roots would have to be requested
    /// sees no project's memories.
    pub(super) fn access_without_asking(&self, context: &CallContext) -> MemoryAccess {
        let project = match self.asks(context) {
            true => ProjectKey::new(""),
            false => self.here.key.clone(),
        };
        self.within(project, context)
    }

    /// The access in a known project. The role is read anew for each call, so that a revocation
    /// takes effect at once.
    fn within(&self, project: ProjectKey, context: &CallContext) -> MemoryAccess {
        MemoryAccess {
            owner: owner_of(context),
            org: self.roles.of(context.caller()),
            project: Some(project),
            now: Time::now(),
        }
    }

    /// Whether the caller's project has to be determined by its roots.
    fn asks(&self, context: &CallContext) -> bool {
        let ask = match self.view.project_from {
            ProjectFrom::Folder => false,
            ProjectFrom::FolderThenRoots => self.here.source == ProjectSource::Path,
            ProjectFrom::RootsThenFolder => true,
        };
        ask && context.client_can_list_roots()
    }
}

/// The owner that the call acts for.
pub(super) fn owner_of(context: &CallContext) -> Owner {
    Owner::named(context.caller().principal.as_str())
}

/// The folder of a `file://` URI on this machine.
fn file_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = PathBuf::from(&*percent_decode_str(path).decode_utf8().ok()?);
    (path.is_absolute() && path.is_dir()).then_some(path)
}
