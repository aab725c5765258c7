//! Compares the standard headers of a modern HTTP request (revision, method, name) with its body.
//! The `Mcp-Param-*` headers are only defined here; the toolbox compares them with the arguments.
//!
//! Spec 2026-07-28, transports: a server that reads the body must compare. An intermediary may have
//! acted on the headers, so a difference means that two parties saw two different requests.

use hobnob_mcp_types::hello::UnsupportedVersion;
use hobnob_mcp_types::{ErrorCode, Method, Params, Revision, RpcError};
use std::borrow::Cow;
use std::sync::Arc;

/// The standard headers of one request, as the HTTP layer found them.
#[derive(Debug, Default)]
pub struct HeaderView<'a> {
    /// The value of `MCP-Protocol-Version`, if the header is there.
    pub version: Option<&'a str>,
    /// The value of `Mcp-Method`, if the header is there.
    pub method: Option<&'a str>,
    /// `Mcp-Name`, decoded; `Err` if the value cannot be decoded.
    pub name: Option<Result<Cow<'a, str>, ()>>,
}

/// The `Mcp-Param-*` headers: names in lower case without the prefix, values decoded. Shared, since
/// a call may be made again.
pub type MirroredParams = Arc<[MirroredParam]>;

/// A tool argument that the client repeated in a header of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirroredParam {
    /// The part of the header's name after `Mcp-Param-`, in lower case.
    pub name: Box<str>,
    /// The value; `None` if it could not be decoded.
    pub value: Option<Box<str>>,
}

impl HeaderView<'_> {
    /// Compares the revision in the header with the one in the body.
    pub fn check_version(&self, body: &str) -> Result<(), RpcError> {
        match self.version {
            Some(header) if header == body => Ok(()),
            None => Err(mismatch("the header MCP-Protocol-Version is missing")),
            // An unknown revision is no mismatch; the caller refuses one that is in both places.
            Some(header) if Revision::parse(header).is_none() => Err(unsupported(header)),
            Some(_) => Err(mismatch("MCP-Protocol-Version differs from the request's `_meta`")),
        }
    }

    /// Compares the method in the header with the one in the body.
    pub fn check_method(&self, method: &str) -> Result<(), RpcError> {
        match self.method {
            Some(header) if header == method => Ok(()),
            Some(_) => Err(mismatch("Mcp-Method differs from the request's `method`")),
            None => Err(mismatch("the header Mcp-Method is missing")),
        }
    }
}

/// Compares `Mcp-Name` with the parameter that it repeats.
pub fn check_headers(
    view: &HeaderView<'_>,
    method: Method,
    params: &Params,
) -> Result<(), RpcError> {
    let key = match method {
        Method::ToolsCall | Method::PromptsGet => "name",
        Method::ResourcesRead => "uri",
        Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => "taskId",
        _ => return Ok(()),
    };
    let body = params.string(key)?;
    match &view.name {
        Some(Ok(name)) if *name == body => Ok(()),
        Some(Ok(_)) => Err(mismatch("Mcp-Name differs from the request's parameters")),
        Some(Err(())) => Err(mismatch("Mcp-Name cannot be decoded")),
        None => Err(mismatch("the header Mcp-Name is missing")),
    }
}

fn mismatch(message: &'static str) -> RpcError {
    RpcError::new(ErrorCode::HEADER_MISMATCH, message)
}

/// The error for a revision that this server does not speak; it lists those it does.
pub(crate) fn unsupported(requested: &str) -> RpcError {
    let supported = Revision::newest_first().map(|revision| revision.as_str().to_owned());
    let data = UnsupportedVersion { supported: supported.into(), requested: requested.to_owned() };
    RpcError::new(ErrorCode::UNSUPPORTED_VERSION, "protocol version not supported").with_data(&data)
}
