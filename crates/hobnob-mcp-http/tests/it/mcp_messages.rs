//! HTTP+SSE, the transport of the first revision: one stream to the client, posts to the server.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::{Change, HandshakeRules};
use serde_json::{Value, json};

use crate::client::{Events, TestRequest};
use crate::mcp_server::{
    LegacySession, NEWEST_LEGACY, TestOptions, TestServer, ToolEvent, initialize, notification,
    request, said, script,
};

/// A client with an open stream.
struct SseClient {
    server_address: std::net::SocketAddr,
    events: Events,
    target: String,
}

impl SseClient {
    async fn open(server: &TestServer) -> Self {
        let mut events = TestRequest::get("/sse").send(server.address).await.events();
        let first = events.next().await.unwrap();
        assert_eq!(first.event.as_deref(), Some("endpoint"));
        Self { server_address: server.address, events, target: first.data.unwrap() }
    }

    async fn ready(server: &TestServer, revision: &str) -> Self {
        let mut client = Self::open(server).await;
        let able = json!({"sampling": {}});
        assert_eq!(client.send(&initialize(revision, &able)).await, 202);
        let hello = client.message().await;
        assert_eq!(hello["result"]["protocolVersion"], revision);
        let ready = notification("notifications/initialized", json!({}));
        assert_eq!(client.send(&ready).await, 202);
        client
    }

    fn post(&self, body: &str) -> TestRequest {
        TestRequest::post(body).to(&self.target)
    }

    async fn send(&self, body: &Value) -> u16 {
        let answer = self.post(&body.to_string()).send(self.server_address).await;
        let status = answer.status;
        assert_eq!(answer.text().await, "", "the answer travels on the stream");
        status
    }

    async fn message(&mut self) -> Value {
        let event = self.events.next().await.unwrap();
        assert_eq!(event.event.as_deref(), Some("message"));
        assert_eq!(event.id, None, "nobody could come back to this stream");
        event.message()
    }
}

#[tokio::test]
async fn the_first_event_says_where_to_post() {
    let server = TestServer::start().await;
    let first = SseClient::open(&server).await;
    let second = SseClient::open(&server).await;
    assert_ne!(first.target, second.target);
    assert!(first.target.starts_with("/messages?sessionId="), "{}", first.target);
    assert_eq!(server.sessions().await, 2);
}

#[tokio::test]
async fn answers_notes_and_questions_travel_on_the_stream() {
    let server = TestServer::start().await;
    for revision in ["2024-11-05", "2025-03-26", NEWEST_LEGACY] {
        let mut client = SseClient::ready(&server, revision).await;
        let steps = ["progress", "pause:5", "log:x"];
        let calls = [
            request(1, "tools/list", json!({})),
            request("two", "tools/call", script("a", &steps, "done")),
            request(3, "made/up", json!({})),
            request(4, "tools/call", json!({"name": "sample"})),
        ];
        for call in calls {
            assert_eq!(client.send(&call).await, 202);
        }
        let mut answers = std::collections::BTreeMap::new();
        let mut notes = 0;
        while answers.len() < 4 {
            let message = client.message().await;
            if message.get("method").is_none() {
                answers.insert(message["id"].to_string(), message);
            } else if message["method"] == "sampling/createMessage" {
                let content = json!({"type": "text", "text": "forward"});
                let result = json!({"role": "assistant", "content": content, "model": "m"});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                assert_eq!(client.send(&answer).await, 202);
            } else {
                notes += 1;
            }
        }
        assert_eq!(notes, 2, "{revision}");
        assert!(answers["1"]["result"]["tools"].is_array());
        assert_eq!(said(&answers["\"two\""]), "done");
        assert_eq!(answers["3"]["error"]["code"], -32601);
        assert!(said(&answers["4"]).contains("forward"));
        server.publish(&Change::Tools);
        assert_eq!(client.message().await["method"], "notifications/tools/list_changed");
    }
}

#[tokio::test]
async fn a_cancelled_call_leaves_the_stream_open() {
    let mut server = TestServer::start().await;
    let mut client = SseClient::ready(&server, "2024-11-05").await;
    let call = request(1, "tools/call", script("a", &["wait:never"], ""));
    assert_eq!(client.send(&call).await, 202);
    assert_eq!(server.next_event().await, ToolEvent::Began("a".into()));
    let cancel = notification("notifications/cancelled", json!({"requestId": 1}));
    assert_eq!(client.send(&cancel).await, 202);
    assert_eq!(server.next_event().await, ToolEvent::Dropped("a".into()));
    assert_eq!(client.send(&request(2, "ping", json!({}))).await, 202);
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_session() {
    let mut server = TestServer::start().await;
    let client = SseClient::ready(&server, "2024-11-05").await;
    let call = request(1, "tools/call", script("a", &["wait:never"], ""));
    assert_eq!(client.send(&call).await, 202);
    assert_eq!(server.next_event().await, ToolEvent::Began("a".into()));
    let post = client.post(&request(2, "ping", json!({})).to_string());
    drop(client);
    assert_eq!(server.next_event().await, ToolEvent::Dropped("a".into()));
    server.until_sessions(0).await;
    assert_eq!(post.send(server.address).await.status, 404);
}

#[tokio::test]
async fn each_fault_has_its_status() {
    let server = TestServer::start().await;
    let mut client = SseClient::ready(&server, "2024-11-05").await;
    let ping = request(1, "ping", json!({})).to_string();
    let good = || client.post(&ping);
    let cases = [
        ("no JSON", client.post("{"), 400),
        ("no message", client.post("{}"), 400),
        ("plain text", good().with("Content-Type", "text/plain"), 415),
        ("no session", good().to("/messages"), 404),
        ("unknown session", good().to("/messages?sessionId=none"), 404),
        ("empty session", good().to("/messages?sessionId="), 404),
        ("other parameters", good().to(&format!("{}&a=b", client.target)), 202),
        (
            "stream for a reader of JSON",
            TestRequest::get("/sse").with("Accept", "application/json"),
            406,
        ),
        ("as it should be", good(), 202),
    ];
    for (name, http_request, status) in cases {
        assert_eq!(http_request.send(server.address).await.status, status, "{name}");
    }
    for _ in 0..2 {
        assert_eq!(client.message().await["result"], json!({}));
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_its_stream_may_not_send_without_end() {
    let server =
        TestServer::with(TestOptions::sessions(|limits| limits.backlog_bytes = 100_000)).await;
    let mut client = SseClient::ready(&server, "2024-11-05").await;
    let text = "x".repeat(100_000);
    let call = |id: usize| {
        let params = json!({"name": "echo", "arguments": {"text": text}});
        request(id, "tools/call", params).to_string()
    };
    // More than the buffers of any socket hold.
    let mut taken = 0;
    let refused = loop {
        assert!(taken < 1000, "a hundred megabytes wait for somebody who does not read");
        let answer = client.post(&call(taken)).send(server.address).await;
        if answer.status != 202 {
            break answer;
        }
        taken += 1;
    };
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    let refused = refused.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(taken), &json!(-31001)));
    // No accepted message is lost, and a client that has read its answers may send again.
    let mut answered: Vec<_> = Vec::new();
    for _ in 0..taken {
        answered.push(client.message().await["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..taken as u64).collect::<Vec<_>>());
    assert_eq!(client.send(&request("after", "ping", json!({}))).await, 202);
    assert_eq!(client.message().await["id"], "after");
}

#[tokio::test]
async fn sessions_of_the_two_transports_do_not_hear_each_other() {
    let server = TestServer::start().await;
    let mut old = SseClient::ready(&server, "2024-11-05").await;
    let new = LegacySession::open(&server, NEWEST_LEGACY).await;
    assert_eq!(said(&new.echo(1, "new").await), "new");
    let params = json!({"name": "echo", "arguments": {"text": "old"}});
    assert_eq!(old.send(&request(1, "tools/call", params)).await, 202);
    assert_eq!(said(&old.message().await), "old");
}

/// A server with a lenient handshake is lenient on both transports.
#[tokio::test]
async fn a_lenient_handshake_leaves_most_of_it_out() {
    let handshake = HandshakeRules::Lenient;
    let server = TestServer::with(TestOptions { handshake, ..TestOptions::default() }).await;
    let client_info = json!({"name": "tester", "version": "1"});
    let hello = request(0, "initialize", json!({"clientInfo": client_info}));
    let nameless = request(1, "initialize", json!({}));
    let echo = request(2, "tools/call", json!({"name": "echo", "arguments": {"text": "here"}}));
    let mut client = SseClient::open(&server).await;
    assert_eq!(client.send(&nameless).await, 202);
    assert_eq!(client.message().await["error"]["code"], -32602);
    assert_eq!(client.send(&hello).await, 202);
    assert_eq!(client.message().await["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(client.send(&echo).await, 202);
    assert_eq!(client.message().await["result"]["content"][0]["text"], "here");

    let refused = TestRequest::post(nameless.to_string()).send(server.address).await;
    assert_eq!(refused.header("mcp-session-id"), None);
    assert_eq!(refused.json().await["error"]["code"], -32602);
    let answer = TestRequest::post(hello.to_string()).send(server.address).await;
    let session = answer.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(answer.json().await["result"]["protocolVersion"], "2024-11-05");
    let echo = TestRequest::post(echo.to_string()).with("Mcp-Session-Id", &session);
    let answer = echo.with("Accept", "application/json").send(server.address).await;
    assert_eq!(answer.json().await["result"]["content"][0]["text"], "here");
}
