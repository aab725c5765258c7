//! One listening socket: a server at its root, others below paths of their own.
//! Every request passes the guard before anything else.

use crate::server::answers;
use crate::server::budget::BodyBudget;
use crate::server::endpoint::{Endpoint, Route};
use crate::server::guard::{self, OriginPolicy};
use crate::server::listen::{Handler, Served, serve};
use crate::server::options::{HttpOptions, Mount};
use crate::server::replay::Replay;
use crate::server::reply::ReplyBody;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::RpcError;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};

/// How often silent sessions are looked for; more often where they may not be silent for long.
const REAP_EVERY: Duration = Duration::from_secs(10);

/// Connections that may wait to be accepted, as far as the system allows. With the usual 128 a
/// burst of clients overflows the queue, and those left out try again only after a second.
const BACKLOG: u32 = 4096;

/// Binds a socket, if that is safe.
pub async fn bind(address: SocketAddr, options: &HttpOptions) -> io::Result<TcpListener> {
    guard::check_bind(address, options.exposure)
        .map_err(|refused| io::Error::new(io::ErrorKind::PermissionDenied, refused))?;
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port is free for a successor while connections of its predecessor linger.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves MCP on a socket until `stop` is ready, then lets open requests finish for a while.
pub async fn serve_http(
    server: &Server,
    listener: TcpListener,
    options: HttpOptions,
    stop: impl Future<Output = ()>,
) -> io::Result<Served> {
    let local = listener.local_addr()?;
    let limits = options.limits.clone();
    let idle = options.sessions.idle;
    let site = Arc::new(Site::new(server, options, local));
    let stop = async {
        stop.await;
        site.endpoints().for_each(Endpoint::stop);
    };
    let served = serve(listener, Arc::clone(&site), limits, stop);
    let served = tokio::select! {
        served = served => served,
        never = reap(&site, idle) => match never {},
    };
    for endpoint in site.endpoints() {
        endpoint.sessions.end_all();
    }
    for endpoint in site.endpoints() {
        endpoint.calls.wait().await;
    }
    Ok(served)
}

async fn reap(site: &Site, idle: Duration) -> std::convert::Infallible {
    // An interval of nothing at all is not allowed.
    let mut ticks = tokio::time::interval(idle.clamp(Duration::from_millis(1), REAP_EVERY));
    loop {
        ticks.tick().await;
        site.endpoints().for_each(|endpoint| endpoint.sessions.reap());
    }
}

/// Who answers on one socket.
struct Site {
    root: Arc<Endpoint>,
    mounts: Vec<Arc<Endpoint>>,
    policy: OriginPolicy,
    /// What is said of a path that leads nowhere.
    lost: String,
}

impl Site {
    fn new(server: &Server, mut options: HttpOptions, local: SocketAddr) -> Self {
        let mut policy = OriginPolicy::loopback(local.port());
        if !local.ip().is_loopback() && !local.ip().is_unspecified() {
            // Whoever was allowed to listen on this very address may be called by it.
            policy = policy.allow_host(&local.to_string());
        }
        let policy = options.hosts.iter().fold(policy, |policy, host| policy.allow_host(host));
        let allow = |policy: OriginPolicy, origin: &String| policy.allow_origin(origin);
        let policy = options.origins.iter().fold(policy, allow);
        let mounts = std::mem::take(&mut options.mounts);
        // What clients may come back for takes room once, however many servers there are.
        let replay = Replay::new(options.sessions.replay_bytes_total);
        let bodies = Arc::new(BodyBudget::new(&options.limits));
        let options = Arc::new(options);
        let endpoint = |prefix: &str, server: &Server| {
            Arc::new(Endpoint::new(prefix, server, Arc::clone(&options), &replay, &bodies))
        };
        Self {
            root: endpoint("", server),
            lost: lost(&mounts),
            mounts: mounts.iter().map(|mount| endpoint(&mount.prefix, &mount.server)).collect(),
            policy,
        }
    }

    fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        std::iter::once(&self.root).chain(&self.mounts).map(|endpoint| &**endpoint)
    }

    /// Who answers at a path, and what the path is to them.
    fn find(&self, path: &str) -> Option<(&Arc<Endpoint>, Route)> {
        if let Some(route) = Route::of(path) {
            return Some((&self.root, route));
        }
        self.mounts.iter().find_map(|mount| {
            let below = path.strip_prefix(&*mount.prefix)?;
            Some((mount, Route::of(if below.is_empty() { "/" } else { below })?))
        })
    }
}

impl Handler for Site {
    async fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: ClientId,
    ) -> Response<ReplyBody> {
        if let Err(refusal) = guard::check(request.headers(), request.uri(), &self.policy) {
            return refusal.response();
        }
        match self.find(request.uri().path()) {
            Some((endpoint, route)) => endpoint.answer(route, request, client).await,
            None => {
                let error = RpcError::invalid_request(self.lost.clone());
                answers::refusal(StatusCode::NOT_FOUND, None, &error)
            }
        }
    }
}

fn lost(mounts: &[Mount]) -> String {
    let mut text = String::from("no such path; MCP is served at /mcp");
    for mount in mounts {
        text.push_str(", ");
        text.push_str(&mount.prefix);
        text.push_str("/mcp");
    }
    text
}
