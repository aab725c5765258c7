//! Messages to text. Everything we send passes through here; bodies are appended as they are.

use crate::error::RpcError;
use crate::id::RequestId;
use crate::json::ObjectWriter;
use crate::method::Method;

/// A response with a result, whose JSON text `result` appends.
pub fn result(id: &RequestId, result: impl FnOnce(&mut String)) -> String {
    let mut out = String::with_capacity(256);
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    id.write(&mut out);
    out.push_str(",\"result\":");
    result(&mut out);
    out.push('}');
    out
}

/// A response with an error; a request whose id could not be read is answered under `null`.
pub fn error(id: Option<&RequestId>, error: &RpcError) -> String {
    let mut out = String::with_capacity(128);
    let mut object = ObjectWriter::new(&mut out);
    object.raw("jsonrpc", "\"2.0\"");
    match id {
        Some(id) => id.write(object.key("id")),
        None => object.key("id").push_str("null"),
    }
    let mut inner = ObjectWriter::new(object.key("error"));
    inner.raw("code", &error.code.0.to_string()).string("message", &error.message);
    if let Some(data) = &error.data {
        inner.raw("data", data.get());
    }
    inner.end();
    object.end();
    out
}

/// A notification; `params` that are an empty object are left out.
pub fn notification(method: Method, params: &str) -> String {
    let mut out = String::with_capacity(96 + params.len());
    let mut object = ObjectWriter::new(&mut out);
    object.raw("jsonrpc", "\"2.0\"").string("method", method.as_str());
    if params != "{}" {
        object.raw("params", params);
    }
    object.end();
    out
}

/// A request of our own.
pub fn request(id: &RequestId, method: Method, params: &str) -> String {
    let mut out = String::with_capacity(96 + params.len());
    let mut object = ObjectWriter::new(&mut out);
    object.raw("jsonrpc", "\"2.0\"");
    id.write(object.key("id"));
    object.string("method", method.as_str()).raw("params", params);
    object.end();
    out
}
