//! CORS headers, with which pages may call the server; only sent if the listener requires tokens.
//!
//! Without tokens no page can read the answers, since `Origin` alone would decide which may. The
//! guard has accepted the origin before.

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

/// The answer to a preflight, in which a browser asks whether a page may send a request. It
/// requires no token, since browsers send none.
pub(crate) fn preflight(origin: Option<HeaderValue>) -> Response<ReplyBody> {
    let mut response = answers::bare(StatusCode::NO_CONTENT);
    set(&mut response, ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    set(&mut response, ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    set(&mut response, ACCESS_CONTROL_MAX_AGE, "600");
    expose(response, origin)
}

/// Lets the calling page read the response.
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
