//! The routes of one listening socket. Every request passes the guard before anything else.

use crate::server::accept::Accepts;
use crate::server::guard::{self, OriginPolicy};
use crate::server::listen::{Handler, Served, serve};
use crate::server::options::HttpOptions;
use crate::server::reply::{ReplyBody, json_reply};
use crate::server::sessions::Sessions;
use crate::server::{answers, legacy_sse, post, session_routes};
use http::header::ALLOW;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use mcp_server::Server;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

/// How often silent sessions are looked for; more often where they may not be silent for long.
const REAP_EVERY: Duration = Duration::from_secs(10);

/// What all requests to one socket share.
pub(crate) struct Endpoint {
    pub(crate) server: Server,
    pub(crate) options: HttpOptions,
    pub(crate) sessions: Arc<Sessions>,
    /// Legacy calls, which go on when their client is cut off.
    pub(crate) calls: TaskTracker,
    policy: OriginPolicy,
}

/// Binds a socket, if that is safe.
pub async fn bind(address: SocketAddr, options: &HttpOptions) -> io::Result<TcpListener> {
    guard::check_bind(address, options.exposure)
        .map_err(|refused| io::Error::new(io::ErrorKind::PermissionDenied, refused))?;
    TcpListener::bind(address).await
}

/// Serves MCP on a socket until `stop` is ready, then lets open requests finish for a while.
pub async fn serve_http(
    server: &Server,
    listener: TcpListener,
    options: HttpOptions,
    stop: impl Future<Output = ()>,
) -> io::Result<Served> {
    let local = listener.local_addr()?;
    let mut policy = OriginPolicy::loopback(local.port());
    if !local.ip().is_loopback() && !local.ip().is_unspecified() {
        // Whoever was allowed to listen on this very address may be called by it.
        policy = policy.allow_host(&local.to_string());
    }
    let policy = options.hosts.iter().fold(policy, |policy, host| policy.allow_host(host));
    let policy = options.origins.iter().fold(policy, |policy, origin| policy.allow_origin(origin));
    let endpoint = Arc::new(Endpoint {
        server: server.clone(),
        sessions: Arc::new(Sessions::new(options.sessions.clone())),
        calls: TaskTracker::new(),
        policy,
        options,
    });
    let limits = endpoint.options.limits.clone();
    let stop = async {
        stop.await;
        server.stop();
        endpoint.calls.close();
    };
    let served = serve(listener, Arc::clone(&endpoint), limits, stop);
    let served = tokio::select! {
        served = served => served,
        never = reap(&endpoint.sessions, endpoint.options.sessions.idle) => match never {},
    };
    endpoint.sessions.end_all();
    endpoint.calls.wait().await;
    Ok(served)
}

async fn reap(sessions: &Sessions, idle: Duration) -> std::convert::Infallible {
    // An interval of nothing at all is not allowed.
    let mut ticks = tokio::time::interval(idle.clamp(Duration::from_millis(1), REAP_EVERY));
    loop {
        ticks.tick().await;
        sessions.reap();
    }
}

impl Handler for Endpoint {
    async fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        _peer: SocketAddr,
    ) -> Response<ReplyBody> {
        if let Err(refusal) = guard::check(request.headers(), request.uri(), &self.policy) {
            return refusal.response();
        }
        match (request.method(), request.uri().path()) {
            (&Method::POST, "/mcp" | "/") => post::post(self, request).await,
            (&Method::GET, "/mcp") => session_routes::get(self, request.headers()),
            (&Method::DELETE, "/mcp") => session_routes::delete(self, request.headers()),
            (&Method::GET, "/sse") => legacy_sse::open(self, request.headers()),
            (&Method::POST, "/messages") => Box::pin(legacy_sse::post(self, request)).await,
            (&Method::GET, "/health") => self.health(),
            (_, path) => no_route(path),
        }
    }
}

impl Endpoint {
    fn health(&self) -> Response<ReplyBody> {
        let body = format!(r#"{{"status":"ok","sessions":{}}}"#, self.sessions.len());
        json_reply(StatusCode::OK, body)
    }
}

fn no_route(path: &str) -> Response<ReplyBody> {
    let allowed = match path {
        "/mcp" => "GET, POST, DELETE",
        "/" | "/messages" => "POST",
        "/sse" | "/health" => "GET",
        _ => return answers::problem(StatusCode::NOT_FOUND, "no such path; MCP is served at /mcp"),
    };
    let mut response =
        answers::problem(StatusCode::METHOD_NOT_ALLOWED, "this path does not take that method");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
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
