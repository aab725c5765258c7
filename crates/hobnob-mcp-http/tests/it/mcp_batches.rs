//! Batches of messages (T07): one revision has them, all others refuse them as a whole.

use serde_json::{Value, json};

use crate::client::TestRequest;
use crate::mcp_server::{
    LEGACY, LegacySession, MODERN, TestServer, initialize, notification, request, said, script,
};

const BATCHES: &str = "2025-03-26";

fn echo(id: i64) -> Value {
    request(id, "tools/call", json!({"name": "echo", "arguments": {"text": format!("text {id}")}}))
}

#[tokio::test]
async fn an_array_is_answered_with_an_array() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, BATCHES).await;
    for count in [1, 2, 100] {
        let batch: Vec<_> = (0..count).map(echo).collect();
        let answer = session.send(&Value::from(batch)).await;
        assert_eq!(answer.status, 200);
        let answers = answer.json().await;
        let mut texts: Vec<_> = answers
            .as_array()
            .unwrap()
            .iter()
            .map(|answer| (answer["id"].as_i64().unwrap(), said(answer).to_owned()))
            .collect();
        texts.sort();
        let expected: Vec<_> = (0..count).map(|id| (id, format!("text {id}"))).collect();
        assert_eq!(texts, expected);
    }
}

#[tokio::test]
async fn every_request_of_a_batch_is_answered_and_nothing_else() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, BATCHES).await;
    let batch = json!([
        echo(1),
        notification("notifications/roots/list_changed", json!({})),
        request(2, "made/up", json!({})),
        request(3, "ping", json!({})),
        initialize(BATCHES, &json!({})),
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": 4},
        7,
    ]);
    let answer = session.send(&batch).await;
    assert_eq!(answer.status, 200);
    let answers = answer.json().await;
    let mut found: Vec<_> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| (answer["id"].as_i64(), answer["error"]["code"].as_i64()))
        .collect();
    found.sort();
    let refused = Some(-32600);
    let expected = [
        (None, refused),
        (Some(0), refused),
        (Some(1), None),
        (Some(2), Some(-32601)),
        (Some(3), None),
        (Some(4), refused),
    ];
    assert_eq!(found, expected, "{answers}");
}

#[tokio::test]
async fn a_batch_without_requests_is_taken_with_202() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, BATCHES).await;
    for batch in [
        json!([notification("notifications/roots/list_changed", json!({}))]),
        json!([{"jsonrpc": "2.0", "id": 1, "result": {}}, notification("a", json!({}))]),
    ] {
        let answer = session.send(&batch).await;
        assert_eq!(answer.status, 202, "{batch}");
        assert_eq!(answer.text().await, "", "{batch}");
    }
}

#[tokio::test]
async fn notes_of_a_batch_come_before_its_array() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, BATCHES).await;
    let batch = json!([request(1, "tools/call", script("a", &["progress"], "done")), echo(2)]);
    let messages = session.send(&batch).await.events().messages().await;
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(messages[0]["method"], "notifications/progress");
    assert_eq!(messages[1].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_cancelled_request_is_missing_from_the_array() {
    let mut server = TestServer::start().await;
    let session = LegacySession::open(&server, BATCHES).await;
    let wait = request("gone", "tools/call", script("gone", &["log:begun", "wait:never"], ""));
    let mut events = session.send(&json!([echo(1), wait])).await.events();
    events.message().await;
    server.next_event().await;
    let cancel = notification("notifications/cancelled", json!({"requestId": "gone"}));
    assert_eq!(session.send(&cancel).await.status, 202);
    let rest = events.messages().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0].as_array().map(Vec::len), Some(1), "{rest:?}");
    assert_eq!(rest[0][0]["id"], 1);
}

#[tokio::test]
async fn everything_else_is_refused_as_a_whole() {
    let server = TestServer::start().await;
    let good = json!([echo(1), notification("notifications/initialized", json!({}))]).to_string();
    let with = LegacySession::open(&server, BATCHES).await;
    let large = |count: i64| Value::from((0..count).map(echo).collect::<Vec<_>>()).to_string();
    let huge = format!("[{}1]", "1,".repeat(99_999));
    let mut cases = vec![
        ("empty", with.named(TestRequest::post("[]"))),
        ("blank", with.named(TestRequest::post("[ ]"))),
        ("one too many", with.named(TestRequest::post(large(101)))),
        ("far too many", with.named(TestRequest::post(huge.clone()))),
        ("not closed", with.named(TestRequest::post(format!("[{}", echo(1))))),
        ("trailing comma", with.named(TestRequest::post(format!("[{},]", echo(1))))),
        ("more behind it", with.named(TestRequest::post(format!("{good}1")))),
        ("no session", TestRequest::post(good.clone())),
        ("no session, huge", TestRequest::post(huge)),
        ("handshake", TestRequest::post(json!([initialize(BATCHES, &json!({}))]).to_string())),
        ("modern", TestRequest::post(good.clone()).header("MCP-Protocol-Version", MODERN)),
        (
            "modern in a session",
            with.named(TestRequest::post(good.clone())).with("MCP-Protocol-Version", MODERN),
        ),
        (
            "unknown version",
            with.named(TestRequest::post(good.clone())).with("MCP-Protocol-Version", "1.0"),
        ),
    ];
    for revision in LEGACY.into_iter().filter(|revision| *revision != BATCHES) {
        let without = LegacySession::open(&server, revision).await;
        cases.push((revision, without.named(TestRequest::post(good.clone()))));
    }
    for (name, http_request) in cases {
        let answer = http_request.send(server.address).await;
        assert_eq!(answer.status, 400, "{name}");
        let answer = answer.json().await;
        assert!(answer.is_object() && answer["id"].is_null(), "{name}: {answer}");
        assert!(answer["error"]["code"].is_i64(), "{name}: {answer}");
    }
    assert_eq!(said(&with.echo(5, "well").await), "well");
}
