//! The standing stream of a legacy session: every change once, on the newest stream only.

use hobnob_mcp_engine::Change;
use serde_json::json;

use crate::client::TestRequest;
use crate::mcp_server::{LEGACY, LegacySession, NEWEST_LEGACY, TestServer};

#[tokio::test]
async fn changes_arrive_once_in_every_session() {
    let server = TestServer::start().await;
    let mut streams = Vec::new();
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        let call = session.run_steps("a", &["log:begun", "wait:end"], "done").await;
        streams.push((session.listen().await, call, session));
    }
    let changes = [
        (Change::Tools, "notifications/tools/list_changed"),
        (Change::Prompts, "notifications/prompts/list_changed"),
        (Change::Resources, "notifications/resources/list_changed"),
    ];
    for (change, method) in &changes {
        server.publish(change);
        for (standing, ..) in &mut streams {
            // If the previous change had come twice, its repetition would be found here.
            assert_eq!(standing.message().await["method"], *method);
        }
    }
    server.open_gate("end", streams.len());
    for (mut standing, mut call, session) in streams {
        let messages = call.messages().await;
        assert_eq!(messages.len(), 2, "a call's stream has its own messages only: {messages:?}");
        session.delete().await;
        assert_eq!(standing.next().await, None);
    }
}

#[tokio::test]
async fn updates_arrive_for_what_was_subscribed() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = session.listen().await;
    let update = |uri: &str| server.publish(&Change::Resource(uri.into()));
    for (id, method, uri) in [
        (1, "resources/subscribe", "test://one"),
        (2, "resources/subscribe", "test://two"),
        (3, "resources/unsubscribe", "test://two"),
    ] {
        let answer = session.request(id, method, json!({"uri": uri})).await.json().await;
        assert_eq!(answer["result"], json!({}));
    }
    update("test://two");
    update("test://three");
    update("test://one");
    let message = standing.message().await;
    assert_eq!(message["method"], "notifications/resources/updated");
    assert_eq!(message["params"], json!({"uri": "test://one"}));
    server.publish(&Change::Tools);
    assert_eq!(standing.message().await["method"], "notifications/tools/list_changed");
}

#[tokio::test]
async fn what_changed_before_the_stream_is_sent_once() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    // Three changes of the same list become one notification for a client that was away.
    for _ in 0..3 {
        server.publish(&Change::Tools);
    }
    let mut standing = session.listen().await;
    assert_eq!(standing.message().await["method"], "notifications/tools/list_changed");
    server.publish(&Change::Prompts);
    assert_eq!(standing.message().await["method"], "notifications/prompts/list_changed");
}

#[tokio::test]
async fn nothing_is_sent_before_the_handshake_is_done() {
    let server = TestServer::start().await;
    let hello = crate::mcp_server::initialize(NEWEST_LEGACY, &json!({})).to_string();
    let answer = TestRequest::post(hello).send(server.address).await;
    let name = answer.header("mcp-session-id").unwrap().to_owned();
    let named = |request: TestRequest| request.header("Mcp-Session-Id", &name);
    let mut standing = named(TestRequest::get("/mcp")).send(server.address).await.events();
    server.publish(&Change::Tools);
    let ready = crate::mcp_server::notification("notifications/initialized", json!({})).to_string();
    assert_eq!(named(TestRequest::post(ready)).send(server.address).await.status, 202);
    server.publish(&Change::Prompts);
    assert_eq!(standing.message().await["method"], "notifications/prompts/list_changed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newest_stream_takes_over() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut older = session.listen().await;
    for _ in 0..50 {
        let mut newer = session.listen().await;
        server.publish(&Change::Tools);
        assert_eq!(older.next().await, None, "the older stream ends, empty");
        assert_eq!(newer.message().await["method"], "notifications/tools/list_changed");
        older = newer;
    }
}

#[tokio::test]
async fn a_stream_is_given_to_those_who_can_read_it() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let get = session.named(TestRequest::get("/mcp"));
    let cases = [
        (get.clone().with("Accept", "application/json"), 406),
        (get.clone().with("Accept", "text/html"), 406),
        (get.clone().with("Mcp-Session-Id", "nobody"), 404),
        (get.clone().with("Mcp-Session-Id", "\u{e9}"), 404),
        (get.clone().header("Mcp-Session-Id", "nobody"), 404),
        (get.clone().with("MCP-Protocol-Version", "1.0"), 400),
        (get.clone().header("MCP-Protocol-Version", "2025-03-26"), 400),
        (get.clone().without("Mcp-Session-Id"), 405),
        (get.clone().without("MCP-Protocol-Version"), 200),
        (get.clone().with("MCP-Protocol-Version", "2025-03-26"), 200),
        (get.clone().with("Accept", "*/*"), 200),
        (get.clone().without("Accept"), 200),
        (get, 200),
    ];
    for (request, status) in cases {
        assert_eq!(request.send(server.address).await.status, status, "{request:?}");
    }
}
