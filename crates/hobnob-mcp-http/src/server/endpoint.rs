//! The routes of one server.

use crate::server::accept::Accepts;
use crate::server::budget::BodyBudget;
use crate::server::options::HttpOptions;
use crate::server::replay::Replay;
use crate::server::reply::{ReplyBody, json_reply};
use crate::server::sessions::Sessions;
use crate::server::{answers, legacy_sse, post, session_routes};
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_server::Server;
use http::header::ALLOW;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use std::sync::Arc;
use tokio_util::task::TaskTracker;

/// What all requests to one server share.
pub(crate) struct Endpoint {
    pub(crate) server: Server,
    pub(crate) options: Arc<HttpOptions>,
    /// What the bodies of all requests on this socket share.
    pub(crate) bodies: Arc<BodyBudget>,
    pub(crate) sessions: Arc<Sessions>,
    /// Legacy calls, which go on when their client is cut off.
    pub(crate) calls: TaskTracker,
    /// What its paths begin with.
    pub(crate) prefix: Box<str>,
}

/// The paths of a server, below its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/mcp`.
    Mcp,
    /// `/`, the same for clients that know no path.
    Root,
    /// `/sse`.
    Sse,
    /// `/messages`.
    Messages,
    /// `/health`.
    Health,
}

impl Route {
    /// The route of a path.
    pub(crate) fn of(path: &str) -> Option<Self> {
        match path {
            "/mcp" => Some(Self::Mcp),
            "/" => Some(Self::Root),
            "/sse" => Some(Self::Sse),
            "/messages" => Some(Self::Messages),
            "/health" => Some(Self::Health),
            _ => None,
        }
    }

    /// The methods it takes.
    fn allowed(self) -> &'static str {
        match self {
            Self::Mcp => "GET, POST, DELETE",
            Self::Root | Self::Messages => "POST",
            Self::Sse | Self::Health => "GET",
        }
    }
}

impl Endpoint {
    pub(crate) fn new(
        prefix: &str,
        server: &Server,
        options: Arc<HttpOptions>,
        replay: &Arc<Replay>,
        bodies: &Arc<BodyBudget>,
    ) -> Self {
        Self {
            server: server.clone(),
            sessions: Arc::new(Sessions::new(options.sessions.clone(), replay)),
            calls: TaskTracker::new(),
            prefix: prefix.into(),
            bodies: Arc::clone(bodies),
            options,
        }
    }

    /// Answers one request.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        route: Route,
        request: Request<Incoming>,
        client: ClientId,
    ) -> Response<ReplyBody> {
        match (request.method(), route) {
            (&Method::POST, Route::Mcp | Route::Root) => post::post(self, request, client).await,
            (&Method::GET, Route::Mcp) => session_routes::get(self, request.headers()),
            (&Method::DELETE, Route::Mcp) => session_routes::delete(self, request.headers()),
            (&Method::GET, Route::Sse) => legacy_sse::open(self, request.headers(), client),
            (&Method::POST, Route::Messages) => Box::pin(legacy_sse::post(self, request)).await,
            (&Method::GET, Route::Health) => self.health(),
            _ => wrong_method(route),
        }
    }

    /// Begins to stop: nothing new is taken.
    pub(crate) fn stop(&self) {
        self.server.stop();
        self.calls.close();
    }

    fn health(&self) -> Response<ReplyBody> {
        let body = format!(r#"{{"status":"ok","sessions":{}}}"#, self.sessions.len());
        json_reply(StatusCode::OK, body)
    }
}

fn wrong_method(route: Route) -> Response<ReplyBody> {
    let mut response =
        answers::problem(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(route.allowed()));
    response
}

/// Whether a client that sends these headers can read any answer of ours.
pub(crate) fn accepts(headers: &http::HeaderMap) -> Result<Accepts, Box<Response<ReplyBody>>> {
    let accepts = Accepts::of(headers);
    if accepts.json || accepts.event_stream {
        return Ok(accepts);
    }
    let message = "answers are application/json or text/event-stream; accept at least one of them";
    Err(Box::new(answers::problem(StatusCode::NOT_ACCEPTABLE, message)))
}
