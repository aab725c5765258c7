//! Our own server over HTTP: Streamable HTTP in both eras, and the fallback to HTTP+SSE.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::ours::{
    TestConnection, exercise_all_features, new_connection, test_server, with_timeout,
};
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
pub(crate) struct HttpTestServer {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinSet<()>,
}

impl HttpTestServer {
    pub(crate) async fn start(server: &Server) -> Self {
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

    pub(crate) fn target(&self, path: &str) -> HttpTarget {
        HttpTarget::new(&format!("http://{}{path}", self.address), Default::default()).unwrap()
    }

    pub(crate) async fn connect(
        &self,
        path: &str,
        era: EraHint,
    ) -> Result<TestConnection, ConnectError> {
        let (connection, events, tasks) = new_connection(era, Answering(obliging));
        let remote = with_timeout(connect_http(connection, self.target(path))).await?;
        Ok(TestConnection { remote, events, tasks, serving: JoinSet::new() })
    }

    pub(crate) async fn close(mut self) {
        self.stop.send(()).unwrap();
        while let Some(ended) = with_timeout(self.serving.join_next()).await {
            ended.unwrap();
        }
    }
}

#[tokio::test]
async fn every_revision_over_http() {
    let server = test_server();
    let http_server = HttpTestServer::start(&server).await;
    for revision in ALL {
        let mut connection = http_server.connect("/mcp", EraHint::Only(revision)).await.unwrap();
        assert_eq!(connection.remote.hello().revision, revision);
        with_timeout(exercise_all_features(&server, &mut connection)).await;
        connection.close().await;
    }
    http_server.close().await;
}

#[tokio::test]
async fn the_era_is_found_out() {
    let server = test_server();
    let http_server = HttpTestServer::start(&server).await;
    for (hint, revision) in [
        (EraHint::Unknown, MODERN),
        (EraHint::Modern, MODERN),
        (EraHint::Legacy, Revision::NEWEST_LEGACY),
    ] {
        let connection = http_server.connect("/mcp", hint).await.unwrap();
        assert_eq!(connection.remote.hello().revision, revision);
        connection.close().await;
    }
    http_server.close().await;
}

/// The address of the HTTP+SSE stream does not accept POST, so the client falls back.
#[tokio::test]
async fn http_sse_is_the_fallback() {
    let server = test_server();
    let http_server = HttpTestServer::start(&server).await;
    let mut connection = http_server.connect("/sse", EraHint::Unknown).await.unwrap();
    assert_ne!(connection.remote.hello().revision, MODERN);
    with_timeout(exercise_all_features(&server, &mut connection)).await;
    connection.close().await;

    let (connection, events, tasks) =
        new_connection(EraHint::Only(Revision::V2024_11_05), Answering(obliging));
    let remote = with_timeout(connect_sse(connection, http_server.target("/sse"))).await.unwrap();
    let mut connection = TestConnection { remote, events, tasks, serving: JoinSet::new() };
    assert_eq!(connection.remote.hello().revision, Revision::V2024_11_05);
    with_timeout(exercise_all_features(&server, &mut connection)).await;
    connection.close().await;
    http_server.close().await;
}

#[tokio::test]
async fn tasks_and_questions_over_http() {
    let server = test_server();
    let http_server = HttpTestServer::start(&server).await;
    for revision in [Revision::V2025_11_25, MODERN] {
        let connection = http_server.connect("/mcp", EraHint::Only(revision)).await.unwrap();
        let client = client(&connection.remote, Answering(obliging));
        let silent = Notes::silent();
        let asked = with_timeout(client.call_tool_text("person", None, &silent)).await.unwrap();
        assert_eq!(said(&asked), "Accept");
        for (tool, answer) in [("must", "built"), ("must_ask", "Accept")] {
            let params = json!({"name": tool}).to_string();
            let forward = hobnob_mcp_client::ForwardOptions {
                mode: ExecutionMode::Task,
                ..Default::default()
            };
            let calling = call_forwarded(&client, params, &forward, &silent);
            assert_eq!(said(&with_timeout(calling).await.unwrap()), answer, "{revision} {tool}");
        }
        connection.close().await;
    }
    http_server.close().await;
}

/// The error says whether there is no server, or no MCP server.
#[tokio::test]
async fn wrong_addresses_are_named_in_the_error() {
    let server = test_server();
    let http_server = HttpTestServer::start(&server).await;
    let error = http_server.connect("/nothing", EraHint::Unknown).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("no such path"), "{error}");
    let closed = http_server.target("/mcp");
    http_server.close().await;
    for era in [EraHint::Unknown, EraHint::Legacy] {
        let (connection, _events, tasks) = new_connection(era, Answering(obliging));
        let error = with_timeout(connect_http(connection, closed.clone())).await.unwrap_err();
        assert!(matches!(error, ConnectError::Greet(GreetError::Unreachable(_))), "{error}");
        tasks.close();
        with_timeout(tasks.wait()).await;
    }
}

/// A web server that knows nothing of MCP: the client decides by the status.
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
                // The head and the short body arrive in one read, or the rest is not needed.
                let _read = stream.read(&mut [0; 8192]).await;
                let _written = stream.write_all(answer.as_bytes()).await;
                let _shut = stream.shutdown().await;
            }
        });
        let (connection, _events, tasks) = new_connection(EraHint::Unknown, Answering(obliging));
        let target = HttpTarget::new(&url, Default::default()).unwrap();
        let error = with_timeout(connect_http(connection, target)).await.unwrap_err();
        let ConnectError::Greet(error) = error else { panic!("{status}: {error}") };
        assert!(fits(&error), "{status}: {error:?}");
        tasks.close();
        with_timeout(tasks.wait()).await;
    }
}
