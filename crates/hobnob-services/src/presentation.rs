//! How one view shows the services: the data of a profile, as far as services must know it.
//!
//! Names and descriptions of tools are the gateway's to change; what is inside of answers is ours.

use crate::view_tools::ViewToolsSlot;
use hobnob_mcp_toolbox::{CallContext, ToolError, ToolReply};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_store::StoreError;
use hobnob_store::memory::Namespace;
use serde::Serialize;
use std::collections::BTreeMap;

/// The type of resources that are data.
pub(crate) const JSON: &str = "application/json";

/// How one view shows the services. The default is the native one.
#[derive(Debug, Clone)]
pub struct Presentation {
    /// Schemes of the resources' addresses, by service. A service that is not here uses its name.
    pub uri_schemes: BTreeMap<String, String>,
    /// Codes of failures. One that has no code is a tool's result that says so.
    pub codes: BTreeMap<Failure, i64>,
    /// What the text of a failed result begins with.
    pub failure_prefix: String,
    /// Whether a result says that it is no failure.
    pub success: Success,
    /// Which namespaces there are.
    pub namespaces: NamespaceRule,
    /// Whether messages mention that content can be stored masked.
    pub masking: Masking,
    /// Where the project is found.
    pub project_from: ProjectFrom,
    /// Who log messages come from; the tool that writes them if nobody is named.
    pub logger: Option<String>,
    /// Whose names and shapes the tools of the machine have.
    pub dialect: Dialect,
    /// Whose stored records the lists of the view have entries for.
    pub listed: ListedOwner,
    /// What callers of the view can call, for services that call it for them.
    pub tools: ViewToolsSlot,
}

/// Whose names and shapes the tools of the machine have: of arguments and of what they return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The names and shapes that this manual describes.
    Native,
    /// Those of the profile `sysmcp`, whose tools are listed before anything is granted.
    SysMcp,
}

/// Whose stored records have entries in lists. Lists are the same for all callers of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedOwner {
    /// The person's, who is the only caller.
    Person,
    /// Nobody's, since callers have names; they find what is theirs with tools and by address.
    Nobody,
}

/// What can go wrong, as profiles name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// `not_found`: no such memory or task.
    NotFound,
    /// `blocked`: the content holds secrets or personal data.
    Blocked,
    /// `model`: no model could be asked, or it gave no answer of use.
    Model,
    /// `prompt_not_found`: no such stored prompt.
    PromptNotFound,
    /// `invalid`: well-formed, but it cannot be done.
    Invalid,
    /// `storage`: the store failed.
    Storage,
    /// `sync`: git failed, or memories could not be merged.
    Sync,
    /// `not_granted`: a person would have to grant it first.
    NotGranted,
}

impl Failure {
    /// All of them, by their words in profiles.
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

/// Whether a result says that it is no failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Success {
    /// It goes without saying.
    Implied,
    /// `isError: false` is written out.
    Spelled,
}

/// Which namespaces there are.
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
    /// `capture` lists the argument for it.
    Offered,
    /// The presentation hides that argument.
    Hidden,
}

/// Where a caller's project is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProjectFrom {
    /// In the folder Hobnob was started in, and nowhere else.
    Folder,
    /// In that folder if it is a project; else the client's roots are asked for.
    FolderThenRoots,
    /// In the client's roots, where it offers them; else in that folder.
    RootsThenFolder,
}

/// The failure of a prompt's argument: a prompt has no result that could say that it failed, so
/// what is a failed result of a tool is a bad parameter here.
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
    /// The scheme of the addresses of a service's resources.
    pub fn uri_scheme<'a>(&'a self, service: &'a str) -> &'a str {
        self.uri_schemes.get(service).map_or(service, String::as_str)
    }

    /// A failure as this presentation reports it: a protocol error where it has a code for it,
    /// otherwise a result that says the tool failed.
    pub fn fail(&self, failure: Failure, message: impl Into<String>) -> ToolError {
        let message = message.into();
        match self.codes.get(&failure) {
            Some(code) => RpcError::new(ErrorCode(*code), message).into(),
            // What cannot be done for the caller's input's sake is told from a failure of the tool.
            None if failure == Failure::Invalid && self.dialect == Dialect::SysMcp => {
                ToolError::params(message)
            }
            None => ToolError::failed(format!("{}{message}", self.failure_prefix)),
        }
    }

    /// Logs to the client what was done, if it wants log messages.
    pub(crate) fn log(&self, context: &CallContext, words: &str) {
        match &self.logger {
            Some(logger) => context.log_as(logger, LoggingLevel::Info, &words),
            None => context.log(LoggingLevel::Info, &words),
        }
    }

    /// A failure of the store, as the caller sees it. What only an operator can mend is in the log.
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

    /// Data as the contents of a resource.
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
    pub(crate) fn reply(&self, data: &impl Serialize) -> Result<ToolReply, ToolError> {
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
