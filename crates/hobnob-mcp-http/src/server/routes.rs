//! The paths of one server, and the handlers of their routes.
//!
//! The site calls [`answer`] once for each request that has passed the guard; each route is a file
//! of its own and knows nothing of the others.

use crate::server::endpoint::Endpoint;
use crate::server::reply::ReplyBody;
use crate::server::requester::Requester;
use crate::server::watched_events::{PresentedToken, watch};
use crate::server::{answers, legacy_sse, post, session_routes, websocket};
use http::header::ALLOW;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use std::sync::Arc;

/// The paths of a server, below its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/mcp`: Streamable HTTP of both eras.
    Mcp,
    /// `/`: the same for clients that know no path.
    Root,
    /// `/sse`: opens an HTTP+SSE connection (2024-11-05).
    Sse,
    /// `/messages`: receives the messages of an HTTP+SSE connection.
    Messages,
    /// `/ws`: becomes a WebSocket.
    WebSocket,
    /// `/health`: reports that the server runs, and how many sessions it has.
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
            "/ws" => Some(Self::WebSocket),
            "/health" => Some(Self::Health),
            _ => None,
        }
    }

    /// The methods that the route accepts.
    fn allowed(self) -> &'static str {
        match self {
            Self::Mcp => "GET, POST, DELETE",
            Self::Root | Self::Messages => "POST",
            Self::Sse | Self::WebSocket | Self::Health => "GET",
        }
    }
}

/// Answers a request that has passed the guard.
pub(crate) async fn answer(
    endpoint: &Arc<Endpoint>,
    route: Route,
    request: Request<Incoming>,
    requester: &Requester<'_>,
    token: Option<PresentedToken<'_>>,
) -> Response<ReplyBody> {
    let headers = request.headers();
    let answered = match (request.method(), route) {
        (&Method::GET, Route::WebSocket) => {
            let opened = websocket::open(endpoint, headers, requester, token);
            return opened.unwrap_or_else(|refused| *refused);
        }
        (&Method::POST, Route::Mcp | Route::Root) => post::post(endpoint, request, requester).await,
        (&Method::GET, Route::Mcp) => session_routes::get(endpoint, headers, requester),
        (&Method::DELETE, Route::Mcp) => session_routes::delete(endpoint, headers, requester),
        (&Method::GET, Route::Sse) => legacy_sse::open(endpoint, headers, requester),
        (&Method::POST, Route::Messages) => {
            Box::pin(legacy_sse::receive(endpoint, request, requester)).await
        }
        (&Method::GET, Route::Health) => Ok(endpoint.health()),
        _ => Ok(wrong_method(route)),
    };
    let response = answered.unwrap_or_else(|refused| *refused);
    match token {
        None => response,
        Some(token) => watch(response, token),
    }
}

fn wrong_method(route: Route) -> Response<ReplyBody> {
    let mut response =
        answers::problem(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(route.allowed()));
    response
}
