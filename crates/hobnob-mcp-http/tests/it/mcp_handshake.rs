//! The legacy handshake over HTTP, the life of a session, and every fault of a request that is
//! found before MCP reads it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{Connection, TestRequest};
use crate::mcp_server::{
    LEGACY, LegacySession, NEWEST_LEGACY, TestServer, initialize, notification, request,
};

#[tokio::test]
async fn a_handshake_agrees_on_a_revision_and_names_a_session() {
    let server = TestServer::start().await;
    let strange = ["1999-01-01", "2026-07-28", "", "latest"].map(|asked| (asked, NEWEST_LEGACY));
    let cases = LEGACY.map(|asked| (asked, asked)).into_iter().chain(strange);
    let mut names = BTreeSet::new();
    for (asked, agreed) in cases {
        let hello = initialize(asked, &json!({})).to_string();
        let answer = TestRequest::post(hello).send(server.address).await;
        assert_eq!(answer.status, 200, "{asked}");
        let name = answer.header("mcp-session-id").unwrap().to_owned();
        // 128 bits need at least 22 characters of any alphabet that fits a header.
        assert!(name.len() >= 22 && name.bytes().all(|byte| byte.is_ascii_graphic()), "{name}");
        assert!(names.insert(name), "a name was given twice");
        let answer = answer.json().await;
        assert_eq!(answer["id"], 0, "{asked}");
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
    }
    assert_eq!(server.sessions().await, names.len() as u64);
}

#[tokio::test]
async fn what_needs_no_answer_is_taken_with_202_and_no_body() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let cases = [
        notification("notifications/initialized", json!({})),
        notification("notifications/cancelled", json!({"requestId": 99})),
        notification("notifications/cancelled", json!({"requestId": []})),
        notification("notifications/made/up", json!({})),
        json!({"jsonrpc": "2.0", "id": 7, "result": {}}),
        json!({"jsonrpc": "2.0", "id": "x", "error": {"code": -1, "message": "no"}}),
    ];
    for case in cases {
        let answer = session.send(&case).await;
        assert_eq!(answer.status, 202, "{case}");
        assert_eq!(answer.text().await, "", "{case}");
    }
    assert_eq!(session.echo(1, "still here").await["id"], 1);
}

#[tokio::test]
async fn a_handshake_that_fails_leaves_no_session() {
    let server = TestServer::start().await;
    let answer = TestRequest::post(request(1, "initialize", json!({})).to_string());
    let answer = answer.send(server.address).await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    assert_eq!(answer.json().await["error"]["code"], -32602);
    assert_eq!(server.sessions().await, 0);
}

/// Requests that differ from a good one in one point.
fn legacy_cases(session: &LegacySession) -> Vec<(&'static str, TestRequest, u16, Option<i64>)> {
    let list = || session.post(&request(5, "tools/list", json!({})));
    let post = |method: &str, params: Value| session.post(&request(5, method, params));
    let raw = |body: &str| session.named(TestRequest::post(body));
    let again = initialize(NEWEST_LEGACY, &json!({}));
    vec![
        ("as it should be", list(), 200, None),
        ("no session", list().without("Mcp-Session-Id"), 400, Some(-32600)),
        ("unknown session", list().with("Mcp-Session-Id", "nobody"), 404, Some(-32600)),
        ("empty session", list().with("Mcp-Session-Id", ""), 404, Some(-32600)),
        ("session beyond ASCII", list().with("Mcp-Session-Id", "\u{e9}"), 404, Some(-32600)),
        ("two sessions", list().header("Mcp-Session-Id", "nobody"), 404, Some(-32600)),
        ("no version", list().without("MCP-Protocol-Version"), 200, None),
        ("other legacy version", list().with("MCP-Protocol-Version", "2025-03-26"), 200, None),
        ("unknown version", list().with("MCP-Protocol-Version", "1.0"), 400, Some(-32022)),
        ("two versions", list().header("MCP-Protocol-Version", "2025-03-26"), 400, Some(-32020)),
        ("plain text", list().with("Content-Type", "text/plain"), 415, Some(-32600)),
        ("a form", list().with("Content-Type", "multipart/form-data"), 415, Some(-32600)),
        ("no content type", list().without("Content-Type"), 415, Some(-32600)),
        ("two content types", list().header("Content-Type", "text/plain"), 415, Some(-32600)),
        ("in capitals", list().with("Content-Type", "Application/JSON; charset=UTF-8"), 200, None),
        ("accepts a page", list().with("Accept", "text/html"), 406, Some(-32600)),
        ("accepts nothing of ours", list().with("Accept", "*/*;q=0"), 406, Some(-32600)),
        ("accepts anything", list().with("Accept", "*/*"), 200, None),
        ("does not say", list().without("Accept"), 200, None),
        ("no JSON", raw("{"), 400, Some(-32700)),
        ("nothing", raw(""), 400, Some(-32700)),
        ("no UTF-8", session.named(TestRequest::post(b"\"\xff\"")), 400, Some(-32700)),
        ("no message", raw("{}"), 400, Some(-32600)),
        ("a number", raw("7"), 400, Some(-32600)),
        ("another JSON-RPC", raw(r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#), 400, Some(-32600)),
        // A legacy client takes any other status than 200 for a broken transport.
        ("unknown method", post("made/up", json!({})), 200, Some(-32601)),
        ("modern method", post("tasks/update", json!({})), 400, Some(-32602)),
        ("method of servers", post("roots/list", json!({})), 200, Some(-32601)),
        ("unknown tool", post("tools/call", json!({"name": "none"})), 200, Some(-32602)),
        ("no tool", post("tools/call", json!({})), 200, Some(-32602)),
        (
            "unknown resource",
            post("resources/read", json!({"uri": "test://no"})),
            200,
            Some(-32002),
        ),
        ("handshake again", session.post(&again), 200, Some(-32600)),
    ]
}

#[tokio::test]
async fn each_fault_has_its_status_and_its_code() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    for (name, http_request, status, code) in legacy_cases(&session) {
        let answer = http_request.send(server.address).await;
        assert_eq!(answer.status, status, "{name}");
        let answer = answer.json().await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{name}: {answer}");
    }
    // None of these requests has harmed the session.
    assert_eq!(session.echo(1, "well").await["result"]["content"][0]["text"], "well");
}

#[tokio::test]
async fn notifications_and_answers_need_a_session_too() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    for body in [
        notification("notifications/roots/list_changed", json!({})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
    ] {
        let http_request = session.post(&body);
        let cases = [
            (http_request.clone().without("Mcp-Session-Id"), 400),
            (http_request.clone().with("Mcp-Session-Id", "nobody"), 404),
            (http_request.clone().with("MCP-Protocol-Version", "1.0"), 400),
            (http_request.clone().header("MCP-Protocol-Version", "2025-03-26"), 400),
            (http_request, 202),
        ];
        for (http_request, status) in cases {
            assert_eq!(http_request.send(server.address).await.status, status, "{http_request:?}");
        }
    }
}

#[tokio::test]
async fn nothing_but_ping_is_answered_before_the_handshake_is_done() {
    let server = TestServer::start().await;
    let hello = initialize(NEWEST_LEGACY, &json!({})).to_string();
    let answer = TestRequest::post(hello).send(server.address).await;
    let name = answer.header("mcp-session-id").unwrap().to_owned();
    for (method, code) in [("tools/list", Some(-32600)), ("ping", None)] {
        let http_request = TestRequest::post(request(1, method, json!({})).to_string());
        let answer = http_request.header("Mcp-Session-Id", &name).send(server.address).await;
        assert_eq!(answer.status, 200, "{method}");
        assert_eq!(answer.json().await["error"]["code"].as_i64(), code, "{method}");
    }
}

#[tokio::test]
async fn a_deleted_session_is_gone_for_every_method() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let other = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = session.listen().await;
    let deleted = session.delete().await;
    assert_eq!(deleted.status, 204);
    assert_eq!(deleted.text().await, "");
    assert_eq!(standing.next().await, None, "its stream ends properly");
    let cases = [
        session.post(&request(1, "tools/list", json!({}))),
        session.post(&notification("notifications/initialized", json!({}))),
        session.post(&initialize(NEWEST_LEGACY, &json!({}))),
        session.named(TestRequest::get("/mcp")),
        session.named(TestRequest::get("/mcp")).header("Last-Event-ID", "0-0"),
        session.named(TestRequest::new("DELETE", "/mcp")),
    ];
    for http_request in cases {
        assert_eq!(http_request.send(server.address).await.status, 404, "{http_request:?}");
    }
    assert_eq!(other.echo(1, "mine").await["id"], 1);
    assert_eq!(server.sessions().await, 1);
}

#[tokio::test]
async fn every_path_knows_its_methods() {
    let server = TestServer::start().await;
    let mcp = Some("GET, POST, DELETE");
    let cases = [
        ("GET", "/health", 200, None),
        ("POST", "/health", 405, Some("GET")),
        ("PUT", "/mcp", 405, mcp),
        ("PATCH", "/mcp", 405, mcp),
        ("OPTIONS", "/mcp", 405, mcp),
        // Without a session, only POST is answered.
        ("GET", "/mcp", 405, Some("POST")),
        ("DELETE", "/mcp", 405, Some("POST")),
        ("GET", "/", 405, Some("POST")),
        ("DELETE", "/sse", 405, Some("GET")),
        ("GET", "/messages", 405, Some("POST")),
        ("GET", "/nowhere", 404, None),
        ("POST", "/mcp/", 404, None),
        ("POST", "/MCP", 404, None),
        ("POST", "//mcp", 404, None),
        ("GET", "/health/../mcp", 404, None),
    ];
    for (method, path, status, allowed) in cases {
        let answer = TestRequest::new(method, path).send(server.address).await;
        assert_eq!(answer.status, status, "{method} {path}");
        assert_eq!(answer.header("allow"), allowed, "{method} {path}");
        assert!(answer.json().await.is_object(), "{method} {path}");
    }
}

#[tokio::test]
async fn the_root_answers_posts_like_the_endpoint() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let http_requests = [
        session.post(&request(1, "tools/list", json!({}))),
        session.post(&request(2, "made/up", json!({}))),
        session.post(&notification("notifications/initialized", json!({}))),
        session.post(&request(3, "ping", json!({}))).without("Mcp-Session-Id"),
        session.post(&request(4, "ping", json!({}))).without("Content-Type"),
        crate::mcp_server::modern(5, "server/discover", json!({})),
    ];
    for http_request in http_requests {
        let there = http_request.send(server.address).await;
        let here = http_request.clone().to("/").send(server.address).await;
        assert_eq!(there.status, here.status, "{http_request:?}");
        assert_eq!(there.text().await, here.text().await, "{http_request:?}");
    }
    let query = session.post(&request(6, "ping", json!({}))).to("/mcp?a=b");
    assert_eq!(query.send(server.address).await.status, 200);
}

#[tokio::test]
async fn one_connection_may_serve_many_sessions() {
    let server = TestServer::start().await;
    let mut connection = Connection::connect(server.address).await;
    let sessions = [
        LegacySession::open(&server, "2025-03-26").await,
        LegacySession::open(&server, NEWEST_LEGACY).await,
    ];
    for round in 0..4 {
        for session in &sessions {
            let params = json!({"name": "echo", "arguments": {"text": session.id}});
            let answer =
                connection.request(&session.post(&request(round, "tools/call", params))).await;
            let (text, kept) = answer.text_and_connection().await;
            let answer: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(answer["result"]["content"][0]["text"], session.id.as_str());
            connection = kept;
        }
    }
}
