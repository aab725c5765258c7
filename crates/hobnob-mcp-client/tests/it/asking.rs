//! Servers that ask questions: during a call, outside of any call, and in the modern way.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that fails must fail the test that uses it"
)]

use crate::script::{Opening, Scene, Script, settle};
use crate::support::{Answering, LEGACY, MODERN, able, call, client, obliging, refusal, said};
use hobnob_mcp_client::{CallFailed, DeclineAll, ForwardOptions, Forwarded, Host, RequestError};
use hobnob_mcp_engine::{BoxFuture, Call, Notes, Outcome, Questions};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::{Method, RpcError};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::advance;

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn form() -> Value {
    json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}})
}

fn sampling() -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": "?"}}], "maxTokens": 9})
}

/// The questions with which a call ended.
pub(crate) fn questions(done: Forwarded) -> Questions {
    match done {
        Forwarded::Outcome(Outcome::NeedsInput(questions)) => questions,
        other => panic!("no question: {other:?}"),
    }
}

/// The same call with this answer to all of its questions.
pub(crate) fn answered(call: Call, done: Forwarded, answer: &Value) -> Call {
    let Questions { requests, state, held, .. } = questions(done);
    if let Some(held) = held {
        // As for a modern caller, which comes back with another request.
        held.release();
    }
    let answer = || serde_json::value::to_raw_value(answer).unwrap();
    let round: BTreeMap<Box<str>, Box<RawValue>> =
        requests.0.iter().map(|(key, _)| (key.into(), answer())).collect();
    let mut answers = call.answers.clone();
    answers.end_round(state);
    answers.add(round);
    Call { answers, ..call }
}

/// Each kind of question with its method, its parameters and the host's answer.
fn kinds() -> [(&'static str, Value, Value); 3] {
    [
        ("elicitation/create", form(), json!({"action": "accept", "content": {"name": "Ada"}})),
        (
            "sampling/createMessage",
            sampling(),
            json!({"role": "assistant", "content": {"type": "text", "text": "42"}, "model": "m"}),
        ),
        ("roots/list", json!({}), json!({"roots": [{"uri": "file:///home"}]})),
    ]
}

#[tokio::test(start_paused = true)]
async fn questions_in_a_call_are_answered_and_it_goes_on() {
    for revision in [crate::support::ALL[0], crate::support::ALL[2], LEGACY] {
        let Scene { mut script, remote, .. } =
            Opening::host(Answering(obliging)).open(revision).await;
        let client = client(&remote, Answering(obliging));
        let serve = async {
            let call = script.expect("tools/call").await;
            for (number, (method, params, answer)) in kinds().into_iter().enumerate() {
                script.ask(number, method, params).await;
                let received = script.receive().await;
                assert_eq!(received, json!({"jsonrpc": "2.0", "id": number, "result": answer}));
            }
            script.answer(&call, text("thanks")).await;
        };
        let silent = Notes::silent();
        let (answer, ()) = tokio::join!(client.call_tool_text("asks", None, &silent), serve);
        assert_eq!(said(&answer.unwrap()), "thanks");
        assert_eq!((remote.parked(), remote.in_flight()), (0, 0));
        assert!(script.unread().await.is_empty());
    }
}

/// The server asks all questions at once, one of them without `params`.
#[tokio::test(start_paused = true)]
async fn several_questions_at_once_are_answered_in_turn() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let client = client(&remote, Answering(obliging));
    let serve = async {
        let call = script.expect("tools/call").await;
        script.ask("a", "elicitation/create", form()).await;
        script.send_line(r#"{"jsonrpc":"2.0","id":"b","method":"roots/list"}"#).await;
        script.ask("c", "sampling/createMessage", sampling()).await;
        for id in ["a", "b", "c"] {
            let received = script.receive().await;
            assert_eq!(received["id"], id);
            assert!(received["result"].is_object(), "{received}");
        }
        script.answer(&call, text("thanks")).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("asks", None, &silent), serve);
    assert_eq!(said(&answer.unwrap()), "thanks");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_the_server() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let client = client(&remote, Answering(|_: &InputRequest| Err(refusal())));
    let serve = async {
        let call = script.expect("tools/call").await;
        script.ask(7, "elicitation/create", form()).await;
        let received = script.receive().await;
        assert_eq!(received["id"], 7);
        assert_eq!(received["error"], json!({"code": -1, "message": "the person said no"}));
        script.answer(&call, text("without you, then")).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("asks", None, &silent), serve);
    assert_eq!(said(&answer.unwrap()), "without you, then");
}

/// The call itself stays open meanwhile, and is not made twice.
#[tokio::test(start_paused = true)]
async fn a_call_waits_parked_for_its_answer() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
    let (done, id) =
        tokio::join!(remote.forward(&asking, &forward, &silent), ask_in_call(&mut script));
    assert_eq!((remote.parked(), remote.in_flight()), (1, 1));
    let asking = answered(asking, done.unwrap(), &json!({"roots": []}));
    let serve = async {
        assert_eq!(
            script.receive().await,
            json!({"jsonrpc": "2.0", "id": "q", "result": {"roots": []}})
        );
        script.answer(&id, text("done")).await;
    };
    let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
    assert!(matches!(done, Ok(Forwarded::Outcome(Outcome::Complete(_)))), "{done:?}");
    // The same answer a second time finds no parked call.
    let again = remote.forward(&asking, &forward, &silent).await;
    assert!(matches!(again, Err(RequestError::Rpc(_))), "{again:?}");
    assert!(script.unread().await.is_empty());
}

async fn ask_in_call(script: &mut Script) -> Value {
    let id = script.expect("tools/call").await;
    script.ask("q", "roots/list", json!({})).await;
    id
}

#[tokio::test(start_paused = true)]
async fn a_parked_call_expires() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
    let (done, id) =
        tokio::join!(remote.forward(&asking, &forward, &silent), ask_in_call(&mut script));
    let received = script.receive().await;
    assert_eq!((&received["id"], &received["error"]["code"]), (&json!("q"), &json!(-31002)));
    let received = script.receive().await;
    assert_eq!(received["method"], "notifications/cancelled");
    assert_eq!(received["params"]["requestId"], id);
    script.expect("ping").await;
    assert_eq!((remote.parked(), remote.in_flight()), (0, 0));
    let asking = answered(asking, done.unwrap(), &json!({"roots": []}));
    let late = remote.forward(&asking, &forward, &silent).await;
    assert!(matches!(late, Err(RequestError::Rpc(_))), "{late:?}");
    assert!(script.unread().await.is_empty());
}

/// The call that has waited longest makes room.
#[tokio::test(start_paused = true)]
async fn parked_calls_are_bounded() {
    let mut opening = Opening::host(Answering(obliging));
    opening.options.parked = 2;
    let Scene { mut script, remote, .. } = opening.open(LEGACY).await;
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let mut open = Vec::new();
    for number in 0..3 {
        let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
        let serve = async {
            script.expect("tools/call").await;
            advance(Duration::from_secs(1)).await;
            script.ask(number, "roots/list", json!({})).await;
        };
        let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
        open.push(questions(done.unwrap()));
    }
    assert_eq!((remote.parked(), remote.in_flight()), (2, 2));
    let sent = script.unread().await;
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert_eq!(sent[0]["id"], 0);
    assert_eq!(sent[1]["method"], "notifications/cancelled");
    assert_eq!(sent[2]["method"], "ping");
}

/// The answer is dropped then, and the call goes on.
#[tokio::test(start_paused = true)]
async fn a_server_takes_its_question_back() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
    let (done, id) =
        tokio::join!(remote.forward(&asking, &forward, &silent), ask_in_call(&mut script));
    script.notify("notifications/cancelled", json!({"requestId": "q"})).await;
    script.answer(&id, text("never mind")).await;
    settle().await;
    let asking = answered(asking, done.unwrap(), &json!({"roots": []}));
    let done = remote.forward(&asking, &forward, &silent).await;
    assert!(matches!(done, Ok(Forwarded::Outcome(Outcome::Complete(_)))), "{done:?}");
    assert!(script.unread().await.is_empty());
}

/// On a pipe nothing ties a question to a call. A question that comes just before the answer of the
/// call it was routed to is answered all the same.
#[tokio::test(start_paused = true)]
async fn a_question_is_not_lost_with_the_call_it_was_given_to() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let one = client(&remote, Answering(obliging));
    let two = one.clone();
    let serve = async {
        let (first, second) =
            (script.expect("tools/call").await, script.expect("tools/call").await);
        // All three lines arrive in one read.
        let asked = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
        let answer = json!({"jsonrpc": "2.0", "id": second, "result": text("second")});
        script.send_line(format!("{asked}\n{answer}")).await;
        let received = script.receive().await;
        assert_eq!(received["id"], "q", "{received}");
        assert!(received["result"].is_object());
        script.answer(&first, text("first")).await;
    };
    let silent = Notes::silent();
    let (first, second, ()) = tokio::join!(
        one.call_tool_text("asks", None, &silent),
        two.call_tool_text("quick", None, &silent),
        serve
    );
    assert_eq!(said(&first.unwrap()), "first");
    assert_eq!(said(&second.unwrap()), "second");
}

#[tokio::test(start_paused = true)]
async fn a_question_outside_of_any_call_is_the_hosts() {
    for (method, params, answer) in kinds() {
        let opening = Opening::host(Answering(obliging));
        let Scene { mut script, remote: _remote, .. } = opening.open(LEGACY).await;
        script.ask("out", method, params).await;
        assert_eq!(
            script.receive().await,
            json!({"jsonrpc": "2.0", "id": "out", "result": answer})
        );
    }
    let Scene { mut script, remote: _remote, .. } = Opening::host(DeclineAll).open(LEGACY).await;
    for (method, params, code) in [
        ("roots/list", json!({}), -32601),
        ("no/such", json!({}), -32601),
        ("tools/list", json!({}), -32601),
        ("elicitation/create", json!({"requestedSchema": 5}), -32602),
    ] {
        script.ask("out", method, params).await;
        let received = script.receive().await;
        assert_eq!(
            (&received["id"], &received["error"]["code"]),
            (&json!("out"), &json!(code)),
            "{method}"
        );
    }
}

/// A host that never answers, and reports when its answer is no longer wanted.
struct Thinking(mpsc::Sender<&'static str>);

struct Thought<'a>(&'a Thinking);

impl Drop for Thought<'_> {
    fn drop(&mut self) {
        let _no_receiver = self.0.0.try_send("dropped");
    }
}

impl Host for Thinking {
    fn capabilities(&self) -> ClientCapabilities {
        able()
    }

    fn answer<'a>(&'a self, _: &'a InputRequest) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let _no_receiver = self.0.try_send("asked");
        let thought = Thought(self);
        Box::pin(async move {
            let _thought = thought;
            std::future::pending().await
        })
    }
}

/// The person need not answer a question that the server has withdrawn.
#[tokio::test(start_paused = true)]
async fn a_host_stops_when_a_question_is_taken_back() {
    for by_the_end in [false, true] {
        let (sender, mut sent) = mpsc::channel(8);
        let Scene { mut script, remote, .. } = Opening::host(Thinking(sender)).open(LEGACY).await;
        script.ask("q", "roots/list", json!({})).await;
        assert_eq!(sent.recv().await, Some("asked"));
        if by_the_end {
            script.end();
        } else {
            script.notify("notifications/cancelled", json!({"requestId": "q"})).await;
        }
        settle().await;
        assert_eq!(sent.try_recv(), Ok("dropped"));
        assert!(script.unread().await.is_empty());
        drop(remote);
    }
}

/// While a person thinks, the caller can still abandon the call.
#[tokio::test(start_paused = true)]
async fn a_call_is_given_up_while_its_host_thinks() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let (sender, mut sent) = mpsc::channel(8);
    let client = client(&remote, Thinking(sender));
    let silent = Notes::silent();
    let serve = async {
        let id = ask_in_call(&mut script).await;
        assert_eq!(sent.recv().await, Some("asked"));
        id
    };
    let id = tokio::select! {
        answer = client.call_tool_text("asks", None, &silent) => panic!("{answer:?}"),
        id = serve => id,
    };
    assert_eq!(sent.try_recv(), Ok("dropped"));
    assert_eq!((remote.parked(), remote.in_flight()), (0, 0));
    let sent = script.unread().await;
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert_eq!((&sent[0]["id"], sent[0]["error"].is_object()), (&json!("q"), true));
    assert_eq!(sent[1]["params"]["requestId"], id);
    assert_eq!(sent[2]["method"], "ping");
}

/// A modern server may hold a call open for its next round, so it learns that there is none.
#[tokio::test(start_paused = true)]
async fn a_round_that_is_given_up_while_its_host_thinks_has_answers_all_the_same() {
    for state in [Some("s1"), None] {
        let Scene { mut script, remote, .. } =
            Opening::host(Answering(obliging)).open(MODERN).await;
        let (sender, mut sent) = mpsc::channel(8);
        let client = client(&remote, Thinking(sender));
        let silent = Notes::silent();
        let serve = async {
            let id = script.expect("tools/call").await;
            let requests = json!({"who": {"method": "elicitation/create", "params": form()}});
            let mut round = json!({"resultType": "input_required", "inputRequests": requests});
            if let Some(state) = state {
                round["requestState"] = state.into();
            }
            script.answer(&id, round).await;
            assert_eq!(sent.recv().await, Some("asked"));
        };
        tokio::select! {
            answer = client.call_tool_text("asks", None, &silent) => panic!("{answer:?}"),
            () = serve => {}
        }
        let sent = script.unread().await;
        let calls: Vec<_> = sent.iter().filter(|it| it["method"] == "tools/call").collect();
        // Without a state there is nothing that could wait.
        assert_eq!(calls.len(), usize::from(state.is_some()), "{sent:?}");
        if let Some(call) = calls.first() {
            assert_eq!(call["params"]["requestState"], "s1");
            let answers = json!({"who": {"action": "cancel"}});
            assert_eq!(call["params"]["inputResponses"], answers);
        }
    }
}

/// A server may ask a model in a loop; all of it belongs to one call.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_may_ask_often() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let client = client(&remote, Answering(obliging));
    let serve = async {
        let call = script.expect("tools/call").await;
        for number in 0..40 {
            script.ask(number, "sampling/createMessage", sampling()).await;
            assert_eq!(script.receive().await["id"], number);
        }
        script.answer(&call, text("thanks")).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("asks", None, &silent), serve);
    assert_eq!(said(&answer.unwrap()), "thanks");
}

/// 2025-11-25: pages have to be visited first; then the call is made again.
#[tokio::test(start_paused = true)]
async fn pages_are_visited_before_the_call_runs() {
    let pages = json!({"elicitations": [
        {"mode": "url", "message": "Sign in", "url": "https://a.example/1", "elicitationId": "1"},
        {"mode": "url", "message": "Pay", "url": "https://a.example/2", "elicitationId": "2"},
    ]});
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let visited = std::sync::Arc::new(Mutex::new(Vec::new()));
    let seen = std::sync::Arc::clone(&visited);
    let host = Answering(move |question: &InputRequest| {
        if let InputRequest::Elicit(params) = question
            && let ElicitParams::Url(page) = &**params
        {
            seen.lock().push(page.url.clone());
        }
        Ok(json!({"action": "accept"}))
    });
    let first = client(&remote, host);
    let silent = Notes::silent();
    let serve = async {
        let one = script.receive().await;
        script.refuse(&one["id"], -32042, pages.clone()).await;
        // Consent is not a visit: the call waits until both visits are over.
        script.notify("notifications/elicitation/complete", json!({"elicitationId": "2"})).await;
        assert!(script.unread().await.is_empty());
        script.notify("notifications/elicitation/complete", json!({"elicitationId": "1"})).await;
        let two = script.receive().await;
        assert_eq!(two["params"]["arguments"], one["params"]["arguments"], "the very same call");
        script.answer(&two["id"], text("paid")).await;
    };
    let (answer, ()) =
        tokio::join!(first.call_tool_text("buy", Some(r#"{"n":1}"#), &silent), serve);
    assert_eq!(said(&answer.unwrap()), "paid");
    assert_eq!(*visited.lock(), ["https://a.example/1", "https://a.example/2"]);

    // A caller that does not visit the pages cannot go on, and the server gets no second request.
    let (declined, nobody_there) =
        (json!({"action": "decline"}), RpcError::invalid_request("nobody"));
    for answer in [Ok(declined), Err(nobody_there)] {
        let host = client(&remote, Answering(move |_: &InputRequest| answer.clone()));
        let serve = async {
            let id = script.expect("tools/call").await;
            script.refuse(&id, -32042, pages.clone()).await;
        };
        let (answer, ()) = tokio::join!(host.call_tool_text("buy", None, &silent), serve);
        assert!(answer.is_err());
        assert!(script.unread().await.is_empty());
    }
}

/// The modern way: the call ends with questions and is made again with the answers, and with the
/// server's own state of the last round.
#[tokio::test(start_paused = true)]
async fn rounds_of_questions() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(MODERN).await;
    let client = client(&remote, Answering(obliging));
    let serve = async {
        let asked = script.receive().await;
        assert!(asked["params"].get("inputResponses").is_none());
        let requests = json!({
            "who": {"method": "elicitation/create", "params": form()},
            "where": {"method": "roots/list"},
        });
        let round = json!({"resultType": "input_required", "inputRequests": requests, "requestState": "s1"});
        script.answer(&asked["id"], round).await;
        let asked = script.receive().await;
        assert_eq!(asked["params"]["requestState"], "s1");
        assert_eq!(asked["params"]["name"], "asks");
        let given = json!({"who": kinds()[0].2, "where": kinds()[2].2});
        assert_eq!(asked["params"]["inputResponses"], given);
        // Only a state: the host gets no question, and the server no second answer.
        script
            .answer(&asked["id"], json!({"resultType": "input_required", "requestState": "s2"}))
            .await;
        let asked = script.receive().await;
        assert_eq!(asked["params"]["requestState"], "s2");
        assert!(asked["params"].get("inputResponses").is_none());
        // Questions without a state.
        let requests = json!({"what": {"method": "sampling/createMessage", "params": sampling()}});
        script
            .answer(
                &asked["id"],
                json!({"resultType": "input_required", "inputRequests": requests}),
            )
            .await;
        let asked = script.receive().await;
        assert!(asked["params"].get("requestState").is_none());
        assert_eq!(asked["params"]["inputResponses"], json!({"what": kinds()[1].2}));
        script.answer(&asked["id"], json!({"resultType": "complete", "content": []})).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("asks", None, &silent), serve);
    assert!(answer.unwrap().content.is_empty());
}

#[tokio::test(start_paused = true)]
async fn rounds_end() {
    let state = json!({"resultType": "input_required", "requestState": "again"});
    let requests = json!({"a": {"method": "roots/list"}});
    let question = json!({"resultType": "input_required", "inputRequests": requests});
    let unknown = json!({"resultType": "a type of tomorrow"});
    let empty = json!({"resultType": "input_required"});
    for (round, most) in [(state, 10), (question, 10), (unknown, 1), (empty, 1)] {
        let Scene { mut script, remote, .. } =
            Opening::host(Answering(obliging)).open(MODERN).await;
        let client = client(&remote, Answering(obliging));
        let mut count = 0;
        let serve = async {
            loop {
                let id = script.expect("tools/call").await;
                count += 1;
                script.answer(&id, round.clone()).await;
            }
        };
        let silent = Notes::silent();
        let answer = tokio::select! {
            answer = client.call_tool_text("asks", None, &silent) => answer,
            () = serve => unreachable!("it never ends"),
        };
        let failed = matches!(
            answer,
            Err(CallFailed::Endless | CallFailed::NoAnswer(RequestError::Unreadable(_)))
        );
        assert!(failed, "{answer:?}");
        assert_eq!(count, most, "{round}");
    }
}

/// A task is followed to its end; its questions are answered on the way.
#[tokio::test(start_paused = true)]
async fn a_modern_task_is_followed() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(MODERN).await;
    let client = client(&remote, Answering(obliging));
    let task = |status: &str, more: Value| {
        let mut task = json!({"resultType": "complete", "taskId": "t", "status": status,
            "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
            "ttlMs": null, "pollIntervalMs": 50});
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };
    let serve = async {
        let id = script.expect("tools/call").await;
        script.answer(&id, task("working", json!({"resultType": "task"}))).await;
        let id = script.expect("tasks/get").await;
        script.answer(&id, task("working", json!({}))).await;
        let id = script.expect("tasks/get").await;
        let asks = json!({"inputRequests": {"a": {"method": "roots/list"}}});
        script.answer(&id, task("input_required", asks.clone())).await;
        let update = script.receive().await;
        assert_eq!(update["method"], "tasks/update");
        assert_eq!(update["params"]["taskId"], "t");
        assert_eq!(update["params"]["inputResponses"], json!({"a": kinds()[2].2}));
        script.answer(&update["id"], json!({"resultType": "complete"})).await;
        // The server still lists an answered question: the host does not get it twice.
        let id = script.expect("tasks/get").await;
        script.answer(&id, task("input_required", asks)).await;
        let id = script.expect("tasks/get").await;
        script.answer(&id, task("completed", json!({"result": text("built")}))).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("build", None, &silent), serve);
    assert_eq!(said(&answer.unwrap()), "built");
    assert!(script.unread().await.is_empty());

    // Dropping the call cancels the task on the server.
    let serve = async {
        let id = script.expect("tools/call").await;
        script.answer(&id, task("working", json!({"resultType": "task"}))).await;
        script.expect("tasks/get").await;
    };
    tokio::select! {
        answer = client.call_tool_text("build", None, &silent) => panic!("{answer:?}"),
        () = serve => {}
    }
    let sent: Vec<_> = script.unread().await;
    let methods: Vec<_> = sent.iter().map(|message| message["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["notifications/cancelled", "tasks/cancel"]);
    assert_eq!(sent[1]["params"]["taskId"], "t");
}
