//! `hobnob serve`: serves clients on standard input and output, or over HTTP.
//!
//! What must stay true: the first signal stops gracefully, the second at once, and no server
//! survives this process.

mod args;
mod background;
mod local_callers;

pub(crate) use args::ServeArgs;
pub(super) use background::start_for_page;

use local_callers::LocalCallers;

use crate::context::CommandContext;
use crate::logs::WireLog;
use crate::runtime;
use anyhow::Context as _;
use hobnob_config::{ListenerSettings, Places, Settings};
use hobnob_gateway::{FirstStarts, LoginPages, Reload};
use hobnob_hub::attach::{Elected, Relay, find_hub};
use hobnob_hub::authentication::ListenerAccess;
use hobnob_hub::compose::{self, Callers, Composed, Plan, Views};
use hobnob_hub::front_page::{FrontPage, HubOrigin};
use hobnob_hub::hub_description::HubKind;
use hobnob_hub::metrics_route::FreeReaders;
use hobnob_hub::page::{PageConnection, PageVisitors, page_users};
use hobnob_hub::refusal_audit::AuditedRefusals;
use hobnob_hub::running_hub::RunningHub;
use hobnob_hub::views::ProfileServer;
use hobnob_hub::{authentication, listener_certificate, listeners, metrics_route};
use hobnob_mcp_http::{
    Exposure, HttpLimits, HttpOptions, Mount, OpenRoutes, OpenServer, TlsCertificate,
    TrustedProxies, bind, serve_http,
};
use hobnob_mcp_server::{Server, serve_stdio};
use hobnob_services::ProjectFrom;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::hub::NO_REUSE;
use hobnob_terminal::signals::Signals;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio_util::sync::CancellationToken;

/// How long the runtime waits at shutdown, for example for a reader that is blocked on its pipe.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(100);

/// The most WebSocket connections at a time. Each may queue 256 KiB of events for its reader.
const MAX_WEBSOCKETS: usize = 1024;

/// Serves until the input ends or a signal arrives.
pub(crate) fn run(args: ServeArgs, context: &CommandContext) -> anyhow::Result<()> {
    let runtime = runtime::multi_thread()?;
    let done = runtime.block_on(serve(args, context));
    // Nothing can end a blocked read of standard input, so it is left behind.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    done
}

async fn serve(args: ServeArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let address = args.http_address()?;
    let mut profiles = args.profile.clone();
    profiles.sort_unstable();
    profiles.dedup();
    let native_calls = args.native_calls(&profiles)?;
    let plan = |views| Plan {
        places: places.clone(),
        views,
        first_starts: FirstStarts::Unknown,
        reload: Reload::Watch,
        native_calls,
        callers: match address {
            None => Callers::Local,
            Some(_) => Callers::OfListener,
        },
    };
    let views = views(address, &profiles)?;
    if args.background {
        return background::run(plan(Views::Plain)).await;
    }
    let claim = match attaches(&args, &views, address, &places)? {
        false => None,
        true => match find_hub(&places).await {
            Elected::Other(hub) => return relay(hub, &places, &|| plan(Views::Plain)).await,
            Elected::Ourselves(claim) => match background::start_to_learn(&places).await {
                Some(hub) => {
                    drop(claim);
                    return relay(hub, &places, &|| plan(Views::Plain)).await;
                }
                None => Some(claim),
            },
        },
    };
    let kind = match address {
        None => HubKind::Pipe,
        Some(_) => HubKind::Listener,
    };
    let hub = RunningHub::open(plan(views), kind).await?;
    drop(claim);
    let composed = &hub.composed;
    let mut signals = Signals::new()?;
    let serving = async {
        match address {
            None => stdio(&composed.server).await,
            Some(address) => http(composed, &places, address, &args).await,
        }
    };
    let done = until_stopped(serving, &composed.server, &mut signals).await;
    tokio::select! {
        () = hub.end() => {}
        // Supervisors end the servers that are left.
        () = signals.next() => tracing::warn!("stopped at once by a second signal"),
    }
    done
}

/// Whether this process relays its client to a running hub. With a profile, or with the log of
/// every message, it serves the client itself.
fn attaches(
    args: &ServeArgs,
    views: &Views,
    address: Option<SocketAddr>,
    places: &Places,
) -> anyhow::Result<bool> {
    let is_plain_pipe = address.is_none() && matches!(views, Views::Plain);
    let reuse = std::env::var_os(NO_REUSE).is_none_or(|it| it.is_empty());
    if !is_plain_pipe || !reuse || args.no_attach || args.trace.wire() != WireLog::Quiet {
        return Ok(false);
    }
    compose::check_start(places)?;
    Ok(Settings::load(&places.settings())?.gateway.attach)
}

/// Relays the client to a hub, and takes the place of that hub if it ends.
async fn relay(
    hub: UnixStream,
    places: &Places,
    plan: &(dyn Fn() -> Plan + Sync),
) -> anyhow::Result<()> {
    let mut signals = Signals::new()?;
    let stop = CancellationToken::new();
    tracing::info!("attached to a running hobnob serve, and sharing its servers");
    let stopped = async {
        signals.next().await;
        stop.cancel();
        signals.next().await;
    };
    tokio::select! {
        done = Relay::new(places, plan)?.run(hub, stop.cancelled()) => done,
        () = stopped => Ok(()),
    }
}

/// The views that clients get.
fn views(address: Option<SocketAddr>, profiles: &[String]) -> anyhow::Result<Views> {
    let only =
        |profile: &String, project_from| Views::Only { profile: profile.clone(), project_from };
    match (address, profiles) {
        (None, []) => Ok(Views::Plain),
        (None, [one]) => Ok(only(one, ProjectFrom::FolderThenRoots)),
        // HTTP clients may be anywhere, so our working directory says little about their project.
        (Some(_), [one]) => Ok(only(one, ProjectFrom::RootsThenFolder)),
        (None, _) => {
            let message = "standard input and output serve one client with one profile; name only one, or use --http";
            Err(Ended::usage(message).into())
        }
        (Some(_), []) => Ok(Views::PlainAndAll),
        (Some(_), names) => Ok(Views::PlainAnd(names.to_vec())),
    }
}

/// Serves until the client is done, or until the second signal.
async fn until_stopped(
    serving: impl Future<Output = anyhow::Result<()>>,
    server: &Server,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    let mut serving = Box::pin(serving);
    tokio::select! {
        done = &mut serving => return done,
        () = signals.next() => {
            tracing::info!("stopping; a second signal stops at once");
            server.stop();
        }
    }
    tokio::select! {
        done = &mut serving => done,
        () = signals.next() => Ok(()),
    }
}

async fn stdio(server: &Server) -> anyhow::Result<()> {
    serve_stdio(server).await.context("standard input and output")?;
    server.shut_down().await;
    Ok(())
}

/// The certificate that clients are shown, if the settings name one.
fn certificate(
    places: &Places,
    listener: &ListenerSettings,
) -> anyhow::Result<Option<Arc<TlsCertificate>>> {
    let Some(files) = listener_certificate::files(places, listener) else { return Ok(None) };
    let (certificate, warnings) = listener_certificate::load(files, listener)
        .context("`tls_certificate` and `tls_key` of [listener] cannot be used")?;
    for warning in warnings {
        tracing::warn!("{warning}; clients will refuse to connect");
    }
    Ok(Some(Arc::new(certificate)))
}

/// What protects the socket where other machines can reach it.
fn exposure(access: &ListenerAccess, args: &ServeArgs) -> anyhow::Result<Exposure> {
    match (&access.authentication, args.allow_remote_without_auth) {
        (None, false) => Ok(Exposure::LoopbackOnly),
        (None, true) => Ok(Exposure::UnsafeNoAuth),
        (Some(_), false) => Ok(Exposure::Authenticated),
        (Some(_), true) => {
            let message = "--allow-remote-without-auth contradicts the mode of [listener] in \
                           config.toml, which asks for tokens; leave one of them out";
            Err(Ended::usage(message).into())
        }
    }
}

/// Tells the gateway about the listener: where named callers log in to servers, what the lists of
/// each token contain, and what is wrong with the certificate.
fn tell_gateway(composed: &Composed, access: &ListenerAccess, tls: Option<&Arc<TlsCertificate>>) {
    if let Some(logins) = access.logins.clone() {
        composed.gateway.show_login_pages(LoginPages::new(move |principal, server, show| {
            logins.prompt(principal.clone(), server, show)
        }));
    }
    if let Some(lists) = access.token_lists.clone() {
        composed.gateway.list_with(lists);
    }
    if let Some(tls) = tls.cloned() {
        composed.gateway.report_problems(move || listener_certificate::problems(&tls));
    }
}

/// The profile that is served at the root: the only one, if there is only one.
fn root_profile(args: &ServeArgs) -> Option<&str> {
    let first = args.profile.first()?;
    args.profile.iter().all(|it| it == first).then_some(first)
}

/// The prefix of all paths of a profile.
fn prefix(profile: &ProfileServer) -> String {
    format!("/p/{}", profile.name())
}

fn front_page(
    callers: &LocalCallers,
    listener: &ListenerSettings,
    scheme: &'static str,
) -> Arc<dyn OpenRoutes> {
    let origin = match &listener.public_url {
        Some(public) => HubOrigin::Public(public.as_str().into()),
        None => HubOrigin::Visited(scheme),
    };
    Arc::new(FrontPage::new(callers.proof(listener.mode), origin))
}

/// The routes of the page, if only programs on this machine reach the listener, or if it requires
/// the tokens that principals sign in with.
fn page_routes(
    composed: &Composed,
    address: SocketAddr,
    access: &ListenerAccess,
    tls: Option<&Arc<TlsCertificate>>,
    public_url: Option<&str>,
) -> Option<Arc<dyn OpenRoutes>> {
    let is_public = |url: &str| url.starts_with("https://");
    let (visitors, is_behind_tls) = match &access.authentication {
        Some(_) => {
            let users = access.authorization.as_ref().map(page_users);
            (PageVisitors::Bearers(users), public_url.is_some_and(is_public))
        }
        None if address.ip().is_loopback() => (PageVisitors::Owner, false),
        None => return None,
    };
    let connection = match (tls, is_behind_tls) {
        (Some(_), _) => PageConnection::Tls,
        (None, true) => PageConnection::BehindTls,
        (None, false) => PageConnection::Plain,
    };
    Some(composed.page.routes(connection, visitors))
}

fn http_limits(composed: &Composed, settings: &Settings) -> HttpLimits {
    HttpLimits {
        bodies_total: usize::try_from(composed.body_bytes).unwrap_or(usize::MAX),
        requests_per_minute: Some(settings.limits.requests_per_minute),
        bytes_per_minute: Some(settings.limits.bytes_per_minute),
        ..HttpLimits::default()
    }
}

/// The error for a listener that cannot be opened, with advice for exactly this error.
fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> anyhow::Error {
    let advice = match error.kind() {
        ErrorKind::AddrInUse => {
            "another program listens there, perhaps another hub (`hobnob hubs` shows them); stop it, or \
             choose another port with --http PORT, where 0 is any free one"
        }
        ErrorKind::AddrNotAvailable => {
            "this machine has no such address; choose another with --http ADDR"
        }
        // Either the system refuses a low port, or we refuse what other machines could reach.
        ErrorKind::PermissionDenied if address.ip().is_loopback() => {
            "you may not use this port; choose one above 1023 with --http PORT"
        }
        ErrorKind::PermissionDenied => {
            "ask for tokens (`mode` of [listener] in config.toml), or allow other machines without any \
             with --allow-remote-without-auth"
        }
        _ => "choose another address with --http ADDR",
    };
    anyhow::anyhow!("cannot listen on {address}: {error}; {advice}")
}

/// Logs the addresses of the listener, and the command that opens the page if it has one.
fn say_where(composed: &Composed, origin: &str, page: Option<&str>) {
    for name in composed.profiles.iter().map(|profile| profile.name()) {
        tracing::info!(url = format!("{origin}/p/{name}/mcp"), profile = %name, "serving a profile");
    }
    tracing::info!(url = format!("{origin}/mcp"), "listening");
    if let Some(command) = page {
        tracing::info!(command, "to open the page of this hub, run the command");
    }
}

async fn http(
    composed: &Composed,
    places: &Places,
    address: SocketAddr,
    args: &ServeArgs,
) -> anyhow::Result<()> {
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let prefixes: Vec<_> = composed.profiles.iter().map(|it| prefix(it)).collect();
    let root_profile = root_profile(args);
    let audit = composed.audit.clone();
    let access = authentication::open(places, &settings, &prefixes, root_profile, audit)?;
    let exposure = exposure(&access, args)?;
    let tls = certificate(places, &settings.listener)?;
    tell_gateway(composed, &access, tls.as_ref());
    let scheme = if tls.is_some() { "https" } else { "http" };
    let below = |profile: &Arc<ProfileServer>| Mount {
        prefix: prefix(profile),
        server: Arc::clone(profile) as Arc<dyn OpenServer>,
    };
    let callers = LocalCallers::find(composed, places, settings.listener.mode, exposure)?;
    let front_page = front_page(&callers, &settings.listener, scheme);
    let public_url = settings.listener.public_url.as_deref();
    let page = page_routes(composed, address, &access, tls.as_ref(), public_url);
    let shows_page = page.is_some() && address.ip().is_loopback();
    let free = callers.peers().map_or(FreeReaders::Nobody, |_| FreeReaders::LocalPrograms);
    let metrics = metrics_route::open(composed, places, &settings.metrics, free)?;
    let pages = [front_page].into_iter().chain(page).chain(metrics);
    let options = HttpOptions {
        tls,
        peers: callers.peers(),
        exposure,
        mounts: composed.profiles.iter().map(below).collect(),
        hosts: args.allow_host.iter().cloned().chain(access.hosts).collect(),
        authentication: access.authentication.or(callers.authentication()),
        refusals: Some(Arc::new(AuditedRefusals::new(composed.audit.clone()))),
        open_routes: access.open_routes.into_iter().chain(pages).collect(),
        origins: args.allow_origin.clone(),
        trusted_proxies: TrustedProxies::parse(&settings.listener.trusted_proxies)
            .context("`trusted_proxies` of [listener] in config.toml")?,
        websockets: MAX_WEBSOCKETS,
        limits: http_limits(composed, &settings),
        load: Some(Arc::clone(&composed.http_load)),
        ..HttpOptions::default()
    };
    let bound = bind(address, &options).await;
    let listener = bound.map_err(|error| cannot_listen(address, &error))?;
    let local = listener.local_addr().context("cannot read the address of the socket")?;
    // Only `add` and `import` read the announcement, so an error is not fatal.
    let announced = listeners::announce(places, local);
    if let Err(error) = &announced {
        tracing::debug!(%error, "cannot announce the address");
    }
    if shows_page {
        composed.page.shown_at(&format!("{scheme}://{local}"));
    }
    say_where(composed, &format!("{scheme}://{local}"), shows_page.then_some("hobnob ui"));
    let server = &composed.server;
    let tidying = async {
        match access.authorization {
            Some(authorization) => authorization.run(CancellationToken::new()).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        served = serve_http(server, listener, options, server.stopping()) => drop(served?),
        () = tidying => {}
    }
    composed.stop_serving().await;
    Ok(())
}
