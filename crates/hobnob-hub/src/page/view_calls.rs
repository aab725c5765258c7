//! The page's MCP requests: answered by the first view as those of any client of the newest
//! revision, with the same rules, questions and records.
//!
//! `page` gives it to the page's server. What must stay true: the page is one more client, so
//! nothing here decides about a call.

use hobnob_mcp_engine::BoxFuture;
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

/// The first view of a hub, for its page.
pub(super) struct FirstView(pub(super) Server);

impl ViewCalls for FirstView {
    fn call(&self, request: ViewRequest) -> BoxFuture<'_, ViewAnswer> {
        Box::pin(async move {
            match self.answer(request).await {
                Ok(text) => understood(&text).unwrap_or_else(|| refused(&RpcError::internal())),
                Err(error) => refused(&error),
            }
        })
    }
}

impl FirstView {
    /// The response to a request, as JSON.
    async fn answer(&self, request: ViewRequest) -> Result<String, RpcError> {
        let ViewRequest { method, params, principal, from } = request;
        let params = object(|all| {
            all.members_of(params.get()).raw("_meta", &meta());
        });
        let params = Params::from_json(params)?;
        let request = Request { id: RequestId::from(1), method: MethodName::Known(method), params };
        let known = ModernRequest { headers: None, mirrored: None, principal, client_id: from };
        let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
        let reply = Reply::new(Arc::clone(&outbox), ReplyScope::Exchange);
        if let Some(work) = answer_modern(&self.0, request, known, reply)
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
