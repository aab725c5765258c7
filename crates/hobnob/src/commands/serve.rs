//! `hobnob serve`: on standard input and output, or over HTTP.

use crate::cli::ServeArgs;
use crate::compose::{self, Composed, Plan};
use crate::context::Context;
use crate::signals::Signals;
use anyhow::Context as _;
use hobnob_gateway::{FirstStarts, Reload};
use mcp_http::{Exposure, HttpOptions, bind, serve_http};
use mcp_server::{Server, serve_stdio};
use std::net::SocketAddr;
use std::time::Duration;

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
    let composed = compose::compose(Plan {
        places: context.places.detect()?,
        profile: args.profile.clone(),
        first_starts: FirstStarts::Unknown,
        reload: Reload::Watch,
    })?;
    let done = serve_composed(&composed, args).await;
    composed.server.shut_down().await;
    composed.gateway.shut_down().await;
    done
}

async fn serve_composed(composed: &Composed, args: ServeArgs) -> anyhow::Result<()> {
    let server = composed.server.clone();
    let mut signals = Signals::new()?;
    let serving = async {
        match args.http {
            None => stdio(&server).await,
            Some(address) => http(&server, address, &args).await,
        }
    };
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

async fn http(server: &Server, address: SocketAddr, args: &ServeArgs) -> anyhow::Result<()> {
    let exposure = if args.allow_remote_without_auth {
        Exposure::UnsafeNoAuth
    } else {
        Exposure::LoopbackOnly
    };
    let options = HttpOptions {
        exposure,
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
        ..HttpOptions::default()
    };
    let listener = bind(address, &options).await.with_context(|| {
        format!(
            "cannot listen on {address} (another address: --http ADDR; \
             reachable from other machines: --allow-remote-without-auth)"
        )
    })?;
    let local = listener.local_addr().context("the socket has no address")?;
    tracing::info!(url = format!("http://{local}/mcp"), "listening");
    serve_http(server, listener, options, server.stopping()).await?;
    server.shut_down().await;
    Ok(())
}
