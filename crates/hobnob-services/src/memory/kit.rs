//! The whole kit for one presentation.

use super::prompts::with_prompts;
use super::resources::with_resources;
use super::service::{Desk, MemoryService};
use super::tools::with_tools;
use crate::presentation::{Presentation, ProjectFrom};
use hobnob_mcp_server::toolbox::{Kit, KitError};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, StoredPrompt};
use hobnob_store::{Owner, StoreError, Time};
use std::sync::Arc;

/// What the kit shows of what is stored, besides what callers ask for.
///
/// Lists are the same for everybody who is shown a kit, so only what belongs to nobody in
/// particular is in them; named callers find their own with tools and by address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnShow {
    pub(super) prompts: Vec<StoredPrompt>,
    pub(super) namespaces: Vec<String>,
}

impl MemoryService {
    /// What kits show now. Two that are equal make equal kits.
    pub async fn on_show(&self) -> Result<OnShow, StoreError> {
        let owner = Owner::default();
        let prompts = self.0.prompts.all(owner.clone()).await?;
        let project = Some(self.0.project.key.clone());
        let access = MemoryAccess { owner, project, now: Time::now() };
        let filter = MemoryFilter {
            scopes: vec![hobnob_store::memory::ScopeKind::Project],
            ..MemoryFilter::default()
        };
        let used = self.0.memories.namespaces(access, filter).await?;
        let mut namespaces: Vec<String> = used.into_iter().map(|count| count.word).collect();
        namespaces.sort();
        Ok(OnShow { prompts, namespaces })
    }

    /// The service for one presentation.
    pub fn kit(&self, presentation: &Presentation, on_show: &OnShow) -> Result<Kit, KitError> {
        let desk = Desk { service: self.clone(), presentation: Arc::new(presentation.clone()) };
        let kit = with_tools(Kit::service("memory"), &desk)?;
        // Where clients bring their projects with them, no project's are everybody's.
        let namespaces = match presentation.project_from {
            ProjectFrom::RootsThenFolder => &[],
            ProjectFrom::Folder | ProjectFrom::FolderThenRoots => on_show.namespaces.as_slice(),
        };
        let kit = with_resources(kit, &desk, namespaces)?;
        with_prompts(kit, &desk, &on_show.prompts)
    }
}
