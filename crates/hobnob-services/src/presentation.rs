//! How one view presents the services: the part of a profile that services must know.
//!
//! The gateway changes names and descriptions of tools; the services shape their answers.

use crate::view_tools::ViewToolsSlot;
use hobnob_mcp_toolbox::{CallContext, ToolError, ToolReply};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_store::StoreError;
use hobnob_store::memory::Namespace;
use serde::Serialize;
use std::collections::BTreeMap;

/// The MIME type of resources that hold JSON.
pub(crate) const JSON: &str = "application/json";

/// What the handler of a tool returns.
pub(crate) type ToolResult = Result<ToolReply, ToolError>;

/// How one view presents the services. The default is the native presentation.
#[derive(Debug, Clone)]
pub struct Presentation {
    /// URI schemes of resources by service. A service without an entry uses its name.
    pub uri_schemes: BTreeMap<String, String>,
    /// Error codes of failures. A failure without a code becomes a failed tool result.
    pub codes: BTreeMap<Failure, i64>,
    /// The prefix of a failed result's text.
    pub failure_prefix: String,
    /// Whether a result states explicitly that it is no failure.
    pub success: Success,
    /// Which namespaces may be used.
    pub namespaces: NamespaceRule,
    /// Whether messages mention that content can be stored masked.
    pub masking: Masking,
    /// How the caller's project is determined.
    pub project_from: ProjectFrom,
    /// The logger name of log messages; `None` stands for the name of the calling tool.
    pub logger: Option<String>,
    /// The names and shapes of the tools that act on the machine.
    pub dialect: Dialect,
    /// The owner whose stored records appear in the view's lists.
    pub listed: ListedOwner,
    /// The tools that callers of the view can call, for services that call them on their behalf.
    pub tools: ViewToolsSlot,
}

/// The names and the argument and result shapes of the tools that act on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The names and shapes that the manual describes.
    Native,
    /// Those of the profile `sysmcp`, whose tools are listed even before anything is granted.
    SysMcp,
}

/// The owner whose stored records appear in lists. Lists are the same for all callers of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedOwner {
    /// The person, who is the only caller.
    Person,
    /// No owner, since callers have names; they find their records with tools and by URI.
    Nobody,
}

/// The kinds of failures that profiles distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// `not_found`: no such memory or task.
    NotFound,
    /// `blocked`: the content holds secrets or personal data.
    Blocked,
    /// `model`: no model could be asked, or it gave no usable answer.
    Model,
    /// `prompt_not_found`: no such stored prompt.
    PromptNotFound,
    /// `invalid`: a well-formed request that cannot be carried out.
    Invalid,
    /// `storage`: the store failed.
    Storage,
    /// `sync`: git failed, or memories could not be merged.
    Sync,
    /// `not_granted`: a person would have to grant it first.
    NotGranted,
}

impl Failure {
    /// All failures, by their words in profiles.
    pub const ALL: [(&'static str, Self); 8] = [
        ("not_found", Self::NotFound),
        ("blocked", Self::Blocked),
        ("model", Self::Model),
        ("prompt_not_found", Self::PromptNotFound),
        ("invalid", Self::Invalid),
        ("storage", Self::Storage),
        ("sync", Self::Sync),
        ("not_granted", Self::NotGranted),
    ];
}

/// Whether a result states explicitly that it is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Success {
    /// `isError` is left out.
    Implied,
    /// `isError: false` is written out.
    Spelled,
}

/// Which namespaces may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamespaceRule {
    /// The well-known ones and the user's own.
    Open,
    /// These and no others.
    Closed(Vec<Namespace>),
}

/// Whether messages mention that content can be stored masked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Masking {
    /// `capture` lists its argument for masking.
    Offered,
    /// The presentation hides that argument.
    Hidden,
}

/// How a caller's project is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectFrom {
    /// By the folder in which Hobnob was started.
    Folder,
    /// By that folder if it is a project, otherwise by the client's roots.
    FolderThenRoots,
    /// By the client's roots if it offers them, otherwise by that folder.
    RootsThenFolder,
}

/// The error for a bad argument of a prompt or resource: these have no failed results, so what
/// would be a failed result of a tool is a bad parameter here.
pub(crate) fn bad_argument(error: ToolError) -> ToolError {
    match error {
        ToolError::Failed(text) => ToolError::params(text),
        other => other,
    }
}

impl Default for Presentation {
    fn default() -> Self {
        Self {
            uri_schemes: BTreeMap::new(),
            codes: BTreeMap::new(),
            failure_prefix: String::new(),
            success: Success::Implied,
            namespaces: NamespaceRule::Open,
            masking: Masking::Offered,
            project_from: ProjectFrom::FolderThenRoots,
            logger: None,
            dialect: Dialect::Native,
            listed: ListedOwner::Person,
            tools: ViewToolsSlot::default(),
        }
    }
}

impl Presentation {
    /// The URI scheme of a service's resources.
    pub fn uri_scheme<'a>(&'a self, service: &'a str) -> &'a str {
        self.uri_schemes.get(service).map_or(service, String::as_str)
    }

    /// A failure as this presentation reports it: a protocol error if it has a code for it,
    /// otherwise a result that says the tool failed.
    pub fn fail(&self, failure: Failure, message: impl Into<String>) -> ToolError {
        let message = message.into();
        match self.codes.get(&failure) {
            Some(code) => RpcError::new(ErrorCode(*code), message).into(),
            // This profile reports bad input as a protocol error, apart from failures of the tool.
            None if failure == Failure::Invalid && self.dialect == Dialect::SysMcp => {
                ToolError::params(message)
            }
            None => ToolError::failed(format!("{}{message}", self.failure_prefix)),
        }
    }

    /// Sends a log message to the client, if it wants log messages.
    pub(crate) fn log(&self, context: &CallContext, words: &str) {
        match &self.logger {
            Some(logger) => context.log_as(logger, LoggingLevel::Info, &words),
            None => context.log(LoggingLevel::Info, &words),
        }
    }

    /// A failure of the store, as the caller sees it. Details for the operator go to the log.
    pub(crate) fn store_failed(&self, error: &StoreError) -> ToolError {
        let message = match error {
            StoreError::Failed(_) | StoreError::Damaged(_) => {
                tracing::error!(%error, "records cannot be read or written");
                "the store failed: see `hobnob doctor`".to_owned()
            }
            StoreError::Busy
            | StoreError::Unwritable(_)
            | StoreError::Unavailable(_)
            | StoreError::Full { .. }
            | StoreError::Closed => error.to_string(),
        };
        self.fail(Failure::Storage, message)
    }

    /// Data as the JSON contents of a resource.
    pub(crate) fn contents(
        &self,
        uri: &str,
        data: &impl Serialize,
    ) -> Result<ResourceContents, ToolError> {
        let json = serde_json::to_string(data).map_err(|error| {
            tracing::error!(%error, "a resource cannot be written as JSON");
            self.fail(Failure::Storage, "the resource cannot be written")
        })?;
        Ok(ResourceContents::text(uri, JSON, json))
    }

    /// Data as this presentation returns it.
    pub(crate) fn reply(&self, data: &impl Serialize) -> ToolResult {
        let json = serde_json::to_string(data).map_err(|error| {
            tracing::error!(%error, "a result cannot be written as JSON");
            self.fail(Failure::Storage, "the result cannot be written")
        })?;
        Ok(match self.success {
            Success::Implied => ToolReply::Data(json),
            Success::Spelled => {
                ToolReply::TextAndData { text: json.clone(), data: Some(json), is_error: false }
            }
        })
    }
}
