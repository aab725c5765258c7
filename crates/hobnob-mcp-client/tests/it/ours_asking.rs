//! Questions and tasks of our own server, through `Client` and a host with a script.

use crate::ours::{Visit, house, patiently};
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

/// A person is asked where the revision lets them be, once, and not where it does not.
#[tokio::test]
async fn a_person_is_asked() {
    let server = house();
    for revision in ALL {
        let visit = Visit::pay(&server, EraHint::Only(revision), Answering(obliging)).await;
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let host = Answering(move |question: &InputRequest| {
            count.fetch_add(1, Ordering::Relaxed);
            obliging(question)
        });
        let client = client(&visit.remote, host);
        let answer = patiently(client.call_tool_text("person", None, &Notes::silent())).await;
        if revision >= Revision::V2025_06_18 {
            assert_eq!(said(&answer.unwrap()), "Accept", "{revision}");
            assert_eq!(asked.load(Ordering::Relaxed), 1);
        } else {
            let refused = answer.map_or(true, |answer| answer.is_error);
            assert!(refused, "{revision}");
            assert_eq!(asked.load(Ordering::Relaxed), 0);
        }
        visit.leave().await;
    }
}

/// A refusal ends the call as the server sees fit, and nothing stays parked.
#[tokio::test]
async fn a_person_says_no() {
    let server = house();
    for revision in [Revision::V2025_06_18, LEGACY, MODERN] {
        let visit = Visit::pay(&server, EraHint::Only(revision), Answering(obliging)).await;
        let client = client(&visit.remote, Answering(|_: &InputRequest| Err(refusal())));
        let answer = patiently(client.call_tool_text("person", None, &Notes::silent())).await;
        let refused = answer.map_or(true, |answer| answer.is_error);
        assert!(refused, "{revision}");
        assert_eq!((visit.remote.parked(), visit.remote.in_flight() <= 1), (0, true));
        visit.leave().await;
    }
}

/// Who can be asked nothing is not asked.
#[tokio::test]
async fn nobody_is_there() {
    let server = house();
    for revision in ALL {
        let visit = Visit::pay(&server, EraHint::Only(revision), DeclineAll).await;
        let client = client(&visit.remote, DeclineAll);
        let answer = patiently(client.call_tool_text("asks", None, &Notes::silent())).await;
        let refused = answer.map_or(true, |answer| answer.is_error);
        assert!(refused, "{revision}");
        visit.leave().await;
    }
}

/// A tool that must be a task: asked for as one in 2025-11-25, decided by the server in the
/// modern extension, and not to be had before.
#[tokio::test]
async fn tasks_are_followed_to_their_end() {
    let server = house();
    for revision in ALL {
        for (tool, answer) in [("must", "built"), ("must_ask", "Accept")] {
            let visit = Visit::pay(&server, EraHint::Only(revision), Answering(obliging)).await;
            let client = client(&visit.remote, Answering(obliging));
            let params = json!({"name": tool}).to_string();
            let forward = ForwardOptions { mode: ExecutionMode::Task, ..ForwardOptions::default() };
            let silent = Notes::silent();
            let calling = call_forwarded(&client, params, &forward, &silent);
            let done = patiently(calling).await;
            if revision >= LEGACY {
                assert_eq!(said(&done.unwrap()), answer, "{revision} {tool}");
            } else {
                assert!(done.is_err(), "{revision}: {done:?}");
            }
            visit.leave().await;
        }
    }
}

/// The whole server as a service, asked as a gateway would.
#[tokio::test]
async fn a_remote_is_a_service() {
    let server = house();
    for revision in ALL {
        let visit = Visit::pay(&server, EraHint::Only(revision), Answering(obliging)).await;
        let service = RemoteService(Arc::clone(&visit.remote));
        assert!(service.offer().capabilities.tools.is_some());
        let params = r#"{"name":"echo","arguments":{"text":"hi"}}"#;
        let call = crate::support::call(Method::ToolsCall, params);
        let outcome = patiently(service.call(call, Notes::silent())).await.unwrap();
        let hobnob_mcp_engine::Outcome::Complete(answer) = outcome else { panic!("{outcome:?}") };
        assert!(answer.body.contains(r#""text":"hi""#), "{}", answer.body);
        drop(service);
        visit.leave().await;
    }
}
