//! The trace context of a POST, for a request that has none in its `_meta`.
//!
//! `post` asks for it once per request. Why: OpenTelemetry's conventions make the context in `_meta`
//! the parent, and let the one of the HTTP request take its place only where `_meta` has none. What
//! must stay true: a malformed header is ignored, and so is a repeated one.

use crate::server::single_header::{SingleHeader, single_header};
use hobnob_mcp_types::trace_context::{TRACEPARENT, TRACESTATE, TraceParent, is_tracestate};
use hobnob_mcp_types::{Params, Request};
use http::{HeaderMap, HeaderName};

const PARENT: HeaderName = HeaderName::from_static(TRACEPARENT);
const STATE: HeaderName = HeaderName::from_static(TRACESTATE);

/// The request with the context of its headers, unless it has one.
pub(crate) fn with_trace(headers: &HeaderMap, request: Request) -> Request {
    let SingleHeader::Once(parent) = single_header(headers, &PARENT) else { return request };
    let parent = parent.to_str().ok().and_then(TraceParent::parse);
    let Some(parent) = parent.filter(|_| request.params.meta(TRACEPARENT).is_none()) else {
        return request;
    };
    let parent = parent.to_string();
    let mut added = vec![(TRACEPARENT, &*parent)];
    if let SingleHeader::Once(state) = single_header(headers, &STATE)
        && let Some(state) = state.to_str().ok().filter(|state| is_tracestate(state))
        && request.params.meta(TRACESTATE).is_none()
    {
        added.push((TRACESTATE, state));
    }
    let params: Option<Params> = request.params.with_meta(&added);
    Request { params: params.unwrap_or(request.params), ..request }
}

#[cfg(test)]
mod tests {
    use super::with_trace;
    use hobnob_mcp_types::{Method, MethodName, Params, Request, RequestId};
    use http::HeaderMap;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn traced(headers: &[(&'static str, &'static str)], params: &str) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        let request = Request {
            id: RequestId::from_json("1").unwrap(),
            method: MethodName::Known(Method::ToolsCall),
            params: Params::from_json(params.into()).unwrap(),
        };
        with_trace(&map, request).params.raw().to_owned()
    }

    #[test]
    fn headers_count_where_meta_has_no_context() {
        let header = ("traceparent", PARENT);
        let meta = format!("{{\"traceparent\":\"{PARENT}\"}}");
        let added = traced(&[header], r#"{"name":"x"}"#);
        assert_eq!(added, format!(r#"{{"name":"x","_meta":{meta}}}"#));
        let added = traced(&[header, ("tracestate", "a=b")], r#"{"_meta":{"k":[1]},"name":"x"}"#);
        let both = format!(r#""traceparent":"{PARENT}","tracestate":"a=b""#);
        assert_eq!(added, format!(r#"{{"name":"x","_meta":{{"k":[1],{both}}}}}"#));
        let own = r#"{"_meta":{"traceparent":"its own"}}"#;
        for (headers, params) in [
            (&[header][..], own),
            (&[header], r#"{"_meta":7}"#),
            (&[], r#"{"name":"x"}"#),
            (&[header, header], r#"{"name":"x"}"#),
            (&[("traceparent", "00-x")], r#"{"name":"x"}"#),
            (&[("tracestate", "a=b")], r#"{"name":"x"}"#),
        ] {
            assert_eq!(traced(headers, params), params, "{headers:?}");
        }
    }
}
