//! The state that all requests to one server share: server, sessions, limits and open calls.
//!
//! Every route takes it; [`routes`](super::routes), which dispatches requests, is above this file.

use crate::server::budget::BodyBudget;
use crate::server::options::HttpOptions;
use crate::server::replay::Replay;
use crate::server::reply::{ReplyBody, json_reply};
use crate::server::sessions::Sessions;
use hobnob_mcp_server::Server;
use http::{Response, StatusCode};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

/// The state that all requests to one server share.
pub(crate) struct Endpoint {
    pub(crate) server: Server,
    pub(crate) options: Arc<HttpOptions>,
    /// The memory budget for the bodies of all requests on this socket.
    pub(crate) bodies: Arc<BodyBudget>,
    pub(crate) sessions: Arc<Sessions>,
    /// Legacy calls, which outlive their connection, and streams, which notice a slow client.
    pub(crate) calls: TaskTracker,
    /// Slots for WebSocket connections, shared by all servers on this socket.
    pub(crate) websockets: Arc<Semaphore>,
    /// The beginning of the server's paths.
    pub(crate) prefix: Box<str>,
}

impl Endpoint {
    pub(crate) fn new(
        prefix: &str,
        server: &Server,
        options: Arc<HttpOptions>,
        replay: &Arc<Replay>,
        bodies: &Arc<BodyBudget>,
        websockets: &Arc<Semaphore>,
    ) -> Self {
        Self {
            server: server.clone(),
            sessions: Arc::new(Sessions::new(options.sessions.clone(), replay)),
            calls: TaskTracker::new(),
            prefix: prefix.into(),
            bodies: Arc::clone(bodies),
            websockets: Arc::clone(websockets),
            options,
        }
    }

    /// Begins to stop: no new work is accepted.
    pub(crate) fn stop(&self) {
        self.server.stop();
        self.calls.close();
    }

    pub(crate) fn health(&self) -> Response<ReplyBody> {
        let body = format!(r#"{{"status":"ok","sessions":{}}}"#, self.sessions.len());
        json_reply(StatusCode::OK, body)
    }
}
