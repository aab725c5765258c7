//! The MCP headers of a request: session, revision, mirrored parameters, and the content types that
//! the client accepts.
//!
//! Every route calls these functions, so that all of them read a header the same way. A repeated
//! header counts as wrong, never as its first or last value.

use crate::header_value;
use crate::server::accept::Accepts;
use crate::server::answers::{self, SESSION, VERSION};
use crate::server::reply::RefusalReply;
use crate::server::single_header::{SingleHeader, single_header};
use hobnob_mcp_engine::{MirroredParam, MirroredParams};
use hobnob_mcp_server::ProgressRule;
use hobnob_mcp_types::{ErrorCode, Revision, RpcError};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use std::borrow::Cow;

/// The types of answers that a client accepts; an error if it accepts none of ours. If calls report
/// progress unasked, only a client that names streams gets one; else every answer would be one.
pub(crate) fn accepts(
    headers: &HeaderMap,
    progress: ProgressRule,
) -> Result<Accepts, RefusalReply> {
    let accepts = match progress {
        ProgressRule::Requested => Accepts::of(headers),
        ProgressRule::OnStreams => Accepts::of(headers).named(headers),
    };
    if accepts.json || accepts.event_stream {
        return Ok(accepts);
    }
    let message = "answers are application/json or text/event-stream; accept at least one of them";
    Err(Box::new(answers::problem(StatusCode::NOT_ACCEPTABLE, message)))
}

/// The session that a request names; `Err` if the name cannot be one of ours.
pub(crate) fn session_id(headers: &HeaderMap) -> Option<Result<&str, ()>> {
    match single_header(headers, &SESSION) {
        SingleHeader::Absent => None,
        SingleHeader::Once(value) => Some(value.to_str().map_err(|_| ())),
        SingleHeader::Repeated => Some(Err(())),
    }
}

/// The revision that a request's header names, if it names one.
pub(crate) fn header_revision(headers: &HeaderMap) -> Result<Option<Revision>, RefusalReply> {
    let unknown = || {
        let message = "MCP-Protocol-Version is not a revision spoken here";
        Box::new(answers::problem(StatusCode::BAD_REQUEST, message))
    };
    match header_text(headers, &VERSION) {
        Err(error) => Err(Box::new(answers::refusal(StatusCode::BAD_REQUEST, None, &error))),
        Ok(None) => Ok(None),
        Ok(Some(version)) => Revision::parse(version).map(Some).ok_or_else(unknown),
    }
}

/// The text of a header that may occur once.
pub(crate) fn header_text<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, RpcError> {
    let bad = || {
        let message = format!("the header {name} must be there once, in plain text");
        RpcError::new(ErrorCode::HEADER_MISMATCH, message)
    };
    match single_header(headers, name) {
        SingleHeader::Absent => Ok(None),
        SingleHeader::Once(value) => value.to_str().map(str::trim).map(Some).map_err(|_| bad()),
        SingleHeader::Repeated => Err(bad()),
    }
}

/// Decodes a header value in the encoding that modern requests use for text beyond ASCII.
pub(crate) fn decode(value: &HeaderValue) -> Option<Cow<'_, str>> {
    header_value::decode(value.as_bytes().trim_ascii()).ok()
}

/// The `Mcp-Param-*` headers of a modern request; a value that cannot be decoded is `None`.
pub(crate) fn mirrored(headers: &HeaderMap) -> MirroredParams {
    let mut found = Vec::new();
    for (name, value) in headers {
        if let Some(name) = name.as_str().strip_prefix("mcp-param-") {
            let value = decode(value).map(|text| text.as_ref().into());
            found.push(MirroredParam { name: name.into(), value });
        }
    }
    // The default allocates nothing, and nearly every request has no such header.
    if found.is_empty() { MirroredParams::default() } else { found.into() }
}
