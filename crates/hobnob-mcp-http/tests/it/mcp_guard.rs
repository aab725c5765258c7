//! Who may use the endpoint (T50, T51): the check comes before every route, known or not.

use std::io::ErrorKind;
use std::net::SocketAddr;

use hobnob_mcp_http::{Exposure, HttpOptions, bind};
use serde_json::json;

use crate::client::TestRequest;
use crate::mcp_server::{
    LegacySession, NEWEST_LEGACY, TestOptions, TestServer, initialize, modern, request,
};

/// A request for every route that the route would otherwise answer.
fn routes(session: &LegacySession, messages: &str) -> Vec<TestRequest> {
    let ping = || session.post(&request(1, "ping", json!({})));
    vec![
        ping(),
        ping().to("/"),
        ping().to(messages),
        TestRequest::post(initialize(NEWEST_LEGACY, &json!({})).to_string()),
        modern(1, "server/discover", json!({})),
        session.named(TestRequest::get("/mcp")),
        session.named(TestRequest::get("/mcp")).header("Last-Event-ID", "0-0"),
        session.named(TestRequest::new("DELETE", "/mcp")),
        session.named(TestRequest::new("OPTIONS", "/mcp")),
        TestRequest::get("/sse"),
        TestRequest::new("GET", "/health"),
        TestRequest::new("GET", "/nowhere"),
        TestRequest::new("POST", "/nowhere"),
    ]
}

#[tokio::test]
async fn foreign_hosts_and_origins_reach_no_route() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut events = TestRequest::get("/sse").send(server.address).await.events();
    let messages = events.next().await.unwrap().data.unwrap();
    let port = server.address.port();
    let wrong_port = format!("localhost:{}", port ^ 1);
    let hosts = [
        "evil.com",
        "localhost.evil.com",
        "127.0.0.1.nip.io",
        "127.0.0.1.evil.com",
        &wrong_port,
        "localhost.",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "2130706433",
        "0x7f.1",
        "127.1",
        "localhost@evil.com",
        "evil.com:80",
        "",
        "localhost, evil.com",
    ];
    let origins = [
        "http://evil.com",
        "https://localhost.evil.com",
        "http://127.0.0.1.nip.io",
        "null",
        "file://",
        "http://localhost@evil.com",
        "http://localhost.evil.com:80",
        "localhost",
        "",
        "chrome-extension://abc",
        "http://localhost http://evil.com",
    ];
    for route in routes(&session, &messages) {
        let mut refused: Vec<TestRequest> = Vec::new();
        refused.extend(hosts.map(|host| route.clone().with("Host", host)));
        refused.extend(origins.map(|origin| route.clone().header("Origin", origin)));
        refused.push(route.clone().header("Host", "localhost"));
        refused.push(route.clone().header("Host", "evil.com"));
        let twice = route.clone().header("Origin", "http://localhost");
        refused.push(twice.clone().header("Origin", "http://localhost"));
        refused.push(twice.header("Origin", "http://evil.com"));
        for http_request in refused {
            let answer = http_request.send(server.address).await;
            assert!(matches!(answer.status, 400 | 403), "{}: {http_request:?}", answer.status);
            assert_eq!(answer.header("mcp-session-id"), None, "{http_request:?}");
        }
    }
    // No session was opened, deleted or displaced.
    assert_eq!(server.sessions().await, 2);
}

#[tokio::test]
async fn this_machine_is_let_in_on_every_route() {
    let server = TestServer::start().await;
    let port = server.address.port();
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let hosts = [
        "localhost".to_owned(),
        "LOCALHOST".into(),
        "127.0.0.1".into(),
        "[::1]".into(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
    ];
    let origins = [
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{port}"),
        "http://localhost:5173".into(),
        "https://localhost".into(),
        "http://[::1]:6274".into(),
    ];
    let ping = session.post(&request(1, "ping", json!({})));
    for host in &hosts {
        let answer = ping.clone().with("Host", host).send(server.address).await;
        assert_eq!(answer.status, 200, "{host}");
        for origin in &origins {
            let http_request = ping.clone().with("Host", host).header("Origin", origin);
            assert_eq!(http_request.send(server.address).await.status, 200, "{host} {origin}");
        }
    }
    for route in routes(&session, "/messages?sessionId=none") {
        let http_request = route.header("Origin", &origins[0]);
        assert_ne!(http_request.send(server.address).await.status, 403, "{http_request:?}");
    }
}

#[tokio::test]
async fn names_that_were_added_are_let_in_and_no_others() {
    let mut options = TestOptions::default();
    options.http.hosts = vec!["mcp.example".into()];
    options.http.origins = vec!["https://app.example".into()];
    let server = TestServer::with(options).await;
    let health = || TestRequest::new("GET", "/health");
    let cases = [
        (health().with("Host", "mcp.example"), 200),
        (health().with("Host", "MCP.example"), 200),
        (health().with("Host", "mcp.example.evil.com"), 403),
        (health().with("Host", "app.example"), 403),
        (health().header("Origin", "https://app.example"), 200),
        (health().header("Origin", "http://app.example"), 403),
        (health().header("Origin", "https://app.example:8443"), 403),
        (health().header("Origin", "https://mcp.example"), 200),
    ];
    for (http_request, status) in cases {
        assert_eq!(http_request.send(server.address).await.status, status, "{http_request:?}");
    }
}

#[tokio::test]
async fn other_machines_are_let_in_only_on_purpose() {
    let address = |text: &str| text.parse::<SocketAddr>().unwrap();
    for exposure in [Exposure::LoopbackOnly, Exposure::UnsafeNoAuth] {
        let options = HttpOptions { exposure, ..HttpOptions::default() };
        for local in ["127.0.0.1:0", "127.8.9.10:0"] {
            let listener = bind(address(local), &options).await.unwrap();
            assert!(listener.local_addr().unwrap().ip().is_loopback());
        }
        for open in ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"] {
            let refused = bind(address(open), &options).await.err().map(|error| error.kind());
            let denied = refused == Some(ErrorKind::PermissionDenied);
            assert_eq!(denied, exposure == Exposure::LoopbackOnly, "{open} {exposure:?}");
        }
    }
    assert_eq!(HttpOptions::default().exposure, Exposure::LoopbackOnly);
}
