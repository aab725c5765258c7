//! Our own server over HTTP: Streamable HTTP in both eras, and the oldest way by falling back.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::ours::{Visit, connection, house, patiently, tour};
use crate::support::{ALL, Answering, MODERN, call_forwarded, client, obliging, said};
use hobnob_mcp_client::{
    ConnectError, EraHint, ExecutionMode, GreetError, connect_http, connect_sse,
};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_http::client::HttpTarget;
use hobnob_mcp_http::{HttpOptions, bind, serve_http};
use hobnob_mcp_server::Server;
use hobnob_mcp_types::Revision;
use serde_json::json;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// A server on a port of its own.
pub(crate) struct Open {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinSet<()>,
}

impl Open {
    pub(crate) async fn door(server: &Server) -> Self {
        let options = HttpOptions::default();
        let listener = bind(([127, 0, 0, 1], 0).into(), &options).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let server = server.clone();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let stop = async {
                let _dropped_counts_too = stopped.await;
            };
            serve_http(&server, listener, options, stop).await.unwrap();
        });
        Self { address, stop, serving }
    }

    fn target(&self, path: &str) -> HttpTarget {
        HttpTarget::new(&format!("http://{}{path}", self.address), Default::default()).unwrap()
    }

    pub(crate) async fn visit(&self, path: &str, era: EraHint) -> Result<Visit, ConnectError> {
        let (connection, events, tasks) = connection(era, Answering(obliging));
        let remote = patiently(connect_http(connection, self.target(path))).await?;
        Ok(Visit { remote, events, tasks, serving: JoinSet::new() })
    }

    pub(crate) async fn close(mut self) {
        self.stop.send(()).unwrap();
        while let Some(ended) = patiently(self.serving.join_next()).await {
            ended.unwrap();
        }
    }
}

#[tokio::test]
async fn every_revision_over_http() {
    let server = house();
    let open = Open::door(&server).await;
    for revision in ALL {
        let mut visit = open.visit("/mcp", EraHint::Only(revision)).await.unwrap();
        assert_eq!(visit.remote.hello().revision, revision);
        patiently(tour(&server, &mut visit)).await;
        visit.leave().await;
    }
    open.close().await;
}

#[tokio::test]
async fn the_era_is_found_out() {
    let server = house();
    let open = Open::door(&server).await;
    for (hint, revision) in [
        (EraHint::Unknown, MODERN),
        (EraHint::Modern, MODERN),
        (EraHint::Legacy, Revision::NEWEST_LEGACY),
    ] {
        let visit = open.visit("/mcp", hint).await.unwrap();
        assert_eq!(visit.remote.hello().revision, revision);
        visit.leave().await;
    }
    open.close().await;
}

/// The address of the old kind of stream does not take POST, so it is opened the old way.
#[tokio::test]
async fn http_sse_is_the_fallback() {
    let server = house();
    let open = Open::door(&server).await;
    let mut visit = open.visit("/sse", EraHint::Unknown).await.unwrap();
    assert_ne!(visit.remote.hello().revision, MODERN);
    patiently(tour(&server, &mut visit)).await;
    visit.leave().await;

    let (connection, events, tasks) =
        connection(EraHint::Only(Revision::V2024_11_05), Answering(obliging));
    let remote = patiently(connect_sse(connection, open.target("/sse"))).await.unwrap();
    let mut visit = Visit { remote, events, tasks, serving: JoinSet::new() };
    assert_eq!(visit.remote.hello().revision, Revision::V2024_11_05);
    patiently(tour(&server, &mut visit)).await;
    visit.leave().await;
    open.close().await;
}

#[tokio::test]
async fn tasks_and_questions_over_http() {
    let server = house();
    let open = Open::door(&server).await;
    for revision in [Revision::V2025_11_25, MODERN] {
        let visit = open.visit("/mcp", EraHint::Only(revision)).await.unwrap();
        let client = client(&visit.remote, Answering(obliging));
        let silent = Notes::silent();
        let asked = patiently(client.call_tool_text("person", None, &silent)).await.unwrap();
        assert_eq!(said(&asked), "Accept");
        for (tool, answer) in [("must", "built"), ("must_ask", "Accept")] {
            let params = json!({"name": tool}).to_string();
            let forward = hobnob_mcp_client::ForwardOptions {
                mode: ExecutionMode::Task,
                ..Default::default()
            };
            let calling = call_forwarded(&client, params, &forward, &silent);
            assert_eq!(said(&patiently(calling).await.unwrap()), answer, "{revision} {tool}");
        }
        visit.leave().await;
    }
    open.close().await;
}

/// The error says whether nothing is there, or no MCP server.
#[tokio::test]
async fn wrong_addresses_are_named_in_the_error() {
    let server = house();
    let open = Open::door(&server).await;
    let error = open.visit("/nothing", EraHint::Unknown).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("no such path"), "{error}");
    let closed = open.target("/mcp");
    open.close().await;
    for era in [EraHint::Unknown, EraHint::Legacy] {
        let (connection, _events, tasks) = connection(era, Answering(obliging));
        let error = patiently(connect_http(connection, closed.clone())).await.unwrap_err();
        assert!(matches!(error, ConnectError::Greet(GreetError::Unreachable(_))), "{error}");
        tasks.close();
        patiently(tasks.wait()).await;
    }
}

/// A web server that knows nothing of MCP: the status decides what the client makes of it.
#[tokio::test]
async fn a_status_is_understood() {
    type Fits = fn(&GreetError) -> bool;
    let cases: [(&str, Fits); 5] = [
        ("404 Not Found", |error| matches!(error, GreetError::NoStreamable(_))),
        ("405 Method Not Allowed", |error| matches!(error, GreetError::NoStreamable(_))),
        ("401 Unauthorized", |error| matches!(error, GreetError::Unauthorized)),
        ("403 Forbidden", |error| matches!(error, GreetError::Unauthorized)),
        ("500 Oops", |error| matches!(error, GreetError::Unreachable(_))),
    ];
    for (status, fits) in cases {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let mut serving = JoinSet::new();
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        serving.spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                // The head and the short body come in one piece, or the rest is not missed.
                let _read = stream.read(&mut [0; 8192]).await;
                let _written = stream.write_all(answer.as_bytes()).await;
                let _shut = stream.shutdown().await;
            }
        });
        let (connection, _events, tasks) = connection(EraHint::Unknown, Answering(obliging));
        let target = HttpTarget::new(&url, Default::default()).unwrap();
        let error = patiently(connect_http(connection, target)).await.unwrap_err();
        let ConnectError::Greet(error) = error else { panic!("{status}: {error}") };
        assert!(fits(&error), "{status}: {error:?}");
        tasks.close();
        patiently(tasks.wait()).await;
    }
}
