//! What each side says it can do, over all revisions.
//!
//! For most capabilities the mere presence of an object is the statement. [`CapabilitySettings`] is
//! that object, and it keeps every other member the peer put into it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::entries::Entries;
use crate::presence;

/// An object whose presence says "yes" and whose entries, if any, say how.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CapabilitySettings(pub Entries<Box<RawValue>>);

/// What a client can do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// It can list its roots (deprecated since 2026-07-28).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<RootsCapability>,
    /// It can ask a model (deprecated since 2026-07-28).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// It can ask a person (since 2025-06-18).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// It can run requests as tasks (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<ClientTasksCapability>,
    /// Extensions by name. In the schema since 2026-07-28, in use before that.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub extensions: Entries<CapabilitySettings>,
    /// Capabilities outside the specification, by name; both sides must know them to use them.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub experimental: Entries<Box<RawValue>>,
}

impl ClientCapabilities {
    /// Whether the server may send a form. Before 2025-11-25 an empty object meant forms, and it
    /// still does.
    pub fn can_fill_forms(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
    }

    /// Whether the server may ask the person to visit a web page.
    pub fn can_visit_pages(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
    }

    /// Whether the server may offer tools to the sampled model.
    pub fn can_sample_with_tools(&self) -> bool {
        self.sampling.as_ref().is_some_and(|sampling| sampling.tools.is_some())
    }
}

/// What a client that lists its roots says about them (until 2025-11-25).
pub type RootsCapability = ListCapability;

/// How a client can ask a model.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingCapability {
    /// It can include context from MCP servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CapabilitySettings>,
    /// It can give tools to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<CapabilitySettings>,
}

/// How a client can ask a person. If neither mode is present, it can show forms.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationCapability {
    /// It can show forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<CapabilitySettings>,
    /// It can open pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<CapabilitySettings>,
}

/// What a side can do with tasks (2025-11-25 only); `R` names the requests.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TasksCapability<R> {
    /// It can list its tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<CapabilitySettings>,
    /// It can cancel its tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<CapabilitySettings>,
    /// Which requests it can run as tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<R>,
}

/// What a client can do with tasks (2025-11-25 only).
pub type ClientTasksCapability = TasksCapability<ClientTaskRequests>;

/// Which requests a client can run as tasks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientTaskRequests {
    /// Which of the sampling requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingTaskRequests>,
    /// Which of the elicitation requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationTaskRequests>,
}

/// Which sampling requests can become tasks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SamplingTaskRequests {
    /// `sampling/createMessage` may run as a task; absent means it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_message: Option<CapabilitySettings>,
}

/// Which elicitation requests can become tasks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationTaskRequests {
    /// `elicitation/create` may run as a task; absent means it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create: Option<CapabilitySettings>,
}

/// What a server can do.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// It answers `tools/list` and `tools/call`; absent means it has no tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListCapability>,
    /// It answers `resources/list` and `resources/read`; absent means it has no resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// It answers `prompts/list` and `prompts/get`; absent means it has no prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListCapability>,
    /// It can suggest arguments (declared since 2025-03-26).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<CapabilitySettings>,
    /// It sends log messages to its clients (deprecated since 2026-07-28).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logging: Option<CapabilitySettings>,
    /// It can run calls as tasks (2025-11-25 only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<ServerTasksCapability>,
    /// Extensions by name. In the schema since 2026-07-28, in use before that.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub extensions: Entries<CapabilitySettings>,
    /// Capabilities outside the specification, by name; both sides must know them to use them.
    #[serde(default, skip_serializing_if = "Entries::is_empty")]
    pub experimental: Entries<Box<RawValue>>,
}

/// What a side says about a list: a server about its tools or prompts, a client about its roots.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListCapability {
    /// It sends a notification when the list changes.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub list_changed: bool,
}

/// What a server that has resources says about them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesCapability {
    /// Clients can subscribe to the changes of a single resource.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub subscribe: bool,
    /// It sends a notification when the list changes.
    #[serde(default, deserialize_with = "presence::flag", skip_serializing_if = "presence::unset")]
    pub list_changed: bool,
}

/// What a server can do with tasks (2025-11-25 only).
pub type ServerTasksCapability = TasksCapability<ServerTaskRequests>;

/// Which requests a server can run as tasks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerTaskRequests {
    /// Which of the tool requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolTaskRequests>,
}

/// Which tool requests can become tasks.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolTaskRequests {
    /// `tools/call` may run as a task; absent means it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CapabilitySettings>,
}
