//! What browsers want to hear before a page may call: only where tokens are asked for.
//!
//! Without a token the answers stay unreadable for pages, as before: whoever may read them is then
//! decided by `Origin` alone. The guard has let the origin in before.

use crate::server::answers;
use crate::server::reply::ReplyBody;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, VARY,
};
use http::{HeaderName, HeaderValue, Response, StatusCode};

const METHODS: &str = "GET, POST, DELETE";
const HEADERS: &str = "Accept, Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, \
                       Mcp-Method, Mcp-Name, Mcp-Session-Id";
const EXPOSED: &str = "Mcp-Session-Id, Retry-After, WWW-Authenticate";

/// The answer to a browser that asks whether it may send a request. It needs no token: browsers send
/// none.
pub(crate) fn preflight(origin: Option<HeaderValue>) -> Response<ReplyBody> {
    let mut response = answers::bare(StatusCode::NO_CONTENT);
    set(&mut response, ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    set(&mut response, ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    set(&mut response, ACCESS_CONTROL_MAX_AGE, "600");
    expose(response, origin)
}

/// The same answer, which the page that asked may read.
pub(crate) fn expose(
    mut response: Response<ReplyBody>,
    origin: Option<HeaderValue>,
) -> Response<ReplyBody> {
    if let Some(origin) = origin {
        response.headers_mut().insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        set(&mut response, ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        set(&mut response, VARY, "Origin");
    }
    response
}

fn set(response: &mut Response<ReplyBody>, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}
