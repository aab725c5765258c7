//! Streamable HTTP on axum: a set of sessions, and a silent stream for each GET.
#![expect(clippy::disallowed_types, reason = "a baseline has the standard library alone")]

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::serve::ListenerExt as _;
use bytes::Bytes;

use crate::answer::{Asked, Echo};

const SESSION_HEADER: &str = "mcp-session-id";
const BODY_LIMIT_BYTES: usize = 16 * 1024 * 1024;

struct Sessions {
    echo: Echo,
    opened: AtomicU64,
    alive: RwLock<HashSet<HeaderValue>>,
}

impl Sessions {
    fn open(&self) -> Result<HeaderValue, header::InvalidHeaderValue> {
        let number = self.opened.fetch_add(1, Ordering::Relaxed);
        let id = HeaderValue::from_str(&format!("{number:032x}"))?;
        self.alive.write().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
        Ok(id)
    }

    fn knows(&self, id: &HeaderValue) -> bool {
        self.alive.read().unwrap_or_else(PoisonError::into_inner).contains(id)
    }
}

pub(crate) fn serve(port: u16, echo: Echo) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let sessions = Sessions { echo, opened: AtomicU64::new(0), alive: RwLock::default() };
    runtime.block_on(async {
        let router = Router::new()
            .route("/mcp", post(on_post).get(on_get))
            .layer(DefaultBodyLimit::max(BODY_LIMIT_BYTES))
            .with_state(Arc::new(sessions));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        axum::serve(listener, router).await?;
        Ok(())
    })
}

async fn on_post(State(sessions): State<Arc<Sessions>>, head: HeaderMap, body: Bytes) -> Response {
    if head.get(SESSION_HEADER).is_some_and(|id| !sessions.knows(id)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut out = Vec::with_capacity(body.len() + 128);
    let Ok(asked) = sessions.echo.answer(&body, &mut out) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    if out.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    let mut response = ([(header::CONTENT_TYPE, "application/json")], out).into_response();
    if asked == Asked::Initialize {
        let Ok(id) = sessions.open() else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        response.headers_mut().insert(SESSION_HEADER, id);
    }
    response
}

async fn on_get(State(sessions): State<Arc<Sessions>>, head: HeaderMap) -> Response {
    if !head.get(SESSION_HEADER).is_some_and(|id| sessions.knows(id)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let silence = futures_util::stream::pending::<Result<Bytes, Infallible>>();
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(silence)).into_response()
}
