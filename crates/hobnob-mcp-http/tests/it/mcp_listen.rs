//! `subscriptions/listen` over HTTP: acknowledged first, tagged, filtered, and ended properly.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::{Change, Limits};
use serde_json::{Value, json};

use crate::client::{Events, TestRequest, wait_for};
use crate::mcp_server::{TestOptions, TestServer, modern};

const TAG: &str = "io.modelcontextprotocol/subscriptionId";

fn listen(id: impl Into<Value>, filter: Value) -> TestRequest {
    modern(id, "subscriptions/listen", json!({"notifications": filter}))
}

async fn open(server: &TestServer, id: impl Into<Value>, filter: Value) -> (Events, Value) {
    let mut events = listen(id, filter).send(server.address).await.events();
    let first = events.next().await.unwrap().message();
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    (events, first["params"].clone())
}

#[tokio::test]
async fn the_acknowledgement_comes_first_and_everything_is_tagged() {
    let server = TestServer::start().await;
    for id in [json!(7), json!("7"), json!(0), json!(1_800_000_000_123_u64), json!("\u{e9}")] {
        let (mut events, ack) = open(&server, id.clone(), json!({"toolsListChanged": true})).await;
        assert_eq!(ack["_meta"][TAG], id);
        assert_eq!(ack["notifications"], json!({"toolsListChanged": true}));
        server.publish(&Change::Tools);
        let change = events.next().await.unwrap();
        assert_eq!((&change.id, change.retry), (&None, None));
        assert_eq!(change.message()["method"], "notifications/tools/list_changed");
        assert_eq!(change.message()["params"]["_meta"][TAG], id);
    }
}

#[tokio::test]
async fn only_what_was_asked_for_is_sent() {
    let server = TestServer::start().await;
    let changes = [
        (Change::Tools, json!({"toolsListChanged": true})),
        (Change::Prompts, json!({"promptsListChanged": true})),
        (Change::Resources, json!({"resourcesListChanged": true})),
        (Change::Resource("test://one".into()), json!({"resourceSubscriptions": ["test://one"]})),
        (Change::Resource("test://two".into()), json!({"resourceSubscriptions": ["test://two"]})),
    ];
    let mut streams = Vec::new();
    for (place, (_, filter)) in changes.iter().enumerate() {
        let (events, ack) = open(&server, place, filter.clone()).await;
        assert_eq!(ack["notifications"], *filter);
        streams.push(events);
    }
    let everything = json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["test://one", "test://two"],
    });
    let (mut all, _) = open(&server, "all", everything).await;
    let (mut nothing, ack) = open(&server, "nothing", json!({})).await;
    assert_eq!(ack["notifications"], json!({}));
    for (change, _) in &changes {
        server.publish(change);
    }
    let mut messages = Vec::new();
    for events in &mut streams {
        let mut message = events.message().await;
        message["params"].as_object_mut().unwrap().remove("_meta");
        messages.push(message);
    }
    for expected in &messages {
        let mut message = all.message().await;
        message["params"].as_object_mut().unwrap().remove("_meta");
        assert_eq!(message, *expected);
    }
    // The next item that each of them receives is the server's end.
    let (mut serving, _) = server.stop();
    for events in streams.iter_mut().chain([&mut all, &mut nothing]) {
        let rest = events.messages().await;
        assert_eq!(rest.len(), 1, "{rest:?}");
        assert_eq!(rest[0]["result"]["resultType"], "complete", "{rest:?}");
    }
    assert_eq!(serving.join_next().await.unwrap().unwrap().unwrap().cut, 0);
}

#[tokio::test]
async fn the_last_message_is_the_result() {
    let server = TestServer::start().await;
    let mut streams = Vec::new();
    for id in [json!(3), json!("three")] {
        streams.push((open(&server, id.clone(), json!({"toolsListChanged": true})).await.0, id));
    }
    server.publish(&Change::Tools);
    let (mut serving, _) = server.stop();
    for (mut events, id) in streams {
        let rest = events.messages().await;
        assert_eq!(rest.len(), 2, "what was on its way is not lost: {rest:?}");
        assert_eq!((&rest[1]["id"], &rest[1]["result"]["_meta"][TAG]), (&id, &id));
    }
    assert_eq!(serving.join_next().await.unwrap().unwrap().unwrap().cut, 0);
}

#[tokio::test]
async fn a_closed_stream_gives_its_place_back() {
    let limits = Limits { listens: 2, ..Limits::default() };
    let server = TestServer::with(TestOptions { server: limits, ..TestOptions::default() }).await;
    let filter = || json!({"toolsListChanged": true});
    let (first, _) = open(&server, 1, filter()).await;
    let (mut second, _) = open(&server, 2, filter()).await;
    let refused = listen(3, filter()).send(server.address).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")));
    assert_eq!(refused.json().await["id"], 3);
    // Other requests are not affected.
    assert_eq!(modern(4, "tools/list", json!({})).send(server.address).await.status, 200);
    drop(first);
    let mut third = wait_for("a free place", async {
        loop {
            let answer = listen(5, filter()).send(server.address).await;
            if answer.status == 200 {
                break answer.events();
            }
        }
    })
    .await;
    third.message().await;
    server.publish(&Change::Tools);
    for events in [&mut second, &mut third] {
        assert_eq!(events.message().await["method"], "notifications/tools/list_changed");
    }
}

#[tokio::test]
async fn what_cannot_be_listened_to_is_refused() {
    let limits = Limits { subscriptions: 2, ..Limits::default() };
    let server = TestServer::with(TestOptions { server: limits, ..TestOptions::default() }).await;
    let filter = || json!({"toolsListChanged": true});
    let many = json!({"resourceSubscriptions": ["a:1", "a:2", "a:3"]});
    let cases = [
        ("no filter", modern(1, "subscriptions/listen", json!({})), 200, -32602),
        ("no object", modern(1, "subscriptions/listen", json!({"notifications": 7})), 200, -32602),
        ("too many", listen(1, many), 200, -32602),
        ("header apart", listen(1, filter()).with("Mcp-Method", "tools/list"), 400, -32020),
        ("reads no streams", listen(1, filter()).with("Accept", "application/json"), 406, -32600),
    ];
    for (name, request, status, code) in cases {
        let answer = request.send(server.address).await;
        assert_eq!(answer.status, status, "{name}");
        assert_eq!(answer.json().await["error"]["code"], code, "{name}");
    }
    let events = listen(1, filter()).with("Accept", "text/event-stream");
    events.send(server.address).await.events().message().await;
}

#[tokio::test]
async fn a_listener_that_does_not_read_holds_nobody_up() {
    let server = TestServer::start().await;
    let filter = || json!({"toolsListChanged": true, "promptsListChanged": true});
    let (unread, _) = open(&server, "unread", filter()).await;
    let (mut reading, _) = open(&server, "reading", filter()).await;
    for _ in 0..2_000 {
        server.publish(&Change::Tools);
        assert_eq!(reading.message().await["method"], "notifications/tools/list_changed");
    }
    drop(unread);
}
