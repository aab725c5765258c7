//! Server requests to a legacy client: sent on the stream of the call, answered by another POST. A
//! modern client never gets one; the server says what to bring.

use serde_json::{Value, json};

use crate::mcp_server::{LegacySession, NEWEST_LEGACY, TestServer, modern, said};

async fn answer(session: &LegacySession, id: &Value, outcome: (&str, Value)) {
    let mut message = json!({"jsonrpc": "2.0", "id": id});
    message[outcome.0] = outcome.1;
    assert_eq!(session.send(&message).await.status, 202);
}

#[tokio::test]
async fn questions_travel_on_the_stream_of_their_call() {
    let server = TestServer::start().await;
    let sampled =
        json!({"role": "assistant", "content": {"type": "text", "text": "forward"}, "model": "m"});
    let filled = json!({"action": "accept", "content": {"name": "Ada"}});
    let cases = [
        ("2024-11-05", "sample", "sampling/createMessage", sampled.clone(), "forward"),
        ("2025-03-26", "sample", "sampling/createMessage", sampled.clone(), "forward"),
        ("2025-06-18", "elicit", "elicitation/create", filled.clone(), "Ada"),
        ("2025-11-25", "sample", "sampling/createMessage", sampled, "forward"),
        ("2025-11-25", "elicit", "elicitation/create", filled, "Ada"),
    ];
    for (revision, tool, method, result, expected) in cases {
        let session = LegacySession::open(&server, revision).await;
        let mut standing = session.listen().await;
        let mut call = session.request(1, "tools/call", json!({"name": tool})).await.events();
        let question = call.message().await;
        assert_eq!(question["method"], method, "{revision}");
        answer(&session, &question["id"], ("result", result)).await;
        let messages = call.messages().await;
        assert_eq!(messages.len(), 1, "{revision} {tool}: {messages:?}");
        assert!(said(&messages[0]).contains(expected), "{revision} {tool}: {messages:?}");
        // None of it went to the other stream: the next item there is its proper end.
        session.delete().await;
        assert_eq!(standing.next().await, None, "{revision} {tool}");
    }
}

#[tokio::test]
async fn a_client_that_refuses_makes_the_tool_fail() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut call = session.request(1, "tools/call", json!({"name": "sample"})).await.events();
    let question = call.message().await;
    let refusal = json!({"code": -1, "message": "user said no"});
    answer(&session, &question["id"], ("error", refusal)).await;
    let result = &call.message().await["result"];
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("user said no"));
}

#[tokio::test]
async fn only_the_session_that_was_asked_can_answer() {
    let server = TestServer::start().await;
    let asked = LegacySession::open(&server, NEWEST_LEGACY).await;
    let other = LegacySession::open(&server, NEWEST_LEGACY).await;
    let reply = |text: &str| json!({"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"});
    let mut calls = Vec::new();
    for session in [&asked, &other] {
        let mut call = session.request(1, "tools/call", json!({"name": "sample"})).await.events();
        let question = call.message().await;
        calls.push((call, question["id"].clone()));
    }
    // Both requests have the same id.
    assert_eq!(calls[0].1, calls[1].1);
    answer(&other, &calls[1].1, ("result", reply("from the other"))).await;
    // A second answer, and an answer to no request, have no effect.
    answer(&other, &calls[1].1, ("result", reply("again"))).await;
    answer(&asked, &json!(4711), ("result", reply("to nothing"))).await;
    answer(&asked, &calls[0].1, ("result", reply("from the asked"))).await;
    for ((mut call, _), expected) in calls.into_iter().zip(["from the asked", "from the other"]) {
        assert!(said(&call.message().await).contains(expected), "{expected}");
        assert_eq!(call.next().await, None);
    }
}

#[tokio::test]
async fn many_calls_ask_at_once_and_each_gets_its_own_answer() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut calls = Vec::new();
    for id in 0..8 {
        let mut call = session.request(id, "tools/call", json!({"name": "elicit"})).await.events();
        let question = call.message().await;
        calls.push((id, call, question["id"].clone()));
    }
    for (id, _, question) in calls.iter().rev() {
        let filled = json!({"action": "accept", "content": {"name": format!("person {id}")}});
        answer(&session, question, ("result", filled)).await;
    }
    for (id, mut call, _) in calls {
        let result = call.message().await;
        assert_eq!(result["id"], id);
        assert!(said(&result).contains(&format!("person {id}")), "{result}");
    }
}

#[tokio::test]
async fn a_cancelled_call_takes_its_question_back() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut call = session.request(1, "tools/call", json!({"name": "sample"})).await.events();
    let question = call.message().await;
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    assert_eq!(session.send(&cancelled).await.status, 202);
    let rest = call.messages().await;
    // The stream ends without an answer; the server may cancel its own request or not.
    for message in &rest {
        assert_eq!(message["method"], "notifications/cancelled", "{rest:?}");
        assert_eq!(message["params"]["requestId"], question["id"], "{rest:?}");
    }
}

#[tokio::test]
async fn a_modern_client_learns_what_to_bring() {
    let server = TestServer::start().await;
    let meta = json!({"io.modelcontextprotocol/clientCapabilities": {"sampling": {}}});
    let params = json!({"name": "sample", "_meta": meta});
    let asked = modern(1, "tools/call", params.clone()).send(server.address).await.json().await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    assert_eq!(asked["result"]["inputRequests"]["model"]["method"], "sampling/createMessage");
    let mut retry = params;
    retry["inputResponses"] = json!({"model": {
        "role": "assistant", "content": {"type": "text", "text": "forward"}, "model": "m",
    }});
    if let Some(state) = asked["result"].get("requestState") {
        retry["requestState"] = state.clone();
    }
    let answered = modern(2, "tools/call", retry).send(server.address).await.json().await;
    assert!(said(&answered).contains("forward"), "{answered}");
}
