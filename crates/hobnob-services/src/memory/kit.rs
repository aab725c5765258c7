//! The memory service as a `BuiltInService`: its kit for a presentation, how it reacts to changes
//! in the store, and its background task.
//!
//! Kits list prompts and namespaces from a snapshot, which `refresh` reads anew.

use super::listed::ListedRecords;
use super::prompts::with_prompts;
use super::resources::with_resources;
use super::service::MemoryService;
use super::tools::{MemoryTools, with_tools};
use crate::built_in::{BuiltInService, KitChange, KitStaleness};
use crate::presentation::{ListedOwner, Presentation, ProjectFrom};
use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, ScopeKind};
use hobnob_store::{Owner, StoreError, Time};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl BuiltInService for MemoryService {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn is_everyday(&self, tool: &str, _listed: ListedOwner) -> bool {
        // `intent` exists only if the settings want it.
        ["capture", "recall", "list", "get", "update", "delete", "intent"].contains(&tool)
    }

    fn kit(&self, presentation: &Presentation) -> Result<Kit, KitError> {
        let listed = match presentation.listed {
            ListedOwner::Person => self.listed(),
            ListedOwner::Nobody => Arc::default(),
        };
        let kit = Kit::service(Self::NAME).with_state(MemoryTools::new(self, presentation));
        let kit = with_tools(kit, presentation, self.0.settings.intent);
        // If clients bring their own projects, no project's namespaces suit all of them.
        let namespaces = match presentation.project_from {
            ProjectFrom::RootsThenFolder => &[],
            ProjectFrom::Folder | ProjectFrom::FolderThenRoots => listed.namespaces.as_slice(),
        };
        let kit = with_resources(kit, presentation, namespaces);
        with_prompts(kit, &listed.prompts).build()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<KitChange, StoreError>> {
        Box::pin(async {
            let now = Arc::new(self.read_listed().await?);
            let mut listed = self.0.listed.lock();
            let change = if *listed == now { KitChange::Same } else { KitChange::Changed };
            *listed = now;
            Ok(change)
        })
    }

    /// Whether a namespace has become empty takes a count, which is not made for every single
    /// change.
    fn staleness(&self, change: &RecordChange) -> KitStaleness {
        match &change.what {
            ChangedRecord::Prompt { .. } => KitStaleness::Stale,
            ChangedRecord::Memory { scope: ScopeKind::Project, project, namespace, .. }
                if project == self.0.project.key.as_str() =>
            {
                match self.listed().namespaces.contains(namespace) {
                    true => KitStaleness::StaleSoon,
                    false => KitStaleness::Stale,
                }
            }
            ChangedRecord::Memory { .. }
            | ChangedRecord::Task { .. }
            | ChangedRecord::ModelSession { .. }
            | ChangedRecord::Tree { .. } => KitStaleness::Current,
        }
    }

    /// Memories of other projects have no URI here, unless clients bring their own projects.
    fn changed_resources(&self, presentation: &Presentation, change: &RecordChange) -> Vec<String> {
        let ChangedRecord::Memory { scope, project, namespace, id } = &change.what else {
            return Vec::new();
        };
        let ours = project == self.0.project.key.as_str()
            || presentation.project_from == ProjectFrom::RootsThenFolder;
        if *scope == ScopeKind::Project && !ours {
            return Vec::new();
        }
        let scheme = presentation.uri_scheme(Self::NAME);
        let top = format!("{scheme}://{}", scope.as_str());
        let all = format!("{top}/{namespace}");
        let one = format!("{all}/{id}");
        vec![top, all, one, format!("{scheme}://topics")]
    }

    /// A shared memory concerns every principal that may read it now.
    fn may_learn(&self, change: &RecordChange, principal: &Principal) -> bool {
        match change.what {
            ChangedRecord::Memory { scope: ScopeKind::Org, .. } => self.0.roles.reads(principal),
            _ => change.owner.as_str() == principal.as_str(),
        }
    }

    fn all_resources(&self, presentation: &Presentation) -> Vec<String> {
        let scheme = presentation.uri_scheme(Self::NAME);
        let mut uris = vec![format!("{scheme}://topics")];
        for scope in ScopeKind::ALL {
            uris.push(format!("{scheme}://{}", scope.as_str()));
        }
        uris.extend(self.listed().namespaces.iter().map(|it| format!("{scheme}://project/{it}")));
        uris
    }

    fn run(&self, stop: CancellationToken) -> BoxFuture<'_, ()> {
        Box::pin(self.maintain(stop))
    }
}

impl MemoryService {
    fn listed(&self) -> Arc<ListedRecords> {
        Arc::clone(&self.0.listed.lock())
    }

    async fn read_listed(&self) -> Result<ListedRecords, StoreError> {
        let owner = Owner::default();
        let prompts = self.0.prompts.all(owner.clone()).await?;
        let project = Some(self.0.project.key.clone());
        let access = MemoryAccess { owner, org: None, project, now: Time::now() };
        let filter = MemoryFilter { scopes: vec![ScopeKind::Project], ..MemoryFilter::default() };
        let used = self.0.memories.namespaces(access, filter).await?;
        let mut namespaces: Vec<String> = used.into_iter().map(|count| count.word).collect();
        namespaces.sort();
        Ok(ListedRecords { prompts, namespaces })
    }
}
