//! One listening socket: a server at its root, others below paths of their own.
//!
//! `serve_http` is called once per socket. Every request passes the guard before anything else, and
//! a server below a path is opened by the first request that passes it.

use crate::server::answers;
use crate::server::authentication::Authentication;
use crate::server::budget::BodyBudget;
use crate::server::cors;
use crate::server::endpoint::Endpoint;
use crate::server::gate::{self, Admitted, BadTokens, TokenAttempts};
use crate::server::guard::{self, Exposure, NamedPlace, OriginPolicy};
use crate::server::handler::Handler;
use crate::server::listen::{Protection, Served, serve_protected};
use crate::server::load::{HttpUse, SiteLoad, UsedHttpLimit};
use crate::server::open_routes::{self, HostCheck, OpenRequest, OpenRoutes};
use crate::server::options::{HttpOptions, Mount, OpenServer};
use crate::server::replay::Replay;
use crate::server::reply::{RefusalReply, ReplyBody, json_reply};
use crate::server::request_rate::RequestRates;
use crate::server::requester::{KnownRequester, Requester};
use crate::server::routes::{self, Route};
use crate::server::tls::TlsCertificate;
use crate::server::token_gate::TokenGate;
use crate::server::watched_events::{MAX_DELAY, PresentedToken};
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_server::Server;
use hobnob_mcp_types::{ErrorCode, RpcError};
use http::header::ORIGIN;
use http::{Method, Request, Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{OnceCell, Semaphore};

/// How often idle sessions are ended; more often if the idle limit is shorter.
const REAP_EVERY: Duration = Duration::from_secs(10);

/// The length of the accept queue, as far as the system allows. With the usual 128 a burst of
/// clients overflows the queue, and the rejected clients try again only after a second.
const BACKLOG: u32 = 4096;

/// Binds a socket, if the settings allow its address.
pub async fn bind(address: SocketAddr, options: &HttpOptions) -> io::Result<TcpListener> {
    let exposure = match &options.authentication {
        Some(_) => Exposure::Authenticated,
        None => options.exposure,
    };
    guard::check_bind(address, exposure)
        .map_err(|refused| io::Error::new(io::ErrorKind::PermissionDenied, refused))?;
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A successor can bind the port while connections of its predecessor linger.
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
    let (certificate, peers) = (options.tls.clone(), options.peers.clone());
    let load = options.load.clone();
    let site = Arc::new(Site::new(server, options, local));
    if let Some(load) = &load {
        load.open(&site);
    }
    let stop = async {
        stop.await;
        site.stop();
    };
    let handler = Arc::clone(&site);
    let protection = Protection { certificate: certificate.clone(), peers, load };
    let served = serve_protected(listener, handler, limits, protection, stop);
    let served = tokio::select! {
        served = served => served,
        never = reap(&site, idle) => match never {},
        never = watch(certificate) => match never {},
    };
    for endpoint in site.endpoints() {
        endpoint.sessions.end_all();
    }
    for endpoint in site.endpoints() {
        endpoint.calls.wait().await;
    }
    Ok(served)
}

/// Watches the files of the certificate, if there is one.
async fn watch(certificate: Option<Arc<TlsCertificate>>) -> std::convert::Infallible {
    match certificate {
        Some(certificate) => certificate.watch().await,
        None => std::future::pending().await,
    }
}

async fn reap(site: &Site, idle: Duration) -> std::convert::Infallible {
    // The interval must not be zero.
    let mut ticks = tokio::time::interval(idle.clamp(Duration::from_millis(1), REAP_EVERY));
    loop {
        ticks.tick().await;
        site.endpoints().for_each(|endpoint| endpoint.sessions.reap());
    }
}

/// The request handler of one socket.
struct Site {
    root: Arc<Endpoint>,
    mounts: Vec<MountPoint>,
    /// Used to create endpoints when they are opened.
    shared: SharedParts,
    /// Set before the open endpoints are stopped; an endpoint that opens later stops itself.
    stopping: AtomicBool,
    policy: OriginPolicy,
    /// The error text for an unknown path.
    not_found: String,
}

/// A path below which another server answers, opened by its first request.
struct MountPoint {
    prefix: Box<str>,
    server: Arc<dyn OpenServer>,
    endpoint: OnceCell<Arc<Endpoint>>,
}

/// The state that all servers on one socket share.
struct SharedParts {
    options: Arc<HttpOptions>,
    replay: Arc<Replay>,
    bodies: Arc<BodyBudget>,
    websockets: Arc<Semaphore>,
    rates: Option<Arc<RequestRates>>,
    bad_tokens: Arc<BadTokens>,
}

impl SharedParts {
    fn endpoint(&self, prefix: &str, server: &Server) -> Arc<Endpoint> {
        let options = Arc::clone(&self.options);
        let (replay, bodies) = (&self.replay, &self.bodies);
        Arc::new(Endpoint::new(prefix, server, options, replay, bodies, &self.websockets))
    }

    /// The check of tokens, for open routes; `None` if no token is required.
    fn token_gate(&self) -> Option<TokenGate> {
        Some(TokenGate {
            authentication: self.options.authentication.clone()?,
            bad: Arc::clone(&self.bad_tokens),
            rates: self.rates.clone(),
            observer: self.options.refusals.clone(),
        })
    }
}

impl Site {
    fn new(server: &Server, mut options: HttpOptions, local: SocketAddr) -> Self {
        let mut policy = OriginPolicy::loopback(local.port());
        if !local.ip().is_loopback() && !local.ip().is_unspecified() {
            // The operator allowed this very address to be listened on, so clients may name it.
            policy = policy.allow_host(&local.to_string());
        }
        let policy = options.hosts.iter().fold(policy, |policy, host| policy.allow_host(host));
        let allow = |policy: OriginPolicy, origin: &String| policy.allow_origin(origin);
        let policy = options.origins.iter().fold(policy, allow);
        let mounts = std::mem::take(&mut options.mounts);
        // The memory for resumable events is limited once for all servers.
        let replay = Replay::new(options.sessions.replay_bytes_total);
        let bodies = Arc::new(BodyBudget::new(&options.limits));
        let websockets = Arc::new(Semaphore::new(options.websockets.min(Semaphore::MAX_PERMITS)));
        let rates = RequestRates::new(&options.limits).map(Arc::new);
        let options = Arc::new(options);
        let shared =
            SharedParts { options, replay, bodies, websockets, rates, bad_tokens: Arc::default() };
        Self {
            root: shared.endpoint("", server),
            not_found: not_found(&mounts),
            mounts: mounts.into_iter().map(MountPoint::new).collect(),
            shared,
            stopping: AtomicBool::new(false),
            policy,
        }
    }

    /// The endpoints that are open.
    fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        let mounted = self.mounts.iter().filter_map(|mount| mount.endpoint.get());
        std::iter::once(&self.root).chain(mounted).map(|endpoint| &**endpoint)
    }

    fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.endpoints().for_each(Endpoint::stop);
    }

    /// The mount that a path belongs to, and the route of the rest of the path.
    fn find_mount(&self, path: &str) -> Option<(&MountPoint, Route)> {
        self.mounts.iter().find_map(|mount| {
            let below = path.strip_prefix(&*mount.prefix)?;
            Some((mount, Route::of(if below.is_empty() { "/" } else { below })?))
        })
    }

    /// The endpoint of a mount, opened once for all waiting requests.
    async fn open<'a>(&self, mount: &'a MountPoint) -> Result<&'a Arc<Endpoint>, String> {
        let open = async || {
            let server = mount.server.open().await?;
            Ok::<_, String>(self.shared.endpoint(&mount.prefix, &server))
        };
        let endpoint = mount.endpoint.get_or_try_init(open).await?;
        if self.stopping.load(Ordering::SeqCst) {
            endpoint.stop();
        }
        Ok(endpoint)
    }

    /// Answers a request that must be authenticated.
    async fn answer_known(
        &self,
        place: Place<'_>,
        mut request: Request<Incoming>,
        client: ClientId,
        authentication: &Arc<dyn Authentication>,
    ) -> Response<ReplyBody> {
        if place.route == Route::Health {
            // A health monitor has no token, and the number of sessions is not for everyone to see.
            return json_reply(StatusCode::OK, r#"{"status":"ok"}"#);
        }
        let (bad, prefix) = (&self.shared.bad_tokens, place.prefix());
        let observer = self.shared.options.refusals.as_deref();
        let attempts = TokenAttempts { bad, client, prefix, observer };
        let admitted = gate::admit(&**authentication, &mut request, attempts).await;
        let Admitted { identity, token } = match admitted {
            Ok(admitted) => admitted,
            Err(refused) => return *refused,
        };
        if let Some(rates) = &self.shared.rates
            && let announced = request.body().size_hint().exact().unwrap_or_default()
            // A larger body is not read.
            && let bytes = announced.min(self.shared.options.limits.body as u64)
            && let Err(exceeded) = rates.count(identity.principal(), bytes, Instant::now())
        {
            return answers::too_many(exceeded);
        }
        let every = self.shared.options.sessions.keep_alive.min(MAX_DELAY);
        let presented = PresentedToken { authentication, token, prefix, every };
        let rates = self.shared.rates.as_deref();
        let authentication = &**authentication;
        let known = KnownRequester { authentication, identity, prefix, rates, observer };
        let requester = Requester { client, known: Some(known) };
        match self.endpoint_of(&place).await {
            Ok(endpoint) => {
                routes::answer(endpoint, place.route, request, &requester, Some(presented)).await
            }
            Err(refused) => *refused,
        }
    }

    /// The endpoint that a request is for; the first request opens a mount.
    ///
    /// Requests do not pass through here: each function that they pass through copies them once.
    async fn endpoint_of<'a>(
        &'a self,
        place: &Place<'a>,
    ) -> Result<&'a Arc<Endpoint>, RefusalReply> {
        let Some(mount) = place.mount else { return Ok(&self.root) };
        if let Some(endpoint) = mount.endpoint.get() {
            return Ok(endpoint);
        }
        Box::pin(self.open(mount)).await.map_err(|why| {
            let error = RpcError::new(ErrorCode::INTERNAL, why);
            Box::new(answers::refusal(StatusCode::SERVICE_UNAVAILABLE, None, &error))
        })
    }

    /// The check of every request's host, with the observer of refusals.
    fn host_check(&self) -> HostCheck<'_> {
        HostCheck { policy: &self.policy, refusals: self.shared.options.refusals.as_deref() }
    }

    /// Answers a path of the open routes.
    async fn answer_openly(
        &self,
        routes: &dyn OpenRoutes,
        mut request: Request<Incoming>,
        client: ClientId,
    ) -> Response<ReplyBody> {
        let client = match self.host_check().admit(&request, client) {
            Ok(client) => client,
            Err(refused) => return *refused,
        };
        if let Some(gate) = self.shared.token_gate() {
            request.extensions_mut().insert(gate);
        }
        let limits = &self.shared.options.limits;
        open_routes::answer(routes, request, client, limits, &self.shared.bodies).await
    }
}

impl SiteLoad for Site {
    fn http_use(&self, connections: usize) -> HttpUse {
        let options = &self.shared.options;
        let websockets = options.websockets.min(Semaphore::MAX_PERMITS);
        let free = self.shared.websockets.available_permits();
        let sessions = self.endpoints().map(|endpoint| endpoint.sessions.len()).max();
        let limit = |used, max| UsedHttpLimit { used, max };
        HttpUse {
            connections: limit(connections, options.limits.connections),
            sessions: limit(sessions.unwrap_or_default(), options.sessions.max_sessions),
            body_bytes: self.shared.bodies.used(),
            websockets: limit(websockets.saturating_sub(free), websockets),
        }
    }
}

impl std::fmt::Debug for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Site")
    }
}

impl MountPoint {
    fn new(mount: Mount) -> Self {
        let Mount { prefix, server } = mount;
        Self { prefix: prefix.into(), server, endpoint: OnceCell::new() }
    }
}

impl Handler for Site {
    async fn handle(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: ClientId,
    ) -> Response<ReplyBody> {
        let client = self.shared.options.trusted_proxies.sender(client, request.headers());
        let open_routes = &self.shared.options.open_routes;
        let (method, path, headers) = (request.method(), request.uri().path(), request.headers());
        let head = OpenRequest { method, path, headers };
        if let Some(routes) = open_routes.iter().find(|routes| routes.has(head)) {
            return Box::pin(self.answer_openly(&**routes, request, client)).await;
        }
        let client = match guard::check(request.headers(), request.uri(), &self.policy) {
            Ok(NamedPlace::ThisMachine) => client,
            Ok(NamedPlace::Elsewhere) => client.from_elsewhere(),
            Err(refusal) => return self.host_check().turn_away(&request, client, refusal),
        };
        let path = request.uri().path();
        let place = match Route::of(path) {
            Some(route) => Place { mount: None, route },
            None => match self.find_mount(path) {
                Some((mount, route)) => Place { mount: Some(mount), route },
                None => {
                    let error = RpcError::invalid_request(self.not_found.clone());
                    return answers::refusal(StatusCode::NOT_FOUND, None, &error);
                }
            },
        };
        if place.route == Route::WebSocket
            && let Err(refusal) = guard::check_page(request.headers(), &self.policy)
        {
            return self.host_check().turn_away(&request, client, refusal);
        }
        match &self.shared.options.authentication {
            None => {
                let requester = Requester { client, known: None };
                match self.endpoint_of(&place).await {
                    Ok(endpoint) => {
                        routes::answer(endpoint, place.route, request, &requester, None).await
                    }
                    Err(refused) => *refused,
                }
            }
            Some(authentication) => {
                let origin = request.headers().get(ORIGIN).cloned();
                if request.method() == Method::OPTIONS {
                    return cors::preflight(origin);
                }
                let response = self.answer_known(place, request, client, authentication).await;
                cors::expose(response, origin)
            }
        }
    }
}

/// The server of a listener that a request is for, and its route there.
struct Place<'a> {
    /// `None` for the server at the root.
    mount: Option<&'a MountPoint>,
    route: Route,
}

impl<'a> Place<'a> {
    fn prefix(&self) -> &'a str {
        self.mount.map_or("", |mount| &mount.prefix)
    }
}

fn not_found(mounts: &[Mount]) -> String {
    let mut text = String::from("no such path; MCP is served at /mcp");
    for mount in mounts {
        text.push_str(", ");
        text.push_str(&mount.prefix);
        text.push_str("/mcp");
    }
    text
}
