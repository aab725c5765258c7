//! HTTP+SSE, the transport of the first revision: one stream down, posts up.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::Change;
use serde_json::{Value, json};

use crate::client::{Ask, Events};
use crate::stage::{
    Legacy, NEWEST_LEGACY, Setting, Stage, Told, initialize, notification, request, said, script,
};

/// A client that is connected.
struct Connection {
    stage_address: std::net::SocketAddr,
    events: Events,
    target: String,
}

impl Connection {
    async fn open(stage: &Stage) -> Self {
        let mut events = Ask::get("/sse").send(stage.address).await.events();
        let first = events.next().await.unwrap();
        assert_eq!(first.event.as_deref(), Some("endpoint"));
        Self { stage_address: stage.address, events, target: first.data.unwrap() }
    }

    async fn ready(stage: &Stage, revision: &str) -> Self {
        let mut connection = Self::open(stage).await;
        let able = json!({"sampling": {}});
        assert_eq!(connection.send(&initialize(revision, &able)).await, 202);
        let hello = connection.message().await;
        assert_eq!(hello["result"]["protocolVersion"], revision);
        let ready = notification("notifications/initialized", json!({}));
        assert_eq!(connection.send(&ready).await, 202);
        connection
    }

    fn post(&self, body: &str) -> Ask {
        Ask::post(body).to(&self.target)
    }

    async fn send(&self, body: &Value) -> u16 {
        let answer = self.post(&body.to_string()).send(self.stage_address).await;
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
    let stage = Stage::start().await;
    let first = Connection::open(&stage).await;
    let second = Connection::open(&stage).await;
    assert_ne!(first.target, second.target);
    assert!(first.target.starts_with("/messages?sessionId="), "{}", first.target);
    assert_eq!(stage.sessions().await, 2);
}

#[tokio::test]
async fn answers_notes_and_questions_travel_on_the_stream() {
    let stage = Stage::start().await;
    for revision in ["2024-11-05", "2025-03-26", NEWEST_LEGACY] {
        let mut connection = Connection::ready(&stage, revision).await;
        let steps = ["progress", "pause:5", "log:x"];
        let calls = [
            request(1, "tools/list", json!({})),
            request("two", "tools/call", script("a", &steps, "done")),
            request(3, "made/up", json!({})),
            request(4, "tools/call", json!({"name": "sample"})),
        ];
        for call in calls {
            assert_eq!(connection.send(&call).await, 202);
        }
        let mut answers = std::collections::BTreeMap::new();
        let mut notes = 0;
        while answers.len() < 4 {
            let message = connection.message().await;
            if message.get("method").is_none() {
                answers.insert(message["id"].to_string(), message);
            } else if message["method"] == "sampling/createMessage" {
                let content = json!({"type": "text", "text": "forward"});
                let result = json!({"role": "assistant", "content": content, "model": "m"});
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
                assert_eq!(connection.send(&answer).await, 202);
            } else {
                notes += 1;
            }
        }
        assert_eq!(notes, 2, "{revision}");
        assert!(answers["1"]["result"]["tools"].is_array());
        assert_eq!(said(&answers["\"two\""]), "done");
        assert_eq!(answers["3"]["error"]["code"], -32601);
        assert!(said(&answers["4"]).contains("forward"));
        stage.publish(&Change::Tools);
        assert_eq!(connection.message().await["method"], "notifications/tools/list_changed");
    }
}

#[tokio::test]
async fn a_cancelled_call_leaves_the_stream_open() {
    let mut stage = Stage::start().await;
    let mut connection = Connection::ready(&stage, "2024-11-05").await;
    let call = request(1, "tools/call", script("a", &["wait:never"], ""));
    assert_eq!(connection.send(&call).await, 202);
    assert_eq!(stage.told().await, Told::Began("a".into()));
    let cancel = notification("notifications/cancelled", json!({"requestId": 1}));
    assert_eq!(connection.send(&cancel).await, 202);
    assert_eq!(stage.told().await, Told::Dropped("a".into()));
    assert_eq!(connection.send(&request(2, "ping", json!({}))).await, 202);
    assert_eq!(connection.message().await, json!({"jsonrpc": "2.0", "id": 2, "result": {}}));
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_session() {
    let mut stage = Stage::start().await;
    let connection = Connection::ready(&stage, "2024-11-05").await;
    let call = request(1, "tools/call", script("a", &["wait:never"], ""));
    assert_eq!(connection.send(&call).await, 202);
    assert_eq!(stage.told().await, Told::Began("a".into()));
    let post = connection.post(&request(2, "ping", json!({})).to_string());
    drop(connection);
    assert_eq!(stage.told().await, Told::Dropped("a".into()));
    stage.until_sessions(0).await;
    assert_eq!(post.send(stage.address).await.status, 404);
}

#[tokio::test]
async fn each_fault_has_its_status() {
    let stage = Stage::start().await;
    let mut connection = Connection::ready(&stage, "2024-11-05").await;
    let ping = request(1, "ping", json!({})).to_string();
    let good = || connection.post(&ping);
    let cases = [
        ("no JSON", connection.post("{"), 400),
        ("no message", connection.post("{}"), 400),
        ("plain text", good().with("Content-Type", "text/plain"), 415),
        ("no session", good().to("/messages"), 404),
        ("unknown session", good().to("/messages?sessionId=none"), 404),
        ("empty session", good().to("/messages?sessionId="), 404),
        ("other parameters", good().to(&format!("{}&a=b", connection.target)), 202),
        ("stream for a reader of JSON", Ask::get("/sse").with("Accept", "application/json"), 406),
        ("as it should be", good(), 202),
    ];
    for (name, ask, status) in cases {
        assert_eq!(ask.send(stage.address).await.status, status, "{name}");
    }
    for _ in 0..2 {
        assert_eq!(connection.message().await["result"], json!({}));
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_its_stream_may_not_send_without_end() {
    let stage = Stage::with(Setting::sessions(|limits| limits.backlog_bytes = 100_000)).await;
    let mut connection = Connection::ready(&stage, "2024-11-05").await;
    let text = "x".repeat(100_000);
    let call = |id: usize| {
        let params = json!({"name": "echo", "arguments": {"text": text}});
        request(id, "tools/call", params).to_string()
    };
    // More than the buffers of any socket hold.
    let mut taken = 0;
    let refused = loop {
        assert!(taken < 1000, "a hundred megabytes wait for somebody who does not read");
        let answer = connection.post(&call(taken)).send(stage.address).await;
        if answer.status != 202 {
            break answer;
        }
        taken += 1;
    };
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    let refused = refused.json().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(taken), &json!(-31001)));
    // Nothing that was taken is lost, and who has read may send again.
    let mut answered: Vec<_> = Vec::new();
    for _ in 0..taken {
        answered.push(connection.message().await["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..taken as u64).collect::<Vec<_>>());
    assert_eq!(connection.send(&request("after", "ping", json!({}))).await, 202);
    assert_eq!(connection.message().await["id"], "after");
}

#[tokio::test]
async fn sessions_of_the_two_transports_do_not_hear_each_other() {
    let stage = Stage::start().await;
    let mut old = Connection::ready(&stage, "2024-11-05").await;
    let new = Legacy::open(&stage, NEWEST_LEGACY).await;
    assert_eq!(said(&new.echo(1, "new").await), "new");
    let params = json!({"name": "echo", "arguments": {"text": "old"}});
    assert_eq!(old.send(&request(1, "tools/call", params)).await, 202);
    assert_eq!(said(&old.message().await), "old");
}
