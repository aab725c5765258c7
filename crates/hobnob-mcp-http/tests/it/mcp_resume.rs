//! Streams of a legacy session that are cut and resumed (T24): no event is lost, repeated or taken
//! from another stream, and a resumption that comes too late gets a clear error.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::Change;
use serde_json::Value;

use crate::client::{Event, Events};
use crate::mcp_server::{LEGACY, LegacySession, NEWEST_LEGACY, TestOptions, TestServer, ToolEvent};

const EVENTS: usize = 6;

/// The steps of a call that logs numbers, and waits at the gate before each.
fn steps(who: &str) -> Vec<String> {
    let numbers = 0..EVENTS;
    numbers.flat_map(|number| [format!("wait:{who}"), format!("log:{who} {number}")]).collect()
}

async fn begin(session: &LegacySession, server: &TestServer, who: &str) -> Events {
    let steps = steps(who);
    let steps: Vec<&str> = steps.iter().map(|step| &**step).collect();
    // The first event must be ready for the answer to be a stream.
    server.open_gate(who, 1);
    session.run_steps(who, &steps, &format!("{who} done")).await
}

/// What a client has seen of a stream, over several connections.
#[derive(Default)]
struct StreamLog {
    last: String,
    messages: Vec<Value>,
}

impl StreamLog {
    fn add(&mut self, event: &Event) {
        self.last = event.id().to_owned();
        if event.data.as_deref() != Some("") {
            self.messages.push(event.message());
        }
    }

    /// Checks that every message came, in order, and once.
    fn check(&self, who: &str) {
        let mut expected: Vec<_> = (0..EVENTS).map(|number| format!("{who} {number}")).collect();
        expected.push(format!("{who} done"));
        let texts = self.messages.iter().map(|message| match message.get("result") {
            Some(result) => result["content"][0]["text"].as_str().unwrap().to_owned(),
            None => message["params"]["data"].as_str().unwrap().to_owned(),
        });
        assert_eq!(texts.collect::<Vec<_>>(), expected, "{who}");
    }
}

/// Reads until the log has this many messages.
async fn read(stream: &mut Events, log: &mut StreamLog, messages: usize) {
    while log.messages.len() < messages {
        log.add(&stream.next().await.unwrap());
    }
}

async fn read_to_end(mut stream: Events, log: &mut StreamLog) {
    for event in stream.rest().await {
        log.add(&event);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_cut_while_its_call_runs_is_taken_up_anywhere() {
    for revision in LEGACY {
        let mut server = TestServer::start().await;
        let session = LegacySession::open(&server, revision).await;
        for cut in 1..=EVENTS {
            // Two other streams of the same session are active at the same time.
            let noise = format!("noise {cut}");
            let mut other = begin(&session, &server, &noise).await;
            let mut standing = session.listen().await;
            let who = format!("cut {cut}");
            let mut stream = begin(&session, &server, &who).await;
            let mut log = StreamLog::default();
            for messages in 1..cut {
                read(&mut stream, &mut log, messages).await;
                server.open_gate(&who, 1);
            }
            read(&mut stream, &mut log, cut).await;
            drop(stream);
            server.publish(&Change::Tools);
            server.open_gate(&noise, EVENTS - 1);
            server.open_gate(&who, EVENTS - cut);
            until_ended(&mut server, &[&who, &noise]).await;
            let rest = session.resume(&log.last).await.events();
            read_to_end(rest, &mut log).await;
            log.check(&who);
            assert_eq!(standing.message().await["method"], "notifications/tools/list_changed");
            let mut log = StreamLog::default();
            for event in other.rest().await {
                log.add(&event);
            }
            log.check(&noise);
        }
    }
}

async fn until_ended(server: &mut TestServer, names: &[&str]) {
    let mut waiting: Vec<_> =
        names.iter().map(|name| ToolEvent::Ended((*name).to_owned())).collect();
    while !waiting.is_empty() {
        let event = server.next_event().await;
        assert!(!matches!(event, ToolEvent::Dropped(_)), "{event:?}");
        waiting.retain(|name| *name != event);
    }
}

#[tokio::test]
async fn a_finished_stream_is_taken_up_after_every_event() {
    let server = TestServer::start().await;
    for revision in LEGACY {
        let session = LegacySession::open(&server, revision).await;
        server.open_gate("a", EVENTS - 1);
        let all = begin(&session, &server, "a").await.rest().await;
        let (last, earlier) = all.split_last().unwrap();
        for (place, event) in earlier.iter().enumerate() {
            let again = session.resume(event.id()).await.events().rest().await;
            assert_eq!(again, all[place + 1..], "{revision} after {event:?}");
        }
        // No event follows the answer, and coming back does not change that.
        for _ in 0..2 {
            let over = session.resume(last.id()).await;
            assert_eq!(over.status, 204, "{revision}");
            assert_eq!(over.text().await, "", "{revision}");
        }
    }
}

#[tokio::test]
async fn a_stream_cut_after_every_event_loses_nothing() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut log = StreamLog::default();
    let mut stream = begin(&session, &server, "a").await;
    read(&mut stream, &mut log, 1).await;
    for messages in 2..=EVENTS {
        stream = session.resume(&log.last).await.events();
        server.open_gate("a", 1);
        read(&mut stream, &mut log, messages).await;
    }
    stream = session.resume(&log.last).await.events();
    read_to_end(stream, &mut log).await;
    log.check("a");
}

#[tokio::test]
async fn the_standing_stream_is_taken_up_too() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = session.listen().await;
    let changes = [Change::Tools, Change::Prompts, Change::Resources];
    let mut events = Vec::new();
    for change in &changes {
        server.publish(change);
        events.push(standing.next().await.unwrap());
    }
    for (place, event) in events.iter().enumerate() {
        let mut again = session.resume(event.id()).await.events();
        for expected in &events[place + 1..] {
            assert_eq!(again.next().await.as_ref(), Some(expected));
        }
    }
    // New events follow the repeated ones.
    let mut again = session.resume(events[1].id()).await.events();
    server.publish(&Change::Tools);
    assert_eq!(again.next().await.as_ref(), Some(&events[2]));
    let fresh = again.next().await.unwrap();
    assert_eq!(fresh.message()["method"], "notifications/tools/list_changed");
    assert!(events.iter().all(|known| known.id != fresh.id), "{fresh:?}");
}

#[tokio::test]
async fn what_is_no_longer_kept_is_gone_and_said_to_be() {
    let cases = [
        TestOptions::sessions(|limits| limits.events = 3),
        TestOptions::sessions(|limits| limits.event_bytes = 400),
    ];
    for options in cases {
        let server = TestServer::with(options).await;
        let session = LegacySession::open(&server, NEWEST_LEGACY).await;
        server.open_gate("a", EVENTS - 1);
        let all = begin(&session, &server, "a").await.rest().await;
        let mut statuses = Vec::new();
        for event in &all {
            let answer = session.resume(event.id()).await;
            statuses.push(answer.status);
            if answer.status == 200 {
                let place = all.iter().position(|known| known == event).unwrap();
                assert_eq!(answer.events().rest().await, all[place + 1..]);
            }
        }
        // First the dropped events, then the stored ones, then the last.
        let mut sorted = statuses.clone();
        sorted.sort_by_key(|status| [410, 200, 204].iter().position(|known| known == status));
        assert_eq!(statuses, sorted);
        for status in [410, 200, 204] {
            assert!(statuses.contains(&status), "{statuses:?}");
        }
    }
}

async fn statuses(session: &LegacySession, events: &[Event]) -> Vec<u16> {
    let mut statuses = Vec::new();
    for event in events {
        statuses.push(session.resume(event.id()).await.status);
    }
    statuses
}

#[tokio::test]
async fn all_sessions_together_keep_no_more_than_their_bound() {
    // Each event has a little more than a kilobyte.
    let server =
        TestServer::with(TestOptions::sessions(|limits| limits.replay_bytes_total = 10_000)).await;
    let first = LegacySession::open(&server, "2025-06-18").await;
    let second = LegacySession::open(&server, "2025-06-18").await;
    let ended = first.run_steps("a", &["flood:4"], "done").await.rest().await;
    assert_eq!(statuses(&first, &ended[..4]).await, [200; 4]);
    let newer = second.run_steps("b", &["flood:7"], "done").await.rest().await;
    // The ended stream made room, and the server still knows that it is over.
    assert_eq!(statuses(&first, &ended).await, [410, 410, 410, 410, 204]);
    assert_eq!(statuses(&second, &newer[..7]).await, [200; 7]);
    // A stream that is too large by itself loses its oldest events.
    let large = second.run_steps("c", &["flood:50"], "done").await.rest().await;
    let large = statuses(&second, &large).await;
    assert_eq!((large[0], large[41], large[49], large[50]), (410, 200, 200, 204), "{large:?}");
    assert_eq!(statuses(&second, &newer[..7]).await, [410; 7]);
}

#[tokio::test]
async fn a_stream_is_forgotten_when_its_client_has_read_it_all() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let all = session.run_steps("a", &["log:1", "log:2"], "done").await.rest().await;
    assert_eq!(statuses(&session, &all).await, [200, 200, 200, 204]);
    assert_eq!(statuses(&session, &all).await, [410, 410, 410, 204]);
}

#[tokio::test]
async fn streams_beyond_their_number_are_gone() {
    let server = TestServer::with(TestOptions::sessions(|limits| limits.streams = 2)).await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut firsts = Vec::new();
    for who in ["a", "b", "c"] {
        let all = session.run_steps(who, &["log:x"], "done").await.rest().await;
        firsts.push(all[0].id().to_owned());
    }
    let mut statuses = Vec::new();
    for first in &firsts {
        statuses.push(session.resume(first).await.status);
    }
    assert_eq!(statuses, [410, 200, 200]);
}

#[tokio::test]
async fn event_ids_nobody_gave_are_refused_and_disturb_nobody() {
    let server = TestServer::start().await;
    let session = LegacySession::open(&server, NEWEST_LEGACY).await;
    let other = LegacySession::open(&server, NEWEST_LEGACY).await;
    let mut standing = session.listen().await;
    server.publish(&Change::Tools);
    standing.message().await;
    let mut call = session.run_steps("a", &["log:x", "wait:a"], "done").await;
    call.message().await;
    // The other session's stream has the same number; its events must not be found from here.
    other.run_steps("b", &["log:1", "log:2", "log:3", "log:4"], "done").await.rest().await;
    let biggest = u64::MAX.to_string();
    let strange = [
        "".to_owned(),
        "-".into(),
        "x".into(),
        "0".into(),
        "0-".into(),
        "-0".into(),
        "0-x".into(),
        "0-99".into(),
        "1-99".into(),
        "2-0".into(),
        "99-0".into(),
        "\u{e9}-0".into(),
        format!("0-{biggest}"),
        format!("1-{biggest}"),
        format!("{biggest}-0"),
        format!("0-{biggest}0"),
        "1-4".into(),
    ];
    for id in strange {
        let answer = session.resume(&id).await;
        assert_eq!(answer.status, 410, "{id}");
        assert_eq!(answer.json().await["error"]["code"], -32600, "{id}");
    }
    // Both streams still have the readers they had before.
    server.publish(&Change::Prompts);
    assert_eq!(standing.message().await["method"], "notifications/prompts/list_changed");
    server.open_gate("a", 1);
    assert_eq!(call.messages().await.len(), 1);
}
