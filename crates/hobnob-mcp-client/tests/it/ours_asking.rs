//! Questions and tasks of our own server, through `Client` and a scripted host.

use crate::ours::{TestConnection, test_server, with_timeout};
use crate::support::{
    ALL, Answering, LEGACY, MODERN, call_forwarded, client, obliging, refusal, said,
};
use hobnob_mcp_client::{DeclineAll, EraHint, ExecutionMode, ForwardOptions, RemoteService};
use hobnob_mcp_engine::{Notes, Service};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::{Method, Revision};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A person is asked once if the revision allows it, and not at all otherwise.
#[tokio::test]
async fn a_person_is_asked() {
    let server = test_server();
    for revision in ALL {
        let connection =
            TestConnection::open(&server, EraHint::Only(revision), Answering(obliging)).await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let host = Answering(move |question: &InputRequest| {
            count.fetch_add(1, Ordering::Relaxed);
            obliging(question)
        });
        let client = client(&connection.remote, host);
        let answer = with_timeout(client.call_tool_text("person", None, &Notes::silent())).await;
        if revision >= Revision::V2025_06_18 {
            assert_eq!(said(&answer.unwrap()), "Accept", "{revision}");
            assert_eq!(asked.load(Ordering::Relaxed), 1);
        } else {
            let refused = answer.map_or(true, |answer| answer.is_error);
            assert!(refused, "{revision}");
            assert_eq!(asked.load(Ordering::Relaxed), 0);
        }
        connection.close().await;
    }
}

/// A refusal ends the call as the server sees fit, and no call stays parked.
#[tokio::test]
async fn a_person_says_no() {
    let server = test_server();
    for revision in [Revision::V2025_06_18, LEGACY, MODERN] {
        let connection =
            TestConnection::open(&server, EraHint::Only(revision), Answering(obliging)).await;
        let client = client(&connection.remote, Answering(|_: &InputRequest| Err(refusal())));
        let answer = with_timeout(client.call_tool_text("person", None, &Notes::silent())).await;
        let refused = answer.map_or(true, |answer| answer.is_error);
        assert!(refused, "{revision}");
        assert_eq!((connection.remote.parked(), connection.remote.in_flight() <= 1), (0, true));
        connection.close().await;
    }
}

/// A client that declares no capabilities gets no questions.
#[tokio::test]
async fn nobody_is_there() {
    let server = test_server();
    for revision in ALL {
        let connection = TestConnection::open(&server, EraHint::Only(revision), DeclineAll).await;
        let client = client(&connection.remote, DeclineAll);
        let answer = with_timeout(client.call_tool_text("asks", None, &Notes::silent())).await;
        let refused = answer.map_or(true, |answer| answer.is_error);
        assert!(refused, "{revision}");
        connection.close().await;
    }
}

/// A tool that must run as a task: on request in 2025-11-25, by decision of the server in the
/// modern extension, and not at all before.
#[tokio::test]
async fn tasks_are_followed_to_their_end() {
    let server = test_server();
    for revision in ALL {
        for (tool, answer) in [("must", "built"), ("must_ask", "Accept")] {
            let connection =
                TestConnection::open(&server, EraHint::Only(revision), Answering(obliging)).await;
            let client = client(&connection.remote, Answering(obliging));
            let params = json!({"name": tool}).to_string();
            let forward = ForwardOptions { mode: ExecutionMode::Task, ..ForwardOptions::default() };
            let silent = Notes::silent();
            let calling = call_forwarded(&client, params, &forward, &silent);
            let done = with_timeout(calling).await;
            if revision >= LEGACY {
                assert_eq!(said(&done.unwrap()), answer, "{revision} {tool}");
            } else {
                assert!(done.is_err(), "{revision}: {done:?}");
            }
            connection.close().await;
        }
    }
}

/// The whole server as a service, called as a gateway would.
#[tokio::test]
async fn a_remote_is_a_service() {
    let server = test_server();
    for revision in ALL {
        let connection =
            TestConnection::open(&server, EraHint::Only(revision), Answering(obliging)).await;
        let service = RemoteService(Arc::clone(&connection.remote));
        assert!(service.offer().capabilities.tools.is_some());
        let params = r#"{"name":"echo","arguments":{"text":"hi"}}"#;
        let call = crate::support::call(Method::ToolsCall, params);
        let outcome = with_timeout(service.call(call, Notes::silent())).await.unwrap();
        let hobnob_mcp_engine::Outcome::Complete(answer) = outcome else { panic!("{outcome:?}") };
        assert!(answer.body.contains(r#""text":"hi""#), "{}", answer.body);
        drop(service);
        connection.close().await;
    }
}
