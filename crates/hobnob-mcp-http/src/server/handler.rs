//! Who answers the requests of a listener: the one trait between HTTP and MCP.
//!
//! The accept loop and the connections call it; the site implements it, and so do tests.

use crate::server::reply::ReplyBody;
use hobnob_mcp_engine::ClientId;
use http::{Request, Response};
use hyper::body::Incoming;
use std::future::Future;
use std::sync::Arc;

/// Answers requests, one future each, polled on the task of the connection it came from.
///
/// When the client goes away the future is dropped where it stands; whatever must survive that
/// belongs in a task of its own. Its size is held by every open connection, so rare and bulky
/// branches are best boxed.
pub trait Handler: Send + Sync + 'static {
    /// Answers one request on the connection of `client`.
    fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: ClientId,
    ) -> impl Future<Output = Response<ReplyBody>> + Send;
}
