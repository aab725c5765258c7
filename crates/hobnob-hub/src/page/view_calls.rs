//! The page's MCP requests: answered by the first view, or by that of a principal's profile, as those
//! of any client of the newest revision, with the same rules, questions and records.
//!
//! `page` gives it to the page's server. What must stay true: the page is one more client, so
//! nothing here decides about a call.

use crate::views::ProfileServer;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::OpenServer as _;
use hobnob_mcp_server::{ModernRequest, Reply, ReplyScope, Server, answer_modern};
use hobnob_mcp_transport::{FrameKind, Outbox, OutboxLimits};
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::{ErrorCode, MethodName, Params, Request, RequestId, Revision, RpcError};
use hobnob_ui::{ViewAnswer, ViewCalls, ViewRequest};
use serde_json::value::RawValue;
use std::sync::Arc;

/// The name under which the page appears among the clients.
const CLIENT_NAME: &str = "hobnob page";

/// Questions of servers are shown as forms.
const CAPABILITIES: &str = r#"{"elicitation":{"form":{}}}"#;

/// The views of a hub, for its page.
pub(super) struct HubViews {
    /// The view at the root.
    pub(super) first: Server,
    /// Those below `/p/` and their names.
    pub(super) profiles: Vec<Arc<ProfileServer>>,
}

impl ViewCalls for HubViews {
    fn open_view<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, ()> {
        // A profile that cannot be opened says so at its first request.
        Box::pin(async move { drop(self.server(prefix).await) })
    }

    fn call(&self, request: ViewRequest) -> BoxFuture<'_, ViewAnswer> {
        Box::pin(async move {
            match self.answer(request).await {
                Ok(text) => understood(&text).unwrap_or_else(|| refused(&RpcError::internal())),
                Err(error) => refused(&error),
            }
        })
    }
}

impl HubViews {
    /// The server below a prefix.
    async fn server(&self, prefix: &str) -> Result<Server, RpcError> {
        let Some(name) = prefix.strip_prefix("/p/") else { return Ok(self.first.clone()) };
        let profile = self.profiles.iter().find(|profile| profile.name().as_str() == name);
        let profile = profile.ok_or_else(RpcError::internal)?;
        profile.open().await.map_err(|why| RpcError::new(ErrorCode::INTERNAL, why))
    }

    /// The response to a request, as JSON.
    async fn answer(&self, request: ViewRequest) -> Result<String, RpcError> {
        let ViewRequest { method, params, prefix, principal, from } = request;
        let server = self.server(&prefix).await?;
        let params = object(|all| {
            all.members_of(params.get()).raw("_meta", &meta());
        });
        let params = Params::from_json(params)?;
        let request = Request { id: RequestId::from(1), method: MethodName::Known(method), params };
        let known = ModernRequest { headers: None, mirrored: None, principal, client_id: from };
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
        if let Some(work) = answer_modern(&server, request, known, reply)
            && let Some(answer) = work.await
        {
            answer.send();
        }
        while let Some(frame) = outbox.try_frame() {
            if matches!(frame.kind, FrameKind::Reply(_)) {
                return String::from_utf8(frame.bytes.to_vec()).map_err(|_| RpcError::internal());
            }
        }
        Err(RpcError::new(ErrorCode::INTERNAL, "the call was cancelled"))
    }
}

/// What every modern request says about its client.
fn meta() -> String {
    let info = object(|info| {
        info.string("name", CLIENT_NAME).string("version", env!("CARGO_PKG_VERSION"));
    });
    object(|meta| {
        meta.string("io.modelcontextprotocol/protocolVersion", Revision::NEWEST.as_str())
            .raw("io.modelcontextprotocol/clientCapabilities", CAPABILITIES)
            .raw("io.modelcontextprotocol/clientInfo", &info);
    })
}

/// The parts of a response; `None` if it has neither a result nor an error.
fn understood(text: &str) -> Option<ViewAnswer> {
    if let Some(result) = field(text, "result") {
        let asks = field(result, "resultType") == Some("\"input_required\"");
        let result = RawValue::from_string(result.to_owned()).ok()?;
        return Some(match asks {
            true => ViewAnswer::InputRequired(result),
            false => ViewAnswer::Result(result),
        });
    }
    let error = field(text, "error")?;
    let code = field(error, "code")?.parse().ok()?;
    let message = serde_json::from_str(field(error, "message")?).ok()?;
    Some(ViewAnswer::Error { code, message })
}

fn refused(error: &RpcError) -> ViewAnswer {
    ViewAnswer::Error { code: error.code.0, message: error.message.to_string() }
}
