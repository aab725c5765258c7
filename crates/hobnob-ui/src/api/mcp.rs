//! `/ui/api/mcp`: one MCP request that a person makes on the page, through their view.
//!
//! What must stay true: only methods that read lists and use what they name, with the rules and the
//! records of every other client.

use super::session_request::SessionRequest;
use crate::answers::{PageProblem, PageResponse, json};
use crate::ports::{ViewAnswer, ViewRequest};
use hobnob_mcp_types::{Method, MethodName, Params};
use http::StatusCode;
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
    check_scopes(request, method, &params)?;
    let (page, of_principal) = (request.page, request.principal_page());
    let running = of_principal.map_or(&page.view_calls, |own| &own.view_calls);
    let _running = running.try_acquire().map_err(|_| {
        PageProblem::too_many("too many calls of this page are running; wait for one to end")
    })?;
    let (principal, from) = (request.session.principal(), request.from.on_own_page());
    let prefix = of_principal.map(|own| own.bearer.prefix()).unwrap_or_default().into();
    let asked = ViewRequest { method, params, prefix, principal, from };
    match page.options.calls.call(asked).await {
        ViewAnswer::Result(result) => json(&ResultJson { result }),
        ViewAnswer::InputRequired(input_required) => json(&InputRequiredJson { input_required }),
        ViewAnswer::Error { code, message } => {
            json(&ErrorJson { error: RpcErrorJson { code, message } })
        }
    }
}

/// The check that a request with the principal's token has to pass at `/mcp`.
fn check_scopes(
    request: &SessionRequest<'_>,
    method: Method,
    params: &RawValue,
) -> Result<(), PageProblem> {
    let Some((own, identity)) = request.principal_page().zip(request.identity.as_ref()) else {
        return Ok(());
    };
    let params = Params::from_json(params.get().to_owned())
        .map_err(|_| PageProblem::bad_input("`params` must be an object with unique names"))?;
    let checked = identity.check(own.bearer.prefix(), &MethodName::Known(method), &params);
    checked.map_err(|scopes| {
        own.bearer.report_missing_scope(request.from);
        let text = format!("your token does not allow this; it needs the scope: {scopes}");
        PageProblem::new(StatusCode::FORBIDDEN, text)
    })
}
