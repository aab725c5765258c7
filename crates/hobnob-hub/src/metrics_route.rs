//! The page `/metrics` of a listener, which Prometheus reads.
//!
//! `serve` adds it to the open routes if `[metrics]` enables it. What must stay true: strangers get
//! nothing, and the token of this page is good for nothing else, so that the settings of a monitor
//! hold no key to any tool.

use crate::compose::Composed;
use crate::private_secret::read_or_make;
use crate::store::store_bytes;
use anyhow::Context as _;
use bytes::Bytes;
use hobnob_config::{Digest, MetricsSettings, Places};
use hobnob_gateway::{Gateway, Phase, UpstreamStatus};
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{OpenRequest, OpenRoutes, ReplyBody};
use hobnob_telemetry::{CONTENT_TYPE, HubFigures, Metrics, UpstreamFigures};
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE as TYPE, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The path of the page.
const PATH: &str = "/metrics";
/// The token's file in the state folder, unless the settings name another.
const OWN_FILE: &str = "metrics-secret";
/// A shorter token could be guessed.
const MIN_TOKEN: usize = 16;

/// Who reads the page without a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreeReaders {
    /// Every reader needs the token.
    Nobody,
    /// Callers on this machine: the listener lets only the owner's programs connect.
    LocalPrograms,
}

/// The token that readers send. Only its digest is kept, so that the time of a comparison reveals
/// nothing about it.
#[derive(Debug)]
struct MetricsToken(Digest);

impl MetricsToken {
    /// Reads the token from the file that the settings name, or else from Hobnob's own, which is
    /// created if it is missing.
    fn open(places: &Places, settings: &MetricsSettings) -> anyhow::Result<Self> {
        let token = match &settings.token_file {
            Some(named) => {
                let file = places.config_dir.join(named);
                let token = fs::read_to_string(&file).with_context(|| {
                    format!("`token_file` of [metrics] in config.toml, {}", file.display())
                })?;
                let token = token.trim().to_owned();
                anyhow::ensure!(
                    MIN_TOKEN <= token.len() && !token.contains(char::is_whitespace),
                    "`token_file` of [metrics] in config.toml, {}: write one word of at least \
                     {MIN_TOKEN} characters into it",
                    file.display()
                );
                token
            }
            None => {
                let file = places.state_dir.join(OWN_FILE);
                read_or_make(&file).with_context(|| format!("the token in {}", file.display()))?
            }
        };
        Ok(Self(Digest::of(token.as_bytes())))
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let Some((scheme, token)) = value.to_str().ok().and_then(|it| it.split_once(' ')) else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer") && Digest::of(token.trim().as_bytes()) == self.0
    }
}

/// The page for a listener of this hub; `None` if the settings disable it.
///
/// # Errors
/// When there is no token for the page.
pub fn open(
    composed: &Composed,
    places: &Places,
    settings: &MetricsSettings,
    free: FreeReaders,
) -> anyhow::Result<Option<Arc<dyn OpenRoutes>>> {
    let Some(metrics) = composed.metrics.clone() else { return Ok(None) };
    let token = MetricsToken::open(places, settings)?;
    let gateway = Arc::clone(&composed.gateway);
    Ok(Some(Arc::new(MetricsRoute { metrics, gateway, store: places.store(), token, free })))
}

/// Answers readers of the page.
struct MetricsRoute {
    metrics: Arc<Metrics>,
    gateway: Arc<Gateway>,
    store: PathBuf,
    token: MetricsToken,
    free: FreeReaders,
}

impl MetricsRoute {
    fn page(&self, headers: &HeaderMap, from: ClientId) -> Response<ReplyBody> {
        let is_free = self.free == FreeReaders::LocalPrograms && from.is_local();
        if !is_free && !self.token.admits(headers) {
            let mut refusal = text(
                StatusCode::UNAUTHORIZED,
                "text/plain; charset=utf-8",
                "this page needs the token of [metrics] in config.toml: send it as \
                 `Authorization: Bearer TOKEN`\n",
            );
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return refusal;
        }
        match self.metrics.render(&self.figures()) {
            Ok(page) => text(StatusCode::OK, CONTENT_TYPE, page),
            Err(error) => {
                let why = format!("{error}\n");
                text(StatusCode::INTERNAL_SERVER_ERROR, "text/plain; charset=utf-8", why)
            }
        }
    }

    fn figures(&self) -> HubFigures {
        let running = self.gateway.owner_controls().running_calls().len();
        HubFigures {
            upstreams: self.gateway.status().servers.into_iter().map(figures).collect(),
            running_calls: number(running),
            store_bytes: store_bytes(&self.store),
        }
    }
}

impl fmt::Debug for MetricsRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MetricsRoute").field("free", &self.free).finish_non_exhaustive()
    }
}

impl OpenRoutes for MetricsRoute {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        // A request from a web page goes to the origin check, as on every other route.
        let is_read = *request.method == Method::GET && !request.headers.contains_key(ORIGIN);
        request.path == PATH && is_read
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        Box::pin(std::future::ready(self.page(request.headers(), from)))
    }
}

fn text(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::full(body));
    *response.status_mut() = status;
    let headers: [(HeaderName, &str); 3] = [
        (TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (http::header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in headers {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn figures(status: UpstreamStatus) -> UpstreamFigures {
    UpstreamFigures {
        phase: word(status.phase),
        is_ready: status.phase == Phase::Ready,
        starts: status.starts,
        in_flight: number(status.in_flight),
        tools: number(status.tools),
        name: status.name,
    }
}

/// The word of a phase, as in `hobnob status --json`; a test compares the two.
fn word(phase: Phase) -> &'static str {
    match phase {
        Phase::Disabled => "disabled",
        Phase::Misconfigured => "misconfigured",
        Phase::Refused => "refused",
        Phase::NeedsApproval => "needs-approval",
        Phase::NeedsLogin => "needs-login",
        Phase::Unknown => "unknown",
        Phase::Stopped => "stopped",
        Phase::Sleeping => "sleeping",
        Phase::Starting => "starting",
        Phase::Installing => "installing",
        Phase::Ready => "ready",
        Phase::Failed => "failed",
        Phase::Resting => "resting",
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
