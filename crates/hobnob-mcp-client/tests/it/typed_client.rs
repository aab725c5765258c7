//! The client as authors use it: typed lists and calls, events as a stream, errors by kind.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use crate::ours::{test_server, with_timeout};
use crate::script::{Script, pipe};
use crate::support::{ALL, LEGACY, MODERN};
use hobnob_mcp_client::{
    CallEvent, CallFailed, Client, ClientBuilder, ConnectError, EraHint, EventStream, RequestError,
    ServerEvent,
};
use hobnob_mcp_engine::OutputStream;
use hobnob_mcp_server::{Server, serve_link};
use hobnob_mcp_transport::{LineLimits, link_over};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{ErrorCode, Revision};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio_util::task::TaskTracker;

#[derive(Serialize)]
struct Saying {
    text: &'static str,
}

/// A client of our own server, in this revision.
async fn connect(server: &Server, revision: Revision, builder: ClientBuilder) -> Client {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let tasks = TaskTracker::new();
    let (read, write) = theirs.into_split();
    let link = link_over(read, write, LineLimits::default(), &tasks);
    let server = server.clone();
    tasks.spawn(async move { serve_link(&server, link).await });
    let (read, write) = ours.into_split();
    let builder = builder.era(EraHint::Only(revision));
    with_timeout(builder.over_with_tasks(read, write, tasks)).await.unwrap()
}

/// A client of a scripted server with these capabilities.
async fn scripted(revision: Revision, offer: Value, builder: ClientBuilder) -> (Client, Script) {
    let (mut script, read, write) = pipe();
    let builder = builder.era(EraHint::Only(revision));
    let (client, ()) = tokio::join!(builder.over(read, write), script.greet(revision, offer));
    (client.unwrap(), script)
}

#[tokio::test]
async fn lists_and_calls_have_types_in_every_revision() {
    let server = test_server();
    for revision in ALL {
        let client = connect(&server, revision, Client::builder()).await;
        assert_eq!(client.server_info().implementation.name, "test-server");
        let tools = client.tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "echo"), "{revision}");
        assert_eq!(client.resources().await.unwrap()[0].uri, "test://one");
        assert_eq!(client.resource_templates().await.unwrap()[0].uri_template, "test://n/{n}");
        assert_eq!(client.prompts().await.unwrap()[0].name, "greet");

        let text: String = client.call("echo", &Saying { text: "[1,2]" }).await.unwrap();
        assert_eq!(text, "[1,2]");
        let numbers: Vec<u8> = client.call("echo", &Saying { text: "[1,2]" }).await.unwrap();
        assert_eq!(numbers, [1, 2]);
        assert_eq!(client.read_text("test://n/5").await.unwrap(), "5");
        let prompt = client.get_prompt("greet", &json!({"name": 7, "left": null})).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("hello 7"));
        with_timeout(client.close()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrapped_text_is_read_from_the_text_beside_it() {
    let (client, mut script) = scripted(LEGACY, json!({"tools": {}}), Client::builder()).await;
    let played = async {
        let id = script.expect("tools/call").await;
        let content = json!([{"type": "text", "text": "kept"}]);
        let result = json!({"content": content, "structuredContent": {"result": "kept"}});
        script.answer(&id, result).await;
    };
    let (said, ()) = tokio::join!(client.call::<_, String>("delete", &()), played);
    assert_eq!(said.unwrap(), "kept");
}

#[tokio::test]
async fn forms_are_filled_in_by_a_function() {
    let server = test_server();
    for revision in [LEGACY, MODERN] {
        let builder = Client::builder().on_form(|form| async move {
            assert_eq!(form.message, "Who?");
            Some(json!({"name": "Ada"}))
        });
        let client = connect(&server, revision, builder).await;
        assert_eq!(client.call::<_, String>("person", &()).await.unwrap(), "Accept");
        client.close().await;

        let builder = Client::builder().on_form(|_| async { None::<()> });
        let client = connect(&server, revision, builder).await;
        assert_eq!(client.call::<_, String>("person", &()).await.unwrap(), "Decline");
        client.close().await;
    }
}

#[tokio::test]
async fn a_call_fails_in_the_way_it_failed() {
    let (client, mut script) = scripted(LEGACY, json!({"tools": {}}), Client::builder()).await;
    let played = async {
        let id = script.expect("tools/call").await;
        let text = json!([{"type": "text", "text": "no"}, {"type": "text", "text": "way"}]);
        script.answer(&id, json!({"content": text, "isError": true})).await;
        let id = script.expect("tools/call").await;
        script.refuse(&id, -31100, Value::Null).await;
        let id = script.expect("tools/call").await;
        script.answer(&id, json!({"content": [], "structuredContent": {"sum": "x"}})).await;
        script.expect("tools/call").await;
        script.end();
    };
    #[derive(Debug, Deserialize)]
    struct Sum {
        #[expect(dead_code, reason = "it is never read, because it never fits")]
        sum: i64,
    }
    let calls = async {
        let failed = client.call::<_, Sum>("add", &()).await.unwrap_err();
        assert!(matches!(&failed, CallFailed::Tool(it) if it.text() == "no\nway"), "{failed:?}");
        let failed = client.call::<_, Sum>("add", &()).await.unwrap_err();
        assert!(
            matches!(&failed, CallFailed::Refused(it) if it.code == ErrorCode(-31100)),
            "{failed:?}"
        );
        let failed = client.call::<_, Sum>("add", &()).await.unwrap_err();
        assert!(matches!(&failed, CallFailed::Unreadable(_)), "{failed:?}");
        let failed = client.call::<_, Sum>("add", &()).await.unwrap_err();
        assert!(matches!(&failed, CallFailed::NoAnswer(RequestError::Ended(_))), "{failed:?}");
        assert!(!failed.cannot_have_run());
        let failed = client.call::<_, Sum>("add", &[1, 2]).await.unwrap_err();
        assert!(matches!(&failed, CallFailed::Arguments(_)), "{failed:?}");
        assert!(failed.cannot_have_run());
    };
    tokio::join!(calls, played);
}

async fn next(events: &mut EventStream) -> ServerEvent {
    with_timeout(events.next()).await.unwrap()
}

#[tokio::test]
async fn events_are_a_stream() {
    let server = test_server();
    for revision in [LEGACY, MODERN] {
        let builder = Client::builder().log_level(LoggingLevel::Debug);
        let client = connect(&server, revision, builder).await;
        client.listening().await;
        let mut events = client.events();
        assert_eq!(client.call::<_, String>("work", &()).await.unwrap(), "worked");
        let first = next(&mut events).await;
        assert!(matches!(&first, ServerEvent::Progress(it) if &*it.target == "work"), "{first:?}");
        let written = next(&mut events).await;
        let event = OutputStream::Stderr.event("\"oh\"\n");
        let expected = CallEvent { target: "work".into(), event };
        assert!(matches!(&written, ServerEvent::Call(it) if *it == expected), "{written:?}");
        let second = next(&mut events).await;
        assert!(matches!(&second, ServerEvent::LogMessage(_)), "{second:?}");
        assert!(matches!(next(&mut events).await, ServerEvent::Progress(_)));

        with_timeout(client.subscribe("test://one")).await.unwrap();
        let toolbox = server.toolbox().unwrap();
        toolbox.notify_resource_updated("test://one");
        let updated = next(&mut events).await;
        assert!(
            matches!(&updated, ServerEvent::ResourceUpdated(uri) if &**uri == "test://one"),
            "{updated:?}"
        );
        toolbox.notify_tools_changed();
        assert!(matches!(next(&mut events).await, ServerEvent::ToolsChanged));
        client.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_not_read_says_what_it_dropped() {
    let offer = json!({"tools": {"listChanged": true}});
    let (client, mut script) = scripted(LEGACY, offer, Client::builder().event_limit(2)).await;
    let mut events = client.events();
    for _ in 0..5 {
        script.notify("notifications/tools/list_changed", json!({})).await;
    }
    script.end();
    // The end of the connection is the last event, so all others have arrived by then.
    while client.remote().ended_because().is_none() {
        tokio::task::yield_now().await;
    }
    assert!(matches!(next(&mut events).await, ServerEvent::Missed(4)));
    assert!(matches!(next(&mut events).await, ServerEvent::ToolsChanged));
    assert!(matches!(next(&mut events).await, ServerEvent::Ended(_)));
    assert!(events.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_refused_is_an_error() {
    let offer = json!({"resources": {"subscribe": true}});
    let (client, mut script) = scripted(LEGACY, offer, Client::builder()).await;
    let played = async {
        let id = script.expect("resources/subscribe").await;
        script.refuse(&id, -32602, Value::Null).await;
    };
    let (subscribed, ()) = tokio::join!(client.subscribe("x:y"), played);
    assert!(matches!(subscribed, Err(CallFailed::Refused(_))));

    let (client, _script) = scripted(MODERN, json!({"resources": {}}), Client::builder()).await;
    assert!(matches!(client.subscribe("x:y").await, Err(CallFailed::Refused(_))));
}

#[tokio::test]
async fn the_last_clone_closes_the_connection() {
    let (client, mut script) = scripted(LEGACY, json!({}), Client::builder()).await;
    let clone = client.clone();
    drop(client);
    assert!(clone.remote().ended_because().is_none());
    let remote = std::sync::Arc::clone(clone.remote());
    drop(clone);
    assert!(remote.ended_because().is_some());
    assert!(script.unread().await.is_empty());
}

#[tokio::test]
async fn a_program_that_cannot_be_started_or_greeted_says_why() {
    let missing = Client::spawn(["/no/such/program"]).await.unwrap_err();
    assert!(matches!(missing, ConnectError::Start(_)), "{missing:?}");
    let none = Client::spawn(Vec::<String>::new()).await.unwrap_err();
    assert!(none.to_string().contains("name a program"), "{none}");
    let script = "echo \"no database at $WHERE\" >&2; exit 3";
    let builder = Client::builder().env("WHERE", "home");
    let died = with_timeout(builder.spawn(["sh", "-c", script])).await.unwrap_err();
    assert!(died.to_string().ends_with("it said: no database at home"), "{died}");
}
