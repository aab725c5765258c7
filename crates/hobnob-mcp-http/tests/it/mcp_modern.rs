//! Modern requests over HTTP: stateless, each with the status of its error, side by side with
//! legacy sessions on the same endpoint.

use serde_json::{Value, json};

use crate::client::{Connection, TestRequest};
use crate::mcp_server::{
    LegacySession, MODERN, NEWEST_LEGACY, TestServer, modern, notification, request, said,
};

#[tokio::test]
async fn each_fault_has_its_status_its_code_and_its_id() {
    let server = TestServer::start().await;
    let tool = |name: &str| modern(9, "tools/call", json!({"name": name}));
    let resource = modern(9, "resources/read", json!({"uri": "test://none"}));
    let cases = [
        ("as it should be", tool("echo"), 200, None),
        ("unknown method", modern(9, "made/up", json!({})), 404, Some(-32601)),
        ("handshake", modern(9, "initialize", json!({})), 404, Some(-32601)),
        ("ping", modern(9, "ping", json!({})), 404, Some(-32601)),
        ("log level", modern(9, "logging/setLevel", json!({"level": "info"})), 404, Some(-32601)),
        ("subscribe", modern(9, "resources/subscribe", json!({"uri": "a:b"})), 404, Some(-32601)),
        (
            "unsubscribe",
            modern(9, "resources/unsubscribe", json!({"uri": "a:b"})),
            404,
            Some(-32601),
        ),
        ("legacy task list", modern(9, "tasks/list", json!({})), 404, Some(-32601)),
        (
            "legacy task result",
            modern(9, "tasks/result", json!({"taskId": "a"})),
            404,
            Some(-32601),
        ),
        ("nothing to complete", modern(9, "completion/complete", json!({})), 404, Some(-32601)),
        ("capability missing", tool("picky"), 400, Some(-32021)),
        ("unknown tool", tool("none"), 200, Some(-32602)),
        ("unknown resource", resource, 200, Some(-32602)),
    ];
    for (name, http_request, status, code) in cases {
        let answer = http_request.send(server.address).await;
        assert_eq!(answer.status, status, "{name}");
        let answer = answer.json().await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{name}: {answer}");
        assert_eq!(answer["id"], 9, "{name}: {answer}");
        match code {
            Some(-32021) => {
                assert_eq!(
                    answer["error"]["data"]["requiredCapabilities"],
                    json!({"sampling": {}})
                );
            }
            None => assert_eq!(answer["result"]["resultType"], "complete", "{name}"),
            Some(_) => {}
        }
    }
}

#[tokio::test]
async fn a_panicking_tool_fails_its_own_call_only() {
    let server = TestServer::start().await;
    let params = json!({"name": "run_steps", "arguments": {"steps": ["panic"]}});
    let answer = modern(9, "tools/call", params.clone()).send(server.address).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json().await["error"]["code"], -32603);
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let answer = session.request(1, "tools/call", params).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json().await["error"]["code"], -32603);
    assert_eq!(said(&session.echo(2, "alive").await), "alive");
}

#[tokio::test]
async fn a_session_id_means_nothing_to_a_modern_request() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    for name in ["nobody", "", "\u{e9}", &session.id] {
        let http_request = modern(1, "tools/list", json!({}))
            .header("Mcp-Session-Id", name)
            .header("Last-Event-ID", "0-0");
        let answer = http_request.send(server.address).await;
        assert_eq!(answer.status, 200, "{name}");
        assert_eq!(answer.header("mcp-session-id"), None, "{name}");
        assert_eq!(answer.json().await["result"]["resultType"], "complete", "{name}");
        // The modern revision demands that servers accept unknown notifications.
        let note = TestRequest::post(notification("notifications/made/up", json!({})).to_string())
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Session-Id", name);
        assert_eq!(note.send(server.address).await.status, 202, "{name}");
    }
    assert_eq!(server.sessions().await, 1);
}

#[tokio::test]
async fn modern_clients_may_only_post() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    for method in ["GET", "DELETE"] {
        let http_request = TestRequest::new(method, "/mcp")
            .header("Accept", "text/event-stream")
            .header("MCP-Protocol-Version", MODERN);
        for http_request in
            [http_request.clone(), http_request.header("Mcp-Session-Id", &session.id)]
        {
            let answer = http_request.send(server.address).await;
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, Some("POST")),
                "{http_request:?}"
            );
        }
    }
    assert_eq!(server.sessions().await, 1, "nothing was deleted");
    let answer = TestRequest::post(json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string())
        .header("MCP-Protocol-Version", MODERN);
    assert_eq!(answer.send(server.address).await.status, 400, "a modern client answers nothing");
}

#[tokio::test]
async fn each_request_has_its_own_era() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let call = || json!({"name": "echo", "arguments": {"text": "a"}});
    let legacy = session.post(&request(1, "tools/call", call()));
    let modern_call = modern(2, "tools/call", call());
    let mut connection = Connection::connect(server.address).await;
    for (http_request, id, kind) in [
        (&legacy, 1, Value::Null),
        (&modern_call, 2, Value::from("complete")),
        (&modern_call, 2, Value::from("complete")),
        (&legacy, 1, Value::Null),
    ] {
        let (text, kept) = connection.request(http_request).await.text_and_connection().await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&answer["id"], &answer["result"]["resultType"]), (&Value::from(id), &kind));
        connection = kept;
    }
    // `_meta` outranks the headers: this is a modern request, even with the id of a session.
    let clash = modern(3, "tools/list", json!({}));
    let clash =
        clash.with("MCP-Protocol-Version", NEWEST_LEGACY).header("Mcp-Session-Id", &session.id);
    let answer = clash.send(server.address).await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json().await["error"]["code"], -32020);
    // Headers of the modern era alone do not make a legacy request modern.
    let decorated = legacy.header("Mcp-Method", "something/else").header("Mcp-Name", "other");
    assert_eq!(decorated.send(server.address).await.status, 200);
}

#[tokio::test]
async fn ids_come_back_as_they_were_sent() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let ids = r#"1 "1" 0 -1 "" 9007199254740993 18446744073709551616 "😀" "a\u0000b""#;
    for id in ids.split(' ') {
        let body = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{params}}}"#)
        };
        let modern_body = body(&json!({"_meta": crate::mcp_server::modern_meta()}).to_string());
        let http_requests = [
            session.named(TestRequest::post(body("{}"))),
            TestRequest::post(modern_body)
                .header("MCP-Protocol-Version", MODERN)
                .header("Mcp-Method", "tools/list"),
        ];
        for http_request in http_requests {
            let answer = http_request.send(server.address).await;
            assert_eq!(answer.status, 200, "{id}");
            let text = answer.text().await;
            assert!(text.contains(&format!("\"id\":{id},")), "{id} in {}", &text[..60]);
        }
    }
}
