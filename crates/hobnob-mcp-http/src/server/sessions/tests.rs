//! The table of sessions, with a clock that the test advances.

use super::{Full, HttpSession, Sessions};
use crate::server::options::SessionLimits;
use crate::server::replay::Replay;
use crate::server::requester::Requester;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_server::Server;
use std::sync::Arc;
use std::time::Duration;

const IDLE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_secs(1);

fn table(max_sessions: usize) -> (Server, Sessions) {
    let server = Server::builder("table", "1").build().unwrap();
    let limits = SessionLimits { max_sessions, idle: IDLE, ..SessionLimits::default() };
    (server, Sessions::new(limits, &Replay::new(0)))
}

fn nobody() -> Requester<'static> {
    Requester { client: ClientId::next(), known: None }
}

/// Opens a session, a moment after the previous step.
async fn open((server, sessions): &(Server, Sessions)) -> Result<Arc<HttpSession>, Full> {
    tokio::time::advance(MOMENT).await;
    let session = sessions.prepare(server, &nobody())?;
    sessions.admit(&session).map(|()| session)
}

#[tokio::test(start_paused = true)]
async fn the_session_that_was_silent_for_longest_is_ended() {
    let table = table(3);
    let first = open(&table).await.unwrap();
    let second = open(&table).await.unwrap();
    let third = open(&table).await.unwrap();
    tokio::time::advance(MOMENT).await;
    assert!(table.1.find(&first.id, &nobody()).is_some(), "and thereby it is seen");
    for gone in [second, third, first] {
        open(&table).await.unwrap();
        assert!(table.1.table.lock().get(&gone.id).is_none());
        assert_eq!(table.1.len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_somebody_listens_to_makes_no_room() {
    let table = table(2);
    let first = open(&table).await.unwrap();
    let second = open(&table).await.unwrap();
    let listeners = [first.listener(), second.listener(), second.listener()];
    assert!(open(&table).await.is_err());
    let [first_listener, second_listener, third_listener] = listeners;
    drop(second_listener);
    assert!(open(&table).await.is_err(), "one of two still listens");
    drop(third_listener);
    open(&table).await.unwrap();
    assert!(table.1.find(&first.id, &nobody()).is_some());
    assert!(table.1.find(&second.id, &nobody()).is_none());
    drop(first_listener);
}

#[tokio::test(start_paused = true)]
async fn a_prepared_session_takes_no_place() {
    let table = table(1);
    let kept = open(&table).await.unwrap();
    let prepared = table.1.prepare(&table.0, &nobody()).unwrap();
    assert!(table.1.find(&prepared.id, &nobody()).is_none());
    assert!(table.1.find(&kept.id, &nobody()).is_some());
}

#[tokio::test(start_paused = true)]
async fn silent_sessions_are_ended_at_their_time() {
    let table = table(10);
    let silent = open(&table).await.unwrap();
    let seen = open(&table).await.unwrap();
    let listened = open(&table).await.unwrap();
    let listener = listened.listener();
    // Opened two moments after the first, one after the second.
    tokio::time::advance(IDLE - MOMENT * 2 - Duration::from_millis(1)).await;
    table.1.reap();
    assert_eq!(table.1.len(), 3, "a millisecond is left");
    table.1.find(&seen.id, &nobody()).unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    table.1.reap();
    assert!(table.1.table.lock().get(&silent.id).is_none());
    tokio::time::advance(IDLE).await;
    table.1.reap();
    assert!(table.1.table.lock().get(&seen.id).is_none());
    assert_eq!(table.1.len(), 1);
    drop(listener);
    table.1.reap();
    assert_eq!(table.1.len(), 1, "its client has only just left, and may come back");
    tokio::time::advance(IDLE).await;
    table.1.reap();
    assert_eq!(table.1.len(), 0);
}
