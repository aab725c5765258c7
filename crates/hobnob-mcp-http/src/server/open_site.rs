//! A listening socket that answers open routes and nothing else: no MCP endpoint is behind it.
//!
//! A program calls [`serve_open_routes`] once per socket, for pages of its own. What must stay true:
//! the checks before a route are those of a listener with MCP: who connects, and which host they name.

use crate::server::answers;
use crate::server::budget::BodyBudget;
use crate::server::guard::OriginPolicy;
use crate::server::handler::Handler;
use crate::server::limits::HttpLimits;
use crate::server::listen::{Protection, Served, serve_protected};
use crate::server::open_routes::{self, HostCheck, OpenRequest, OpenRoutes};
use crate::server::peer_check::PeerCheck;
use crate::server::refused_request::RefusalObserver;
use crate::server::reply::ReplyBody;
use hobnob_mcp_engine::ClientId;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use std::future::Future;
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Settings of a socket for open routes.
#[derive(Debug, Default)]
pub struct OpenSiteOptions {
    /// Limits of connections and bodies.
    pub limits: HttpLimits,
    /// Decides which connections are accepted; without it, all are.
    pub peers: Option<Arc<dyn PeerCheck>>,
    /// Observes requests that are refused before a route sees them.
    pub refusals: Option<Arc<dyn RefusalObserver>>,
    /// Answer the requests; the first that has a path answers.
    pub routes: Vec<Arc<dyn OpenRoutes>>,
}

/// Answers open routes on a socket of this machine until `stop` is ready, then lets open requests
/// finish for a while. `Host` must be a loopback name.
///
/// # Errors
/// When the socket has no address.
pub async fn serve_open_routes(
    listener: TcpListener,
    options: OpenSiteOptions,
    stop: impl Future<Output = ()>,
) -> io::Result<Served> {
    let policy = OriginPolicy::loopback(listener.local_addr()?.port());
    let limits = options.limits.clone();
    let protection = Protection { certificate: None, peers: options.peers.clone(), load: None };
    let bodies = BodyBudget::new(&limits);
    let site = Arc::new(OpenSite { options, policy, bodies });
    Ok(serve_protected(listener, site, limits, protection, stop).await)
}

/// The request handler of one socket.
struct OpenSite {
    options: OpenSiteOptions,
    policy: OriginPolicy,
    bodies: BodyBudget,
}

impl Handler for OpenSite {
    async fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: ClientId,
    ) -> Response<ReplyBody> {
        let OpenSiteOptions { limits, refusals, routes, .. } = &self.options;
        let check = HostCheck { policy: &self.policy, refusals: refusals.as_deref() };
        let (method, path, headers) = (request.method(), request.uri().path(), request.headers());
        let head = OpenRequest { method, path, headers };
        let Some(routes) = routes.iter().find(|routes| routes.has(head)) else {
            return match check.admit(&request, client) {
                Ok(_) => answers::problem(StatusCode::NOT_FOUND, "no such path"),
                Err(refused) => *refused,
            };
        };
        match check.admit(&request, client) {
            Ok(client) => {
                Box::pin(open_routes::answer(&**routes, request, client, limits, &self.bodies))
                    .await
            }
            Err(refused) => *refused,
        }
    }
}
