//! The end of a connection, from either side: pending calls get an error, and no task stays.

use crate::script::{Opening, Scene, next_event, settle};
use crate::support::{ALL, Answering, LEGACY, call, client, obliging};
use hobnob_mcp_client::{CallFailed, DeclineAll, ForwardOptions, RequestError};
use hobnob_mcp_engine::Notes;
use hobnob_mcp_types::Method;
use serde_json::json;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_ends_every_call() {
    for revision in ALL {
        let Scene { mut script, remote, mut events, tasks } = Opening::new().open(revision).await;
        let client = client(&remote, DeclineAll);
        let silent = Notes::silent();
        let serve = async {
            script.expect("tools/call").await;
            script.expect("resources/read").await;
            script.end();
        };
        let (one, two, ()) = tokio::join!(
            client.call_tool_text("x", None, &silent),
            client.read_resource("x:y"),
            serve
        );
        for failed in [one.unwrap_err(), two.unwrap_err()] {
            let CallFailed::NoAnswer(failure) = failed else { panic!("{failed:?}") };
            assert!(matches!(failure, RequestError::Ended(_)), "{failure:?}");
            assert!(failure.ends_connection() && !failure.cannot_have_run());
        }
        assert_eq!(next_event(&mut events).await, "ended");
        assert!(remote.ended_because().is_some());
        let after = remote.request(Method::Ping, "{}").await.unwrap_err();
        assert!(after.cannot_have_run(), "{after}");
        drop((remote, client));
        tasks.close();
        tasks.wait().await;
    }
}

#[tokio::test(start_paused = true)]
async fn closing_ends_everything_at_once() {
    for revision in ALL {
        let Scene { mut script, remote, mut events, tasks } = Opening::new().open(revision).await;
        let close = async {
            script.expect("ping").await;
            remote.close();
        };
        let (answer, ()) = tokio::join!(remote.request(Method::Ping, "{}"), close);
        assert!(matches!(answer, Err(RequestError::Ended(_))), "{answer:?}");
        assert!(remote.ended_because().is_some());
        tasks.close();
        tasks.wait().await;
        assert!(events.try_recv().is_err(), "who closes need not be sent");
    }
}

/// Waiting for the connection's tasks does not mean waiting for people who never answered.
#[tokio::test(start_paused = true)]
async fn no_task_outlives_its_question() {
    for closes in [false, true] {
        let opening = Opening::host(Answering(obliging));
        let Scene { mut script, remote, tasks, .. } = opening.open(LEGACY).await;
        let (forward, silent) = (ForwardOptions::default(), Notes::silent());
        let begun = Instant::now();
        let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
        let serve = async {
            let id = script.expect("tools/call").await;
            script.ask("q", "roots/list", json!({})).await;
            id
        };
        let (done, id) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
        if closes {
            // One call still waits for its answer.
            remote.close();
            assert_eq!(remote.parked(), 0);
        } else {
            let asking = crate::asking::answered(asking, done.unwrap(), &json!({"roots": []}));
            let serve = async {
                script.receive().await;
                script.answer(&id, json!({"content": []})).await;
            };
            let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
            assert!(done.is_ok());
            drop(remote);
        }
        tasks.close();
        tasks.wait().await;
        assert_eq!(begun.elapsed().as_secs(), 0);
    }
}

/// The call was open on the server, so its caller gets the error.
#[tokio::test(start_paused = true)]
async fn a_parked_call_ends_with_the_connection() {
    let Scene { mut script, remote, .. } = Opening::host(Answering(obliging)).open(LEGACY).await;
    let (forward, silent) = (ForwardOptions::default(), Notes::silent());
    let asking = call(Method::ToolsCall, r#"{"name":"asks"}"#);
    let serve = async {
        script.expect("tools/call").await;
        script.ask("q", "roots/list", json!({})).await;
    };
    let (done, ()) = tokio::join!(remote.forward(&asking, &forward, &silent), serve);
    script.end();
    settle().await;
    let asking = crate::asking::answered(asking, done.unwrap(), &json!({"roots": []}));
    let done = remote.forward(&asking, &forward, &silent).await;
    assert!(matches!(done, Err(RequestError::Ended(_))), "{done:?}");
}
