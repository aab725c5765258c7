//! Translates a server's answer into the engine's terms.
//!
//! `OpenConnection` reads results here; the code that fails a call reads errors here. Invariant:
//! members that belong to the hop between us and the server do not reach the caller.

use crate::error::RequestError;
use crate::forward::ExecutionMode;
use hobnob_mcp_engine::{Answer, CallError, Outcome, Questions};
use hobnob_mcp_types::cache::{CacheHint, CacheScope};
use hobnob_mcp_types::hello::MissingCapability;
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::{ObjectWriter, entries, field};
use hobnob_mcp_types::{Era, ErrorCode, Method, Params, ResultText, Revision, RpcError};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The result of a call, as far as the protocol itself defines it.
pub(crate) enum CallResult {
    Outcome(Outcome),
    /// A task instead of a result: its id, and how often the server wants to be polled.
    Task {
        id: Box<str>,
        poll_ms: Option<u64>,
    },
}

/// Reads the result of a call.
pub(crate) fn read(
    method: Method,
    revision: Revision,
    mode: ExecutionMode,
    result: ResultText,
) -> Result<CallResult, RequestError> {
    match (revision.era(), mode) {
        (Era::Modern, _) => read_modern(method, revision, result),
        (Era::Legacy, ExecutionMode::Call) => Ok(completed(method, revision, result)),
        (Era::Legacy, ExecutionMode::Task) => match field(&result, "task") {
            Some(task) => legacy_task(task),
            None => Ok(completed(method, revision, result)),
        },
    }
}

fn read_modern(
    method: Method,
    revision: Revision,
    result: ResultText,
) -> Result<CallResult, RequestError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        input_requests: Option<InputRequests>,
        request_state: Option<String>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Started {
        task_id: Box<str>,
        poll_interval_ms: Option<u64>,
    }
    // Nearly all results: not even their type needs to be parsed.
    let result = match pass_on(method, revision, result) {
        Ok(answer) => return Ok(CallResult::Outcome(Outcome::Complete(answer))),
        Err(result) => result,
    };
    match result_type(&result) {
        None | Some("\"complete\"") => Ok(completed(method, revision, result)),
        Some("\"input_required\"") => {
            let asked: Asked = decode(&result)?;
            let requests = asked.input_requests.unwrap_or_default();
            if requests.0.is_empty() && asked.request_state.is_none() {
                return Err(RequestError::unreadable(
                    "it asks for input, but has neither questions nor a state",
                ));
            }
            Ok(CallResult::Outcome(Outcome::NeedsInput(Questions {
                requests,
                state: asked.request_state,
                ..Questions::default()
            })))
        }
        Some("\"task\"") => {
            let Started { task_id, poll_interval_ms } = decode(&result)?;
            Ok(CallResult::Task { id: task_id, poll_ms: poll_interval_ms })
        }
        // Spec 2026-07-28: an unknown type makes the result invalid.
        Some(other) => {
            Err(RequestError::unreadable(format!("a result of the unknown type {other}")))
        }
    }
}

/// The beginning of most results that have a type.
const COMPLETE: &str = "{\"resultType\":\"complete\"";

/// The type of a result. If the result begins with its type, there is no need to parse it.
fn result_type(result: &str) -> Option<&str> {
    if result.starts_with(COMPLETE) {
        return Some("\"complete\"");
    }
    field(result, "resultType")
}

/// The answer, if it is the result unchanged or without the type that it begins with. Otherwise the
/// result is handed back, because it may contain something for this hop only.
fn pass_on(method: Method, revision: Revision, result: ResultText) -> Result<Answer, ResultText> {
    let typed = result.strip_prefix(COMPLETE).and_then(|rest| rest.strip_prefix(','));
    // The type itself counts as one keyword. Each other one may be a member for this hop, or a
    // member that older revisions define differently.
    if result.keywords() != Some(usize::from(typed.is_some())) {
        return Err(result);
    }
    let mut answer = empty(method, revision);
    if method == Method::ToolsCall {
        answer.floor = revision.min(Revision::V2025_06_18);
    }
    answer.body = match typed {
        Some(rest) => ["{", rest].concat(),
        None => Box::<str>::from(result).into_string(),
    };
    Ok(answer)
}

fn legacy_task(task: &str) -> Result<CallResult, RequestError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Started {
        task_id: Box<str>,
        poll_interval: Option<u64>,
    }
    let Started { task_id, poll_interval } = decode(task)?;
    Ok(CallResult::Task { id: task_id, poll_ms: poll_interval })
}

fn completed(method: Method, revision: Revision, result: ResultText) -> CallResult {
    CallResult::Outcome(Outcome::Complete(complete(method, revision, result)))
}

/// The result without the members that the edge will write itself.
pub(crate) fn complete(method: Method, revision: Revision, result: ResultText) -> Answer {
    let result = match pass_on(method, revision, result) {
        Ok(answer) => return answer,
        Err(result) => result,
    };
    let mut answer = empty(method, revision);
    let mut ttl = None;
    let mut body = String::with_capacity(result.len());
    let mut writer = ObjectWriter::new(&mut body);
    for (key, value) in entries(&result) {
        match &*key {
            "resultType" => {}
            "ttlMs" => ttl = value.parse::<u64>().ok(),
            "cacheScope" => {
                if let (Some(hint), "\"public\"") = (&mut answer.cache, value) {
                    hint.scope = CacheScope::Public;
                }
            }
            "_meta" => answer.meta = carried_meta(value),
            _ => drop(writer.raw(&key, value)),
        }
    }
    writer.end();
    if let (Some(hint), Some(ttl)) = (&mut answer.cache, ttl) {
        hint.ttl_ms = ttl;
    }
    answer.body = body;
    answer
}

fn empty(method: Method, revision: Revision) -> Answer {
    Answer {
        body: String::new(),
        meta: None,
        cache: cached(method).then_some(CacheHint::NONE),
        floor: revision,
    }
}

/// The `_meta` without the server's own name, which we must not pass on as ours.
fn carried_meta(meta: &str) -> Option<Box<RawValue>> {
    let carried: Vec<_> = entries(meta)
        .into_iter()
        .filter(|(key, _)| {
            *key != hobnob_mcp_types::meta::SERVER_INFO
                && *key != hobnob_mcp_types::meta::RELATED_TASK
        })
        .collect();
    if carried.is_empty() {
        return None;
    }
    let text = hobnob_mcp_types::json::object(|object| {
        for (key, value) in &carried {
            object.raw(key, value);
        }
    });
    RawValue::from_string(text).ok()
}

fn cached(method: Method) -> bool {
    matches!(
        method,
        Method::ToolsList
            | Method::PromptsList
            | Method::ResourcesList
            | Method::ResourcesTemplatesList
            | Method::ResourcesRead
    )
}

/// Translates an error of the server into the engine's terms. Codes with a meaning only between us
/// and the server are not passed on under the same number.
pub(crate) fn error(method: Method, params: &Params, failure: RequestError) -> CallError {
    let RequestError::Rpc(error) = failure else { return failure.into() };
    let names_uri = || {
        let data = error.data.as_deref().map(|data| data.get()).unwrap_or_default();
        field(data, "uri").is_some()
    };
    match error.code {
        ErrorCode::RESOURCE_NOT_FOUND if method == Method::ResourcesRead => missing(params),
        ErrorCode::INVALID_PARAMS if method == Method::ResourcesRead && names_uri() => {
            missing(params)
        }
        ErrorCode::MISSING_CLIENT_CAPABILITY => {
            let data = error.data.as_deref().map(|data| data.get()).unwrap_or_default();
            match serde_json::from_str::<MissingCapability>(data) {
                Ok(needed) => CallError::Capability(Box::new(needed.required_capabilities)),
                Err(_) => between(error),
            }
        }
        ErrorCode::HEADER_MISMATCH | ErrorCode::UNSUPPORTED_VERSION => between(error),
        _ => CallError::Other(error),
    }
}

fn missing(params: &Params) -> CallError {
    let uri = params.string("uri").unwrap_or_default();
    CallError::Resource(uri.into_owned().into())
}

/// An error between us and the server, for which the caller's request is not to blame.
fn between(error: RpcError) -> CallError {
    let message = format!("the server refused the request: {}", error.message);
    CallError::Other(RpcError::new(ErrorCode::INTERNAL, message))
}

fn decode<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, RequestError> {
    serde_json::from_str(text).map_err(|error| RequestError::unreadable(error.to_string()))
}

/// A result as one text again, including its `_meta`.
pub(crate) fn whole(answer: Answer) -> String {
    let Some(meta) = answer.meta else { return answer.body };
    hobnob_mcp_types::json::object(|object| {
        object.members_of(&answer.body).raw("_meta", meta.get());
    })
}

#[cfg(test)]
mod tests;
