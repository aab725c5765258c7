//! Answers and errors as JSON text, in the revision of their caller. Both edges write with it.

use hobnob_mcp_engine::{Answer, CallError, Caller, Questions, TaskRecord, downgrade_result};
use hobnob_mcp_transport::Fault;
use hobnob_mcp_types::json::{ObjectWriter, entries, object};
use hobnob_mcp_types::{Era, ErrorCode, Method, RequestId, RpcError, encode, meta};

/// An encoded answer and what HTTP must show of it.
pub(crate) type Encoded = (String, Option<Fault>);

/// A modern result: type, caching and our name are added to the body.
pub(crate) fn modern_answer(
    id: &RequestId,
    method: Method,
    answer: &Answer,
    caller: &Caller,
    server_meta: &str,
) -> String {
    let body = downgrade_result(method, &answer.body, answer.floor, caller.revision);
    encode::result(id, |out| {
        out.reserve(body.len() + server_meta.len() + 96);
        let mut object = ObjectWriter::new(out);
        object.raw("resultType", "\"complete\"").members_of(&body);
        if let Some(cache) = &answer.cache {
            object.raw("ttlMs", &cache.ttl_ms.to_string());
            object.string("cacheScope", cache.scope.as_str());
        }
        write_meta(&mut object, answer.meta.as_deref().map(|meta| meta.get()), server_meta);
        object.end();
    })
}

/// A modern result that is made of members of our own.
pub(crate) fn modern_object(
    id: &RequestId,
    result_type: &str,
    server_meta: &str,
    members: impl FnOnce(&mut ObjectWriter<'_>),
) -> String {
    encode::result(id, |out| {
        let mut object = ObjectWriter::new(out);
        object.string("resultType", result_type);
        members(&mut object);
        write_meta(&mut object, None, server_meta);
        object.end();
    })
}

/// Questions instead of a result; what is to be handed back is sealed already.
pub(crate) fn input_required(
    id: &RequestId,
    questions: &Questions,
    sealed: Option<&str>,
    server_meta: &str,
) -> String {
    modern_object(id, "input_required", server_meta, |object| {
        if !questions.requests.0.is_empty() {
            let requests = serde_json::to_string(&questions.requests).unwrap_or_default();
            object.raw("inputRequests", &requests);
        }
        if let Some(sealed) = sealed {
            object.string("requestState", sealed);
        }
    })
}

/// A task instead of a result, flat.
pub(crate) fn modern_task(id: &RequestId, record: &TaskRecord, server_meta: &str) -> String {
    modern_object(id, "task", server_meta, |object| record.write_modern(object))
}

/// A legacy result: the body as the revision knows it, and nothing else.
pub(crate) fn legacy_answer(
    id: &RequestId,
    method: Method,
    answer: &Answer,
    caller: &Caller,
) -> String {
    encode::result(id, |out| write_legacy(out, method, answer, caller, None))
}

/// The same without an envelope; `related` is a task the result belongs to.
pub(crate) fn write_legacy(
    out: &mut String,
    method: Method,
    answer: &Answer,
    caller: &Caller,
    related: Option<&str>,
) {
    let body = downgrade_result(method, &answer.body, answer.floor, caller.revision);
    let meta = answer.meta.as_deref().map(|meta| meta.get());
    if meta.is_none() && related.is_none() {
        // With room for what closes the envelope, which would move the whole otherwise.
        out.reserve(body.len() + 1);
        out.push_str(&body);
        return;
    }
    let mut object = ObjectWriter::new(out);
    object.members_of(&body);
    write_meta(&mut object, meta, &related.map(related_task).unwrap_or_default());
    object.end();
}

/// The member of `_meta` that names the task a message belongs to (2025-11-25).
pub(crate) fn related_task(id: &str) -> String {
    object(|object| {
        let mut inner = ObjectWriter::new(object.key(meta::RELATED_TASK));
        inner.string("taskId", id);
        inner.end();
    })
}

/// A task instead of a result, nested (2025-11-25).
pub(crate) fn legacy_task(id: &RequestId, record: &TaskRecord) -> String {
    encode::result(id, |out| {
        let mut object = ObjectWriter::new(out);
        let mut task = ObjectWriter::new(object.key("task"));
        record.write_legacy(&mut task);
        task.end();
        object.end();
    })
}

/// `_meta` of two origins, ours first; the body's own keys win.
fn write_meta(object: &mut ObjectWriter<'_>, own: Option<&str>, ours: &str) {
    match own {
        None if ours.is_empty() => {}
        None => drop(object.raw("_meta", ours)),
        Some(own) => {
            let theirs = entries(own);
            let mut merged = ObjectWriter::new(object.key("_meta"));
            for (key, value) in entries(ours) {
                if !theirs.iter().any(|(name, _)| *name == key) {
                    merged.raw(&key, value);
                }
            }
            merged.members_of(own);
            merged.end();
        }
    }
}

/// An error, and what HTTP must show of it.
pub(crate) fn call_error(id: &RequestId, error: &CallError, caller: &Caller) -> Encoded {
    let rpc = error.to_rpc(caller);
    let fault = match caller.revision.era() {
        _ if rpc.code == ErrorCode::BUSY => Some(Fault::Busy),
        // A legacy client takes any other status than 200 for a broken transport.
        Era::Legacy => None,
        Era::Modern => match error {
            CallError::Method(_) => Some(Fault::NotFound),
            CallError::Capability(_) | CallError::Header(_) => Some(Fault::BadRequest),
            CallError::Params(_)
            | CallError::Arguments(_)
            | CallError::UnknownTool(_)
            | CallError::Resource(_)
            | CallError::Late(_)
            | CallError::Internal
            | CallError::Other(_) => None,
        },
    };
    (encode::error(Some(id), &rpc), fault)
}

/// What HTTP shows of an error to a legacy client, who takes any other status than 200 for a
/// broken transport: only that it should come back later.
pub(crate) fn legacy_fault(error: &RpcError) -> Option<Fault> {
    (error.code == ErrorCode::BUSY).then_some(Fault::Busy)
}

/// What HTTP shows of an error that the protocol itself raises.
pub(crate) fn protocol_fault(error: &RpcError) -> Fault {
    match error.code {
        ErrorCode::METHOD_NOT_FOUND => Fault::NotFound,
        ErrorCode::BUSY => Fault::Busy,
        _ => Fault::BadRequest,
    }
}

/// The client has as many requests in flight as it may.
pub(crate) fn busy() -> RpcError {
    RpcError::new(ErrorCode::BUSY, "too many requests at once; try again later")
}
