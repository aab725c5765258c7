//! Pages and documents of a listener that are not MCP: metadata, an authorization server's endpoints.
//!
//! The site asks them before the MCP routes, after the check of `Host`. They need no credentials, and
//! the check of `Origin` is theirs: a form of their own page, and a native client, may post to them.

use crate::server::body::{ReadBody, read_body};
use crate::server::budget::BodyBudget;
use crate::server::limits::HttpLimits;
use crate::server::reply::ReplyBody;
use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use http::{HeaderMap, Method, Request, Response};
use hyper::body::Incoming;
use std::fmt;

/// How large the body of such a request may be.
const BODY: usize = 64 << 10;

/// What is known of a request before its body is read.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest<'a> {
    /// Browsers visit pages with GET, and send forms with POST.
    pub method: &'a Method,
    /// The path of its target, without the query.
    pub path: &'a str,
    /// Of the whole request, and not checked yet.
    pub headers: &'a HeaderMap,
}

/// Answers the paths of a listener that are open to everybody.
pub trait OpenRoutes: fmt::Debug + Send + Sync + 'static {
    /// Whether the request is for one of its own; everything else goes on to the MCP endpoints.
    fn has(&self, request: OpenRequest<'_>) -> bool;

    /// Answers a request for such a path. The body has been read, within 64 KiB.
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
    let limits = HttpLimits { body: BODY.min(limits.body), ..limits.clone() };
    let (head, body) = request.into_parts();
    // Such bodies are small and soon gone; what they have reserved is free when the answer is made.
    let ReadBody { bytes, reservation } = match read_body(body, &limits, budget).await {
        Ok(read) => read,
        Err(error) => return error.response(),
    };
    let response = routes.answer(Request::from_parts(head, bytes), client).await;
    drop(reservation);
    response.map(ReplyBody::full)
}
