//! On a pipe nothing ties a question or a message to a call: which caller gets it.
#![expect(clippy::expect_used, reason = "a helper that fails must fail the test that uses it")]

use crate::asking::questions;
use crate::script::{Opening, Scene, next_event, settle};
use crate::support::{Answering, LEGACY, MODERN, Noting, able, call, client, obliging, said};
use hobnob_mcp_client::{ForwardOptions, Forwarded, Host, RequestError};
use hobnob_mcp_engine::{BoxFuture, Call, CallError, ClientId, Notes, Outcome};
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::{Method, Revision, RpcError};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{advance, timeout};

/// Two clients that have the same name.
fn clients() -> [ClientId; 2] {
    [ClientId::next(), ClientId::next()]
}

/// A call of this client, with these capabilities.
fn call_of(client: ClientId, able: &Value) -> Call {
    let mut call = call(Method::ToolsCall, r#"{"name":"asks"}"#);
    call.caller.client = Some(Arc::new(Implementation::new("same-name", "1")));
    call.caller.client_id = client;
    call.caller.capabilities =
        Arc::new(serde_json::from_value(able.clone()).expect("capabilities"));
    call
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn opening() -> Opening {
    Opening::host(Answering(obliging))
}

/// Two calls, the older one of the first client, and a question that names neither.
#[tokio::test(start_paused = true)]
async fn the_newest_caller_that_can_answer_is_asked() {
    let roots = json!({"roots": {}});
    let nothing = json!({});
    let [a, b] = clients();
    let cases = [
        // The clients, their capabilities, and which one is asked: the first, the second, or none.
        ((a, &roots), (a, &roots), Some(1)),
        ((a, &roots), (b, &roots), None),
        ((a, &roots), (b, &nothing), Some(0)),
        ((a, &nothing), (b, &roots), Some(1)),
        ((a, &nothing), (b, &nothing), Some(1)),
    ];
    for ((first, can), (second, could), asked) in cases {
        let Scene { mut script, remote, .. } = opening().open(LEGACY).await;
        let calls = [call_of(first, can), call_of(second, could)];
        let (forward, silent) = (ForwardOptions::default(), Notes::silent());
        let mut one = Box::pin(remote.forward(&calls[0], &forward, &silent));
        let mut two = Box::pin(remote.forward(&calls[1], &forward, &silent));
        let sent = async {
            script.expect("tools/call").await;
            script.expect("tools/call").await;
            script.ask("q", "roots/list", json!({})).await;
            timeout(Duration::from_secs(1), script.receive()).await.ok()
        };
        let put = async {
            tokio::select! {
                biased;
                done = &mut one => (0, questions(done.expect("a question"))),
                done = &mut two => (1, questions(done.expect("a question"))),
            }
        };
        let (put, sent) = tokio::join!(timeout(Duration::from_secs(2), put), sent);
        assert_eq!(put.as_ref().ok().map(|(who, _)| *who), asked, "{first:?} {second:?}");
        match asked {
            Some(_) => assert_eq!(sent, None),
            None => {
                let sent = sent.expect("a refusal");
                assert_eq!((&sent["id"], &sent["error"]["code"]), (&json!("q"), &json!(-32600)));
            }
        }
    }
}

/// A server may go on with an abandoned call and ask; another client must not get the question.
#[tokio::test(start_paused = true)]
async fn a_question_of_a_call_that_was_given_up_is_put_to_nobody_else() {
    let roots = json!({"roots": {}});
    let [a, b] = clients();
    // Which client abandons a call, how the call ends, and whether the other call is asked.
    for (gone, ends, asked) in
        [(a, "", true), (b, "", false), (b, "late", true), (b, "read", true), (b, "old", true)]
    {
        let Scene { mut script, remote, .. } = opening().open(LEGACY).await;
        let calls = [call_of(gone, &roots), call_of(a, &roots)];
        let (forward, silent) = (ForwardOptions::default(), Notes::silent());
        let given_up = {
            let one = Box::pin(remote.forward(&calls[0], &forward, &silent));
            let sent = script.expect("tools/call");
            match futures_util::future::select(one, Box::pin(sent)).await {
                futures_util::future::Either::Right((id, _)) => id,
                futures_util::future::Either::Left(_) => panic!("no answer yet"),
            }
        };
        script.expect("notifications/cancelled").await;
        let ping = script.expect("ping").await;
        match ends {
            "late" => script.answer(&given_up, text("late")).await,
            "read" => script.answer(&ping, json!({})).await,
            "old" => advance(Duration::from_secs(31)).await,
            _ => {}
        }
        settle().await;
        let serve = async {
            let id = script.expect("tools/call").await;
            script.ask("q", "roots/list", json!({})).await;
            if !asked {
                let sent = script.receive().await;
                assert_eq!((&sent["id"], &sent["error"]["code"]), (&json!("q"), &json!(-32600)));
                script.answer(&id, text("unasked")).await;
            }
        };
        let (done, ()) = tokio::join!(remote.forward(&calls[1], &forward, &silent), serve);
        let was_asked = matches!(done, Ok(Forwarded::Outcome(Outcome::NeedsInput(_))));
        assert_eq!(was_asked, asked, "{gone:?} {ends}: {done:?}");
    }
}

/// A log message that names no call goes to no caller if there are several clients.
#[tokio::test(start_paused = true)]
async fn a_log_message_goes_to_no_other_client() {
    let nothing = json!({});
    let [a, b] = clients();
    for (second, to_call) in [(a, true), (b, false)] {
        let Scene { mut script, remote, mut events, .. } = opening().open(LEGACY).await;
        let calls = [call_of(a, &nothing), call_of(second, &nothing)];
        let forward = ForwardOptions::default();
        let ((old, mut old_noted), (new, mut new_noted)) = (Noting::notes(), Noting::notes());
        let serve = async {
            let (one, two) = (script.expect("tools/call").await, script.expect("tools/call").await);
            let message = json!({"level": "warning", "data": "secret"});
            script.notify("notifications/message", message).await;
            script.answer(&one, text("one")).await;
            script.answer(&two, text("two")).await;
        };
        let (one, two, ()) = tokio::join!(
            remote.forward(&calls[0], &forward, &old),
            remote.forward(&calls[1], &forward, &new),
            serve
        );
        assert!(one.is_ok() && two.is_ok());
        assert!(old_noted.try_recv().is_err());
        assert_eq!(new_noted.try_recv().is_ok(), to_call);
        if !to_call {
            assert_eq!(next_event(&mut events).await, r#"log "secret""#);
        }
    }
}

/// A host that knows the answer itself.
struct Rooted;

impl Host for Rooted {
    fn capabilities(&self) -> ClientCapabilities {
        able()
    }

    fn knows(&self, question: &InputRequest) -> bool {
        matches!(question, InputRequest::ListRoots(_))
    }

    fn answer<'a>(&'a self, _: &'a InputRequest) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let roots = RawValue::from_string(r#"{"roots":[{"uri":"file:///ours"}]}"#.into());
        Box::pin(async move { roots.map_err(|_| RpcError::internal()) })
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_host_knows_no_caller_is_asked() {
    let Scene { mut script, remote, .. } = Opening::host(Rooted).open(LEGACY).await;
    let asking = call_of(ClientId::next(), &json!({"roots": {}}));
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let serve = async {
        let id = script.expect("tools/call").await;
        script.ask("q", "roots/list", json!({})).await;
        assert_eq!(script.receive().await["result"], json!({"roots": [{"uri": "file:///ours"}]}));
        script.answer(&id, text("done")).await;
    };
    let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
    assert!(matches!(done, Ok(Forwarded::Outcome(Outcome::Complete(_)))), "{done:?}");
}

/// A parked call whose caller is gone ends at once, not only at its time limit.
#[tokio::test(start_paused = true)]
async fn a_parked_call_ends_with_its_hold() {
    let Scene { mut script, remote, .. } = opening().open(LEGACY).await;
    let asking = call_of(ClientId::next(), &json!({"roots": {}}));
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let serve = async {
        let id = script.expect("tools/call").await;
        script.ask("q", "roots/list", json!({})).await;
        id
    };
    let (done, id) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
    assert_eq!(remote.parked(), 1);
    drop(done);
    assert_eq!((remote.parked(), remote.in_flight()), (0, 0));
    let sent = script.unread().await;
    assert_eq!(sent[0]["id"], "q");
    assert_eq!(sent[1]["params"]["requestId"], id);
}

/// If the server withdraws its question, or goes on without an answer, the host stops too.
#[tokio::test(start_paused = true)]
async fn a_question_that_needs_no_answer_is_withdrawn() {
    for cancels in [true, false] {
        let Scene { mut script, remote, .. } = opening().open(LEGACY).await;
        let thinking = client(&remote, Thinking);
        let serve = async {
            let id = script.expect("tools/call").await;
            script.ask("q", "roots/list", json!({})).await;
            settle().await;
            if cancels {
                script.notify("notifications/cancelled", json!({"requestId": "q"})).await;
                settle().await;
            }
            script.answer(&id, text("never mind")).await;
        };
        let silent = Notes::silent();
        let work = async { tokio::join!(thinking.call_tool_text("asks", None, &silent), serve) };
        let (answer, ()) = timeout(Duration::from_secs(1), work).await.expect("no need to wait");
        assert_eq!(said(&answer.expect("an answer")), "never mind");
        assert_eq!((remote.parked(), remote.in_flight()), (0, 0));
    }
}

/// A host that never answers.
struct Thinking;

impl Host for Thinking {
    fn capabilities(&self) -> ClientCapabilities {
        able()
    }

    fn answer<'a>(&'a self, _: &'a InputRequest) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(std::future::pending())
    }
}

/// 2025-11-25: pages that must be visited first. A caller that knows the error gets it; a caller
/// that can do nothing reads where to go.
#[tokio::test(start_paused = true)]
async fn pages_by_caller() {
    let page = json!({"mode": "url", "message": "Pay", "url": "https://a.example/1",
        "elicitationId": "1"});
    let url = json!({"elicitation": {"url": {}}});
    for (revision, can, wanted) in [
        (Revision::V2025_11_25, &url, "error"),
        (Revision::V2025_06_18, &url, "explained"),
        (Revision::V2025_11_25, &json!({}), "explained"),
        (MODERN, &json!({}), "explained"),
        (MODERN, &url, "asked"),
    ] {
        let Scene { mut script, remote, mut events, .. } = opening().open(LEGACY).await;
        let mut buying = call_of(ClientId::next(), can);
        buying.caller.revision = revision;
        let serve = async {
            let id = script.expect("tools/call").await;
            script.refuse(&id, -32042, json!({"elicitations": [page]})).await;
        };
        let (forward, silent) = (ForwardOptions::default(), Notes::silent());
        let (done, ()) = tokio::join!(remote.forward(&buying, &forward, &silent), serve);
        match done {
            Err(RequestError::Rpc(error)) => {
                assert_eq!((wanted, error.code.0), ("error", -32042));
                assert!(error.data.expect("data").get().contains("elicitationId"));
            }
            Ok(Forwarded::Outcome(Outcome::Complete(answer))) => {
                assert_eq!(wanted, "explained");
                assert!(answer.body.contains("https://a.example/1"), "{}", answer.body);
                assert!(answer.body.contains(r#""isError":true"#), "{}", answer.body);
            }
            Ok(Forwarded::Outcome(Outcome::NeedsInput(_))) => assert_eq!(wanted, "asked"),
            other => panic!("{other:?}"),
        }
        script.notify("notifications/elicitation/complete", json!({"elicitationId": "1"})).await;
        assert_eq!(next_event(&mut events).await, "elicited 1");
    }
}

/// If a server forgets its task's time to live, our deadline ends the task; until then its progress
/// arrives.
#[tokio::test(start_paused = true)]
async fn a_modern_task_ends_and_sends_progress() {
    let Scene { mut script, remote, .. } = opening().open(MODERN).await;
    let calling = call(Method::ToolsCall, r#"{"name":"slow"}"#);
    let (notes, mut noted) = Noting::notes();
    let begin = async {
        let id = script.expect("tools/call").await;
        let task = json!({"resultType": "task", "taskId": "t", "status": "working",
            "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z",
            "ttlMs": null, "pollIntervalMs": 10_000});
        script.answer(&id, task.clone()).await;
        (id, task)
    };
    let forward = ForwardOptions::default();
    let (done, (token, task)) = tokio::join!(remote.forward(&calling, &forward, &notes), begin);
    let Ok(Forwarded::Task(followed)) = done else { panic!("no task: {done:?}") };
    let serve = async {
        let mut working = task;
        working["resultType"] = json!("complete");
        let mut looks = 0;
        loop {
            let asked = script.receive().await;
            if asked["method"] == "tasks/cancel" {
                return looks;
            }
            if looks == 0 {
                let progress = json!({"progressToken": token, "progress": 1});
                script.notify("notifications/progress", progress).await;
            }
            looks += 1;
            script.answer(&asked["id"], working.clone()).await;
            if looks == 2 {
                // A whole day passes without a poll in each of its seconds.
                advance(Duration::from_secs(24 * 3600)).await;
            }
        }
    };
    let answers = hobnob_mcp_engine::Answers::default();
    let (ended, looks) = tokio::join!(followed.run(&calling, &answers, &notes), serve);
    assert!(matches!(ended, Err(CallError::Late(_))), "{ended:?}");
    assert!(looks >= 2);
    assert_eq!(noted.recv().await.expect("a note"), "progress 1");
}

/// If a server misses a header, the list of tools has changed, or was never read.
#[tokio::test(start_paused = true)]
async fn a_missing_header_makes_the_client_list_again() {
    let Scene { mut script, remote, .. } = opening().open(MODERN).await;
    let client = client(&remote, Answering(obliging));
    let serve = async {
        let id = script.expect("tools/call").await;
        script.refuse(&id, -32020, Value::Null).await;
        let id = script.expect("tools/list").await;
        script.answer(&id, json!({"resultType": "complete", "tools": []})).await;
        let id = script.expect("tools/call").await;
        script.answer(&id, text("now")).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("x", None, &silent), serve);
    assert_eq!(said(&answer.expect("an answer")), "now");
}

/// Progress that no caller wants is a sign of life all the same.
#[tokio::test(start_paused = true)]
async fn progress_lets_a_silent_call_go_on() {
    let Scene { mut script, remote, .. } = opening().open(LEGACY).await;
    let client = client(&remote, Answering(obliging));
    let serve = async {
        let asked = script.receive().await;
        let token = asked["params"]["_meta"]["progressToken"].clone();
        for step in 1..=3 {
            advance(Duration::from_secs(45)).await;
            let progress = json!({"progressToken": token, "progress": step});
            script.notify("notifications/progress", progress).await;
            settle().await;
        }
        script.answer(&asked["id"], text("at last")).await;
    };
    let silent = Notes::silent();
    let (answer, ()) = tokio::join!(client.call_tool_text("slow", None, &silent), serve);
    assert_eq!(said(&answer.expect("an answer")), "at last");
}
