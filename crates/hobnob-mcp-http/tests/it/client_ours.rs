//! The client half against the server half, in both eras.

use std::time::Duration;

use hobnob_mcp_engine::Change;
use hobnob_mcp_transport::Carrier as _;
use hobnob_mcp_types::{Method, Revision};
use serde_json::{Value, json};

use crate::client_recorder::{TestClient, assert_line};
use crate::mcp_server::{NEWEST_LEGACY, TestOptions, TestServer, ToolEvent, modern_meta, script};

fn client(server: &TestServer) -> TestClient {
    TestClient::to(&format!("http://{}/mcp", server.address))
}

async fn greeted(server: &TestServer, revision: Revision) -> TestClient {
    let mut client = client(server);
    client.initialize(0, revision.as_str());
    assert_line(&client.received.next().await, "answer 0 ");
    client.initialized(revision);
    client.carrier.greeted(revision);
    client
}

fn modern(mut params: Value) -> Value {
    let mut meta = modern_meta();
    if let Some(token) = params["_meta"].get("progressToken") {
        meta["progressToken"] = token.clone();
    }
    params["_meta"] = meta;
    params
}

fn echo(text: &str) -> Value {
    json!({"name": "echo", "arguments": {"text": text}})
}

#[tokio::test]
async fn every_revision_is_spoken() {
    let server = TestServer::start().await;
    for revision in Revision::ALL {
        let is_modern = revision == Revision::NEWEST;
        let mut client = if is_modern { client(&server) } else { greeted(&server, revision).await };
        for id in 1..=3 {
            let text = format!("said {id}");
            let params = if is_modern { modern(echo(&text)) } else { echo(&text) };
            client.request(id, Method::ToolsCall, &params, Some(revision));
            let answer = client.received.next().await;
            assert_line(&answer, &format!("answer {id} "));
            assert!(answer.contains(&text) && answer.ends_with(&format!("on {id}")), "{answer}");
        }
        assert_eq!(server.sessions().await, u64::from(!is_modern), "{revision}");
        client.carrier.close();
        server.until_sessions(0).await;
        assert_eq!(client.finish().await.rest(), [""; 0], "{revision}");
    }
}

#[tokio::test]
async fn an_error_status_of_the_modern_era_is_an_answer() {
    let server = TestServer::start().await;
    let mut client = client(&server);
    client.request(1, Method::ToolsCall, &modern(json!({"name": "none"})), Some(Revision::NEWEST));
    assert_line(&client.received.next().await, "error 1 -32602 ");
    client.request(2, Method::ToolsList, &json!({}), Some(Revision::NEWEST));
    assert_line(&client.received.next().await, "error 2 -32602 ");
    // The header names another tool than the body.
    let head = hobnob_mcp_transport::RequestHead {
        id: 3.into(),
        method: Method::ToolsCall,
        revision: Some(Revision::NEWEST),
        name: Some("other".into()),
        mirrored: Vec::new(),
    };
    client.send(3.into(), head, &modern(echo("x")));
    assert_line(&client.received.next().await, "error 3 -32020 ");
}

#[tokio::test]
async fn mirrored_parameters_are_what_our_server_expects() {
    let server = TestServer::start().await;
    let mut client = client(&server);
    let arguments = json!({"region": "Zürich", "count": 3, "flag": true});
    let head = hobnob_mcp_transport::RequestHead {
        id: 1.into(),
        method: Method::ToolsCall,
        revision: Some(Revision::NEWEST),
        name: Some("mirror".into()),
        mirrored: vec![
            ("Region".into(), "Zürich".into()),
            ("Count".into(), "3".into()),
            ("Flag".into(), "true".into()),
        ],
    };
    client.send(1.into(), head, &modern(json!({"name": "mirror", "arguments": arguments})));
    let answer = client.received.next().await;
    assert_line(&answer, "answer 1 ");
    assert!(answer.contains("Zürich"), "{answer}");
}

#[tokio::test]
async fn a_forgotten_session_of_our_server_is_known_for_one() {
    let server =
        TestServer::with(TestOptions::sessions(|limits| limits.idle = Duration::ZERO)).await;
    let mut client = client(&server);
    client.initialize(0, NEWEST_LEGACY);
    assert_line(&client.received.next().await, "answer 0 ");
    // The session is idle, so it ends without the client's knowledge.
    server.until_sessions(0).await;
    client.call(1);
    assert_eq!(client.received.next().await, "lost 1 session gone");
}

#[tokio::test]
async fn a_client_follows_a_call_to_its_end_although_the_server_closes_the_stream() {
    let mut server = TestServer::start().await;
    let mut client = greeted(&server, Revision::NEWEST_LEGACY).await;
    let steps = ["log:1", "pause:5", "wait:a", "log:2", "pause:6", "wait:a", "log:3"];
    let revision = Some(Revision::NEWEST_LEGACY);
    client.request(7, Method::ToolsCall, &script("a", &steps, "done"), revision);
    assert_eq!(server.next_event().await, ToolEvent::Began("a".into()));
    assert_eq!(client.received.next().await, "note notifications/message \"1\", on 7");
    server.open_gate("a", 1);
    assert_eq!(client.received.next().await, "note notifications/message \"2\", on 7");
    server.open_gate("a", 1);
    assert_eq!(client.received.next().await, "note notifications/message \"3\", on 7");
    assert_line(&client.received.next().await, "answer 7 ");
    assert_eq!(server.next_event().await, ToolEvent::Ended("a".into()));
    assert_eq!(client.received.rest(), [""; 0]);
}

#[tokio::test]
async fn letting_a_modern_call_go_cancels_it() {
    let mut server = TestServer::start().await;
    let client = client(&server);
    let params = modern(script("a", &["progress", "wait:never"], "done"));
    client.request(7, Method::ToolsCall, &params, Some(Revision::NEWEST));
    assert_eq!(server.next_event().await, ToolEvent::Began("a".into()));
    client.carrier.abandon(&7.into());
    assert_eq!(server.next_event().await, ToolEvent::Dropped("a".into()));
    client.finish().await;
}

#[tokio::test]
async fn changes_come_on_the_standing_stream() {
    let server = TestServer::start().await;
    let mut client = greeted(&server, Revision::NEWEST_LEGACY).await;
    // The answer shows that the handshake is done. Later changes are kept until the stream is open.
    client.request(1, Method::ToolsCall, &echo("x"), Some(Revision::NEWEST_LEGACY));
    assert_line(&client.received.next().await, "answer 1 ");
    for change in [Change::Tools, Change::Prompts] {
        server.publish(&change);
    }
    assert_eq!(client.received.next().await, "note notifications/tools/list_changed, aside");
    assert_eq!(client.received.next().await, "note notifications/prompts/list_changed, aside");
    client.carrier.close();
    server.until_sessions(0).await;
}
