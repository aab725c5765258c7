//! A view's tools for services that call them on behalf of a caller, such as sessions with models.
//!
//! `ViewOpener` makes one for each view and puts it into the slot of its presentation. Calls go
//! through the view's server like those of the native RPC: the same service, quotas and time limit.

use super::registry::KnownService;
use hobnob_gateway::{GatewayService, ShownTool, ToolOwner};
use hobnob_mcp_engine::{
    Answers, Arrival, BoxFuture, Call, CallError, Caller, Notes, Outcome, TaskOffer,
};
use hobnob_mcp_server::ServiceCalls;
use hobnob_mcp_types::apps::ToolAudience;
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::{ErrorCode, Method, Params, RpcError};
use hobnob_services::{ViewTool, ViewToolCall, ViewTools};
use std::sync::Arc;

/// The tools of one view, and the way its callers call them.
pub(crate) struct GatewayTools {
    view: GatewayService,
    calls: ServiceCalls,
}

impl GatewayTools {
    pub(crate) fn new(view: GatewayService, calls: ServiceCalls) -> Self {
        Self { view, calls }
    }
}

impl ViewTools for GatewayTools {
    fn list<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Vec<ViewTool>> {
        Box::pin(async move {
            // A list request first: it makes servers that are still unknown list their tools.
            let list = plain_call(Method::ToolsList, Params::default(), caller.clone());
            if let Err(error) = self.calls.call(list, Notes::silent()).await {
                tracing::debug!(?error, "tools cannot be listed");
            }
            self.view.shown_tools().iter().filter_map(|tool| view_tool(&tool)).collect()
        })
    }

    fn is_call_tool(&self, name: &str) -> bool {
        self.view.is_call_tool(name)
    }

    fn call(&self, call: ViewToolCall) -> BoxFuture<'_, Result<Outcome, CallError>> {
        Box::pin(async move {
            let ViewToolCall { call: tool_call, caller, answers, notes } = call;
            let params = object(|params| {
                params.string("name", tool_call.tool()).raw("arguments", tool_call.arguments());
            });
            let params = Params::from_json(params).map_err(CallError::Other)?;
            let busy = || RpcError::new(ErrorCode::BUSY, "too many calls at once; try again later");
            let share = self.calls.reserve(Method::ToolsCall, &caller);
            let _share = share.ok_or_else(|| CallError::Other(busy()))?;
            let call = Call { answers, ..plain_call(Method::ToolsCall, params, caller) };
            self.calls.call(call, notes).await
        })
    }
}

/// A call that cannot become a task.
fn plain_call(method: Method, params: Params, caller: Caller) -> Call {
    Call {
        method,
        params: Arc::new(params),
        // Each call of a model gets its own arrival: the request behind it came in long before.
        caller: Caller { arrival: Arrival::next(), ..caller },
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    }
}

/// A tool as services see it; `None` for a tool that begins another chat, or is not for models.
fn view_tool(tool: &ShownTool<'_>) -> Option<ViewTool> {
    if ToolAudience::of(tool.definition) == ToolAudience::Apps {
        return None;
    }
    let server = match tool.owner {
        ToolOwner::BuiltIn { own } => {
            let service = own.strip_suffix("_chat").and_then(KnownService::named);
            if service.is_some_and(|service| service.asks_models) {
                return None;
            }
            None
        }
        ToolOwner::Server { server, original } => Some((server.to_owned(), original.to_owned())),
    };
    let description = field(tool.definition, "description");
    let description = description.and_then(|text| serde_json::from_str(text).ok());
    Some(ViewTool {
        name: tool.name.to_owned(),
        server,
        description: description.unwrap_or_default(),
        input_schema: field(tool.definition, "inputSchema").unwrap_or("{}").to_owned(),
    })
}
