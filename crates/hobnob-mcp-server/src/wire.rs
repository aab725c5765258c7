//! Encodes answers and errors as JSON text in the caller's revision. Both edges use it.

use hobnob_mcp_engine::{Answer, CallError, Caller, Questions, TaskRecord, downgrade_result};
use hobnob_mcp_transport::Fault;
use hobnob_mcp_types::json::{ObjectWriter, entries, object};
use hobnob_mcp_types::{Era, ErrorCode, Method, RequestId, RpcError, encode, meta};

/// An encoded answer, and the fault that HTTP must show in its status.
pub(crate) type Encoded = (String, Option<Fault>);

/// A modern result: the body plus type, caching hints and this server's name.
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

/// A modern result made of the given members.
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

/// Questions in place of a result; the state is sealed already.
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

/// A task in place of a result, flat.
pub(crate) fn modern_task(id: &RequestId, record: &TaskRecord, server_meta: &str) -> String {
    modern_object(id, "task", server_meta, |object| record.write_modern(object))
}

/// A legacy result: only the body, in the form of the caller's revision.
pub(crate) fn legacy_answer(
    id: &RequestId,
    method: Method,
    answer: &Answer,
    caller: &Caller,
) -> String {
    encode::result(id, |out| write_legacy(out, method, answer, caller, None))
}

/// The same without an envelope; `related` is the id of the task that the result belongs to.
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
        // Reserves one byte more for the envelope's closing brace, to avoid a reallocation.
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

/// A task in place of a result, nested (2025-11-25).
pub(crate) fn legacy_task(id: &RequestId, record: &TaskRecord) -> String {
    encode::result(id, |out| {
        let mut object = ObjectWriter::new(out);
        let mut task = ObjectWriter::new(object.key("task"));
        record.write_legacy(&mut task);
        task.end();
        object.end();
    })
}

/// Merges the body's `_meta` with the server's: the server's come first, the body's keys win.
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

/// How a request ended: its answer, or its error with the fault that HTTP must show in its status.
pub(crate) fn ended(id: &RequestId, end: Result<String, CallError>, caller: &Caller) -> Encoded {
    let error = match end {
        Ok(answer) => return (answer, None),
        Err(error) => error,
    };
    let rpc = error.to_rpc(caller);
    let fault = match caller.revision.era() {
        _ if rpc.code == ErrorCode::BUSY => Some(Fault::Busy),
        // A legacy client treats any status other than 200 as a broken transport.
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

/// The fault that HTTP shows to a legacy client. It treats any status other than 200 as a broken
/// transport, so it only sees that it should come back later.
pub(crate) fn legacy_fault(error: &RpcError) -> Option<Fault> {
    (error.code == ErrorCode::BUSY).then_some(Fault::Busy)
}

/// The fault that HTTP shows for an error of the protocol itself.
pub(crate) fn protocol_fault(error: &RpcError) -> Fault {
    match error.code {
        ErrorCode::METHOD_NOT_FOUND => Fault::NotFound,
        ErrorCode::BUSY => Fault::Busy,
        _ => Fault::BadRequest,
    }
}

/// The error for a client that has too many requests in flight.
pub(crate) fn busy() -> RpcError {
    RpcError::new(ErrorCode::BUSY, "too many requests at once; try again later")
}
