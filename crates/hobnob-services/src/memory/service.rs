//! The memory service: its parts, and the checks and errors that all its handlers share.
//!
//! Handlers check names, sizes and secrets here before anything reaches the store.

use super::listed::ListedRecords;
use super::org_roles::{OrgRoles, command_for};
use super::project::{Project, ProjectSource};
use super::recall::Recall;
use super::settings::{MemoryOptions, SecretsRule};
use super::vector_lock::VectorLock;
use crate::machine_access::GrantSource;
use crate::presentation::{Failure, Masking, NamespaceRule, Presentation, ProjectFrom};
use crate::programs::ProgramLog;
use hobnob_llm::ResolvedModel;
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_secrets::{Finding, Scanner};
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryError, MemoryId, MemoryRepository, MemoryScope, MissingRole,
    Namespace, PromptRepository, ScopeKind, SyncMarkRepository, Tag, WritableScope,
};
use hobnob_store::{Owner, ProjectKey, StoreError, Time};
use hobnob_text::escaped_start;
use parking_lot::Mutex;
use percent_encoding::percent_decode_str;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Notify;

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
    pub(super) marks: Arc<dyn SyncMarkRepository>,
    pub(super) recall: Recall,
    pub(super) scanner: Scanner,
    pub(super) settings: MemoryOptions,
    pub(super) project: Project,
    pub(super) sync_folder: PathBuf,
    pub(super) programs: Arc<dyn ProgramLog>,
    pub(super) vector_lock: VectorLock,
    pub(super) model: Option<ResolvedModel>,
    pub(super) roles: OrgRoles,
    /// The snapshot of stored entries that kits list.
    pub(super) listed: Mutex<Arc<ListedRecords>>,
    /// Wakes the background task that makes vectors.
    pub(super) captured: Notify,
    /// Held while memories are exchanged with a remote.
    pub(super) syncing: tokio::sync::Mutex<()>,
}

impl MemoryService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "memory";

    /// Makes the service. Reads the folder's git files once.
    pub fn new(parts: MemoryParts) -> Self {
        Self(Arc::new(SharedState {
            memories: parts.memories,
            prompts: parts.prompts,
            marks: parts.marks,
            recall: parts.recall,
            scanner: parts.scanner,
            settings: parts.settings,
            project: Project::of(&parts.folder),
            sync_folder: parts.sync_folder,
            programs: parts.programs,
            vector_lock: parts.vector_lock,
            model: parts.model,
            roles: OrgRoles::new(parts.grants),
            listed: Mutex::default(),
            captured: Notify::new(),
            syncing: tokio::sync::Mutex::default(),
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

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedMemory {
    pub(super) service: MemoryService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedMemory {
    pub(super) fn shared(&self) -> &SharedState {
        &self.service.0
    }

    /// The scheme of the URIs of memories.
    pub(super) fn scheme(&self) -> &str {
        self.presentation.uri_scheme(MemoryService::NAME)
    }

    /// The owner that the call acts for.
    pub(super) fn owner(context: &CallContext) -> Owner {
        Owner::named(context.caller().principal.as_str())
    }

    /// What the caller can reach: its own memories, those of the project it works in, and shared
    /// ones if it has a role for them.
    pub(super) fn access(&self, context: &CallContext) -> Result<MemoryAccess, ToolError> {
        Ok(self.access_in(self.project(context)?, context))
    }

    /// The same for a known project. The role is read anew for each call, so that a revocation
    /// takes effect at once.
    fn access_in(&self, project: ProjectKey, context: &CallContext) -> MemoryAccess {
        MemoryAccess {
            owner: Self::owner(context),
            org: self.shared().roles.of(context.caller()),
            project: Some(project),
            now: Time::now(),
        }
    }

    /// The same without a request to the client. A caller whose roots would have to be requested
    /// sees no project's memories.
    pub(super) fn access_without_asking(&self, context: &CallContext) -> MemoryAccess {
        let project = match self.asks(context) {
            true => ProjectKey::new(""),
            false => self.shared().project.key.clone(),
        };
        self.access_in(project, context)
    }

    /// Whether the caller's project has to be determined by its roots.
    fn asks(&self, context: &CallContext) -> bool {
        let ask = match self.presentation.project_from {
            ProjectFrom::Folder => false,
            ProjectFrom::FolderThenRoots => self.shared().project.source == ProjectSource::Path,
            ProjectFrom::RootsThenFolder => true,
        };
        ask && context.client_can_list_roots()
    }

    /// The project the caller works in. Requests the caller's roots if they determine it.
    pub(super) fn project(&self, context: &CallContext) -> Result<ProjectKey, ToolError> {
        let here = &self.shared().project;
        if !self.asks(context) {
            return Ok(here.key.clone());
        }
        let roots = context.roots_if_given("roots")?.map(|it| it.roots).unwrap_or_default();
        let folder = roots.first().and_then(|root| file_path(&root.uri));
        Ok(folder.map_or_else(|| here.key.clone(), |folder| Project::of(&folder).key))
    }

    /// The namespace that the caller named, once it is checked.
    pub(super) fn namespace(&self, raw: &str) -> Result<Namespace, ToolError> {
        let invalid = || ToolError::params(format!("Invalid namespace: {}", shown(raw)));
        let namespace = Namespace::parse(raw).map_err(|_| invalid())?;
        self.refuse_secrets(raw)?;
        match &self.presentation.namespaces {
            NamespaceRule::Closed(known) if !known.contains(&namespace) => Err(invalid()),
            NamespaceRule::Closed(_) | NamespaceRule::Open => Ok(namespace),
        }
    }

    /// The tags that the caller named, once they are checked.
    pub(super) fn tags(&self, raw: &[String]) -> Result<Vec<Tag>, ToolError> {
        const MAX: usize = 50;
        if MAX < raw.len() {
            let message = format!("tags: at most {MAX}, not {}", raw.len());
            return Err(self.presentation.fail(Failure::Invalid, message));
        }
        let parse = |raw: &String| {
            Tag::parse(raw).map_err(|_| {
                let problem = "1 to 64 characters without spaces and commas";
                self.presentation.fail(Failure::Invalid, format!("tag `{}`: {problem}", shown(raw)))
            })
        };
        // Also in their original case: in lower case many secrets are no longer recognised.
        self.refuse_secrets(&raw.join(" "))?;
        let tags: Vec<Tag> = raw.iter().map(parse).collect::<Result<_, _>>()?;
        let stored: Vec<&str> = tags.iter().map(Tag::as_str).collect();
        self.refuse_secrets(&stored.join(" "))?;
        Ok(tags)
    }

    /// Fails if there is a secret in a text that cannot be masked.
    pub(super) fn refuse_secrets(&self, text: &str) -> Result<(), ToolError> {
        if self.shared().settings.secrets == SecretsRule::Off {
            return Ok(());
        }
        match self.shared().scanner.scan(text) {
            found if found.is_empty() => Ok(()),
            found => Err(self.presentation.fail(Failure::Blocked, blocked(&found))),
        }
    }

    /// The scope for a new memory of this kind, if the caller may write to it. A project memory
    /// goes into the caller's project.
    pub(super) fn scope(
        &self,
        kind: ScopeKind,
        access: &MemoryAccess,
    ) -> Result<WritableScope, ToolError> {
        let scope = match (kind, &access.project) {
            (ScopeKind::Project, Some(project)) => MemoryScope::Project(project.clone()),
            (ScopeKind::Org, _) => MemoryScope::Org,
            (ScopeKind::User | ScopeKind::Project, _) => MemoryScope::User,
        };
        self.writable(scope, access)
    }

    /// Checks that the caller may write to a scope.
    pub(super) fn writable(
        &self,
        scope: MemoryScope,
        access: &MemoryAccess,
    ) -> Result<WritableScope, ToolError> {
        let checked = WritableScope::new(scope, access.org);
        checked.map_err(|missing| self.without_role(missing, &access.owner))
    }

    /// The error for a missing role, with the command with which a person can grant it.
    fn without_role(&self, missing: MissingRole, owner: &Owner) -> ToolError {
        let command = command_for(missing.needed, owner.as_str());
        let message =
            format!("{missing}; the person who runs this hub can grant it with: {command}");
        self.presentation.fail(Failure::NotGranted, message)
    }

    /// Checks content to store: not empty, not too long, and without secrets, or masked if the rule
    /// says so. Returns the kinds of the masked secrets, too.
    pub(super) fn clean(
        &self,
        content: String,
        rule: SecretsRule,
    ) -> Result<(String, Vec<&'static str>), ToolError> {
        let limit = self.shared().settings.max_bytes;
        if content.trim().is_empty() {
            return Err(self.presentation.fail(Failure::Invalid, "content: it is empty"));
        }
        if limit < content.len() {
            let message = format!("content: {} bytes, at most {limit} are allowed", content.len());
            return Err(self.presentation.fail(Failure::Invalid, message));
        }
        self.scanned(content, rule)
    }

    fn scanned(
        &self,
        content: String,
        rule: SecretsRule,
    ) -> Result<(String, Vec<&'static str>), ToolError> {
        match rule {
            SecretsRule::Off => Ok((content, Vec::new())),
            SecretsRule::Redact => {
                let (content, found) = self.shared().scanner.redact(&content);
                Ok((content, found.iter().map(|it| it.kind.label()).collect()))
            }
            SecretsRule::Block => match self.shared().scanner.scan(&content) {
                found if found.is_empty() => Ok((content, Vec::new())),
                found => {
                    let advice = self.masking_advice();
                    let message = format!("{}{advice}", blocked(&found));
                    Err(self.presentation.fail(Failure::Blocked, message))
                }
            },
        }
    }

    /// How to store content with secrets after all, if this presentation offers a way.
    fn masking_advice(&self) -> &'static str {
        match self.presentation.masking {
            Masking::Offered => "; capturing with redact: true stores content masked",
            Masking::Hidden => "",
        }
    }

    /// Parses an id, or the id in a URN.
    pub(super) fn id(&self, raw: &str) -> Result<MemoryId, ToolError> {
        let last = raw.rsplit('/').next().unwrap_or(raw);
        MemoryId::parse(last).ok_or_else(|| self.not_found(raw))
    }

    /// A memory that the caller can reach.
    pub(super) async fn find(&self, access: MemoryAccess, raw: &str) -> Result<Memory, ToolError> {
        let found = self.shared().memories.get(access, self.id(raw)?).await;
        found.map_err(|error| self.store(&error))?.ok_or_else(|| self.not_found(raw))
    }

    fn not_found(&self, raw: &str) -> ToolError {
        self.presentation.fail(Failure::NotFound, format!("Memory not found: {}", shown(raw)))
    }

    /// A failure of the store, as the caller sees it.
    pub(super) fn store(&self, error: &StoreError) -> ToolError {
        self.presentation.fail(Failure::Storage, error.to_string())
    }

    /// A refused change, as the caller sees it.
    pub(super) fn change_refused(&self, error: MemoryError, owner: &Owner) -> ToolError {
        match error {
            MemoryError::Role(missing) => self.without_role(missing, owner),
            error => self.refused(error),
        }
    }

    /// A refused query, as the caller sees it.
    pub(super) fn refused(&self, error: MemoryError) -> ToolError {
        let message = error.to_string();
        match error {
            MemoryError::NotFound(id) => self.not_found(id.as_str()),
            MemoryError::Store(error) => self.store(&error),
            _ => self.presentation.fail(Failure::Invalid, message),
        }
    }
}

/// The kinds and places of the secrets found, never their text.
fn blocked(found: &[Finding]) -> String {
    const MAX: usize = 5;
    let places: Vec<String> = found
        .iter()
        .take(MAX)
        .map(|it| format!("{} at line {}, column {}", it.kind.label(), it.line, it.column))
        .collect();
    let more = found.len().saturating_sub(MAX);
    let rest = if more == 0 { String::new() } else { format!(", and {more} more") };
    format!("Content blocked: {}{rest}. Remove it", places.join(", "))
}

/// The beginning of a caller's text, escaped for a message.
pub(super) fn shown(text: &str) -> String {
    escaped_start(text, 100)
}

/// The folder of a `file://` URI on this machine.
fn file_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let path = PathBuf::from(&*percent_decode_str(path).decode_utf8().ok()?);
    (path.is_absolute() && path.is_dir()).then_some(path)
}
