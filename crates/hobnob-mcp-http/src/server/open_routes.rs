//! Pages and documents of a listener besides MCP: metadata, an authorization server's endpoints.
//!
//! The site tries them before the MCP routes, after the check of `Host`. They need no credentials
//! and check `Origin` themselves: their own pages' forms, and native clients, may post to them.

use crate::server::body::{ReadBody, read_body};
use crate::server::budget::BodyBudget;
use crate::server::limits::HttpLimits;
use crate::server::reply::ReplyBody;
use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use http::{HeaderMap, Method, Request, Response};
use hyper::body::Incoming;
use std::fmt;

/// The largest body of such a request, in bytes.
const MAX_BODY: usize = 64 << 10;

/// What is known of a request before its body is read.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest<'a> {
    /// The HTTP method. Browsers visit pages with GET, and send forms with POST.
    pub method: &'a Method,
    /// The path of the request target, without the query.
    pub path: &'a str,
    /// All headers of the request; they are not checked yet.
    pub headers: &'a HeaderMap,
}

/// Answers the paths of a listener that are open to every client.
pub trait OpenRoutes: fmt::Debug + Send + Sync + 'static {
    /// Whether these routes answer the request; all others go on to the MCP endpoints.
    fn has(&self, request: OpenRequest<'_>) -> bool;

    /// Answers a request for such a path. The body has been read, and has at most 64 KiB.
    fn answer(&self, request: Request<Bytes>, from: ClientId) -> BoxFuture<'_, Response<Bytes>>;
}

/// Reads the body, then lets the routes answer.
pub(crate) async fn answer(
    routes: &dyn OpenRoutes,
    request: Request<Incoming>,
    client: ClientId,
    limits: &HttpLimits,
    budget: &BodyBudget,
) -> Response<ReplyBody> {
    let limits = HttpLimits { body: MAX_BODY.min(limits.body), ..limits.clone() };
    let (head, body) = request.into_parts();
    // Such bodies are small and short-lived; their reservation is freed once the response is made.
    let ReadBody { bytes, reservation } = match read_body(body, &limits, budget).await {
        Ok(read) => read,
        Err(error) => return error.response(),
    };
    let response = routes.answer(Request::from_parts(head, bytes), client).await;
    drop(reservation);
    response.map(ReplyBody::full)
}
