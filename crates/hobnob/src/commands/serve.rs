//! `hobnob serve`: on standard input and output, or over HTTP.

use crate::cli::ServeArgs;
use crate::compose::{self, Composed, Plan, Views};
use crate::context::Context;
use crate::exit::{Code, Ended};
use crate::listeners;
use crate::signals::Signals;
use crate::socket::Door;
use anyhow::Context as _;
use hobnob_config::{Places, ProfileName};
use hobnob_gateway::{FirstStarts, Gateway, Reload};
use hobnob_mcp_http::{Exposure, HttpLimits, HttpOptions, Mount, bind, serve_http};
use hobnob_mcp_server::{Server, serve_stdio};
use hobnob_services::ProjectFrom;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;

/// How long what is left at the very end (a reader blocked on its pipe) is waited for.
const LAST_WAIT: Duration = Duration::from_millis(100);

/// Serves until the input ends or a signal comes.
pub(crate) fn run(args: ServeArgs, context: &Context) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    let done = runtime.block_on(serve(args, context));
    // Standard input may be blocked in a read that nothing can end: it is left behind.
    runtime.shutdown_timeout(LAST_WAIT);
    done
}

async fn serve(args: ServeArgs, context: &Context) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let address = args.http_address()?;
    let mut profiles = args.profile.clone();
    profiles.sort_unstable();
    profiles.dedup();
    let views = views(address, &profiles)?;
    // Commands want to see everything.
    let is_whole = !matches!(views, Views::Only { .. });
    let composed = compose::compose(Plan {
        places: places.clone(),
        views,
        first_starts: FirstStarts::Unknown,
        reload: Reload::Watch,
    })
    .await?;
    let servers: Vec<String> =
        composed.gateway.status().servers.into_iter().map(|server| server.name).collect();
    if !servers.is_empty() {
        tracing::info!(servers = servers.join(", "), "serving");
    }
    let mut local = if is_whole { open_door(&composed, &places) } else { JoinSet::new() };
    let mut hangups = JoinSet::new();
    // From here on the signal does not end us any more.
    let hangup = signal(SignalKind::hangup()).context("signals cannot be listened for")?;
    hangups.spawn(reload_on_hangup(hangup, Arc::clone(&composed.gateway)));
    let mut signals = Signals::new()?;
    let serving = async {
        match address {
            None => stdio(&composed.server).await,
            Some(address) => http(&composed, &places, address, &args).await,
        }
    };
    let done = until_stopped(serving, &composed.server, &mut signals).await;
    let ending = async {
        composed.stop_serving().await;
        // Commands that are being answered have as long as everybody else.
        let patience = composed.server.limits().drain + LAST_WAIT;
        drop(tokio::time::timeout(patience, local.join_next()).await);
        composed.shut_down().await;
    };
    tokio::select! {
        () = ending => {}
        // Whoever cannot wait need not: supervisors end what is left of the servers.
        () = signals.next() => tracing::warn!("ended at once"),
    }
    done
}

/// What clients may see.
fn views(address: Option<SocketAddr>, profiles: &[String]) -> anyhow::Result<Views> {
    let only =
        |profile: &String, project_from| Views::Only { profile: profile.clone(), project_from };
    match (address, profiles) {
        (None, []) => Ok(Views::Plain),
        (None, [one]) => Ok(only(one, ProjectFrom::FolderThenRoots)),
        // Clients from everywhere: the folder we were started in says little about theirs.
        (Some(_), [one]) => Ok(only(one, ProjectFrom::RootsThenFolder)),
        (None, _) => {
            let message = "a pipe has one client, which sees one profile: name one, or use --http";
            Err(Ended::new(Code::Usage, message).into())
        }
        (Some(_), []) => Ok(Views::PlainAndAll),
        (Some(_), names) => Ok(Views::PlainAnd(names.to_vec())),
    }
}

/// Lets commands of the same user in. Without that, they start servers of their own.
fn open_door(composed: &Composed, places: &Places) -> JoinSet<()> {
    let mut local = JoinSet::new();
    match Door::open(places) {
        Ok(door) => drop(local.spawn(door.serve(composed.server.clone()))),
        Err(error) => tracing::warn!(
            %error,
            folder = %places.runtime_dir.display(),
            "commands cannot reach this process"
        ),
    }
    local
}

/// Reads the configuration again at once whenever somebody sends SIGHUP.
async fn reload_on_hangup(mut hangup: Signal, gateway: Arc<Gateway>) {
    while hangup.recv().await.is_some() {
        tracing::info!("reading the configuration again");
        gateway.reload();
    }
}

/// Serves until it is done, or until a second signal.
async fn until_stopped(
    serving: impl Future<Output = anyhow::Result<()>>,
    server: &Server,
    signals: &mut Signals,
) -> anyhow::Result<()> {
    let mut serving = Box::pin(serving);
    tokio::select! {
        done = &mut serving => return done,
        () = signals.next() => {
            tracing::info!("stopping; a second signal ends at once");
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

async fn http(
    composed: &Composed,
    places: &Places,
    address: SocketAddr,
    args: &ServeArgs,
) -> anyhow::Result<()> {
    let exposure = if args.allow_remote_without_auth {
        Exposure::UnsafeNoAuth
    } else {
        Exposure::LoopbackOnly
    };
    let below = |(name, server): &(ProfileName, Server)| Mount {
        prefix: format!("/p/{name}"),
        server: server.clone(),
    };
    let options = HttpOptions {
        exposure,
        mounts: composed.profiles.iter().map(below).collect(),
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
        limits: HttpLimits {
            bodies_total: usize::try_from(composed.body_bytes).unwrap_or(usize::MAX),
            ..HttpLimits::default()
        },
        ..HttpOptions::default()
    };
    let listener = bind(address, &options).await.with_context(|| {
        format!(
            "cannot listen on {address} (another address: --http ADDR; \
             reachable from other machines: --allow-remote-without-auth)"
        )
    })?;
    let local = listener.local_addr().context("the socket has no address")?;
    // Only commands that write entries look there.
    let announced = listeners::announce(places, local);
    if let Err(error) = &announced {
        tracing::debug!(%error, "the address cannot be announced");
    }
    for (name, _) in &composed.profiles {
        tracing::info!(url = format!("http://{local}/p/{name}/mcp"), profile = %name, "a profile");
    }
    tracing::info!(url = format!("http://{local}/mcp"), "listening");
    let server = &composed.server;
    serve_http(server, listener, options, server.stopping()).await?;
    composed.stop_serving().await;
    Ok(())
}
