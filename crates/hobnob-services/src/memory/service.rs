//! The memory service: the parts from which it is made, and its state.
//!
//! `kit` makes the tools of a view from it, `indexer` works in the background.

use super::checks::ContentRules;
use super::index_signal::IndexSignal;
use super::listed::ListedRecords;
use super::org_roles::OrgRoles;
use super::project::Project;
use super::recall::Recall;
use super::settings::{MemoryOptions, NAME};
use super::sync::MemorySync;
use super::vector_lock::VectorLock;
use crate::machine_access::GrantSource;
use crate::programs::ProgramLog;
use hobnob_llm::ResolvedModel;
use hobnob_secrets::Scanner;
use hobnob_store::memory::{MemoryRepository, PromptRepository, SyncMarkRepository};
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

/// The parts from which the memory service is made.
pub struct MemoryParts {
    /// The store of the memories.
    pub memories: Arc<dyn MemoryRepository>,
    /// The store of the users' prompts.
    pub prompts: Arc<dyn PromptRepository>,
    /// What was last exchanged with git remotes.
    pub marks: Arc<dyn SyncMarkRepository>,
    /// The search over memories.
    pub recall: Recall,
    /// Finds secrets and personal data in captured texts.
    pub scanner: Scanner,
    /// The settings of the user.
    pub settings: MemoryOptions,
    /// The folder in which Hobnob was started.
    pub folder: PathBuf,
    /// A folder of Hobnob's own, where git works during an exchange.
    pub sync_folder: PathBuf,
    /// Records every program that is started.
    pub programs: Arc<dyn ProgramLog>,
    /// The lock that lets one process on this store make vectors.
    pub vector_lock: VectorLock,
    /// The model to ask if the client does not lend one.
    pub model: Option<ResolvedModel>,
    /// The source of the roles for shared memories.
    pub grants: Arc<dyn GrantSource>,
}

/// Long-term memory. Cheap to clone.
#[derive(Clone)]
pub struct MemoryService(pub(super) Arc<SharedState>);

pub(super) struct SharedState {
    pub(super) memories: Arc<dyn MemoryRepository>,
    pub(super) prompts: Arc<dyn PromptRepository>,
    pub(super) recall: Arc<Recall>,
    pub(super) rules: ContentRules,
    pub(super) settings: MemoryOptions,
    pub(super) project: Arc<Project>,
    pub(super) roles: OrgRoles,
    pub(super) model: Option<ResolvedModel>,
    pub(super) sync: Arc<MemorySync>,
    pub(super) vector_lock: VectorLock,
    /// Wakes the background task that makes vectors.
    pub(super) captured: Arc<IndexSignal>,
    /// The snapshot of stored entries that kits list.
    pub(super) listed: Mutex<Arc<ListedRecords>>,
}

impl MemoryService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = NAME;

    /// Makes the service. Reads the folder's git files once.
    pub fn new(parts: MemoryParts) -> Self {
        let rules = ContentRules::new(&parts.settings, parts.scanner);
        let sync = MemorySync {
            marks: parts.marks,
            rules,
            folder: parts.sync_folder,
            programs: parts.programs,
            sync_ref: parts.settings.sync_ref.clone(),
            running: tokio::sync::Mutex::default(),
        };
        Self(Arc::new(SharedState {
            memories: parts.memories,
            prompts: parts.prompts,
            captured: Arc::new(IndexSignal::new(&parts.recall)),
            recall: Arc::new(parts.recall),
            rules,
            settings: parts.settings,
            project: Arc::new(Project::of(&parts.folder)),
            roles: OrgRoles::new(parts.grants),
            model: parts.model,
            sync: Arc::new(sync),
            vector_lock: parts.vector_lock,
            listed: Mutex::default(),
        }))
    }

    /// The project of the folder in which Hobnob was started.
    pub fn project(&self) -> &Project {
        &self.0.project
    }
}

impl std::fmt::Debug for MemoryService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryService").field("project", &self.0.project).finish_non_exhaustive()
    }
}
