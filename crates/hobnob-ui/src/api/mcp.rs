//! `/ui/api/mcp`: one MCP request that a person makes on the page, through the plain view.
//!
//! What must stay true: only methods that read lists and use what they name, with the rules and the
//! records of every other client.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::ports::{ViewAnswer, ViewRequest};
use hobnob_mcp_types::Method;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const METHODS: [Method; 6] = [
    Method::ToolsList,
    Method::ToolsCall,
    Method::ResourcesList,
    Method::ResourcesRead,
    Method::PromptsList,
    Method::PromptsGet,
];

/// The body of a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ViewBody {
    method: String,
    params: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct ResultJson {
    result: Box<RawValue>,
}

#[derive(Serialize)]
struct InputRequiredJson {
    input_required: Box<RawValue>,
}

#[derive(Serialize)]
struct ErrorJson {
    error: RpcErrorJson,
}

#[derive(Serialize)]
struct RpcErrorJson {
    code: i64,
    message: String,
}

pub(super) async fn call(request: &SessionRequest<'_>) -> Result<PageResponse, PageProblem> {
    let ViewBody { method, params } = request.body()?;
    let method = METHODS.into_iter().find(|known| known.as_str() == method);
    let method = method.ok_or_else(|| {
        let known = METHODS.map(Method::as_str).join(", ");
        PageProblem::bad_input(format!("`method` is none that the page may use: {known}"))
    })?;
    let params = params.unwrap_or_else(|| RawValue::NULL.to_owned());
    let params = match params.get() {
        "null" => "{}".to_owned(),
        object if object.starts_with('{') => object.to_owned(),
        _ => return Err(PageProblem::bad_input("`params` must be an object")),
    };
    let params = RawValue::from_string(params)
        .map_err(|_| PageProblem::bad_input("`params` must be an object"))?;
    let page = request.page;
    let _running = page.view_calls.try_acquire().map_err(|_| {
        PageProblem::too_many("too many calls of this page are running; wait for one to end")
    })?;
    let (principal, from) = (request.session.principal.clone(), request.from.on_own_page());
    let asked = ViewRequest { method, params, principal, from };
    match page.options.calls.call(asked).await {
        ViewAnswer::Result(result) => json(&ResultJson { result }),
        ViewAnswer::InputRequired(input_required) => json(&InputRequiredJson { input_required }),
        ViewAnswer::Error { code, message } => {
            json(&ErrorJson { error: RpcErrorJson { code, message } })
        }
    }
}
