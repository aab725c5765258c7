//! Stream forms that a program can choose: progress without a request for it, and event ids that
//! count through the session, from which a client can resume too.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::HandshakeRules;
use hobnob_mcp_server::{EventIdForm, ProgressRule};
use serde_json::{Value, json};

use crate::client::{Event, TestRequest};
use crate::mcp_server::{LEGACY, LegacySession, TestOptions, TestServer, modern, request};

fn options() -> TestOptions {
    TestOptions {
        progress: ProgressRule::OnStreams,
        event_ids: EventIdForm::Numbered,
        ..TestOptions::default()
    }
}

/// The parameters of a call whose caller sends no token.
fn without_token(steps: &[&str]) -> Value {
    json!({"name": "run_steps", "arguments": {"who": "a", "steps": steps, "answer": "done"}})
}

/// The numbers in the ids of events.
fn numbers(events: &[Event]) -> Vec<u64> {
    let number = |event: &Event| event.id().strip_prefix("evt-").unwrap().parse().unwrap();
    events.iter().map(number).collect()
}

fn messages(events: &[Event]) -> Vec<Value> {
    let with_data = events.iter().filter(|event| event.data.as_deref() != Some(""));
    with_data.map(Event::message).collect()
}

#[tokio::test]
async fn progress_flows_without_a_token_where_a_stream_is_read() {
    let server = TestServer::with(options()).await;
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        let mut tokens = Vec::new();
        for _ in 0..2 {
            let call = session.request(1, "tools/call", without_token(&["progress"]));
            let answer = call.await;
            assert_eq!(answer.header("mcp-session-id"), Some(&*session.id), "{revision}");
            let events = answer.events().rest().await;
            assert!(events.iter().all(|it| it.event.as_deref() == Some("message")), "{events:?}");
            let [first, last] = messages(&events).try_into().unwrap();
            assert_eq!(first["method"], "notifications/progress", "{revision}");
            let token = first["params"]["progressToken"].as_str().unwrap().to_owned();
            assert_eq!(first["params"], json!({"progressToken": token, "progress": 1}));
            assert_eq!(last["result"]["content"][0]["text"], "done");
            tokens.push(token);
        }
        assert!(tokens[0] != tokens[1] && tokens[0].len() >= 16, "{tokens:?}");
        // A client that accepts no streams gets only the result.
        let body = request(2, "tools/call", without_token(&["progress"]));
        let only_json = session.post(&body).with("Accept", "application/json");
        let answer = only_json.send(session.address).await;
        assert_eq!(answer.json().await["result"]["content"][0]["text"], "done", "{revision}");
    }
    let answer = modern(1, "tools/call", without_token(&["progress"])).send(server.address).await;
    assert_eq!(answer.json().await["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn the_session_numbers_events_and_each_is_a_place_to_resume_from() {
    let server = TestServer::with(options()).await;
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        let call = async |steps: &[&str]| {
            let answer = session.request(1, "tools/call", without_token(steps)).await;
            answer.events().rest().await
        };
        let one = call(&["log:1", "log:2"]).await;
        let other = call(&["log:3"]).await;
        let all: Vec<u64> = numbers(&one).into_iter().chain(numbers(&other)).collect();
        let expected: Vec<u64> = (1..=all.len() as u64).collect();
        assert_eq!(all, expected, "{revision}");
        for stream in [&one, &other] {
            let (last, earlier) = stream.split_last().unwrap();
            for (place, event) in earlier.iter().enumerate() {
                let again = session.resume(event.id()).await.events().rest().await;
                assert_eq!(again, stream[place + 1..], "{revision} after {event:?}");
            }
            assert_eq!(session.resume(last.id()).await.status, 204, "{revision}");
        }
        for unknown in ["evt-0", "evt-1000", "evt-", "1-0", "evt-18446744073709551615"] {
            assert_eq!(session.resume(unknown).await.status, 410, "{revision} {unknown}");
        }
    }
}

#[tokio::test]
async fn whoever_has_no_session_is_told_how_far_the_handshake_is() {
    for (handshake, code) in
        [(HandshakeRules::Strict, -32600), (HandshakeRules::KnownRevisions, -32002)]
    {
        let server = TestServer::with(TestOptions { handshake, ..options() }).await;
        let list = request(1, "tools/list", json!({})).to_string();
        let refused = TestRequest::post(list).send(server.address).await;
        assert_eq!(refused.status, 400);
        assert_eq!(refused.json().await["error"]["code"], code, "{handshake:?}");
    }
}
