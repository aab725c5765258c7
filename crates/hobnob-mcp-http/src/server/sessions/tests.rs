//! The table of sessions under a clock that the test moves.

use super::{Full, HttpSession, Sessions};
use crate::server::options::SessionLimits;
use crate::server::replay::Replay;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_server::Server;
use std::sync::Arc;
use std::time::Duration;

const IDLE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_secs(1);

fn house(most: usize) -> (Server, Sessions) {
    let server = Server::builder("house", "1").build().unwrap();
    let limits = SessionLimits { most, idle: IDLE, ..SessionLimits::default() };
    (server, Sessions::new(limits, &Replay::new(0)))
}

/// Opens a session a moment after whatever was done before.
async fn open((server, sessions): &(Server, Sessions)) -> Result<Arc<HttpSession>, Full> {
    tokio::time::advance(MOMENT).await;
    let session = sessions.prepare(server, ClientId::next())?;
    sessions.admit(&session).map(|()| session)
}

#[tokio::test(start_paused = true)]
async fn the_session_that_was_silent_for_longest_makes_room() {
    let house = house(3);
    let first = open(&house).await.unwrap();
    let second = open(&house).await.unwrap();
    let third = open(&house).await.unwrap();
    tokio::time::advance(MOMENT).await;
    assert!(house.1.find(&first.id).is_some(), "and thereby it is seen");
    for gone in [second, third, first] {
        open(&house).await.unwrap();
        assert!(house.1.lock().get(&gone.id).is_none());
        assert_eq!(house.1.len(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_somebody_listens_to_makes_no_room() {
    let house = house(2);
    let first = open(&house).await.unwrap();
    let second = open(&house).await.unwrap();
    let heard = [first.listener(), second.listener(), second.listener()];
    assert!(open(&house).await.is_err());
    let [first_ear, second_ear, third_ear] = heard;
    drop(second_ear);
    assert!(open(&house).await.is_err(), "one of two still listens");
    drop(third_ear);
    open(&house).await.unwrap();
    assert!(house.1.find(&first.id).is_some());
    assert!(house.1.find(&second.id).is_none());
    drop(first_ear);
}

#[tokio::test(start_paused = true)]
async fn a_prepared_session_takes_no_place() {
    let house = house(1);
    let kept = open(&house).await.unwrap();
    let prepared = house.1.prepare(&house.0, ClientId::next()).unwrap();
    assert!(house.1.find(&prepared.id).is_none());
    assert!(house.1.find(&kept.id).is_some());
}

#[tokio::test(start_paused = true)]
async fn silent_sessions_are_ended_at_their_time() {
    let house = house(10);
    let silent = open(&house).await.unwrap();
    let seen = open(&house).await.unwrap();
    let heard = open(&house).await.unwrap();
    let listening = heard.listener();
    // Opened two moments after the first, one after the second.
    tokio::time::advance(IDLE - MOMENT * 2 - Duration::from_millis(1)).await;
    house.1.reap();
    assert_eq!(house.1.len(), 3, "a millisecond is left");
    house.1.find(&seen.id).unwrap();
    tokio::time::advance(Duration::from_millis(1)).await;
    house.1.reap();
    assert!(house.1.lock().get(&silent.id).is_none());
    tokio::time::advance(IDLE).await;
    house.1.reap();
    assert!(house.1.lock().get(&seen.id).is_none());
    assert_eq!(house.1.len(), 1);
    drop(listening);
    house.1.reap();
    assert_eq!(house.1.len(), 1, "its client has only just left, and may come back");
    tokio::time::advance(IDLE).await;
    house.1.reap();
    assert_eq!(house.1.len(), 0);
}
