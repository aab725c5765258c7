//! One exact request to an upstream or to a built-in: the rules decide about it, and it is carried
//! out unchanged.
//!
//! The router makes it and a permit owns it. From then on, server, name and arguments are fixed;
//! only the answers to questions may differ in a later round.

use crate::catalog::{ToolRoute, ToolTarget};
use crate::names::management::is_management;
use crate::names::{PublicName, public_name};
use hobnob_mcp_client::ExecutionMode;
use hobnob_mcp_engine::{Call, TaskOffer};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::tools::TaskSupport;
use hobnob_policy::{PermissionRequest, Subject, SubjectCaller, SubjectKind};
use std::sync::Arc;

/// A call of an upstream's tool, or a request for its resources, prompts and completions.
#[derive(Debug)]
pub struct UpstreamRequest {
    /// The call in the caller's terms, with the answers that are for the upstream.
    call: Call,
    target: UpstreamTarget,
}

#[derive(Debug)]
enum UpstreamTarget {
    Tool {
        public: Box<str>,
        route: Arc<ToolRoute>,
    },
    Contents {
        server: Arc<str>,
        member: &'static str,
        value: String,
        /// The name by which rules know it.
        usual: PublicName,
    },
}

impl UpstreamRequest {
    /// A call of a tool that this view calls `public`.
    pub(crate) fn tool(public: &str, route: Arc<ToolRoute>, call: Call) -> Self {
        Self { call, target: UpstreamTarget::Tool { public: public.into(), route } }
    }

    /// A resource, a prompt or a completion. The parameter `member` names the target, and `value`
    /// is its name at the server, as JSON.
    pub(crate) fn contents(
        server: &Arc<str>,
        member: &'static str,
        value: String,
        call: Call,
    ) -> Self {
        let usual = public_name(server, "*");
        let server = Arc::clone(server);
        Self { call, target: UpstreamTarget::Contents { server, member, value, usual } }
    }

    /// The call as the caller made it.
    pub(crate) fn call(&self) -> &Call {
        &self.call
    }

    pub(crate) fn server(&self) -> &Arc<str> {
        match &self.target {
            UpstreamTarget::Tool { route, .. } => &route.server,
            UpstreamTarget::Contents { server, .. } => server,
        }
    }

    /// The tool's route; `None` for resources and prompts.
    pub(super) fn route(&self) -> Option<&ToolRoute> {
        match &self.target {
            UpstreamTarget::Tool { route, .. } => Some(route),
            UpstreamTarget::Contents { .. } => None,
        }
    }

    /// The parameter that names the target, and its value at the server, as JSON.
    pub(super) fn name_there(&self) -> (&'static str, &str) {
        match &self.target {
            UpstreamTarget::Tool { route, .. } => ("name", &route.original_json),
            UpstreamTarget::Contents { member, value, .. } => (*member, value),
        }
    }

    /// Whether the server has to run the call as a task.
    pub(super) fn mode(&self) -> ExecutionMode {
        match (self.route().map(|route| &route.task_support), &self.call.task) {
            (Some(TaskSupport::Required), _)
            | (Some(TaskSupport::Optional), TaskOffer::Asked { .. }) => ExecutionMode::Task,
            _ => ExecutionMode::Call,
        }
    }
}

/// A request that a person may be asked about.
pub(crate) trait AskableRequest: PermissionRequest {
    /// The call as the caller made it.
    fn asked_call(&self) -> &Call;
}

impl AskableRequest for UpstreamRequest {
    fn asked_call(&self) -> &Call {
        &self.call
    }
}

impl AskableRequest for BuiltInRequest {
    fn asked_call(&self) -> &Call {
        &self.call
    }
}

impl PermissionRequest for UpstreamRequest {
    fn subject(&self) -> Subject<'_> {
        match &self.target {
            UpstreamTarget::Tool { public, route } => Subject {
                tool: public,
                usual: Some(&route.usual),
                server: Some(&route.server),
                original: Some(&route.original),
                caller: caller_of(&self.call),
                kind: SubjectKind::Upstream,
                arguments: self.call.params.get("arguments"),
            },
            UpstreamTarget::Contents { server, usual, .. } => Subject {
                tool: usual.as_str(),
                usual: None,
                server: Some(server),
                original: Some("*"),
                caller: caller_of(&self.call),
                kind: SubjectKind::ServerContents,
                arguments: None,
            },
        }
    }
}

/// A call of one of Hobnob's own tools, or a request for its resources, prompts and completions.
#[derive(Debug)]
pub struct BuiltInRequest {
    /// The call in the built-in's own terms: a name that a profile gave it is already replaced.
    pub(super) call: Call,
    target: BuiltInTarget,
}

#[derive(Debug)]
enum BuiltInTarget {
    Tool {
        public: Box<str>,
        own: Box<str>,
    },
    /// A resource whose reads count as tool calls, with the arguments of such a call.
    ReadAs {
        public: Box<str>,
        own: Box<str>,
        arguments: String,
    },
    Contents,
}

impl BuiltInRequest {
    /// A tool that clients call by `public` and that `call` names by `own`.
    pub(crate) fn tool(public: &str, own: &str, call: Call) -> Self {
        Self { call, target: BuiltInTarget::Tool { public: public.into(), own: own.into() } }
    }

    /// A resource, a prompt or a completion.
    pub(crate) fn contents(call: Call) -> Self {
        Self { call, target: BuiltInTarget::Contents }
    }

    /// A resource that a tool could read as well: if the rules do not allow the tool, they do not
    /// allow the read.
    pub(crate) fn read_as(public: &str, own: &str, uri: &str, call: Call) -> Self {
        let arguments = object(|object| {
            object.string("path", uri);
        });
        let target = BuiltInTarget::ReadAs { public: public.into(), own: own.into(), arguments };
        Self { call, target }
    }
}

impl PermissionRequest for BuiltInRequest {
    fn subject(&self) -> Subject<'_> {
        match &self.target {
            BuiltInTarget::Tool { public, own } => {
                let arguments = self.call.params.get("arguments");
                built_in_subject(public, own, caller_of(&self.call), arguments)
            }
            BuiltInTarget::ReadAs { public, own, arguments } => {
                built_in_subject(public, own, caller_of(&self.call), Some(arguments))
            }
            BuiltInTarget::Contents => Subject {
                tool: "",
                usual: None,
                server: None,
                original: None,
                caller: caller_of(&self.call),
                kind: SubjectKind::OwnContents,
                arguments: None,
            },
        }
    }
}

/// The caller as the rules see it.
fn caller_of(call: &Call) -> SubjectCaller<'_> {
    SubjectCaller::of(call.caller.principal.as_str())
}

/// A tool of the catalogue as the rules see it, without arguments.
pub(crate) fn tool_subject<'a>(
    public: &'a str,
    target: &'a ToolTarget,
    caller: SubjectCaller<'a>,
) -> Subject<'a> {
    match target {
        ToolTarget::Upstream(route) => Subject {
            tool: public,
            usual: Some(&route.usual),
            server: Some(&route.server),
            original: Some(&route.original),
            caller,
            kind: SubjectKind::Upstream,
            arguments: None,
        },
        ToolTarget::BuiltIn(own) => built_in_subject(public, own, caller, None),
    }
}

/// A built-in tool as the rules see it.
pub(crate) fn built_in_subject<'a>(
    public: &'a str,
    own: &'a str,
    caller: SubjectCaller<'a>,
    arguments: Option<&'a str>,
) -> Subject<'a> {
    let kind = match is_management(own) {
        true => SubjectKind::Management,
        false => SubjectKind::BuiltIn,
    };
    let (usual, server, original) = (Some(own), None, None);
    Subject { tool: public, usual, server, original, caller, kind, arguments }
}
