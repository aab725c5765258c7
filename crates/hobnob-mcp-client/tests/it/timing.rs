//! How long a call may take, and what the client sends when the caller no longer waits.

use crate::script::{Opening, Scene, settle};
use crate::support::{ALL, Answering, LEGACY, MODERN, Noting, call, client, obliging, said};
use hobnob_mcp_client::{CallFailed, DeclineAll, ForwardOptions, RequestError};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, advance};

const NEARLY: Duration = Duration::from_secs(50);

/// The default limits: a minute without a sign of life, a quarter of an hour in all.
const QUIET: Duration = Duration::from_secs(60);
const HARD: Duration = Duration::from_secs(15 * 60);

#[tokio::test(start_paused = true)]
async fn progress_extends_the_time() {
    for revision in ALL {
        for as_text in [false, true] {
            let Scene { mut script, remote, .. } = Opening::new().open(revision).await;
            let (notes, mut noted) = Noting::notes();
            let client = client(&remote, DeclineAll);
            let serve = async {
                let asked = script.receive().await;
                let id = &asked["id"];
                assert_eq!(&asked["params"]["_meta"]["progressToken"], id);
                let token = if as_text { json!(id.to_string()) } else { id.clone() };
                for progress in 1..=10 {
                    advance(NEARLY).await;
                    let params = json!({"progressToken": token, "progress": progress});
                    script.notify("notifications/progress", params).await;
                    settle().await;
                }
                script.answer(id, json!({"content": [{"type": "text", "text": "done"}]})).await;
            };
            let (answer, ()) = tokio::join!(client.call_tool_text("slow", None, &notes), serve);
            assert_eq!(said(&answer.unwrap()), "done");
            for progress in 1..=10 {
                assert_eq!(noted.recv().await.unwrap(), format!("progress {progress}"));
            }
        }
    }
}

/// Without progress the limit is a minute, with progress a quarter of an hour. In both cases the
/// server gets one cancellation under the right id, and its late answer does no harm.
#[tokio::test(start_paused = true)]
async fn a_late_call_is_cancelled() {
    for revision in ALL {
        for (with_progress, limit) in [(false, QUIET), (true, HARD)] {
            let Scene { mut script, remote, .. } = Opening::new().open(revision).await;
            let (notes, _noted) = Noting::notes();
            let client = client(&remote, DeclineAll);
            let begun = Instant::now();
            let serve = async {
                let id = script.expect("tools/call").await;
                let mut progress = 0;
                while with_progress && remote.in_flight() > 0 {
                    advance(NEARLY).await;
                    progress += 1;
                    let params = json!({"progressToken": id, "progress": progress});
                    script.notify("notifications/progress", params).await;
                    settle().await;
                }
                id
            };
            let (answer, id) = tokio::join!(client.call_tool_text("slow", None, &notes), serve);
            let late = matches!(answer, Err(CallFailed::NoAnswer(RequestError::Late(after))) if after == limit);
            assert!(late, "{answer:?}");
            assert_eq!(begun.elapsed(), limit);
            let mut sent = script.unread().await;
            // The ping asks a legacy server whether it has read the cancellation.
            sent.retain(|message| message["method"] != "ping");
            assert_eq!(sent.len(), 1);
            assert_eq!(sent[0]["method"], "notifications/cancelled");
            assert_eq!(sent[0]["params"]["requestId"], id);
            assert_eq!(remote.in_flight(), 0);
            script.answer(&id, json!({"content": []})).await;
            let serve = async {
                let id = script.expect("resources/read").await;
                script.answer(&id, json!({"contents": []})).await;
            };
            let (read, ()) = tokio::join!(client.read_resource("x:y"), serve);
            assert!(read.unwrap().contents.is_empty());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn dropping_a_call_cancels_it() {
    for revision in ALL {
        let Scene { mut script, remote, .. } = Opening::new().open(revision).await;
        let client = client(&remote, DeclineAll);
        let silent = Notes::silent();
        let id = tokio::select! {
            _ = client.call_tool_text("slow", None, &silent) => unreachable!("it is not answered"),
            id = script.expect("tools/call") => id,
        };
        let sent = script.receive().await;
        assert_eq!(sent["method"], "notifications/cancelled");
        assert_eq!(sent["params"]["requestId"], id);
        assert_eq!(remote.in_flight(), 0);
    }
}

/// A server can cancel only its own requests: ours have numbers of their own.
#[tokio::test(start_paused = true)]
async fn a_cancellation_of_the_server_ends_no_call_of_ours() {
    for revision in [LEGACY, MODERN] {
        let opening = Opening::host(Answering(obliging));
        let Scene { mut script, remote, .. } = opening.open(revision).await;
        let client = client(&remote, Answering(obliging));
        let serve = async {
            let id = script.expect("tools/call").await;
            if revision == LEGACY {
                // Its own question has the same number as our call, and is answered by now.
                let asked = json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"});
                script.send_line(asked.to_string()).await;
                let answer = script.receive().await;
                assert_eq!((&answer["id"], answer["result"].is_object()), (&id, true));
            }
            for late in [id.clone(), json!(id.to_string())] {
                script.notify("notifications/cancelled", json!({"requestId": late})).await;
            }
            let result = json!({"content": [{"type": "text", "text": "done"}],
                "resultType": "complete"});
            script.answer(&id, result).await;
        };
        let silent = Notes::silent();
        let (answer, ()) = tokio::join!(client.call_tool_text("x", None, &silent), serve);
        assert_eq!(said(&answer.expect("an answer")), "done", "{revision:?}");
    }
}

/// While a person thinks, neither time limit of the call runs.
#[tokio::test(start_paused = true)]
async fn the_time_of_a_question_is_not_the_servers() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
    let forward = ForwardOptions::default();
    let silent = Notes::silent();
    let mut asking = asking;
    for round in 0..4 {
        let serve = async {
            if round == 0 {
                script.expect("tools/call").await;
            } else {
                assert_eq!(script.receive().await["id"], round - 1);
            }
            advance(NEARLY).await;
            script.ask(round, "roots/list", json!({})).await;
        };
        let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
        asking = crate::asking::answered(asking, done.unwrap(), &json!({"roots": []}));
        // Four times nine minutes are more than a quarter of an hour.
        advance(Duration::from_secs(9 * 60)).await;
    }
    let serve = async {
        assert_eq!(script.receive().await["id"], 3);
    };
    let begun = Instant::now();
    let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
    assert!(matches!(done, Err(RequestError::Late(_))), "{done:?}");
    assert_eq!(begun.elapsed(), QUIET, "the server has its whole time again after an answer");
}

/// 2025-11-25: the token of the call stays valid for the task that it became.
#[tokio::test(start_paused = true)]
async fn a_task_sends_progress_under_the_token_of_its_call() {
    let Scene { mut script, remote, .. } = Opening::new().open(LEGACY).await;
    let (notes, mut noted) = Noting::notes();
    let client = client(&remote, DeclineAll);
    let serve = async {
        let asked = script.receive().await;
        let token = asked["params"]["_meta"]["progressToken"].clone();
        let task = json!({"taskId": "t", "status": "working", "ttl": null,
            "createdAt": "2026-01-01T00:00:00Z", "lastUpdatedAt": "2026-01-01T00:00:00Z"});
        script.answer(&asked["id"], json!({"task": task})).await;
        let id = script.expect("tasks/result").await;
        // Hours may pass: a task has its own time to live.
        advance(Duration::from_secs(2 * 3600)).await;
        script
            .notify("notifications/progress", json!({"progressToken": token, "progress": 5}))
            .await;
        script.notify("notifications/message", json!({"level": "info", "data": "busy"})).await;
        script.answer(&id, json!({"content": [{"type": "text", "text": "built"}]})).await;
        settle().await;
        // After the end of the task its token is not valid any more.
        script
            .notify("notifications/progress", json!({"progressToken": token, "progress": 6}))
            .await;
    };
    let forward = ForwardOptions {
        mode: hobnob_mcp_client::ExecutionMode::Task,
        ..ForwardOptions::default()
    };
    let params = r#"{"name":"build"}"#.to_owned();
    let calling = client.call_raw(Method::ToolsCall, params, &forward, &notes);
    let (answer, ()) = tokio::join!(calling, serve);
    assert!(answer.unwrap().contains("built"));
    settle().await;
    assert_eq!(noted.try_recv().as_deref(), Ok("progress 5"));
    assert_eq!(noted.try_recv().as_deref(), Ok(r#"log "busy""#));
    assert!(noted.try_recv().is_err());
}
