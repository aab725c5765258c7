//! Routes beside MCP: bodies that stream, limits that the routes name, and a socket without MCP.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{
    HttpOptions, OpenRequest, OpenRoutes, OpenSiteOptions, PeerCheck, ReplyBody, bind,
    serve_open_routes,
};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::client::{Connection, TestRequest, wait_for};
use crate::mcp_server::{TestOptions, TestServer};

/// More than the usual limit of open routes.
const LARGE: usize = 1 << 20;

/// Answers `/events` with a stream that the test fills, `/large` and `/small` with the length of
/// the body.
#[derive(Debug)]
struct TestRoutes {
    opened: mpsc::Sender<mpsc::Sender<Bytes>>,
}

impl OpenRoutes for TestRoutes {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        ["/events", "/large", "/small"].contains(&request.path)
    }

    fn max_body(&self, request: OpenRequest<'_>) -> usize {
        if request.path == "/large" { LARGE } else { 64 << 10 }
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        _from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        let response = match request.uri().path() {
            "/events" => {
                let (sender, body) = ReplyBody::queued(NonZeroUsize::MIN);
                let _the_test_may_be_over = self.opened.try_send(sender);
                let mut response = Response::new(body);
                let events = HeaderValue::from_static("text/event-stream");
                response.headers_mut().insert(CONTENT_TYPE, events);
                response
            }
            _ => Response::new(ReplyBody::full(request.body().len().to_string())),
        };
        Box::pin(std::future::ready(response))
    }
}

fn routes() -> (Arc<dyn OpenRoutes>, mpsc::Receiver<mpsc::Sender<Bytes>>) {
    let (opened, streams) = mpsc::channel(8);
    (Arc::new(TestRoutes { opened }), streams)
}

/// A socket with the routes alone.
struct OpenSite {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
    _serving: JoinSet<()>,
}

async fn open_site(routes: Arc<dyn OpenRoutes>, peers: Option<Arc<dyn PeerCheck>>) -> OpenSite {
    let listener = bind(([127, 0, 0, 1], 0).into(), &HttpOptions::default()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let options = OpenSiteOptions { peers, routes: vec![routes], ..OpenSiteOptions::default() };
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let stop = async {
            let _dropped_counts_too = stopped.await;
        };
        serve_open_routes(listener, options, stop).await.unwrap();
    });
    OpenSite { address, _stop: stop, _serving: serving }
}

async fn beside_mcp(routes: Arc<dyn OpenRoutes>) -> TestServer {
    let http = HttpOptions { open_routes: vec![routes], ..HttpOptions::default() };
    TestServer::with(TestOptions { http, ..TestOptions::default() }).await
}

fn post(path: &str, length: usize) -> TestRequest {
    TestRequest::post(vec![b'x'; length]).to(path)
}

#[tokio::test]
async fn a_route_names_the_largest_body_it_reads() {
    let (routes, _streams) = routes();
    let (server, site) = (beside_mcp(Arc::clone(&routes)).await, open_site(routes, None).await);
    for address in [server.address, site.address] {
        for (path, length, status) in [
            ("/small", 64 << 10, 200),
            ("/small", (64 << 10) + 1, 413),
            ("/large", LARGE, 200),
            ("/large", LARGE + 1, 413),
        ] {
            let answer = post(path, length).send(address).await;
            assert_eq!(answer.status, status, "{path}, {length} bytes");
            if status == 200 {
                assert_eq!(answer.text().await, length.to_string());
            }
        }
    }
}

#[tokio::test]
async fn blocks_of_a_stream_arrive_before_it_ends() {
    let (routes, mut streams) = routes();
    let (server, site) = (beside_mcp(Arc::clone(&routes)).await, open_site(routes, None).await);
    for address in [server.address, site.address] {
        let mut events = TestRequest::get("/events").send(address).await.events();
        let sender = wait_for("the stream", streams.recv()).await.unwrap();
        for number in ["1", "2", "3"] {
            let block = format!("id: {number}\ndata: \"{number}\"\n\n");
            sender.send(block.into()).await.unwrap();
            assert_eq!(events.next().await.unwrap().id.as_deref(), Some(number));
        }
        drop(sender);
        assert!(events.next().await.is_none());
    }
}

#[tokio::test]
async fn the_sender_of_a_stream_learns_that_its_client_is_gone() {
    let (routes, mut streams) = routes();
    let site = open_site(routes, None).await;
    let mut connection = Connection::connect(site.address).await;
    connection.send(&TestRequest::get("/events")).await;
    let sender = wait_for("the stream", streams.recv()).await.unwrap();
    drop(connection);
    wait_for("the end of the client", sender.closed()).await;
}

#[tokio::test]
async fn a_site_without_mcp_has_no_other_path() {
    let (routes, _streams) = routes();
    let site = open_site(routes, None).await;
    for (method, path) in [("POST", "/mcp"), ("GET", "/"), ("GET", "/sse"), ("GET", "/health")] {
        let answer = TestRequest::new(method, path).send(site.address).await;
        assert_eq!(answer.status, 404, "{method} {path}");
    }
    for path in ["/small", "/mcp"] {
        let answer = TestRequest::new("GET", path).with("Host", "evil.example");
        assert_eq!(answer.send(site.address).await.status, 403, "{path}");
    }
}

/// Refuses every connection.
#[derive(Debug)]
struct Nobody;

impl PeerCheck for Nobody {
    fn admits(&self, _peer: SocketAddr, _local: SocketAddr) -> bool {
        false
    }
}

#[tokio::test]
async fn a_site_without_mcp_checks_who_connects() {
    let (routes, _streams) = routes();
    let site = open_site(routes, Some(Arc::new(Nobody))).await;
    let answer = TestRequest::new("GET", "/small").send(site.address).await;
    assert_eq!(answer.status, 403);
}
