//! The one trait between HTTP and MCP: answers the requests of a listener.
//!
//! The accept loop and the connections call it; the site implements it, and so do tests.

use crate::server::reply::ReplyBody;
use hobnob_mcp_engine::ClientId;
use http::{Request, Response};
use hyper::body::Incoming;
use std::future::Future;
use std::sync::Arc;

/// Answers requests, each with a future that is polled on the task of its connection.
///
/// If the client goes away the future is dropped at its present await point; work that must survive
/// that belongs in its own task. Every open connection holds memory for the future, so box rare and
/// bulky branches.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request on the connection of `client`.
    fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: ClientId,
    ) -> impl Future<Output = Response<ReplyBody>> + Send;
}
