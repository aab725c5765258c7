//! Clients that disconnect (T33) and clients that cancel: disconnecting cancels a modern call, but
//! not a legacy one.

use serde_json::json;

use crate::client::Connection;
use crate::mcp_server::{
    LEGACY, LegacySession, NEWEST_LEGACY, TestServer, ToolEvent, modern, notification, request,
    said, script,
};

fn began(who: &str) -> ToolEvent {
    ToolEvent::Began(who.into())
}

fn ended(who: &str) -> ToolEvent {
    ToolEvent::Ended(who.into())
}

fn dropped(who: &str) -> ToolEvent {
    ToolEvent::Dropped(who.into())
}

#[tokio::test]
async fn a_modern_client_that_leaves_cancels_its_call() {
    let mut server = TestServer::start().await;
    let cases: [(&str, &[&str]); 2] =
        [("before an answer", &["wait:never"]), ("within a stream", &["progress", "wait:never"])];
    for (who, steps) in cases {
        let mut connection = Connection::connect(server.address).await;
        connection.send(&modern(1, "tools/call", script(who, steps, "done"))).await;
        assert_eq!(server.next_event().await, began(who));
        if steps.len() == 2 {
            let mut events = connection.answer().await.events();
            events.message().await;
            drop(events);
        } else {
            drop(connection);
        }
        assert_eq!(server.next_event().await, dropped(who));
    }
    // With unread bytes the connection is reset rather than closed.
    let mut connection = Connection::connect(server.address).await;
    connection
        .send(&modern(1, "tools/call", script("reset", &["progress", "wait:never"], "done")))
        .await;
    assert_eq!(server.next_event().await, began("reset"));
    connection.readable().await;
    drop(connection);
    assert_eq!(server.next_event().await, dropped("reset"));
}

#[tokio::test]
async fn a_legacy_call_goes_on_when_its_client_leaves() {
    let mut server = TestServer::start().await;
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        let mut connection = Connection::connect(server.address).await;
        let call = request(1, "tools/call", script("silent", &["wait:a"], "done"));
        connection.send(&session.post(&call)).await;
        assert_eq!(server.next_event().await, began("silent"));
        drop(connection);
        let mut stream = session.run_steps("begun", &["log:1", "wait:a", "log:2"], "done").await;
        assert_eq!(server.next_event().await, began("begun"));
        stream.message().await;
        let last = session.resume("1-0").await;
        assert_eq!(last.status, 200, "the stream can be taken up as soon as it has begun");
        drop((last, stream));
        server.open_gate("a", 2);
        let mut both = [server.next_event().await, server.next_event().await];
        both.sort_by_key(|event| *event == ended("silent"));
        assert_eq!(both, [ended("begun"), ended("silent")], "{revision}");
        // The same session reads the result on the stream that had begun.
        let rest = session.resume("1-0").await.events().messages().await;
        assert_eq!(said(rest.last().unwrap()), "done", "{revision}");
        assert_eq!(said(&session.echo(1, "the id is free again").await), "the id is free again");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered() {
    let mut server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let cancel = |id| notification("notifications/cancelled", json!({"requestId": id}));
    // A call that has sent nothing yet ends with 202.
    let mut connection = Connection::connect(server.address).await;
    connection
        .send(&session.post(&request("quiet", "tools/call", script("quiet", &["wait:never"], ""))))
        .await;
    assert_eq!(server.next_event().await, began("quiet"));
    assert_eq!(session.send(&cancel("quiet")).await.status, 202);
    let answer = connection.answer().await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.text().await, "");
    assert_eq!(server.next_event().await, dropped("quiet"));
    // A call on a stream ends the stream, which has no answer even when it is resumed.
    let mut stream = session.run_steps("loud", &["log:1", "wait:never"], "").await;
    let first = stream.next().await.unwrap();
    assert_eq!(server.next_event().await, began("loud"));
    assert_eq!(session.send(&cancel("loud")).await.status, 202);
    assert_eq!(stream.messages().await.len(), 1, "only what was logged");
    assert_eq!(server.next_event().await, dropped("loud"));
    let again = session.resume(first.id()).await.events().messages().await;
    assert!(again.iter().all(|message| message.get("result").is_none()), "{again:?}");
    assert_eq!(said(&session.echo("loud", "free").await), "free");
}

#[tokio::test]
async fn a_cancellation_reaches_nothing_else() {
    let mut server = TestServer::start().await;
    let mine = LegacySession::open(&server, NEWEST_LEGACY).await;
    let other = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut connection = Connection::connect(server.address).await;
    connection
        .send(&mine.post(&request(1, "tools/call", script("mine", &["wait:a"], "done"))))
        .await;
    assert_eq!(server.next_event().await, began("mine"));
    for (session, id) in
        [(&other, json!(1)), (&mine, json!("1")), (&mine, json!(2)), (&mine, json!(0))]
    {
        let note = notification("notifications/cancelled", json!({"requestId": id}));
        assert_eq!(session.send(&note).await.status, 202);
    }
    server.open_gate("a", 1);
    assert_eq!(said(&connection.answer().await.json().await), "done");
    assert_eq!(server.unread_events(), [ended("mine")]);
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_calls() {
    let mut server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut quiet = Connection::connect(server.address).await;
    quiet
        .send(&session.post(&request(1, "tools/call", script("quiet", &["wait:never"], ""))))
        .await;
    assert_eq!(server.next_event().await, began("quiet"));
    let mut stream = session.run_steps("loud", &["log:1", "wait:never"], "").await;
    assert_eq!(server.next_event().await, began("loud"));
    assert_eq!(session.delete().await.status, 204);
    let mut both = [server.next_event().await, server.next_event().await];
    both.sort_by_key(|event| *event == dropped("quiet"));
    assert_eq!(both, [dropped("loud"), dropped("quiet")]);
    assert_eq!(stream.messages().await.len(), 1, "ended properly, without an answer");
    assert_eq!(quiet.answer().await.text().await, "");
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_its_call_goes_on() {
    let mut server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut connection = Connection::connect(server.address).await;
    connection
        .send(&session.post(&request(1, "tools/call", script("first", &["wait:a"], "first"))))
        .await;
    assert_eq!(server.next_event().await, began("first"));
    let second = session.request(1, "tools/call", script("second", &[], "second")).await;
    assert_eq!(second.status, 200);
    assert_eq!(second.json().await["error"]["code"], -32600);
    assert_eq!(said(&session.echo("1", "another type").await), "another type");
    server.open_gate("a", 1);
    assert_eq!(said(&connection.answer().await.json().await), "first");
    assert_eq!(server.unread_events(), [ended("first")]);
}
