//! HTTP on hyper: each POST is one message, and its response is the answer.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;

use bytes::{Buf as _, Bytes, buf::Chain};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::message::id_in;
use crate::upstream::{Around, Upstream};

/// An answer in three parts: before the id, the id, after the id. They are never copied together.
type Parts = Full<Chain<Chain<Bytes, Bytes>, Bytes>>;

pub(crate) async fn serve(port: u16, upstream: Arc<Upstream>) -> anyhow::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let upstream = Arc::clone(&upstream);
        connections.spawn(async move {
            let service = service_fn(|request| answer(&upstream, request));
            let http = hyper::server::conn::http1::Builder::new();
            // A broken connection cannot be answered any more.
            let _ = http.serve_connection(TokioIo::new(stream), service).await;
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn answer(
    upstream: &Upstream,
    request: Request<Incoming>,
) -> Result<Response<Parts>, Infallible> {
    Ok(match forward(upstream, request).await {
        Ok(Some(parts)) => {
            let mut response = Response::new(parts);
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(CONTENT_TYPE, json);
            response
        }
        Ok(None) => empty(StatusCode::ACCEPTED),
        Err(_) => empty(StatusCode::BAD_GATEWAY),
    })
}

/// The answer, or `None` if the message was a notification.
async fn forward(upstream: &Upstream, request: Request<Incoming>) -> anyhow::Result<Option<Parts>> {
    let body = request.into_body().collect().await?.to_bytes();
    let Some(place) = id_in(&body)? else {
        upstream.send(body).await?;
        return Ok(None);
    };
    let id = body.slice(place.clone());
    let request = Around { before: body.slice(..place.start), after: body.slice(place.end..) };
    let Around { before, after } = upstream.ask(request).await?;
    Ok(Some(Full::new(before.chain(id).chain(after))))
}

fn empty(status: StatusCode) -> Response<Parts> {
    let nothing = Bytes::new();
    let parts = Full::new(nothing.clone().chain(nothing.clone()).chain(nothing));
    let mut response = Response::new(parts);
    *response.status_mut() = status;
    response
}
