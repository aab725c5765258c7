//! The chat service: its parts, and the checks and errors that all its handlers share.
//!
//! Handlers check names, sizes and secrets here before anything reaches the store or a provider.

use super::active_chats::{ActiveChat, ActiveChats, ChatRefusal, MAX_CHATS};
use crate::argument_checks::ArgumentChecks;
use crate::listed_entries::ListedEntries;
use crate::presentation::{Failure, Presentation};
use hobnob_llm::{ModelDirectory, ProviderError, ResolvedModel};
use hobnob_mcp_toolbox::{CallContext, ToolError};
use hobnob_secrets::Scanner;
use hobnob_store::model_sessions::{
    ModelSession, ModelSessionError, ModelSessionName, ModelSessionRepository,
};
use hobnob_store::trees::{TreeAccess, TreeError};
use hobnob_store::{Owner, Store, StoreError, Time};
use hobnob_text::escaped_start;
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// Longest prompt, in bytes.
const MAX_PROMPT: usize = 1 << 20;
/// Longest system prompt, in bytes.
const MAX_SYSTEM_PROMPT: usize = 256 << 10;
/// Largest metadata of a session, in bytes.
const MAX_METADATA: usize = 64 << 10;
/// How many characters of a name a message repeats.
const MAX_SHOWN: usize = 64;

/// The parts from which the service is made.
pub struct ConeParts {
    /// The sessions of all callers, and the trees that hold their conversations.
    pub sessions: Arc<dyn Store>,
    /// The configured providers and their models.
    pub models: ModelDirectory,
    /// The model of sessions that do not name one.
    pub default_model: Option<String>,
    /// Refuses prompts with secrets in them and masks answers; without it, none are looked for.
    pub scanner: Option<Scanner>,
}

/// Chats with models. Cheap to clone.
#[derive(Clone)]
pub struct ConeService(Arc<Shared>);

struct Shared {
    parts: ConeParts,
    active: ActiveChats,
    /// A snapshot of the sessions that kits list as prompts.
    listed: ListedEntries<ModelSessionName>,
}

impl ConeService {
    /// The service's name in settings and profiles.
    pub const NAME: &'static str = "cone";

    /// Makes the service. No provider is asked before the first chat.
    pub fn new(parts: ConeParts) -> Self {
        let (active, listed) = (ActiveChats::default(), ListedEntries::default());
        Self(Arc::new(Shared { parts, active, listed }))
    }

    pub(super) fn parts(&self) -> &ConeParts {
        &self.0.parts
    }

    /// The sessions that kits list as prompts.
    pub(super) fn listed(&self) -> &ListedEntries<ModelSessionName> {
        &self.0.listed
    }
}

impl fmt::Debug for ConeService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConeService").field("active", &self.0.active).finish_non_exhaustive()
    }
}

/// The service in one presentation; every handler works with this. Cheap to clone.
#[derive(Clone)]
pub(super) struct PresentedChats {
    pub(super) service: ConeService,
    pub(super) presentation: Arc<Presentation>,
}

impl PresentedChats {
    pub(super) fn sessions(&self) -> &dyn ModelSessionRepository {
        &*self.service.0.parts.sessions
    }

    /// Access to the caller's own sessions, at the current time.
    pub(super) fn access(context: &CallContext) -> TreeAccess {
        let owner = Owner::named(context.caller().principal.as_str());
        TreeAccess { owner, now: Time::now() }
    }

    /// The session name that the caller gave; a malformed name is not found.
    pub(super) fn name(&self, raw: &str) -> Result<ModelSessionName, ToolError> {
        ModelSessionName::parse(raw).ok_or_else(|| {
            let shown = escaped_start(raw, MAX_SHOWN);
            self.not_found(&format!("session not found: {shown}"))
        })
    }

    /// The name for a new session, once it is checked.
    pub(super) fn new_name(&self, raw: &str) -> Result<ModelSessionName, ToolError> {
        self.checks().name("name", raw)?;
        ModelSessionName::parse(raw).ok_or_else(|| {
            self.invalid("name: it must have 1 to 64 letters, digits, underscores and hyphens")
        })
    }

    pub(super) async fn find(
        &self,
        context: &CallContext,
        name: ModelSessionName,
    ) -> Result<ModelSession, ToolError> {
        let found = self.sessions().model_session(Self::access(context), name).await;
        found.map_err(|error| self.refused(error))
    }

    pub(super) fn prompt(&self, text: String) -> Result<String, ToolError> {
        if text.trim().is_empty() {
            return Err(self.invalid("prompt: it is empty"));
        }
        self.checks().text("prompt", text, MAX_PROMPT)
    }

    pub(super) fn system_prompt(&self, text: String) -> Result<String, ToolError> {
        self.checks().text("system_prompt", text, MAX_SYSTEM_PROMPT)
    }

    /// Metadata in the form in which the store keeps it: the JSON text of an object.
    pub(super) fn metadata(&self, metadata: Map<String, Value>) -> Result<String, ToolError> {
        self.checks().text("metadata", Value::Object(metadata).to_string(), MAX_METADATA)
    }

    fn checks(&self) -> ArgumentChecks<'_> {
        let scanner = self.service.0.parts.scanner;
        ArgumentChecks { presentation: &self.presentation, scanner }
    }

    /// Reserves a session for a chat or a change, for as long as the guard lives.
    pub(super) fn enter(
        &self,
        context: &CallContext,
        name: &ModelSessionName,
    ) -> Result<ActiveChat, ToolError> {
        let owner = Self::access(context).owner;
        self.service.0.active.enter(&owner, name).map_err(|refusal| match refusal {
            ChatRefusal::InUse => self.invalid(format!(
                "a chat is running in session {name}: wait until it ends, or cancel it"
            )),
            ChatRefusal::Full => {
                self.invalid(format!("{MAX_CHATS} chats are running: wait until one of them ends"))
            }
        })
    }

    /// The provider and model for this model name, or for the default model.
    pub(super) fn resolve(&self, model: Option<&str>) -> Result<ResolvedModel, ToolError> {
        let parts = &self.service.0.parts;
        if parts.models.is_empty() {
            let message = "no model can be asked: no provider is configured; add one to \
                           config.toml, such as [providers.anthropic] with dialect = \"anthropic\"";
            return Err(self.model_failed(message));
        }
        let Some(model) = model.or(parts.default_model.as_deref()) else {
            let message = "no model is named: pass `model_id` to create, or set `default` of \
                           [models] in config.toml; `registry` lists the models that are known";
            return Err(self.model_failed(message));
        };
        parts.models.resolve(model).map_err(|error| match error {
            ProviderError::Request(what) => self.model_failed(what),
            other => self.model_failed(other.to_string()),
        })
    }

    /// The error for a well-formed request that cannot be carried out.
    pub(super) fn invalid(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Invalid, message)
    }

    /// The error for a model that could not be asked, or gave no usable answer.
    pub(super) fn model_failed(&self, message: impl Into<String>) -> ToolError {
        self.presentation.fail(Failure::Model, message)
    }

    fn not_found(&self, message: &str) -> ToolError {
        self.presentation.fail(Failure::NotFound, format!("{message}; list sessions with list"))
    }

    /// The store's refusal as the caller sees it, with what to do about it.
    pub(super) fn refused(&self, error: ModelSessionError) -> ToolError {
        match error {
            ModelSessionError::NotFound(_) => self.not_found(&error.to_string()),
            ModelSessionError::NameTaken(_)
            | ModelSessionError::TooMany
            | ModelSessionError::BadCursor => self.invalid(error.to_string()),
            ModelSessionError::Tree(error) => self.tree_refused(error),
            ModelSessionError::Store(error) => self.presentation.store_failed(&error),
        }
    }

    pub(super) fn tree_refused(&self, error: TreeError) -> ToolError {
        let message = error.to_string();
        match error {
            TreeError::NotFound(_) | TreeError::NodeNotFound { .. } => {
                self.presentation.fail(Failure::NotFound, message)
            }
            TreeError::Store(error) => self.presentation.store_failed(&error),
            TreeError::NotActive { .. }
            | TreeError::NameTaken { .. }
            | TreeError::NotClaimed { .. }
            | TreeError::BadCursor => self.invalid(message),
        }
    }
}

/// The store's failure, for operations in which nothing else can fail.
pub(super) fn store_error(error: ModelSessionError) -> StoreError {
    match error {
        ModelSessionError::Store(error) | ModelSessionError::Tree(TreeError::Store(error)) => error,
        other => StoreError::Failed(other.to_string()),
    }
}
