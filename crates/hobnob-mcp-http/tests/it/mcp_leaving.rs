//! Clients that leave in the middle (T33) and clients that cancel: to a modern call leaving is
//! cancelling, a legacy one goes on.

use serde_json::json;

use crate::client::Wire;
use crate::stage::{
    LEGACY, Legacy, NEWEST_LEGACY, Stage, Told, modern, notification, request, said, script,
};

fn began(who: &str) -> Told {
    Told::Began(who.into())
}

fn ended(who: &str) -> Told {
    Told::Ended(who.into())
}

fn dropped(who: &str) -> Told {
    Told::Dropped(who.into())
}

#[tokio::test]
async fn a_modern_client_that_leaves_cancels_its_call() {
    let mut stage = Stage::start().await;
    let cases: [(&str, &[&str]); 2] =
        [("before an answer", &["wait:never"]), ("within a stream", &["progress", "wait:never"])];
    for (who, steps) in cases {
        let mut wire = Wire::connect(stage.address).await;
        wire.send(&modern(1, "tools/call", script(who, steps, "done"))).await;
        assert_eq!(stage.told().await, began(who));
        if steps.len() == 2 {
            let mut events = wire.answer().await.events();
            events.message().await;
            drop(events);
        } else {
            drop(wire);
        }
        assert_eq!(stage.told().await, dropped(who));
    }
    // With bytes unread the connection is reset rather than closed.
    let mut wire = Wire::connect(stage.address).await;
    wire.send(&modern(1, "tools/call", script("reset", &["progress", "wait:never"], "done"))).await;
    assert_eq!(stage.told().await, began("reset"));
    wire.readable().await;
    drop(wire);
    assert_eq!(stage.told().await, dropped("reset"));
}

#[tokio::test]
async fn a_legacy_call_goes_on_when_its_client_leaves() {
    let mut stage = Stage::start().await;
    for revision in LEGACY {
        let session = Legacy::open(&stage, revision).await;
        let mut wire = Wire::connect(stage.address).await;
        let call = request(1, "tools/call", script("silent", &["wait:a"], "done"));
        wire.send(&session.post(&call)).await;
        assert_eq!(stage.told().await, began("silent"));
        drop(wire);
        let mut stream = session.play("begun", &["log:1", "wait:a", "log:2"], "done").await;
        assert_eq!(stage.told().await, began("begun"));
        stream.message().await;
        let last = session.resume("1-0").await;
        assert_eq!(last.status, 200, "the stream can be taken up as soon as it has begun");
        drop((last, stream));
        stage.open_gate("a", 2);
        let mut both = [stage.told().await, stage.told().await];
        both.sort_by_key(|told| *told == ended("silent"));
        assert_eq!(both, [ended("begun"), ended("silent")], "{revision}");
        // The same session takes the result of the stream that had begun.
        let rest = session.resume("1-0").await.events().messages().await;
        assert_eq!(said(rest.last().unwrap()), "done", "{revision}");
        assert_eq!(said(&session.echo(1, "the id is free again").await), "the id is free again");
    }
}

#[tokio::test]
async fn a_cancelled_call_is_not_answered() {
    let mut stage = Stage::start().await;
    let session = Legacy::open(&stage, NEWEST_LEGACY).await;
    let cancel = |id| notification("notifications/cancelled", json!({"requestId": id}));
    // Before anything was said the POST ends with 202.
    let mut wire = Wire::connect(stage.address).await;
    wire.send(&session.post(&request("quiet", "tools/call", script("quiet", &["wait:never"], ""))))
        .await;
    assert_eq!(stage.told().await, began("quiet"));
    assert_eq!(session.send(&cancel("quiet")).await.status, 202);
    let answer = wire.answer().await;
    assert_eq!(answer.status, 202);
    assert_eq!(answer.text().await, "");
    assert_eq!(stage.told().await, dropped("quiet"));
    // Afterwards its stream ends, and stays without an answer when it is taken up.
    let mut stream = session.play("loud", &["log:1", "wait:never"], "").await;
    let first = stream.next().await.unwrap();
    assert_eq!(stage.told().await, began("loud"));
    assert_eq!(session.send(&cancel("loud")).await.status, 202);
    assert_eq!(stream.messages().await.len(), 1, "only what was logged");
    assert_eq!(stage.told().await, dropped("loud"));
    let again = session.resume(first.id()).await.events().messages().await;
    assert!(again.iter().all(|message| message.get("result").is_none()), "{again:?}");
    assert_eq!(said(&session.echo("loud", "free").await), "free");
}

#[tokio::test]
async fn a_cancellation_reaches_nothing_else() {
    let mut stage = Stage::start().await;
    let mine = Legacy::open(&stage, NEWEST_LEGACY).await;
    let other = Legacy::open(&stage, NEWEST_LEGACY).await;
    let mut wire = Wire::connect(stage.address).await;
    wire.send(&mine.post(&request(1, "tools/call", script("mine", &["wait:a"], "done")))).await;
    assert_eq!(stage.told().await, began("mine"));
    for (session, id) in
        [(&other, json!(1)), (&mine, json!("1")), (&mine, json!(2)), (&mine, json!(0))]
    {
        let note = notification("notifications/cancelled", json!({"requestId": id}));
        assert_eq!(session.send(&note).await.status, 202);
    }
    stage.open_gate("a", 1);
    assert_eq!(said(&wire.answer().await.json().await), "done");
    assert_eq!(stage.untold(), [ended("mine")]);
}

#[tokio::test]
async fn the_end_of_a_session_ends_its_calls() {
    let mut stage = Stage::start().await;
    let session = Legacy::open(&stage, NEWEST_LEGACY).await;
    let mut quiet = Wire::connect(stage.address).await;
    quiet
        .send(&session.post(&request(1, "tools/call", script("quiet", &["wait:never"], ""))))
        .await;
    assert_eq!(stage.told().await, began("quiet"));
    let mut stream = session.play("loud", &["log:1", "wait:never"], "").await;
    assert_eq!(stage.told().await, began("loud"));
    assert_eq!(session.delete().await.status, 204);
    let mut both = [stage.told().await, stage.told().await];
    both.sort_by_key(|told| *told == dropped("quiet"));
    assert_eq!(both, [dropped("loud"), dropped("quiet")]);
    assert_eq!(stream.messages().await.len(), 1, "ended properly, without an answer");
    assert_eq!(quiet.answer().await.text().await, "");
}

#[tokio::test]
async fn an_id_in_use_is_refused_and_its_call_goes_on() {
    let mut stage = Stage::start().await;
    let session = Legacy::open(&stage, NEWEST_LEGACY).await;
    let mut wire = Wire::connect(stage.address).await;
    wire.send(&session.post(&request(1, "tools/call", script("first", &["wait:a"], "first"))))
        .await;
    assert_eq!(stage.told().await, began("first"));
    let second = session.ask(1, "tools/call", script("second", &[], "second")).await;
    assert_eq!(second.status, 200);
    assert_eq!(second.json().await["error"]["code"], -32600);
    assert_eq!(said(&session.echo("1", "another type").await), "another type");
    stage.open_gate("a", 1);
    assert_eq!(said(&wire.answer().await.json().await), "first");
    assert_eq!(stage.untold(), [ended("first")]);
}
