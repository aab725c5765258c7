//! Messages that pass an open tap, on connections that were open before: both sides of pipes and HTTP,
//! in every revision.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::http::HttpTestServer;
use crate::ours::{TestConnection, new_connection, with_timeout};
use crate::support::{ALL, Answering, client, obliging, said};
use hobnob_mcp_client::{EraHint, connect_http, connect_lines};
use hobnob_mcp_engine::{
    Caller, MessageObserver, MessagePeer, MessageTap, PassedMessage, WireDirection,
};
use hobnob_mcp_server::{Server, serve_link};
use hobnob_mcp_toolbox::{Kit, ToolSpec};
use hobnob_mcp_transport::{LineLimits, link_over};
use hobnob_mcp_types::{RequestId, Revision};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Weak};
use tokio::net::UnixStream;
use tokio::task::JoinSet;

#[derive(Debug, Deserialize, JsonSchema)]
struct Saying {
    /// What to say.
    text: String,
}

/// What one tap has passed on: the peer, the direction and the text.
#[derive(Default)]
struct Seen(Mutex<Vec<(String, WireDirection, Value)>>);

impl MessageObserver for Seen {
    fn message(&self, message: PassedMessage<'_>) {
        let peer = match message.peer {
            MessagePeer::Server { name, .. } => format!("server {name}"),
            MessagePeer::Client { name, .. } => format!("client {}", name.unwrap_or_default()),
        };
        let text = serde_json::from_str(message.text).unwrap();
        self.0.lock().push((peer, message.direction, text));
    }

    fn call_begins(&self, request: &RequestId, caller: &Caller) {
        let text = json!({"call": request.to_json(), "by": caller.client.as_ref().unwrap().name});
        self.0.lock().push((String::new(), WireDirection::Received, text));
    }
}

/// A tap with its observer.
fn tap() -> (MessageTap, Arc<Seen>) {
    let (tap, seen) = (MessageTap::default(), Arc::new(Seen::default()));
    let observer: Weak<dyn MessageObserver> = Arc::downgrade(&seen) as _;
    tap.report_to(observer);
    (tap, seen)
}

/// How a client reaches the server.
#[derive(Debug, Clone, Copy)]
enum Way {
    Pipe,
    Http,
}

async fn check(way: Way, revision: Revision) {
    let ((client_tap, sent), (server_tap, received)) = (tap(), tap());
    let echo = async |saying: Saying| saying.text;
    let kit = Kit::plain("test").tool("echo", ToolSpec::new("Says it."), echo);
    let server =
        Server::builder("s", "1").kit(kit).message_tap(server_tap.clone()).build().unwrap();
    let (mut connection, events, tasks) =
        new_connection(EraHint::Only(revision), Answering(obliging));
    connection.options.trace.tap = client_tap.clone();
    let mut serving = JoinSet::new();
    let http = HttpTestServer::start(&server).await;
    let remote = match way {
        Way::Http => with_timeout(connect_http(connection, http.target("/mcp"))).await.unwrap(),
        Way::Pipe => {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let (read, write) = theirs.into_split();
            let link = link_over(read, write, LineLimits::default(), &tasks);
            serving.spawn(async move { serve_link(&server, link).await });
            let (read, write) = ours.into_split();
            with_timeout(connect_lines(connection, read, write)).await.unwrap()
        }
    };
    let open = TestConnection { remote, events, tasks, serving };
    let caller = client(&open.remote, Answering(obliging));
    for word in ["before", "recorded", "after"] {
        match word {
            "recorded" => [&client_tap, &server_tap].map(MessageTap::open),
            _ => [&client_tap, &server_tap].map(MessageTap::close),
        };
        let result = with_timeout(caller.call_tool("echo", &json!({"text": word}))).await.unwrap();
        assert_eq!(said(&result), word);
    }
    // A client may listen meanwhile, which has nothing to do with the call.
    let of_call = |seen: &Seen| {
        let mut all = seen.0.lock().clone();
        all.retain(|(_, _, text)| text.to_string().contains("recorded"));
        all
    };
    let (sent, passed) = (of_call(&sent), of_call(&received));
    let what = format!("{way:?} {revision:?}: {sent:#?} {passed:#?}");
    assert_eq!((sent.len(), passed.len()), (2, 2), "{what}");
    let (request, answer) = (&sent[0], &sent[1]);
    assert_eq!((&*request.0, request.1), ("server server", WireDirection::Sent), "{what}");
    assert_eq!(request.2["params"]["arguments"], json!({"text": "recorded"}), "{what}");
    assert_eq!(answer.1, WireDirection::Received, "{what}");
    // Each side saw the same messages; the order of their members may differ.
    assert_eq!((&passed[0].2, &passed[1].2), (&request.2, &answer.2), "{what}");
    let call = json!({"call": request.2["id"].to_string(), "by": "tester"});
    assert!(received.0.lock().iter().any(|it| it.2 == call), "{what}");
    let is_legacy = revision != Revision::NEWEST;
    assert_eq!(passed[0].0, if is_legacy { "client tester" } else { "client " }, "{what}");
    open.close().await;
    http.close().await;
}

#[tokio::test]
async fn messages_on_pipes_are_observed_while_the_tap_is_open() {
    for revision in ALL {
        check(Way::Pipe, revision).await;
    }
}

#[tokio::test]
async fn messages_over_http_are_observed_while_the_tap_is_open() {
    for revision in ALL {
        check(Way::Http, revision).await;
    }
}
